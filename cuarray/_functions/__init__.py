"""NumPy's array functions, one module per subject."""
