"""User tools: the profiler, and what `python -m cuarray` does: programs and their checks, the doctor, the cache."""
