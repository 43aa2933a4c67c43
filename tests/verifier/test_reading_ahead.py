"""A second process reads the same rows, and says what is wrong with them in the same words."""

import multiprocessing
import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from novikoff import verifier


def shown(rows: Any) -> list[Any]:
    return [(where, label, list(items)) for where, label, items in rows]


@pytest.fixture
def always_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifier, "LARGE", 0)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(verifier, "active_count", lambda: 1)


@pytest.mark.usefixtures("always_ahead")
def test_rows_are_the_same_and_in_order(tmp_path: Path) -> None:
    """Plain lines, and lines that are looked at more closely: 0, comments, indices out of order."""
    path = tmp_path / "d.svm"
    odd = ["-1 3:1 2:0.5", "1 1:0 # zero", "spam 7:1e-3", "1", ""]
    path.write_text("\n".join(f"1 {t + 1}:0.{t + 1}\n{odd[t % 5]}" for t in range(700)))
    rows = partial(verifier.read_svmlight, str(path))
    ahead = verifier.ahead(rows, str(path))
    assert ahead is not rows
    assert shown(ahead()) == shown(rows()) != []
    assert shown(ahead()) == shown(rows())  # as often as one likes


@pytest.mark.usefixtures("always_ahead")
def test_what_is_wrong_is_said_in_the_same_words(tmp_path: Path) -> None:
    path = tmp_path / "d.svm"
    path.write_text("1 1:1\n" * 600 + "1 2:x\n")
    rows = partial(verifier.read_svmlight, str(path))
    said = []
    for read in (rows, verifier.ahead(rows, str(path))):
        with pytest.raises(verifier.BadData) as error:
            list(read())
        said.append(str(error.value))
    assert said[0] == said[1]
    assert "d.svm:601: expected index:value" in said[0]


@pytest.mark.usefixtures("always_ahead")
def test_beside_other_threads_and_in_a_pool_it_reads_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "d.svm"
    path.write_text("1 1:1\n")
    rows = partial(verifier.read_svmlight, str(path))
    with monkeypatch.context() as patch:
        patch.setattr(verifier, "active_count", lambda: 2)
        assert verifier.ahead(rows, str(path)) is rows
    with multiprocessing.get_context("fork").Pool(1) as pool:
        found = pool.apply(_read_in_a_pool, (str(path),))
    assert found == shown(rows())


def _read_in_a_pool(path: str) -> list[Any]:
    return shown(verifier.ahead(partial(verifier.read_svmlight, path), path)())


def dies() -> Any:
    yield "here", 1, [(0, 1.0)]
    os._exit(7)


def test_a_reader_that_dies_gives_no_verdict() -> None:
    with pytest.raises(verifier.BadData, match="expected a process to read them"):
        list(verifier.received(dies))
