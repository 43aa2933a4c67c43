"""Settings shared by all tests."""

import fcntl
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest

from commands import Call, caller, write_files

if TYPE_CHECKING:
    from playwright.sync_api import Browser

sys.path.insert(0, str(Path(__file__).parents[1] / "docs"))  # its scripts, and their instances

os.environ["NOVIKOFF_LEAKS"] = "1"  # programs that tests start report what lives on at their end
hypothesis.settings.register_profile(
    "novikoff", deadline=None, max_examples=60, derandomize=True, database=None
)
hypothesis.settings.load_profile("novikoff")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real datasets, where there is one."""
    default = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("NOVIKOFF_DATA", default))
    if not folder.is_dir():
        pytest.skip("no real datasets: set NOVIKOFF_DATA to their folder")
    return folder


@pytest.fixture(autouse=True)
def _ctrl_c() -> None:
    """Tests hear Ctrl-C even if they run in the background of a shell, which would ignore it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _one_ray_at_a_time(request: pytest.FixtureRequest) -> Iterator[None]:
    """Clusters that start side by side can find each other's processes."""
    if request.node.get_closest_marker("cluster") is None:
        yield
        return
    name = f"novikoff-tests-ray-{os.getuid()}.lock"
    with (Path(tempfile.gettempdir()) / name).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Call:
    """The command line, in a folder with a few files."""
    monkeypatch.chdir(tmp_path)
    write_files()
    return caller(capsys)


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """Chromium, for the tests of pages."""
    from playwright.sync_api import sync_playwright

    # Chromium's own sandbox does not start as root.
    arguments = ["--no-sandbox"] if os.getuid() == 0 else []
    path = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=arguments)
        yield chromium
        chromium.close()
