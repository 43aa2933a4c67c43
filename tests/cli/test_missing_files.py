"""Files that the system refuses: the error says which, and what to do."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

import novikoff as nv
from commands import Call
from novikoff.cli.plans.story_plans import DemoPlan
from novikoff.cli.remedies import about_file
from novikoff.cli.stories import demo
from novikoff.saving.whole_files import drafted


@pytest.mark.parametrize(
    "command",
    [
        "verify nowhere a.svm", "verify --chain nowhere nowhere", "certify nowhere a.svm",
        "certify --predictions nowhere a.svm", "predict nowhere a.svm", "test nowhere a.svm",
        "inspect nowhere", "report nowhere a.svm", "learn a.svm --resume nowhere --save m",
    ],
)  # fmt: skip
def test_a_file_that_is_missing_is_named_with_where_it_was_looked_for(
    call: Call, command: str
) -> None:
    found = call(command)
    assert found.code == 3
    assert found.err == (
        "novikoff: nowhere: expected a file, got: No such file or directory. Check the name; it is "
        f"looked up in {Path.cwd()}.\n"
    )


def test_an_absolute_name_is_looked_up_nowhere_else(tmp_path: Path, call: Call) -> None:
    found = call(f"predict {tmp_path}/m a.svm")
    assert found.err.endswith("No such file or directory. Check the name.\n")


def test_a_folder_that_is_gone_is_said_to_be(tmp_path: Path, monkeypatch: Any) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    error = FileNotFoundError(errno.ENOENT, "No such file or directory", "m")
    assert about_file(error).endswith("the folder in which it is looked up is gone.")


def test_python_raises_what_it_does_for_other_files() -> None:
    for load in (nv.Run.load, nv.Certificate.load):
        with pytest.raises(FileNotFoundError, match="No such file or directory: 'nowhere'"):
            load("nowhere")


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        (errno.ENOSPC, "Free some space, or write elsewhere."),
        (errno.EACCES, "Change its permissions, or name another place."),
        (errno.EROFS, "Name a place that may be written to."),
    ],
)
def test_a_file_that_cannot_be_written_stays_and_its_error_advises(
    call: Call, monkeypatch: pytest.MonkeyPatch, code: int, advice: str
) -> None:
    Path("m").write_bytes(b"")

    def full(_: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", full)
    found = call("learn a.svm --save m")
    said = f"novikoff: m: {os.strerror(code)}. {advice} The file is as it was.\n"
    assert (found.code, found.err) == (3, said)
    assert Path("m").read_bytes() == b""
    with pytest.raises(OSError, match="'m'") as caught, drafted("m"):
        pass
    assert caught.value.errno == code


def test_the_demo_needs_a_folder_to_write_to(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("file").touch()
    advice = "Name another with --folder FOLDER."
    for folder, got in (("file", "File exists"), ("file/x", "Not a directory")):
        found = call(f"demo --folder {folder}")
        said = f"novikoff: {folder}: expected a folder to write to, got: {got}. {advice}\n"
        assert (found.code, found.err) == (3, said)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(nv.InputError, match=f"got: Permission denied. {advice}"):
        demo(DemoPlan(json=False))
