"""python -m cuarray [--json]: what is there, what is missing, and the command that mends it."""

import sys

from cuarray._doctor import main

sys.exit(main())
