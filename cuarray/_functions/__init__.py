"""NumPy's functions of arrays, one module for each subject."""
