"""python -m cuarray [--json]: what is there, what is missing, and the command that mends it."""

import sys

from cuarray._doctor import main

if __name__ == "__main__":
    sys.exit(main())
