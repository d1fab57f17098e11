"""Where `python -m cuarray` begins: the doctor, and `python -m cuarray cache`, the cache of kernels."""

import sys

from cuarray._tools import doctor, kernel_cache

if __name__ == "__main__":
    sys.exit(kernel_cache.main(sys.argv[2:]) if sys.argv[1:2] == ["cache"] else doctor.main())
