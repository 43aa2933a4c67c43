"""``python -O`` leaves assertions out, ``python -OO`` docstrings too: nothing may need them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import novikoff as nv
from novikoff import verifier

_IMPORTS = """
import importlib, pkgutil, novikoff
for module in pkgutil.walk_packages(novikoff.__path__, "novikoff."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
"""


def _called(option: str, *words: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, option, *words], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("option", ["-O", "-OO"])
def test_a_run_its_receipt_and_its_verdict_need_neither(option: str, tmp_path: Path) -> None:
    rows = "".join(f"{1 if t % 3 else -1} {t % 3 + 1}:1 5:0.5\n" for t in range(60))
    (tmp_path / "d.svm").write_text(rows)
    command = ("-m", "novikoff")
    asked = ("--learner", "perceptron", "--save", "m", "--certify", "c.json")
    said = _called(option, *command, "learn", "d.svm", *asked, "--json", folder=tmp_path)
    run = nv.play(nv.Perceptron(), nv.read(tmp_path / "d.svm"))
    assert json.loads(said)["mistakes"] == run.ledger.mistakes
    said = _called(option, *command, "verify", "c.json", "d.svm", "--json", folder=tmp_path)
    assert json.loads(said)["verified"] is True
    alone = _called(option, str(verifier.__file__), "c.json", "d.svm", folder=tmp_path)
    assert json.loads(alone)["verified"] is True


def test_every_module_is_imported_without_docstrings(tmp_path: Path) -> None:
    _called("-OO", "-c", _IMPORTS, folder=tmp_path)


def test_what_is_false_is_refused_without_assertions(tmp_path: Path) -> None:
    (tmp_path / "d.svm").write_text("1 1:1\n-1 2:1\n" * 5)
    run = nv.play(nv.Perceptron(), nv.read(tmp_path / "d.svm"))
    nv.certify(run, nv.read(tmp_path / "d.svm")).save(tmp_path / "c.json")
    (tmp_path / "d.svm").write_text("1 1:1\n-1 2:2\n" * 5)
    done = subprocess.run(
        [sys.executable, "-OO", str(verifier.__file__), "c.json", "d.svm"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert json.loads(done.stdout)["verified"] is False
