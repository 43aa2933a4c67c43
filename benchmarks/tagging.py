"""A pass of chunking over CoNLL-2000, against CRFsuite's averaged perceptron on the same features.

Each side learns in a process of its own, so that its memory can be told: the resident memory that
learning adds to what the sentences themselves take. NOVIKOFF_DATA names the folder of datasets.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import novikoff as nv
from benchmarks.table import Row
from benchmarks.timing import timed
from novikoff import _core
from novikoff.streams import ExampleStream
from novikoff.streams.files.columns import sentences_of

_PASSES, _TURNS, _GOAL = 10, 3, 10.0
_DATA = Path(__file__).parents[2] / "shared" / "data"


def _sentences(part: str) -> tuple[list[list[list[str]]], list[list[str]]]:
    """Every position as the texts of its features."""
    folder = Path(os.environ.get("NOVIKOFF_DATA", _DATA)) / "conll2000"
    X, y = sentences_of(nv.read(folder / f"{part}.txt.gz", format="conll"))
    names, encoded = nv.Chains("chunking-window").names(), _core.Sentences()
    names.encode(X, None, encoded)
    texts = names.feature_names()
    listed = [
        [[texts[k] for k in ids] for _, ids in encoded.positions(t)] for t in range(len(encoded))
    ]
    return listed, y


def _resident() -> float:
    """The memory of this process, in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def _by_crfsuite(X: Any, y: Any, test: Any) -> dict[str, Any]:
    import pycrfsuite

    def train(passes: int, model: str) -> tuple[float, float]:
        began = time.perf_counter()
        trainer = pycrfsuite.Trainer("ap", {"max_iterations": passes, "epsilon": 0}, verbose=False)
        for x, tags in zip(X, y, strict=True):
            trainer.append(x, tags)
        appended = time.perf_counter()
        trainer.train(model)
        return time.perf_counter() - appended, time.perf_counter() - began

    with tempfile.NamedTemporaryFile() as file:
        before = _resident()
        seconds, whole = train(_PASSES + 1, file.name)
        memory = _peak() - before
        tagger = pycrfsuite.Tagger()
        tagger.open(file.name)
        found = [tagger.tag(x) for x in test]
        few, _ = train(1, file.name)
    return {"epoch": (seconds - few) / _PASSES, "whole": whole, "memory": memory, "tags": found}


def _by_novikoff(X: Any, y: Any, test: Any) -> dict[str, Any]:
    before = _resident()
    rounds = ExampleStream(list(zip(X, y, strict=True)))
    began = time.perf_counter()
    run = nv.Run(nv.StructuredPerceptron(nv.Chains())).play(rounds)
    encoded = time.perf_counter()
    run.play(rounds, passes=_PASSES)
    ended = time.perf_counter()
    memory = _peak() - before
    found = run.hypothesis().predict(test)
    epoch = (ended - encoded) / _PASSES
    return {"epoch": epoch, "whole": ended - began, "memory": memory, "tags": found}


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def _measure(side: str) -> None:
    X, y = _sentences("train")
    test, gold = _sentences("test")
    found = (_by_crfsuite if side == "crfsuite" else _by_novikoff)(X, y, test)
    f1 = nv.span_scores(gold, found.pop("tags")).f1
    print(json.dumps(found | {"f1": 100 * f1, "sentences": len(X)}))


def _turn(side: str) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.tagging", side]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def rows() -> Iterator[Row]:
    turns = [(_turn("crfsuite"), _turn("novikoff")) for _ in range(_TURNS)]
    peer, ours = (
        {name: [turn[side][name] for turn in turns] for name in turns[0][side]} for side in (0, 1)
    )
    count = int(ours["sentences"][0])
    about = f"{count:,} sentences, 22 tags"
    note = f"F1 {peer['f1'][0]:.2f} and {ours['f1'][0]:.2f}"
    epoch = f"tagging epoch, {about}, CRFsuite `ap`"
    yield timed(epoch, _GOAL, peer["epoch"], ours["epoch"], note)
    whole = f"tagging, {_PASSES + 1} passes from texts"
    yield timed(whole, None, peer["whole"], ours["whole"], note)
    print(
        f"tagging: {_rate(count, peer)} and {_rate(count, ours)} sentences/s, memory "
        f"+{statistics.median(peer['memory']):.0f} and +{statistics.median(ours['memory']):.0f} MB",
        file=sys.stderr,
    )


def _rate(count: int, turns: dict[str, list[float]]) -> str:
    return f"{count / statistics.median(turns['epoch']):,.0f}"


if __name__ == "__main__":
    _measure(sys.argv[1])
