"""What the other modules share: the root, commands that must succeed, the time of a release."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build"
DIST = ROOT / "dist"
TOOLS = Path(sys.executable).parent


class StepError(Exception):
    """A step that failed; its message says which, and what to do."""


def carry_out(
    command: Sequence[str | Path],
    folder: Path = ROOT,
    more: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> str:
    """Run a command and return what it printed; an error shows its last lines."""
    surroundings = {**(os.environ if environment is None else environment), **(more or {})}
    words = [str(word) for word in command]
    done = subprocess.run(
        words, cwd=folder, env=surroundings, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        last = "\n".join((done.stdout + done.stderr).splitlines()[-40:])
        raise StepError(f"{' '.join(words)}: expected status 0, got {done.returncode}.\n{last}")
    return done.stdout


def commit_time(folder: Path = ROOT) -> str:
    """Return SOURCE_DATE_EPOCH if it is set, and otherwise the time of the last commit."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    return given or carry_out(["git", "log", "-1", "--format=%ct"], folder).strip()


def tag_of(python: str | Path) -> str:
    """Return the tag that wheels have for an interpreter: cp311, or cp313t without the lock."""
    asked = (
        "import sys, sysconfig; free = sysconfig.get_config_var('Py_GIL_DISABLED');"
        "print('cp%d%d' % sys.version_info[:2] + 't' * bool(free))"
    )
    return carry_out([python, "-c", asked]).strip()


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
