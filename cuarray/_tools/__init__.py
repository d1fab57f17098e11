"""User tools: the profiler, and what `python -m cuarray` does: programs, reports, checks, the doctor, the cache."""
