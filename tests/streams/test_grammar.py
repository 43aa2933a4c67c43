"""docs/grammar.md: the library, the verifier and a reader written from that page agree."""

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import novikoff as nv
import reference_files as reference
from novikoff import verifier
from novikoff.receipts.rereading import Rereading

CORPUS = Path(__file__).parents[1] / "corpus" / "files"
FORMATS = ("svmlight", "csv", "sentences")
ENTRIES = [
    (kind, entry)
    for kind in FORMATS
    for entry in json.loads((CORPUS / kind / "index.json").read_text())
]
Outcome = tuple[str, Any]  # ("rounds", …), or ("refused", the line that is named, or 0)


def outcome(read: Callable[[], Any]) -> Outcome:
    """Return the rounds that are read, or the line that is refused."""
    try:
        return "rounds", read()
    except reference.Refusal as refusal:
        return "refused", refusal.line
    except (nv.InputError, nv.ParameterError, verifier.BadData) as error:
        named = re.match(r".*?\.\w+:(\d+): ", str(error), re.DOTALL)
        return "refused", int(named[1]) if named else 0


def by_reference(kind: str, content: bytes, options: dict[str, Any]) -> Outcome:
    """Read as docs/grammar.md says."""
    if kind != "csv":
        return outcome(lambda: getattr(reference, kind)(content))
    taken = {name: value for name, value in options.items() if name not in ("label", "positive")}
    return outcome(lambda: reference.csv(content, options["label"], **taken))


def by_library(kind: str, file: Path, options: dict[str, Any]) -> Outcome:
    """Read with nv.read."""
    return outcome(lambda: plain(Rereading(nv.read(file, kind, threads=1, **options))()))


def by_verifier(kind: str, file: Path, options: dict[str, Any]) -> Outcome:
    """Read with the stand-alone verifier."""
    if kind == "sentences":
        return outcome(lambda: plain_sentences(verifier.read_sentences(str(file))))
    if kind == "svmlight":
        return outcome(lambda: plain(verifier.read_svmlight(str(file))))
    column, mark = options["label"], options.get("delimiter", "").encode()
    texts, ignored = tuple(options.get("categorical", ())), tuple(options.get("ignore", ()))
    kinds = (mark, texts, ignored, options.get("missing", "refuse"))
    return outcome(lambda: plain(verifier.read_csv(str(file), column, *kinds)))


def plain(rows: Any) -> list[Any]:
    """Return rows without their places and without zeros."""
    return [[y, sorted([j, v] for j, v in items if v != 0)] for _, y, items in rows]


def plain_sentences(rows: Any) -> list[Any]:
    """Return sentences without their places."""
    return [[tags, [sorted([j, v] for j, v in at) for at in items]] for _, tags, items in rows]


def test_the_corpus_is_whole() -> None:
    """Every file has an expectation, and there are enough of both kinds."""
    for kind in FORMATS:
        named = sorted(entry["file"] for of, entry in ENTRIES if of == kind)
        assert named == sorted(f.name for f in (CORPUS / kind).iterdir() if f.name != "index.json")
    assert len(ENTRIES) >= 120
    assert all(("rounds" in entry) != ("refused" in entry) for _, entry in ENTRIES)


@pytest.mark.parametrize(("kind", "entry"), ENTRIES, ids=lambda e: e if e in FORMATS else e["file"])
def test_a_file_means_what_the_grammar_says(kind: str, entry: dict[str, Any]) -> None:
    """The same rounds, or a refusal by the same line, from the page, the library, the verifier."""
    file, options = CORPUS / kind / entry["file"], entry.get("options", {})
    expected = ("rounds", entry["rounds"]) if "rounds" in entry else ("refused", entry["refused"])
    assert by_reference(kind, file.read_bytes(), options) == expected
    found = by_verifier(kind, file, options)
    assert found == expected or (expected == ("refused", 0) and found == ("refused", 1))
    if kind != "sentences":
        assert by_library(kind, file, options) == expected


MARKS = (
    b"\n", b"\r", b"\r\n", b" ", b"\t", b"#", b":", b",", b";", b'"', b'""', b"0", b"1", b"9", b"_",
    b"+", b"-", b".", b"e", b"E5", b"a", b"nan", b"inf", b"?", b"=", b"qid:1", b"1:0", b"\x00",
    b"\x0b", b"\x0c", b"\x1c", b"\x1f", b"\x85", b"\xc2\x85", b"\xc2\xa0", b"\xe2\x80\xa8",
    b"\xef\xbb\xbf", b"\xff", b"\xd9\xa1", b"9007199254740993", b"4294967296", b"e999", b"|",
    b",?,", b",,", b",NA,", b",n/A\n",
)  # fmt: skip


def mutated(content: bytes, rng: random.Random) -> bytes:
    """Change some bytes: put in marks, take out, swap, repeat."""
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        at = rng.randint(0, len(content))
        end = min(len(content), at + rng.choice((0, 0, 1, 1, 2, 5)))
        put = rng.choice((b"", rng.choice(MARKS), rng.choice(MARKS), content[at:end] * 2))
        content = content[:at] + put + content[end:]
    return content


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", FORMATS)
def test_mutated_files_are_read_alike(kind: str, seed: int, tmp_path: Path) -> None:
    """Whatever the bytes, all read the same rounds, or all refuse."""
    rng = random.Random(f"{kind} {seed}")
    entries = [entry for of, entry in ENTRIES if of == kind]
    suffix = entries[0]["file"].rpartition(".")[2]
    file, good = tmp_path / f"mutant.{suffix}", 0
    ways: tuple[dict[str, Any], ...] = ({}, {}, {"missing": "zero"}, {"missing": "feature"})
    for _ in range(400):
        entry = rng.choice(entries)
        options = entry.get("options", {}) | ways[kind == "csv" and rng.randint(0, 3)]
        content = mutated((CORPUS / kind / entry["file"]).read_bytes()[:300], rng)
        file.write_bytes(content)
        expected = by_reference(kind, content, options)
        found = [by_verifier(kind, file, options)]
        if kind != "sentences":
            found.append(by_library(kind, file, options))
        for other in found:
            same = other == expected or other[0] == expected[0] == "refused"
            assert same, (content, options, expected, found)
        good += expected[0] == "rounds"
    assert 40 < good < 360
