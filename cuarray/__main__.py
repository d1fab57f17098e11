"""Where `python -m cuarray` begins: the doctor, and `python -m cuarray cache`, the cache of kernels."""

import sys

from cuarray import _cache, _doctor

if __name__ == "__main__":
    sys.exit(_cache.main(sys.argv[2:]) if sys.argv[1:2] == ["cache"] else _doctor.main())
