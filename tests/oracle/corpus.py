"""Write the corpus of certificates of every family: ``python -m oracle.corpus`` in ``tests``.

True ones come from the library, false ones are lies about them, sealed again. What the index says
of each, the tests ask the oracle and the verifier.
"""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from oracle.judging import judge
from oracle.known import known
from oracle.lies import FORMAL, lies
from oracle.sample import Sample
from oracle.samples import samples
from oracle.writing import sealed_text

FOLDER = Path(__file__).parents[1] / "corpus" / "certificates" / "families"


class Entry(NamedTuple):
    """A certificate of the corpus, with what is to be found."""

    name: str
    text: bytes
    rows: list[Any]
    verdict: str
    why: str


def entries() -> Iterator[Entry]:
    """Yield the samples, their lies, and the cases that are known for what they broke."""
    told: set[tuple[str, str]] = set()
    for sample in samples():
        yield Entry(
            sample.name, sealed_text(sample.content), sample.rows, "verified", "It is true."
        )
        yield from _false(sample, told)
    yield from (Entry(*case) for case in known())


def _false(sample: Sample, told: set[tuple[str, str]]) -> Iterator[Entry]:
    """Yield the lies about a sample that were not told of its kind before."""
    for name, why, change in lies(sample):
        about = _kind(sample, name)
        if (about, name) in told:
            continue
        content = copy.deepcopy(sample.content)
        change(content)
        text = sealed_text(content)
        if judge(text, sample.rows).true:
            continue  # a change that leaves it true is no lie
        told.add((about, name))
        yield Entry(f"{sample.name}.{name}", text, sample.rows, "refused", why)


def _kind(sample: Sample, lie: str) -> str:
    """Return of what a lie is told once: of labels, of a theorem and learner, or of a learner."""
    content = sample.content
    name = (content["learner"] or {"name": "data"})["name"]
    if lie in {name for name, _, _ in FORMAL}:
        return str(next(iter(content["data"]["labels"])))
    if lie.startswith("bound-"):
        return f"{name} {content['theorem']}"
    if lie.split("-", maxsplit=1)[0] in (
        "bias",
        "hashing",
        "ties",
        "seed",
        "span",
        "rewards",
        "no",
    ):
        return str(next(iter(content["data"]["labels"])))
    return str(name)


def data_text(rows: list[Any]) -> str:
    """Return rows as a file: svmlight, or sentences."""
    lines = []
    for _, label, items in rows:
        if isinstance(label, list):
            pairs = zip(label, items, strict=True)
            lines += [" ".join([tag, *_pairs(position)]) for tag, position in pairs] + [""]
        else:
            lines.append(" ".join([str(label), *_pairs(items)]))
    return "".join(line + "\n" for line in lines)


def _pairs(items: list[tuple[int, float]]) -> list[str]:
    return [f"{j + 1}:{value!r}" for j, value in items]


def write(folder: Path) -> None:
    """Write every certificate, the data they share, and the index."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    files: dict[str, str] = {}
    index = []
    for entry in entries():
        text = data_text(entry.rows)
        ending = "sentences" if text.endswith("\n\n") else "svm"
        data = files.setdefault(text, f"data-{len(files) + 1:02}.{ending}")
        (folder / data).write_text(text, encoding="utf-8")
        (folder / f"{entry.name}.json").write_bytes(entry.text)
        row = {"certificate": f"{entry.name}.json", "data": data, "column": None}
        index.append(row | {"verdict": entry.verdict, "why": entry.why})
    lines = ",\n".join(json.dumps(row) for row in index)
    (folder / "index.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    write(FOLDER)
