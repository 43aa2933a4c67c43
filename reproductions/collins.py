"""Collins' experiments with tags: ``python -m reproductions.collins FOLDER``.

Compares the last weights of the structured perceptron with their average, after 1 to 20 passes,
with every feature and with those that appear at least five times in the training part (Collins,
EMNLP 2002). Base noun phrases: CoNLL-2000, sections 15–18 and 20 of the Wall Street Journal, with
other chunks made O. Parts of speech: the Penn tags of UD English EWT, because those of the Journal
are not free.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import novikoff as nv
from novikoff.streams.files.columns import sentences_of
from novikoff.structures.spans import accuracy

PASSES, CUTS = (1, 2, 5, 10, 20), (0, 5)
Rounds = list[tuple[Any, list[str]]]


class Task(NamedTuple):
    """What to tag, which features a position has, and how to judge the result."""

    features: Callable[[Any, int], Iterator[str]]
    measure: str
    score: Callable[[list[Any], list[Any]], float]
    read: Callable[[Path], tuple[Rounds, Rounds]]
    """The training and the test part."""


def around(x: Any, i: int, outside: Any) -> list[Any]:
    """Return five tokens, the i-th in the middle."""
    return [x[j] if 0 <= j < len(x) else outside for j in range(i - 2, i + 3)]


def chunking(x: Any, i: int) -> Iterator[str]:
    """Yield the words and tags of a window of five, pairs of neighbours, and triples of tags."""
    words, tags = zip(*around(x, i, ("", "")), strict=True)
    for name, cells, longest in (("w", words, 2), ("p", tags, 3)):
        for length in range(1, longest + 1):
            for k in range(6 - length):
                yield " ".join([f"{name}{k}", *cells[k : k + length]])


def tagging(x: Any, i: int) -> Iterator[str]:
    """Yield the words of a window of five, and the middle word's beginnings, endings and signs."""
    yield from (f"w{k} {word}" for k, word in enumerate(around(x, i, "")))
    for k in range(1, 1 + min(4, len(x[i]))):
        yield f"begins {x[i][:k]}"
        yield f"ends {x[i][-k:]}"
    if any(map(str.isdigit, x[i])):
        yield "a digit"
    if any(map(str.isupper, x[i])):
        yield "a capital"
    if "-" in x[i]:
        yield "a hyphen"


def noun_phrases(tags: list[str]) -> list[str]:
    """Return the tags of chunks, with O for chunks that are not noun phrases."""
    return [tag if tag.endswith("-NP") else "O" for tag in tags]


def read_chunks(folder: Path) -> tuple[Rounds, Rounds]:
    """Read CoNLL-2000: words with their parts of speech, and noun phrases."""

    def part(name: str) -> Rounds:
        X, y = sentences_of(nv.read(folder / f"conll2000/{name}.txt.gz", "conll"))
        return list(zip(X, map(noun_phrases, y), strict=True))

    return part("train"), part("test")


def read_tags(folder: Path) -> tuple[Rounds, Rounds]:
    """Read UD English EWT: words, and their Penn tags."""

    def part(name: str) -> Rounds:
        path = folder / f"ud_english_ewt/en_ewt-ud-{name}.conllu.gz"
        return list(zip(*sentences_of(nv.read(path, label="xpos")), strict=True))

    return part("train"), part("test")


def span_f1(gold: list[Any], found: list[Any]) -> float:
    """Return the F1 of chunks, in per cent."""
    return 100 * nv.span_scores(gold, found).f1


def error(gold: list[Any], found: list[Any]) -> float:
    """Return the share of wrong tags, in per cent."""
    return 100 * (1 - accuracy(gold, found))


TASKS = {
    "noun phrases": Task(chunking, "F1", span_f1, read_chunks),
    "parts of speech": Task(tagging, "error", error, read_tags),
}


def frequent(task: Task, train: Rounds, cut: int) -> nv.Chains:
    """Return the problem whose features appear at least ``cut`` times in the training part."""
    if cut == 0:
        return nv.Chains(task.features)
    counts = Counter(f for x, _ in train for i in range(len(x)) for f in task.features(x, i))
    return nv.Chains(lambda x, i: [f for f in task.features(x, i) if counts[f] >= cut])


def lines(task: Task, train: Rounds, test: Rounds, cut: int, passes: tuple[int, ...]) -> list[str]:
    """Play pass after pass; after some of them judge the last weights and the average."""
    X, gold = [x for x, _ in test], [y for _, y in test]
    learner = nv.StructuredPerceptron(frequent(task, train, cut))
    run, found = nv.Run(learner), []
    for before, count in zip((0, *passes), passes, strict=False):
        run.play(train, passes=count - before)
        kinds = (learner.features.hypothesis(last=True), run.hypothesis())
        last, averaged = (f"{task.score(gold, list(h.predict(X))):.2f}" for h in kinds)
        found.append(f"| {cut} | {learner.dimension:,} | {count} | {last} | {averaged} |")
    return found


if __name__ == "__main__":
    for name, task in TASKS.items():
        train, test = task.read(Path(sys.argv[1]))
        print(f"\n{name}, {task.measure} in per cent: {len(train):,} and {len(test):,} sentences\n")
        judged = [f"{task.measure}, {what}" for what in ("last weights", "average")]
        head = ["least count of a feature", "features", "passes", *judged]
        print(f"| {' | '.join(head)} |\n|---|---|---|---|---|")
        for cut in CUTS:
            print("\n".join(lines(task, train, test, cut, PASSES)), flush=True)
