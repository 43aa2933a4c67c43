"""Programs on each level of this CPU: the core holds kernels for several, and takes the best."""

import os
import subprocess
import sys

LEVELS = ("baseline", "x86-64-v3", "x86-64-v4")
"""A CPU without one of them takes the best that it has."""


def said_on_each_level(program: str, *arguments: str) -> list[str]:
    """Return what a program prints on each level, the least first."""
    return [_said_on(level, program, arguments) for level in LEVELS]


def _said_on(level: str, program: str, arguments: tuple[str, ...]) -> str:
    environment = os.environ | {"NOVIKOFF_CPU": level, "PYTHONHASHSEED": "0"}
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return done.stdout
