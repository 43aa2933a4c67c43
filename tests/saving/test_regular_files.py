"""Models and certificates are regular files: a folder is named as one, and a pipe does not wait."""

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import novikoff as nv
from commands import Call
from novikoff.saving.storage import claimed_kind

LOADERS: dict[str, tuple[Callable[[Path], Any], str]] = {
    "run": (nv.Run.load, "a saved model"),
    "learner": (nv.Learner.load, "a saved model"),
    "experts": (nv.RegretLearner.load, "a saved model"),
    "hypothesis": (nv.Hypothesis.load, "a saved model"),
    "certificate": (nv.Certificate.load, "a certificate"),
}
KINDS = ("a folder", "a pipe", "a socket", "a device")


@pytest.fixture(params=KINDS)
def special(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    """Make what is no regular file."""
    path, kind = tmp_path / "x", str(request.param)
    if kind == "a folder":
        path.mkdir()
    elif kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(os.path.relpath(path))
    else:
        path = Path("/dev/null")
    return path, kind


@pytest.mark.parametrize("name", LOADERS)
def test_it_is_refused_by_name(name: str, special: tuple[Path, str]) -> None:
    (load, what), (path, kind) = LOADERS[name], special
    with pytest.raises(nv.InputError) as caught:
        load(path)
    assert str(caught.value) == (
        f"{path}: expected a regular file with {what}, got {kind}. Name the file itself; write to "
        "one first what comes from elsewhere."
    )
    assert claimed_kind(path) is None


def test_the_command_line_does_not_wait(special: tuple[Path, str], call: Call) -> None:
    (path, kind), rows = special, nv.stream([[1.0], [-1.0]], [1, -1])
    Path("a.svm").write_text("1 1:1\n-1 1:-1\n")
    nv.play(nv.Perceptron(), rows).save("m")
    predict = [] if kind == "a folder" else [f"predict {path} a.svm"]  # a folder has runs by key
    for command in (
        *predict, f"inspect {path}", f"learn a.svm --resume {path} --save n",
        f"verify {path} a.svm", f"verify --chain {path} {path}", f"report {path} a.svm",
        f"certify {path} a.svm",
    ):  # fmt: skip
        found = call(command)
        assert found.code == 3, command
        assert f"{path}: expected a regular file with a" in found.err, found.err
        assert f"got {kind}. Name the file itself" in found.err


@pytest.mark.parametrize("name", LOADERS)
def test_a_link_to_a_file_is_that_file(name: str, tmp_path: Path) -> None:
    load, _ = LOADERS[name]
    (tmp_path / "link").symlink_to(tmp_path / "none")
    with pytest.raises(FileNotFoundError) as caught:
        load(tmp_path / "link")
    assert str(caught.value.filename) == str(tmp_path / "link")
    run = nv.play(nv.Perceptron(), nv.stream([[1.0], [-1.0]], [1, -1]))
    made: dict[str, Any] = {
        "run": run, "learner": run.learner, "hypothesis": run.hypothesis(),
        "experts": nv.Hedge(2), "certificate": nv.certify(run),
    }  # fmt: skip
    made[name].save(tmp_path / "none")
    load(tmp_path / "link")
