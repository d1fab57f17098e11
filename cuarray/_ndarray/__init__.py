"""The types `ndarray` and `ufunc`, as far as they are written in Python: methods, protocols, docstrings."""
