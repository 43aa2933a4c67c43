"""``python -m novikoff.cli``."""

import sys

from novikoff.cli import main

sys.exit(main())
