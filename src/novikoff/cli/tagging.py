"""``novikoff tag``: tagging sentences with a model."""

import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TypedDict

from novikoff.cli.answers import print_json, tell
from novikoff.cli.escapes import visible
from novikoff.cli.inputs import refuse_empty
from novikoff.cli.outputs import writing
from novikoff.cli.parser import UsageError
from novikoff.cli.plans.tag_plan import TagPlan
from novikoff.errors import InputError
from novikoff.learners.structured.chain import Chain
from novikoff.receipts.remarks import about_stream
from novikoff.streams import FileStream, read
from novikoff.streams.files.columns import ColumnStream, sentence_blocks, sentences_of
from novikoff.structures import TEMPLATES, Chains, span_scores
from novikoff.structures.spans import accuracy

Token = str | tuple[str, ...]
Sentence = list[Token]
Tags = list[str]


class TagJudgement(TypedDict):
    """How tags compare with those of the file; None if it has none."""

    accuracy: float | None
    f1: float | None


def tag(plan: TagPlan) -> int:
    """Tag the sentences of a file with a model, or learn one from it."""
    if plan.learn:
        from novikoff.cli.tag_learning import learn_tags

        return learn_tags(plan)
    return _tagged(plan)


def columns_opened(
    files: str | Sequence[str], plan: TagPlan, columns: Sequence[str | int]
) -> FileStream:
    """Return the stream of files of sentences."""
    stream = read(files, plan.format, plan.label_column, columns=columns, on_bad=plan.on_bad)
    if not isinstance(stream, ColumnStream):
        raise InputError(
            f"{stream.name}: expected sentences in columns, got {stream.format}. Name the format: "
            "--format conll or conllu."
        )
    return refuse_empty(stream)


def tagged_sentences(stream: FileStream) -> tuple[list[Sentence], list[Tags]]:
    """Return sentences and their tags."""
    check_tags(stream)
    return sentences_of(stream)


def check_tags(stream: FileStream) -> None:
    """Refuse a column of heads."""
    if getattr(stream, "heads", False):
        raise UsageError(
            "--label: expected a column of tags, got head. Trees are learned in Python."
        )


def problem_of(templates: str, X: Sequence[Sentence]) -> Chains:
    """Return the problem of these templates; without a ready-made set columns are w p c3 c4 …."""
    if templates in TEMPLATES:
        return Chains(templates)
    token = next((x[0] for x in X if x), "")
    count = 1 if isinstance(token, str) else len(token)
    return Chains(templates, ["w", "p", *(f"c{k}" for k in range(3, count + 1))][:count])


def _tagged(plan: TagPlan) -> int:
    h = Chain.load(plan.model)
    for label in h.labels:
        if visible(str(label)) != label:
            raise InputError(
                f"{plan.model}: expected tags that a column of text can hold, got {label!r}. "
                "Learn it with other names."
            )
    stream = _opened_for(plan, h)
    gold: list[Tags | None] = []
    found: list[Tags] = []
    seconds = 0.0
    with writing(plan.output) if plan.output or not plan.json else nullcontext() as out:
        for block, labels in sentence_blocks(stream):
            began = time.perf_counter()
            tagged = h.predict(block.rows)
            seconds += time.perf_counter() - began
            gold += labels
            found += tagged
            if out is not None:
                out.writelines(
                    _block(h, x, tags, plan.best)
                    for x, tags in zip(block.rows, tagged, strict=True)
                )
                out.flush()
    judgement, remarks = _judgement(gold, found), about_stream(stream)
    if plan.json:
        said = {"sentences": len(found), "seconds": seconds, "skipped": stream.skipped}
        print_json({**said, **judgement}, remarks)
    elif judgement["accuracy"] is not None:
        shown = f", F1 {judgement['f1']:.2%}" if judgement["f1"] is not None else ""
        print(f"accuracy {judgement['accuracy']:.2%}{shown}", file=sys.stderr)
    tell(remarks)
    return 0


def _opened_for(plan: TagPlan, h: Chain) -> FileStream:
    """Return the sentences with the columns that a model reads."""
    count = max(len(h.problem.columns), 1)
    columns = plan.token_columns or (() if plan.format == "conllu" else tuple(range(count)))
    stream = columns_opened(plan.input, plan, ())
    if stream.format == "conll":
        stream = columns_opened(plan.input, plan, columns)
    stream.labels_optional = True
    return stream


def _block(h: Chain, x: Sentence, tags: Tags, best: int | None) -> str:
    """Return the lines of a sentence, one per token, with its tags after it."""
    cells = [[token] if isinstance(token, str) else [*token] for token in x]
    outputs = [tags] if best is None else [other for _, other in h.best(x, best)]
    lines = ["\t".join([*cell, *column]) for cell, *column in zip(cells, *outputs, strict=True)]
    return "".join(f"{line}\n" for line in lines) + "\n"


def _judgement(gold: Sequence[Tags | None], found: Sequence[Tags]) -> TagJudgement:
    """Compare with the tags that were there; ``_`` stands for none in CoNLL-U."""
    pairs = [(y, z) for y, z in zip(gold, found, strict=True) if y is not None and set(y) != {"_"}]
    if not pairs:
        return {"accuracy": None, "f1": None}
    ours, theirs = [z for _, z in pairs], [y for y, _ in pairs]
    scores = span_scores(theirs, ours)
    return {"accuracy": accuracy(theirs, ours), "f1": scores.f1 if scores.gold else None}
