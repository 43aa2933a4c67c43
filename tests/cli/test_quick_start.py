"""A verb loads what it needs: to learn takes no theorem, no comparator and no verifier."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from commands import Call

_PROGRAM = """
import sys
from novikoff.cli import main
code = main(sys.argv[1:])
loaded = {name for name in sys.modules if name.startswith("novikoff.")}
print(*sorted(loaded), sep="\\n", file=sys.stderr)
sys.exit(code)
"""
RECEIPTS = (
    "novikoff.verifier", "novikoff.theory", "novikoff.comparators", "novikoff.reports",
    "novikoff.conformance", "novikoff.games", "novikoff.receipts.certificates",
    "novikoff.receipts.receipt", "novikoff.receipts.rereading", "novikoff.cli.certifying",
    "novikoff.classes", "novikoff.kernels", "novikoff.structures",
)  # fmt: skip


def loaded(command: str) -> set[str]:
    """Return the modules of the package that a command loads, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *command.split()],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return set(done.stderr.split())


@pytest.mark.parametrize(
    "command", ["learn a.svm --save n", "learn a.svm --digest", "predict m a.svm", "inspect m"]
)
def test_without_receipts_nothing_about_receipts_is_loaded(call: Call, command: str) -> None:
    call("learn a.svm --save m")
    found = loaded(command)
    assert "novikoff.playing.run" in found
    wrong = {name for name in found if name.startswith(RECEIPTS) or name.endswith("_family")}
    assert not wrong, f"{command} loads {', '.join(sorted(wrong))}"


def test_with_a_certificate_they_are(call: Call) -> None:
    assert {"novikoff.verifier", "novikoff.comparators"} <= loaded("learn a.svm --certify")


def test_a_contradiction_is_refused_before_numpy_is_loaded(call: Call) -> None:
    program = "import sys\nfrom novikoff.cli import main\nmain(sys.argv[1:])\n"
    program += "assert 'numpy' not in sys.modules"
    for command in ("learn a.svm --theorem hinge", "game x:1 --play learner --json", "--version"):
        done = subprocess.run(
            [sys.executable, "-c", program, *command.split()], capture_output=True, check=False
        )
        assert b"AssertionError" not in done.stderr, command


def test_learning_loads_no_part_of_numpy_that_it_does_not_use(call: Call) -> None:
    """numpy.ma takes a tenth of the start, and np.unique imports it unless it counts."""
    program = "import sys\nfrom novikoff.cli import main\ncode = main(sys.argv[1:])\n"
    program += "print('numpy' in sys.modules, 'numpy.ma' in sys.modules, code, file=sys.stderr)"
    for command in ("learn a.svm", "learn a.svm --learner perceptron"):
        done = subprocess.run(
            [sys.executable, "-c", program, *command.split()],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stderr.split()[-3:] == ["True", "False", "0"], command


@pytest.mark.parametrize("package", ["novikoff.learners", "novikoff.streams"])
def test_lazy_names_are_the_same_for_type_checkers(package: str) -> None:
    """What a package imports when asked is what its stub says."""
    found = import_module(package)
    stub = ast.parse(Path(str(found.__file__)).with_suffix(".pyi").read_text())
    said = {
        alias.name: str(node.module).removeprefix(f"{package}.")
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert said == found._NAMES.homes
    assert found.__all__ == sorted(said)
    for name, home in said.items():
        assert getattr(found, name) is getattr(import_module(f"{package}.{home}"), name)
