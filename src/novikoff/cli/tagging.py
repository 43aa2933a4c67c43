"""``novikoff tag``."""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from novikoff.cli.escapes import visible
from novikoff.cli.options import (
    answer,
    as_column,
    check_outputs,
    columns_of,
    print_json,
    stoppable,
    tell,
    written,
    wrote,
)
from novikoff.cli.parser import UsageError
from novikoff.errors import InputError
from novikoff.learners import StructuredPerceptron
from novikoff.learners.structured.chain import Chain
from novikoff.playing.ledger import counted, in_words
from novikoff.playing.run import Run, play
from novikoff.receipts.certificates import check_certifiable, with_reading
from novikoff.receipts.receipt import certify
from novikoff.receipts.remarks import about_run, about_stream
from novikoff.receipts.selection import Selected, best_pass
from novikoff.streams import FileStream, read
from novikoff.streams.files.columns import ColumnStream, sentences_of
from novikoff.streams.files.formats import is_model
from novikoff.streams.files.opening import as_files
from novikoff.structures import TEMPLATES, Chains, span_scores
from novikoff.structures.spans import accuracy


def tag(options: argparse.Namespace) -> int:
    """Tag the sentences of a file with a model, or learn one from it."""
    return _learned(options) if options.learn else _tagged(options)


def _opened(path: Any, options: argparse.Namespace, columns: Any) -> FileStream:
    label: Any = as_column(options.label)
    stream = read(path, options.format, label, columns=columns, on_bad=options.on_bad)
    if not isinstance(stream, ColumnStream):
        raise InputError(
            f"{stream.name}: expected sentences in columns, got {stream.format}. Name the format: "
            "--format conll or conllu."
        )
    return stream


def _head(file: Path) -> bytes:
    with open(file, "rb") as opened:
        return opened.read(64)


def _learned(options: argparse.Namespace) -> int:
    if options.output or options.best:
        raise UsageError("--output, --best: expected none with --learn, which writes the model.")
    held_out = [options.held_out] if options.held_out else []
    check_outputs(as_files([*options.input, *held_out]), options.model, options.certify)
    model = Path(options.model)
    if model.is_file() and not is_model(_head(model)):
        raise UsageError(
            f"MODEL: expected a model to write, got {model}, which is another file. Name it first."
        )
    stream = _opened(options.input, options, columns_of(options))
    X, y = tagged_sentences(stream)
    if not X:
        raise InputError(f"{stream.name}: expected sentences to learn from, got none.")
    problem = problem_of(options.templates, X)
    learner = StructuredPerceptron(problem, averaged=not options.last)
    spans = any(tag.startswith(("B-", "I-")) for tags in y for tag in tags)
    if options.certify:
        check_certifiable(Run(learner))
    began = time.perf_counter()
    with _left_at_a_stop(options, learner):
        rounds = list(zip(X, y, strict=True))
        found = _selected(options, learner, rounds, _f1 if spans else accuracy)
        seconds = time.perf_counter() - began
    found.hypothesis.save(options.model)
    wrote(options, options.model)
    if options.certify:
        with_reading(certify(found.run), stream).save(options.certify)
        wrote(options, options.certify)
    ledger = found.run.ledger
    said = {
        "rounds": ledger.rounds, "mistakes": ledger.mistakes, "error_rate": ledger.error_rate,
        "abstentions": ledger.abstentions, "prediction_error_rate": ledger.prediction_error_rate,
        "dimension": learner.dimension, "radius": ledger.radius, "seconds": seconds,
        "labels": list(found.hypothesis.labels), "learner": ledger.learner,
        "passes": ledger.passes, "held_out": list(found.scores),
        "measure": "f1" if spans else "accuracy", "best_pass": found.number,
        "format": stream.format, "skipped": stream.skipped, "model": options.model,
        "certificate": options.certify,
    }  # fmt: skip
    remarks = [*about_run(found.run), *about_stream(stream)]
    answer(options, said, lambda: _show(said, stream), remarks)
    return 0


@contextmanager
def _left_at_a_stop(options: argparse.Namespace, learner: StructuredPerceptron) -> Iterator[None]:
    """Say what Ctrl-C or SIGTERM stopped; the model is written at the end alone."""
    try:
        with stoppable():
            yield
    except KeyboardInterrupt:
        after = f"after {counted(learner.rounds, 'round')}"
        there = os.path.exists(options.model)
        left = f"{options.model} is as it was" if there else "no model was written"
        raise KeyboardInterrupt(f"{after}; {left}.") from None


