"""The tests against the wheels in ``dist/``: ``python -m release.installed PYTHON … -- TESTS``.

Each wheel is installed into a fresh environment from which no compiler can be found: first alone,
to play a short story with nothing but its own dependencies, then with what the tests need.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from release.steps import BUILD, DIST, ROOT, StepError, carry_out, tag_of

COMPILER = re.compile(
    r"(.*-)?(cc|c\+\+|gcc|g\+\+|clang|clang\+\+|cpp|ld|ld\..*|as|c89|c99)(-[\d.]+)?"
)
STORY = """
import pathlib, tempfile, novikoff as nv
rows = [({"free": 1.0, "from": "bank"}, "spam"), ({"hello": 2}, "ham")] * 50
run = nv.Run(nv.Blend(), labels=("ham", "spam"))
for x, y in rows: run.learn(x, y)
file = pathlib.Path(tempfile.mkdtemp(), "mail.model")
run.save(file)
assert nv.Run.load(file).ledger.rounds == 100
assert nv.verify(nv.certify(nv.play(nv.Perceptron(), [([1.0, 0.5], 1), ([0.2, -1.0], -1)])),
                 [([1.0, 0.5], 1), ([0.2, -1.0], -1)]).verified
print(nv.__file__)
"""


def main(arguments: list[str]) -> int:
    """Test each wheel; the status is that of the first tests that fail."""
    split = arguments.index("--") if "--" in arguments else len(arguments)
    tests = arguments[split + 1 :] or ["tests", "docs", "README.md", "--pyargs", "novikoff"]
    for python in arguments[:split] or [sys.executable]:
        wheel = wheel_of(tag_of(python))
        venv = _bare(python)
        surroundings = {"PATH": f"{venv / 'bin'}:{_tools()}", "HOME": tempfile.gettempdir()}
        if "NOVIKOFF_DATA" in os.environ:
            surroundings["NOVIKOFF_DATA"] = os.environ["NOVIKOFF_DATA"]
        _install(venv, [str(wheel)], surroundings)
        told = carry_out([venv / "bin/python", "-c", STORY], venv, environment=surroundings).strip()
        if not told.startswith(str(venv)):
            raise StepError(f"test-wheel: expected the package inside {venv}, got {told}.")
        carry_out([venv / "bin/novikoff", "--version"], venv, environment=surroundings)
        print(f"{wheel.name}: installs and plays without a compiler", flush=True)
        hashed = str(ROOT / "requirements/hashed/dev.txt")
        _install(venv, ["--require-hashes", "-r", hashed], surroundings)
        command = [str(venv / "bin/python"), "-m", "pytest", "-q", "-n", "2", *tests]
        status = subprocess.run(command, cwd=ROOT, env=surroundings, check=False).returncode
        if status != 0:
            return status
    return 0


def wheel_of(tag: str) -> Path:
    """Return the wheel in ``dist/`` for a Python."""
    found = [path for path in DIST.glob("*.whl") if path.name.split("-")[3] == tag]
    if len(found) != 1:
        raise StepError(f"dist: expected one wheel for {tag}, got {len(found)}. Run make wheel.")
    return found[0]


def _bare(python: str) -> Path:
    venv = BUILD / "wheel-tests" / tag_of(python)
    shutil.rmtree(venv, ignore_errors=True)
    carry_out([python, "-m", "venv", venv])
    return venv


def _tools() -> Path:
    """Return a folder of links to the system's commands, less everything that compiles."""
    folder = BUILD / "wheel-tests" / "tools"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for command in Path("/usr/bin").iterdir():
        if not COMPILER.fullmatch(command.name):
            (folder / command.name).symlink_to(command)
    return folder


def _install(venv: Path, what: list[str], surroundings: dict[str, str]) -> None:
    pip = ["-m", "pip", "--disable-pip-version-check", "install", "-q", "--only-binary=:all:"]
    carry_out([venv / "bin/python", *pip, *what], environment=surroundings)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
