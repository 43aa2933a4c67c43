"""What any learner should do, whatever its algorithm."""

import copy
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from novikoff.conformance.players import (
    PLAIN,
    Answer,
    Form,
    NotApplicableError,
    Player,
    RefusedError,
    Rows,
    refusing,
)
from novikoff.conformance.subject import Subject, quietly
from novikoff.conformance.tapes import Tape, decimals, integers, spoiled
from novikoff.types import FloatArray, Label

Violation = Callable[[Subject, Tape], str | None]
Tapes = Callable[[Subject, int], Sequence[Tape]]
SPELLINGS: list[tuple[Label, Label]] = [(0, 1), (-1, 1), ("no", "yes")]


def _always(subject: Subject) -> bool:
    return True


def exact_tapes(subject: Subject, seed: int) -> list[Tape]:
    """Whole numbers: rounding cannot explain a difference here."""
    return [integers(seed + k) for k in range(2)]


def all_tapes(subject: Subject, seed: int) -> list[Tape]:
    """Whole numbers, and tenths."""
    return [integers(seed), decimals(seed), decimals(seed + 1)]


def spoiled_tapes(subject: Subject, seed: int) -> list[Tape]:
    """Tapes with a value in one round that is not a number."""
    return [spoiled(integers(seed), float(value)) for value in ("nan", "inf", "-inf")]


@dataclass(frozen=True)
class Check:
    """A statement, and how to find a tape on which it is false."""

    name: str
    statement: str
    violation: Violation = field(repr=False)
    tapes: Tapes = field(repr=False)
    claimed: Callable[[Subject], bool] = field(default=_always, repr=False)
    """Whether the learner claims to be of the kind that the statement is about."""


CONTRACTS: list[Check] = []


def contract(name: str, tapes: Tapes = exact_tapes) -> Callable[[Violation], Violation]:
    """Register a contract; its docstring is the statement."""

    def listed(violation: Violation) -> Violation:
        CONTRACTS.append(Check(name, " ".join((violation.__doc__ or "").split()), violation, tapes))
        return violation

    return listed


def answers(player: Player, rows: FloatArray) -> list[Answer]:
    """The learner's predictions for these rows."""
    return player.predict_all(rows)


def trace(subject: Subject, tape: Tape, form: Form = PLAIN) -> list[Answer]:
    """Every prediction of the rounds, then those for the probes."""
    player = subject.player(form)
    told = [player.learn(player.show(x), int(y)) for x, y in zip(tape.X, tape.y, strict=True)]
    return told + answers(player, tape.probes)


def difference(one: Sequence[Answer], other: Sequence[Answer], rounds: int) -> str | None:
    """Say where two traces differ."""
    wrong = [t for t, (a, b) in enumerate(zip(one, other, strict=True), 1) if a != b]
    if not wrong:
        return None
    where = f"first in round {wrong[0]}" if wrong[0] <= rounds else "all after the last round"
    return f"{len(wrong)} of {len(one)} predictions differ, {where}"


def _in_form(subject: Subject, tape: Tape, rows: Rows, against: Form = PLAIN) -> str | None:
    """Compare two forms of rows; a refused form says nothing."""
    expected = trace(subject, tape, against)
    try:
        got = trace(subject, tape, Form(rows))
    except RefusedError as error:
        raise NotApplicableError(f"takes no {rows} rows: {error}") from None
    return difference(expected, got, len(tape))


def _require_no_draws(subject: Subject) -> None:
    if hasattr(subject.make(), "seed"):
        raise NotApplicableError("has a seed: it may draw a number for each column")


@contract("deterministic")
def deterministic(subject: Subject, tape: Tape) -> str | None:
    """The same rounds give the same predictions, whatever the global random sources hold."""
    expected = trace(subject, tape)
    for seed in range(6):
        with quietly(seed):
            found = difference(expected, trace(subject, tape), len(tape))
        if found:
            return found
    return None


@contract("predict-pure")
def predict_pure(subject: Subject, tape: Tape) -> str | None:
    """Predictions between the rounds change nothing, and asking again gives the same answers."""
    player, told = subject.player(), []
    for x, y in zip(tape.X, tape.y, strict=True):
        probes = np.vstack([x, np.eye(tape.features)])
        first = answers(player, probes)
        if answers(player, probes) != first:
            return "asked twice, it answers differently"
        told.append(player.learn(player.show(x), int(y)))
    return difference(trace(subject, tape), told + answers(player, tape.probes), len(tape))


