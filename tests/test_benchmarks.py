"""The table of results: what it reads, and when it says that a row moved."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.real import file_of, numbered
from benchmarks.table import HEADING, RESULTS, Row, committed, replaced, said
from benchmarks.timing import timed


def row(work: str = "sparse", low: float = 1.0, high: float = 1.2) -> Row:
    return Row(work, 0.2, 0.1, (low + high) / 2, low, high, 7, 1.5, "0.130 errors", "2026-11-16")


def test_a_row_holds_medians_and_the_middle_half_of_its_turns() -> None:
    found = timed("w", 2, [2, 4, 6, 8, 100], [1, 1, 1, 1, 1])
    assert (found.peer, found.ours, found.ratio) == (6, 1, 6)
    assert (found.low, found.high, found.turns) == (4, 8, 5)


def test_of_few_turns_all_count() -> None:
    assert timed("w", None, [3, 1], [1, 1]).low == 1
    assert timed("w", None, [3, 1], [1, 1]).high == 3


def test_a_table_is_read_as_it_was_written() -> None:
    rows = [row(), row("dense, a → b")]
    text = "\n".join([HEADING, *(r.line() for r in rows)])
    assert committed(text) == {r.work: r for r in rows}


@pytest.mark.parametrize(
    ("low", "high", "word"), [(1.1, 1.3, ""), (1.21, 1.4, "faster"), (0.8, 0.99, "slower")]
)
def test_a_row_moved_if_the_middle_halves_do_not_meet(low: float, high: float, word: str) -> None:
    assert said(row(low=low, high=high), row()).split(":")[0] == word


def test_digits_that_the_table_does_not_have_move_nothing() -> None:
    before = committed(row(low=0.03249, high=0.03251).line())["sparse"]
    assert said(row(low=0.03246, high=0.03249), before) == ""


def test_rows_are_replaced_in_place_and_new_ones_follow() -> None:
    text = "\n".join(["before", HEADING, row("a").line(), row("b").line(), "", "after"])
    found = replaced(text, [row("c"), row("a", 3, 4)])
    assert list(committed(found)) == ["a", "b", "c"]
    assert committed(found)["a"].low == 3
    assert list(committed(replaced(HEADING, [row("a")]))) == ["a"]
    assert found.startswith("before")
    assert found.endswith("\n\nafter")


def test_the_committed_table_can_be_read() -> None:
    rows = committed(RESULTS.read_text("utf-8"))
    assert len(rows) > 40
    assert all(r.low <= r.ratio <= r.high and r.turns >= 1 for r in rows.values())


def test_any_two_labels_of_a_real_set_become_minus_one_and_one() -> None:
    found, classes = numbered(np.array([2.0, 1.0, 1.0, 2.0]))
    assert (found.tolist(), classes) == ([1, -1, -1, 1], 2)
    found, classes = numbered(np.array([3.0, 20.0, 1.0]))
    assert (found.tolist(), classes) == ([1, 2, 0], 3)


def test_a_real_set_is_the_training_part_whatever_compressed_it(tmp_path: Path) -> None:
    for name in ("a9a.t.gz", "a9a.gz"):
        (tmp_path / "a9a").mkdir(exist_ok=True)
        (tmp_path / "a9a" / name).touch()
    (tmp_path / "news20").mkdir()
    (tmp_path / "news20" / "news20.bz2").touch()
    found = [file_of(tmp_path, name) for name in ("a9a", "news20", "w8a")]
    assert [path and path.name for path in found] == ["a9a.gz", "news20.bz2", None]
