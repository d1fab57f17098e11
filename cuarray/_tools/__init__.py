"""Tools for people: the profiler, the doctor (`python -m cuarray`), and the cache of kernels."""