@contract("inputs-unwritten")
def inputs_unwritten(subject: Subject, tape: Tape) -> str | None:
    """Neither predict nor update writes to a row, then or in later rounds."""
    player = subject.player()
    shown = [player.show(x) for x in tape.X]
    for row, y in zip(shown, tape.y, strict=True):
        player.learn(row, int(y))
    for t, (row, x) in enumerate(zip(shown, tape.X, strict=True), 1):
        if not _same_row(row, player.show(x)):
            return f"the row of round {t} was written to"
    return None


@contract("inputs-unkept")
def inputs_unkept(subject: Subject, tape: Tape) -> str | None:
    """Overwriting a row after its round changes nothing."""
    player, told = subject.player(), []
    for x, y in zip(tape.X, tape.y, strict=True):
        row = player.show(x)
        told.append(player.learn(row, int(y)))
        if isinstance(row, dict):
            row.update(dict.fromkeys(row, 99.0))
        else:
            assert isinstance(row, np.ndarray)
            row[...] = 99.0
    return difference(trace(subject, tape), told + answers(player, tape.probes), len(tape))


def _same_row(one: object, other: object) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one == other and list(one) == list(other)
    return bool(np.array_equal(np.asarray(one), np.asarray(other)))


@contract("batch")
def batch(subject: Subject, tape: Tape) -> str | None:
    """Learning from all rows in one call equals learning from them one by one."""
    whole = subject.player()
    try:
        with refusing():
            whole.batch(tape.X, tape.y)
    except RefusedError as error:
        raise NotApplicableError(f"takes no batch: {error}") from None
    single = trace(subject, tape)[len(tape) :]
    found = difference(single, answers(whole, tape.probes), len(single))
    return found and found.split(",")[0] + " after one call and after one by one"


@contract("sparse")
def sparse(subject: Subject, tape: Tape) -> str | None:
    """Rows without their zeros are the same rows."""
    _require_no_draws(subject)
    return _in_form(subject, tape, "sparse")


@contract("mapping-order", all_tapes)
def mapping_order(subject: Subject, tape: Tape) -> str | None:
    """The order of a dict's keys does not matter."""
    try:
        return _in_form(subject, tape, "reversed", Form("mapping"))
    except RefusedError as error:
        raise NotApplicableError(f"takes no dicts: {error}") from None


@contract("column-order", all_tapes)
def column_order(subject: Subject, tape: Tape) -> str | None:
    """The order of the columns does not matter."""
    _require_no_draws(subject)
    order = np.arange(tape.features)[::-1]
    moved = tape.holding(tape.X[:, order])
    player = subject.player()
    told = [player.learn(player.show(x), int(y)) for x, y in zip(moved.X, moved.y, strict=True)]
    told += answers(player, tape.probes[:, order])
    return difference(trace(subject, tape), told, len(tape))


@contract("float32", all_tapes)
def float32(subject: Subject, tape: Tape) -> str | None:
    """Rows in float32 are the same numbers in float64."""
    rounded = tape.X.astype(np.float32).astype(np.float64)
    return _in_form(subject, tape.holding(rounded), "float32")


@contract("deepcopy")
def deep_copies(subject: Subject, tape: Tape) -> str | None:
    """A copy made halfway continues as if nothing had happened, and so does the original."""
    return _resumed(subject, tape, copy.deepcopy)


@contract("pickle")
def pickles(subject: Subject, tape: Tape) -> str | None:
    """A pickle made halfway continues as if nothing had happened, and so does the original."""
    return _resumed(subject, tape, lambda learner: pickle.loads(pickle.dumps(learner)))


