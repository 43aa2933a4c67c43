"""Campaigns: hostile input of every kind, at any size; each module is one, found by its name.

    python -m campaigns certificates --size 200000 --seed 1

A module has ``SMALL``, the size that is part of the tests, and ``campaign(size, seed)``, which
returns what it counted or raises an AssertionError that says how to see the failure again.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests"))  # the oracle and other judges
