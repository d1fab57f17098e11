"""The Python part of the types `ndarray` and `ufunc`: methods, protocols, docstrings."""
