"""Asks: predictions that were served, whose labels come later.

``tell`` plays the whole round at the moment when the label comes, so the order of tells is the
order of rounds. What was served at the moment of asking is counted apart (``ServedCounts``).
"""

import copy
import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

import numpy as np

from novikoff.errors import InputError, parameter
from novikoff.playing.labelled import LabelledRounds
from novikoff.saving.contents import check_known, is_by_label, is_label, is_text
from novikoff.streams import Outputs
from novikoff.streams.labels.label_maps import plain
from novikoff.types import AnyArray, Label, Plain

Id: TypeAlias = str | int
Probability: TypeAlias = float | Mapping[Label, float]
"""That of the positive label; with many classes, that of each label."""
Row: TypeAlias = dict[str, object] | AnyArray | tuple[AnyArray, AnyArray] | str | int
"""An x that is kept: a dict, a vector, a pair (indices, values) or a point."""
Entry: TypeAlias = dict[str, Plain]
"""A pending ask as plain data."""

_LEAST = 2.0**-53  # a probability within 2⁻⁵³ of 1 is 1 in float64: a log loss must stay finite
_FORMS = ("named", "dense", "sparse", "point")
_ENTRY = {"id", "label", "code", "probability", "x"}


class Ask(NamedTuple):
    """What ``Run.ask`` returns: the prediction, and the probability if the learner gives one."""

    id: Id
    prediction: Label | None
    probability: Probability | None = None


class Pending(NamedTuple):
    """An ask without its label: what was asked, and what the learner calls its prediction."""

    ask: Ask
    x: Row
    code: int | None


class Asks:
    """The asks of a run that wait for their labels."""

    def __init__(self, rounds: LabelledRounds) -> None:
        if isinstance(rounds.labels, Outputs):
            raise parameter("learner", "one that predicts a label, to ask it", rounds.learner)
        self._rounds = rounds
        self._waiting: dict[Id, Pending] = {}
        self._asked: dict[Id, Ask] = {}  # the same, for those who look
        self._last = 0  # the number given last to an ask without an id

    @property
    def begun(self) -> bool:
        """Whether anything was asked."""
        return self._rounds.served is not None

    @property
    def pending(self) -> Mapping[Id, Ask]:
        """The asks without a label, by their ids, in the order in which they were asked."""
        return MappingProxyType(self._asked)

    def named(self, id: Id | None) -> Id:
        """Return the id of a new ask: the one given, if no other has it, or a new number."""
        if id is None:
            number = self._last + 1
            while number in self._waiting:
                number += 1
            return number
        if isinstance(id, bool) or not (isinstance(id, int) or is_text(id)):
            raise parameter("id", "a string, a whole number or None", id)
        if id in self._waiting:
            raise InputError(
                where="ask",
                expected="an id that no pending ask has",
                got=repr(id),
                remedy="Tell its label or forget it first, or take another id.",
            )
        return id

    def keep(self, ask: Ask, x: object, code: int | None) -> None:
        """Keep an ask until it is told or forgotten."""
        self._rounds.serve(ask.probability is not None)
        self._waiting[ask.id] = Pending(ask, self._copied(x), code)
        self._asked[ask.id] = ask
        if isinstance(ask.id, int):
            self._last = max(self._last, ask.id)

    def of(self, id: Id | Ask, who: str = "tell") -> Pending:
        """Return a pending ask, by its id or itself; say so if there is none."""
        id = id.id if isinstance(id, Ask) else id
        if not isinstance(id, (str, int)) or id not in self._waiting:
            raise InputError(
                where=who,
                expected="the id of a pending ask",
                got=f"{id!r}, which was never asked, or was told or forgotten before",
                remedy="Ask again.",
            )
        return self._waiting[id]

    def told(self, id: Id, y: Label, weight: float) -> None:
        """Count what was served for an ask whose round has been played."""
        (served, _, code), counts = self._waiting.pop(id), self._rounds.served
        del self._asked[id]
        assert counts is not None
        right = self._rounds.code_of(y)
        counts.rounds += 1
        counts.mistakes += served.prediction is not None and code != right
        if counts.loss is not None and served.probability is not None:
            chance = chance_of(served.probability, plain(y), right > 0)
            scale = weight * self._rounds.class_weights.get(plain(y), 1.0)
            counts.loss += scale * -math.log(max(chance, _LEAST))

    def forget(self, id: Id | Ask) -> None:
        """Drop an ask, whose label never comes."""
        known = self.of(id, "forget").ask.id
        del self._waiting[known], self._asked[known]

    def _copied(self, x: object) -> Row:
        """Return a copy of x in its plainest form: the caller may change theirs."""
        if type(x) is dict:
            return dict(x)
        found: Row = copy.deepcopy(self._rounds.learner.block_of(x).row(0))
        return found

    def state(self) -> dict[str, Plain]:
        """Return all of it as plain data."""
        return {"last": self._last, "pending": [_entry(one) for one in self._waiting.values()]}

    def restore(self, state: object) -> None:
        """Take over what ``state`` returned; refuse anything else."""
        known = {"last", "pending"}
        if not (isinstance(state, dict) and state.keys() >= known):
            raise ValueError("asks that no run has saved")
        check_known("field", state, known)
        last, entries = state["last"], state["pending"]
        if type(last) is not int or last < 0 or not isinstance(entries, list):
            raise ValueError("asks that no run has saved")
        found = [_pending(entry) for entry in entries]
        self._waiting = {one.ask.id: one for one in found}
        self._asked = {one.ask.id: one.ask for one in found}
        self._last = last
        if len(self._waiting) < len(found):
            raise ValueError("two pending asks with one id")
        if any(isinstance(id, int) and id > last for id in self._waiting):
            raise ValueError("a pending ask with a number that is not given yet")
        if not self.begun:
            raise ValueError("asks without the counts of what was served")


