"""Files say the version of their format; one that only a later version can read is refused."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

import novikoff as nv
from commands import Call
from novikoff import verifier
from novikoff.saving.storage import seal
from novikoff.saving.versions import CACHE, CERTIFICATE, LIBRARY, MODEL, formats, later_writer
from novikoff.streams.log.receipt_links import NAME

X, Y = np.eye(3), [1, -1, 1]
SAVED: dict[str, tuple[Callable[[], Any], Any]] = {
    "run": (lambda: nv.play(nv.Perceptron(), nv.stream(X, Y)), nv.Run),
    "experts": (lambda: nv.play(nv.Hedge(3), np.eye(3)), nv.Run),
    "learner": (lambda: nv.play(nv.Perceptron(), nv.stream(X, Y)).learner, nv.Learner),
    "hypothesis": (lambda: nv.Halfspace([1.0, -2.0]), nv.Hypothesis),
}


def rewritten(path: Path, **changed: str | None) -> Path:
    """Write a model again with another header, as another version might; its digest stays true."""
    with safe_open(path, framework="numpy") as file:
        header = {**file.metadata(), **changed}
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    if changed.get("format") in MODEL.read and "sha256" not in changed:
        header["sha256"] = seal(header, arrays)
    save_file(arrays, path, {name: text for name, text in header.items() if text is not None})
    return path


def test_the_version_is_the_same_wherever_it_is_written() -> None:
    root = Path(__file__).parents[2]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == nv.__version__ == LIBRARY


ROWS = {
    "models": "models: saved runs, learners and hypotheses",
    "caches": "caches",
    "runs by key": "folders of runs by key",
    "runs in shards": "plans of runs in shards",
    "certificates": "certificates",
    "digests": "digests of rows",
    "log": "the log of the service",
    "snapshot pages": "pages of snapshots of the service",
    "float programs": "float programs",
}


def test_the_page_of_formats_names_every_version() -> None:
    page = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    table = page.partition("\n\n|")[2].partition("\n\n")[0]
    listed = formats()
    assert listed.keys() == ROWS.keys()
    assert len(table.splitlines()) == 2 + len(ROWS)
    for name, (written, read) in listed.items():
        cells = [", ".join(f"`{one}`" for one in some) for some in (written, read)]
        if name == "float programs":
            cells[1] = "the same"
        assert f" {ROWS[name]} | {' | '.join(cells)} |" in table, name
    assert f"which is {LIBRARY} here" in page


def test_the_page_of_formats_names_what_has_no_version() -> None:
    page = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    section = page.partition("\n## Files without a version\n")[2].partition("\n## ")[0]
    for name in (NAME, "token file", "Report.save"):
        assert name in section, name


def test_the_table_says_what_the_code_writes() -> None:
    assert CERTIFICATE.read == (verifier.FORMAT, verifier.FLOAT_FORMAT)
    assert formats()["log"].written == ("log/1",)
    assert formats()["snapshot pages"] == (("page/2",), ("page/1", "page/2"))
    assert {"arow/1", "blend/1"} - {*formats()["float programs"].read} == {"arow/1"}


def test_the_version_lists_every_format(call: Call) -> None:
    found = call("--version --verbose --json").json["formats"]
    text = call("--version --verbose").out
    assert found.keys() == formats().keys()
    for name, (written, read) in formats().items():
        assert f"{name} {found[name]}" in text
        assert found[name].startswith(", ".join(written))
        assert {*read} <= {*found[name].replace(",", "").replace(")", "").split()}


@pytest.mark.parametrize("name", SAVED)
def test_a_saved_file_says_its_version_and_who_wrote_it(name: str, tmp_path: Path) -> None:
    make, base = SAVED[name]
    make().save(tmp_path / "m")
    with safe_open(tmp_path / "m", framework="numpy") as file:
        assert file.metadata()["format"] == str(MODEL) == "novikoff/2"
        assert file.metadata()["writer"] == nv.__version__
    rewritten(tmp_path / "m", format="novikoff/1", writer=None)  # as version 0.1.0 wrote it
    assert type(base.load(tmp_path / "m")) is type(make())


@pytest.mark.parametrize("name", SAVED)
def test_a_file_of_a_later_version_is_refused_with_what_to_do(name: str, tmp_path: Path) -> None:
    make, base = SAVED[name]
    make().save(tmp_path / "m")
    rewritten(tmp_path / "m", format="novikoff/3", writer="1.12.0")
    with pytest.raises(nv.InputError) as refused:
        base.load(tmp_path / "m")
    assert str(refused.value) == (
        f"{tmp_path / 'm'}: expected novikoff/1 or novikoff/2, got novikoff/3, a later version. "
        f"novikoff 1.12.0 wrote it. Update novikoff, which is {LIBRARY} here."
    )


@pytest.mark.parametrize("format", ["novikoff/0", "novikoff/02", "cache/1", "", None])
def test_what_is_no_version_of_a_model_is_refused(format: str | None, tmp_path: Path) -> None:
    nv.Halfspace([1.0]).save(tmp_path / "h")
    with pytest.raises(nv.InputError, match=r"expected novikoff/1 or novikoff/2, got .*another"):
        nv.Halfspace.load(rewritten(tmp_path / "h", format=format))


def test_what_a_later_version_learned_to_write_is_explained(tmp_path: Path) -> None:
    """A learner or a hypothesis that is not here yet: the format need not have changed."""
    advice = rf"novikoff 0\.12\.0 wrote it\. Update novikoff, which is {LIBRARY} here\."
    nv.Halfspace([1.0]).save(tmp_path / "h")
    with pytest.raises(nv.InputError, match=rf"got one of kind Disc\. {advice}"):
        nv.Hypothesis.load(rewritten(tmp_path / "h", kind="Disc", writer="0.12.0"))
    nv.play(nv.Perceptron(), nv.stream(X, Y)).save(tmp_path / "run")
    with pytest.raises(nv.InputError, match=rf"another SHA-256\)\. {advice}"):
        nv.Run.load(rewritten(tmp_path / "run", metadata="{}", writer="0.12.0"))


@pytest.mark.parametrize("name", SAVED)
def test_metadata_that_are_nested_too_deeply_are_refused(name: str, tmp_path: Path) -> None:
    make, base = SAVED[name]
    make().save(tmp_path / "m")
    with pytest.raises(nv.InputError, match=r"nested too deeply\)\. novikoff .* wrote it\. Take "):
        base.load(rewritten(tmp_path / "m", format="novikoff/2", metadata="[" * 200_000))


@pytest.mark.parametrize("writer", ["0.1.0", "0.2.0", LIBRARY, "later", "9", "9.0.0.0", "1.0.x"])
def test_nobody_is_sent_to_a_version_that_is_not_later(writer: str) -> None:
    assert later_writer(writer) == ""
    assert later_writer(None) == ""


def test_a_cache_of_a_later_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.arrow"
    nv.cache(nv.stream(X, Y), path)
    table = pa.ipc.open_file(path).read_all()
    about = table.schema.metadata
    assert about[b"novikoff"] == str(CACHE).encode() == b"cache/1"
    later = table.replace_schema_metadata({**about, b"novikoff": b"cache/2"})
    with pa.ipc.new_file(path, later.schema) as writer:
        writer.write_table(later)
    said = f"rows.arrow: expected cache/1, got cache/2, a later version. Update .*{LIBRARY}"
    with pytest.raises(nv.InputError, match=said):
        nv.play(nv.Perceptron(), nv.read(path))


def test_the_command_line_says_so_too(call: Call) -> None:
    nv.play(nv.Perceptron(), nv.stream(X, Y)).save("m")
    rewritten(Path("m"), format="novikoff/7")
    Path("a.svm").write_text("1 1:1\n-1 2:1\n")
    for command in ("inspect m", "predict m a.svm", "learn a.svm --resume m --save n"):
        found = call(command)
        assert found.code == 3, command
        assert "got novikoff/7, a later version. Update novikoff" in found.err, command
