"""The entry point of `python -m cuarray`, the doctor, and of `python -m cuarray cache`, the kernel cache."""

import sys

from cuarray._tools import doctor, kernel_cache

if __name__ == "__main__":
    sys.exit(kernel_cache.main(sys.argv[2:]) if sys.argv[1:2] == ["cache"] else doctor.main())
