"""User tools: the profiler, the doctor (`python -m cuarray`), and the kernel cache."""