def _selected(
    options: argparse.Namespace, learner: StructuredPerceptron, rounds: list[Any], measure: Any
) -> Selected:
    """Keep the pass that does best on held-out data, or the last one where there are none."""
    if not options.held_out:
        run = play(learner, rounds, until_clean=True, max_passes=options.passes)
        return Selected(run.hypothesis(), run.ledger.passes, (), run)
    held_out = sentences_of(_opened(options.held_out, options, columns_of(options)))
    judge = list(zip(*held_out, strict=True))
    return best_pass(learner, rounds, judge, passes=options.passes, measure=measure)


def _f1(gold: list[Any], found: list[Any]) -> float:
    return span_scores(gold, found).f1


def tagged_sentences(stream: FileStream) -> tuple[list[Any], list[Any]]:
    """Return sentences and their tags."""
    if getattr(stream, "heads", False):
        raise UsageError(
            "--label: expected a column of tags, got head. Trees are learned in Python."
        )
    return sentences_of(stream)


def problem_of(templates: str, X: list[Any]) -> Chains:
    """Return the problem of these templates; without a ready-made set columns are w p c3 c4 …."""
    if templates in TEMPLATES:
        return Chains(templates)
    token = next((x[0] for x in X if x), "")
    count = 1 if isinstance(token, str) else len(token)
    return Chains(templates, ["w", "p", *(f"c{k}" for k in range(3, count + 1))][:count])


def _show(said: dict[str, Any], stream: FileStream) -> None:
    print(
        f"{said['learner']} on {visible(stream.name)} ({said['format']}): "
        f"{in_words(said['rounds'], said['mistakes'], said['abstentions'])}, "
        f"{counted(said['dimension'], 'feature')}, "
        f"{len(said['labels'])} tags, {said['seconds']:.2f} s"
    )
    if said["held_out"]:
        best = said["best_pass"]
        print(f"{said['measure']} on held-out data after pass {best}: {max(said['held_out']):.4f}")
    print(f"model: {visible(said['model'])}")
    if said["certificate"]:
        print(f"certificate: {visible(said['certificate'])}")


def _tagged(options: argparse.Namespace) -> int:
    if options.held_out or options.certify:
        raise UsageError("--held-out, --certify: expected --learn with it, got none.")
    h = Chain.load(options.model)
    check_outputs((*as_files(options.input), options.model), options.output)
    for label in h.labels:
        if visible(str(label)) != label:
            raise InputError(
                f"{options.model}: expected tags that a column of text can hold, got {label!r}. "
                "Learn it with other names."
            )
    count = max(len(h.problem.columns), 1)
    columns = columns_of(options) or ([] if options.format == "conllu" else [*range(count)])
    stream = _opened(options.input, options, [])
    if stream.format == "conll":
        stream = _opened(options.input, options, columns)
    stream.labels_optional = True
    X, y = sentences_of(stream)
    began = time.perf_counter()
    found = h.predict(X)
    seconds = time.perf_counter() - began
    if options.output or not options.json:
        with written(options.output) as out:
            for x, tags in zip(X, found, strict=True):
                out.write(_block(h, x, tags, options.best))
    said = {"sentences": len(X), "seconds": seconds, "skipped": stream.skipped}
    said |= _judgement(y, found)
    remarks = about_stream(stream)
    if options.json:
        print_json(said, remarks)
    elif said["accuracy"] is not None:
        shown = f", F1 {said['f1']:.2%}" if said["f1"] is not None else ""
        print(f"accuracy {said['accuracy']:.2%}{shown}", file=sys.stderr)
    tell(remarks)
    return 0


def _block(h: Chain, x: list[Any], tags: list[str], best: int | None) -> str:
    """Return the lines of a sentence, a token each, with its tags after it."""
    cells = [[token] if isinstance(token, str) else [*token] for token in x]
    outputs = [tags] if best is None else [other for _, other in h.best(x, best)]
    lines = ["\t".join([*cell, *column]) for cell, *column in zip(cells, *outputs, strict=True)]
    return "".join(f"{line}\n" for line in lines) + "\n"


def _judgement(gold: list[Any], found: list[Any]) -> dict[str, Any]:
    """Compare with the tags that were there; ``_`` is none in CoNLL-U."""
    pairs = [(y, z) for y, z in zip(gold, found, strict=True) if y is not None and set(y) != {"_"}]
    if not pairs:
        return {"accuracy": None, "f1": None}
    ours, theirs = [z for _, z in pairs], [y for y, _ in pairs]
    scores = span_scores(theirs, ours)
    return {"accuracy": accuracy(theirs, ours), "f1": scores.f1 if scores.gold else None}
