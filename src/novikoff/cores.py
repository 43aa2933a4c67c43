"""Cores: how many this process may use."""

import os


def core_count() -> int:
    """Return how many cores this process may use; not all systems know fewer than all of them."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