def _resumed(subject: Subject, tape: Tape, copied: Callable[[object], object]) -> str | None:
    half = len(tape) // 2
    rounds = list(zip(tape.X, tape.y, strict=True))
    original = subject.player()
    begun = [original.learn(original.show(x), int(y)) for x, y in rounds[:half]]
    try:
        with refusing():
            twin = copy.copy(original)
            twin.learner = copied(original.learner)
    except RefusedError as error:
        raise NotApplicableError(f"cannot be copied: {error}") from None
    expected = trace(subject, tape)
    for name, player in (("the copy", twin), ("the original", original)):
        told = [player.learn(player.show(x), int(y)) for x, y in rounds[half:]]
        found = difference(expected, [*begun, *told, *answers(player, tape.probes)], len(tape))
        if found:
            return f"{name}: {found}"
    return None


@contract("labels")
def labels(subject: Subject, tape: Tape) -> str | None:
    """False and True, 0 and 1, −1 and +1, and words work the same as labels, unless refused."""
    expected = trace(subject, tape, Form(labels=(False, True)))
    for pair in SPELLINGS:
        try:
            got = trace(subject, tape, Form(labels=pair))
        except RefusedError as error:
            if str(error).startswith("predicts"):
                return str(error)
            continue
        found = difference(expected, got, len(tape))
        if found and isinstance(pair[0], str):
            found = difference(_mirrored(subject, tape, got), got, len(tape))
        if found:
            return f"labels {pair[0]!r} and {pair[1]!r}: {found}"
    return None


def _mirrored(subject: Subject, tape: Tape, got: list[Answer]) -> list[Answer]:
    """Return the trace of a learner that takes the other label as the positive one.

    Words do not say which of them is positive: a learner may take the one that it meets first.
    Until it has met both words it cannot name them, and any answer goes.
    """
    told = trace(subject, replace(tape, y=-tape.y), Form(labels=(False, True)))
    both = np.flatnonzero(tape.y != tape.y[0])
    met = int(both[0]) + 1 if len(both) else len(told)
    return got[:met] + [None if answer is None else -answer for answer in told[met:]]


@contract("not-finite", spoiled_tapes)
def not_finite(subject: Subject, tape: Tape) -> str | None:
    """A row with nan or inf is refused, or counts as the row without that value, or as no row."""
    found = _after(subject, tape, tape.X)
    if found is None:
        return None
    blank = np.where(np.isfinite(tape.X), tape.X, 0.0)
    harmless = [_skipping(subject, tape), _after(subject, tape, blank) or []]
    compared = [zip(found, kept, strict=True) for kept in harmless if kept]
    harm = min(sum(a != b for a, b in pairs) for pairs in compared)
    return f"accepted, and {harm} of {len(found)} later predictions are others" if harm else None


@contract("refused-unchanged", spoiled_tapes)
def refused_unchanged(subject: Subject, tape: Tape) -> str | None:
    """A refused round (nan or inf in a row, or the label None) changes nothing."""
    blank = np.where(np.isfinite(tape.X), tape.X, 0.0)
    refused = 0
    for X, label in ((tape.X, 1), (blank, 0)):
        player, told = subject.player(), []
        for x, y, bad in zip(X, tape.y, _bad(tape), strict=True):
            row = player.show(x)
            if not bad:
                told.append(player.learn(row, int(y)))
                continue
            try:
                player.update(row, int(y) * label)
                break
            except RefusedError:
                refused += 1
        else:
            told += answers(player, tape.probes)
            found = difference(_skipping(subject, tape), told, len(told))
            if found and refused:
                return ("nan or inf: " if label else "the label None: ") + found
    if not refused:
        raise NotApplicableError("refuses nothing that was tried")
    return None


def _bad(tape: Tape) -> list[bool]:
    return [not np.isfinite(row).all() for row in tape.X]


def _skipping(subject: Subject, tape: Tape) -> list[Answer]:
    """The trace without the rounds that are not finite."""
    kept = np.flatnonzero(~np.array(_bad(tape), bool)).tolist()
    good = tape.part(kept, range(tape.features))
    return trace(subject, good)


def _after(subject: Subject, tape: Tape, X: FloatArray) -> list[Answer] | None:
    """The predictions of the finite rounds after learning all rounds; None if one was refused."""
    player, told = subject.player(), []
    for x, y, bad in zip(X, tape.y, _bad(tape), strict=True):
        row = player.show(x)
        if not bad:
            told.append(player.learn(row, int(y)))
            continue
        try:
            player.update(row, int(y))
        except RefusedError:
            return None
    return told + answers(player, tape.probes)