def chance_of(probability: Probability, y: Label, positive: bool) -> float:
    """Return the probability that was served for the label that came."""
    if isinstance(probability, Mapping):
        return probability.get(y, 0.0)
    return probability if positive else 1.0 - probability


def _entry(one: Pending) -> Entry:
    """Return a pending ask as plain data."""
    chance = one.ask.probability
    return {
        "id": one.ask.id,
        "label": _label(one.ask.prediction),
        "code": one.code,
        "probability": [[_label(y), p] for y, p in chance.items()]
        if isinstance(chance, Mapping)
        else chance,
        "x": _plain(one.x),
    }


def _label(label: Label | None) -> Plain:
    if label is None or isinstance(label, (bool, int, float, str)):
        return label
    raise InputError(
        f"asks: expected labels that are numbers, strings or bools to save, got {label!r}. "
        "Name the classes by strings."
    )


def _plain(x: Row) -> Entry:
    """Return an x as plain data, with its form: float64 holds every number exactly."""
    if isinstance(x, dict):
        return {"named": {str(name): _value(value) for name, value in x.items()}}
    if isinstance(x, tuple):
        return {"sparse": [x[0].tolist(), x[1].tolist()]}
    return {"dense": x.tolist()} if isinstance(x, np.ndarray) else {"point": x}


def _value(value: object) -> Plain:
    """Return the value of a named feature: a text or a number, perhaps one of NumPy's."""
    if isinstance(value, str):
        return str(value)
    found = value.item() if isinstance(value, np.generic) else value
    if not isinstance(found, (bool, int, float)):
        raise TypeError(f"{type(value).__name__} is no plain data")
    return found


def _pending(entry: object) -> Pending:
    """Return the pending ask that plain data describe; anybody may have written them."""
    if not (isinstance(entry, dict) and entry.keys() >= _ENTRY):
        raise ValueError("an ask that no run has saved")
    check_known("field", entry, _ENTRY)
    id, label, code = entry["id"], entry["label"], entry["code"]
    if isinstance(id, bool) or not (isinstance(id, int) or is_text(id)):
        raise ValueError("an ask whose id is neither a string nor a whole number")
    if not (label is None or is_label(label)) or not (code is None or type(code) is int):
        raise ValueError("an ask without a prediction")
    return Pending(Ask(id, label, _chance(entry["probability"])), _restored(entry["x"]), code)


def _chance(value: object) -> Probability | None:
    """Return a probability, or that of each label."""
    if value is None or not isinstance(value, list):
        return None if value is None else _share(value)
    if not is_by_label(value):
        raise ValueError("probabilities that are not one for each label")
    return {label: _share(p) for label, p in value}


def _share(value: object) -> float:
    if not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise ValueError("a probability that is not a number from 0 to 1")
    return float(value)


def _restored(form: object) -> Row:
    """Return an x; its rounds are checked when it is told, as any other."""
    given = form if isinstance(form, dict) else {}
    check_known("field", given, _FORMS)
    name, value = next(iter(given.items())) if len(given) == 1 else ("", None)
    if name == "named" and isinstance(value, dict):
        return value
    if name == "dense" and isinstance(value, list):
        return np.array(value, np.float64)
    if name == "sparse" and isinstance(value, list) and len(value) == 2:
        return np.array(value[0], np.int64), np.array(value[1], np.float64)
    if name == "point" and (is_text(value) or type(value) is int):
        return value
    raise ValueError(f"an x that is none of {', '.join(_FORMS)}")
