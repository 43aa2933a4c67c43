"""The scripts that build and check a release, and what pyproject.toml promises about it."""

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

from cases import CASES
from release import arm
from release.bits import FORMS, SCORES, by_numpy
from release.installed import COMPILER
from release.reproducible import differing
from release.steps import StepError, carry_out

ROOT = Path(__file__).parents[1]


def _project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_wheels_are_built_for_the_pythons_that_the_classifiers_name() -> None:
    project = _project()
    named = [line for line in project["project"]["classifiers"] if ":: Python :: 3." in line]
    built = [f"cp{line.rsplit('::', 1)[1].strip().replace('.', '')}-*" for line in named]
    assert built == project["tool"]["cibuildwheel"]["build"]
    assert project["project"]["requires-python"] == ">=3.11"
    assert built[0] == "cp311-*"


def test_every_source_of_the_core_reaches_the_archive() -> None:
    left_out = _project()["tool"]["scikit-build"]["sdist"]["exclude"]
    for folder in ("core", "src", "LICENSE", "CMakeLists.txt"):
        assert (ROOT / folder).exists()
        assert not any(name.strip("/") == folder for name in left_out)


@pytest.mark.parametrize(
    "name", ["gcc", "g++-12", "x86_64-linux-gnu-gcc", "clang++-14", "cc", "c++", "ld.gold", "c99"]
)
def test_a_compiler_is_kept_from_the_bare_environment(name: str) -> None:
    assert COMPILER.fullmatch(name)


@pytest.mark.parametrize("name", ["git", "bash", "gzip", "env", "node", "less"])
def test_other_commands_are_not(name: str) -> None:
    assert not COMPILER.fullmatch(name)


def _archive(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def test_two_builds_differ_in_the_files_that_are_named(tmp_path: Path) -> None:
    one = _archive(tmp_path / "one.whl", {"a": "1", "b": "2", "c": "3"})
    two = _archive(tmp_path / "two.whl", {"a": "1", "b": "20", "d": "3"})
    assert differing(one, two) == ["b", "c", "d"]
    assert differing(one, one) == []


def test_a_step_that_fails_says_which_and_what_it_printed() -> None:
    with pytest.raises(StepError, match=r"expected status 0, got 3\.\nno room"):
        carry_out([sys.executable, "-c", "import sys; print('no room'); sys.exit(3)"])


def test_only_named_cases_may_differ_between_architectures() -> None:
    """Scores of kernels; never a mistake, a prediction, a probability or a learner's state."""
    names = [f"{case.name}, {form}" for case in CASES for form in FORMS]
    assert not any(by_numpy(name) for name in names)
    scored = {name for name in names if by_numpy(name + SCORES)}
    assert {name.split(",")[0] for name in scored} == {
        case.name for case in CASES if case.name.startswith("kernel")
    }


SUBINTERPRETER = """
import sys
try:
    import _interpreters as interpreters
except ImportError:  # before Python 3.13
    import _xxsubinterpreters as interpreters
run = interpreters.exec if hasattr(interpreters, "exec") else interpreters.run_string
TRIED = "try:\\n import novikoff._core\\nexcept ImportError as error:\\n print('refused:', error)"
run(interpreters.create(*KIND), TRIED)
import novikoff as nv
print("then", nv.play(nv.Perceptron(), nv.stream([[1.0], [-1.0]], [1, -1])).mistakes)
"""


@pytest.mark.parametrize("kind", ["isolated", "legacy"])
def test_a_subinterpreter_is_refused_and_the_main_one_goes_on(kind: str) -> None:
    """Before it was refused, playing a round in one waited for ever."""
    chosen = f"KIND = {(kind,) if sys.version_info >= (3, 13) else ()}"
    done = subprocess.run(
        [sys.executable, "-c", f"{chosen}\n{SUBINTERPRETER}"],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    refused, then = sorted(done.stdout.splitlines())  # each interpreter has a buffer of its own
    assert refused.startswith("refused: ")
    assert "subinterpreter" in refused
    assert then == "then 1"


def test_a_machine_without_a_source_of_debian_is_told_what_to_add(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """apt-get update cannot help if no source has the suite."""
    monkeypatch.setattr(arm, "carry_out", lambda _: "\n")
    said = r"^aarch64: expected a source of Debian's bookworm .*, got none\. Add one to /etc/apt/"
    with pytest.raises(StepError, match=said):
        arm._archive()
    monkeypatch.setattr(arm, "carry_out", lambda _: "http://deb.debian.org/debian\n" * 2)
    assert arm._archive() == "http://deb.debian.org/debian"
