"""``python -m novikoff``."""

import sys

from novikoff.cli import main

sys.exit(main())
