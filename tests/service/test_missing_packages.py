"""What needs the extra ``service`` says so where it is not installed, in one sentence."""

import subprocess
import sys
from pathlib import Path

import pytest

from novikoff.extras import EXTRAS

PACKAGES = [package.replace("-", "_") for package in EXTRAS["service"]]
COMMANDS = {
    "novikoff serve": ["serve", "m", "--log", "log", "--token-file", "tokens"],
    "the log of a service": ["log", "export", "log", "day.jsonl"],
}


def said(folder: Path, package: str, program: str) -> str:
    """Run a program in which a package cannot be imported; return what it says at last."""
    hidden = f"import sys; sys.modules[{package!r}] = None\n{program}"
    done = subprocess.run(
        [sys.executable, "-c", hidden], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode
    return done.stderr.splitlines()[-1]


def sentence(purpose: str, package: str) -> str:
    name = package.replace("_", "-")
    return (
        f"{purpose}: expected the package {name}, got none. Install it: pip install "
        f"{' '.join(EXTRAS['service'])} (the extra novikoff[service])."
    )


@pytest.mark.parametrize("package", PACKAGES)
def test_serve_names_the_extra(tmp_path: Path, package: str) -> None:
    """Nothing is written before it is known: no model, no tokens, no log."""
    program = f"from novikoff import cli; sys.exit(cli.main({COMMANDS['novikoff serve']}))"
    found = said(tmp_path, package, program)
    assert found == f"novikoff: {sentence('novikoff serve', package)}"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("package", ["msgspec", "google_crc32c"])
@pytest.mark.parametrize(
    "program",
    [
        f"from novikoff import cli; sys.exit(cli.main({COMMANDS['the log of a service']}))",
        "import novikoff as nv; nv.read('log')",
    ],
    ids=["export", "read"],
)
def test_reading_a_log_names_the_extra(tmp_path: Path, package: str, program: str) -> None:
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "00000000000000000001.nvlog").touch()
    assert said(tmp_path, package, program).endswith(sentence("the log of a service", package))


def test_the_package_of_the_service_names_the_extra(tmp_path: Path) -> None:
    found = said(tmp_path, "msgspec", "import novikoff.service")
    assert found == f"ModuleNotFoundError: {sentence('novikoff.service', 'msgspec')}"
