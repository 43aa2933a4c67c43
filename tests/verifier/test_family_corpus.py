"""Certificates of every family, true ones and lies: the oracle and the verifier find the same."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from novikoff import verifier
from oracle import judge, read_rows, read_sentences, sealed_text
from oracle.judging import THEOREMS
from oracle.limits import little_memory, little_time
from oracle.samples import samples

FOLDER = Path(__file__).parents[1] / "corpus" / "certificates" / "families"
INDEX: list[dict[str, Any]] = json.loads((FOLDER / "index.json").read_text(encoding="utf-8"))
EACH = pytest.mark.parametrize("row", INDEX, ids=lambda row: row["certificate"])


@pytest.fixture(autouse=True)
def _limits() -> Iterator[None]:
    with little_memory(), little_time():
        yield


def rows_in(row: dict[str, Any]) -> list[Any]:
    path = FOLDER / row["data"]
    if path.suffix == ".sentences":
        return list(read_sentences(path))
    return list(read_rows(path, row["column"]))


def test_the_corpus_has_every_learner_and_theorem_true_and_false() -> None:
    found: dict[str, set[tuple[str | None, str]]] = {"verified": set(), "refused": set()}
    for row in INDEX:
        content = json.loads((FOLDER / row["certificate"]).read_text(encoding="utf-8"))
        name = (content["learner"] or {"name": None})["name"]
        found.setdefault(row["verdict"], set()).add((name, content["theorem"]))
    pairs: set[tuple[str | None, str]] = {
        (name, theorem) for name, theorems in THEOREMS.items() for theorem in theorems
    }
    pairs |= {(None, "separable"), (None, "not separable")}
    assert pairs - found["verified"] == set()
    assert pairs - found["refused"] == set()


@EACH
def test_the_oracle_finds_what_the_index_says(row: dict[str, Any]) -> None:
    judgement = judge((FOLDER / row["certificate"]).read_bytes(), rows_in(row))
    assert judgement.true == (row["verdict"] == "verified"), judgement.reason


@EACH
def test_the_verifier_finds_what_the_index_says(row: dict[str, Any]) -> None:
    text, rows = (FOLDER / row["certificate"]).read_bytes(), rows_in(row)
    if row["verdict"] == "unreadable":
        with pytest.raises(verifier.BadData):
            verifier.verify(text, lambda: iter(rows))
        return
    verdict = verifier.verify(text, lambda: iter(rows))
    assert verdict.verified == (row["verdict"] == "verified"), verdict.reason


class Changing:
    """Rows that are others when they are read a second time."""

    def __init__(self, first: list[Any], then: list[Any]) -> None:
        self.first, self.then, self.readings = first, then, 0

    def __call__(self) -> Iterator[Any]:
        self.readings += 1
        return iter(self.first if self.readings == 1 else self.then)


SAMPLES = {sample.name: sample for sample in samples()}


@pytest.mark.parametrize("name", SAMPLES)
def test_no_reading_after_the_first_may_be_of_other_rows(name: str) -> None:
    """Read once they are the rows of the digest, read again they are others."""
    sample = SAMPLES[name]
    rows = Changing(sample.rows, [*sample.rows[1:], sample.rows[0], sample.rows[0]])
    try:
        verdict = verifier.verify(sealed_text(sample.content), rows)
    except verifier.BadData:
        return
    assert rows.readings == 1 or not verdict.verified
