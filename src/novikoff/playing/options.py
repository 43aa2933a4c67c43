"""Options: which of them each protocol takes. A run refuses by name what it would ignore."""

from collections.abc import Mapping
from typing import NamedTuple

from novikoff.errors import InputError, parameter, whole
from novikoff.learners.learner import Kind

MOST_PASSES = 1000
"""The most passes that ``until_clean`` makes, unless ``max_passes`` says otherwise."""

_DEFAULTS: dict[str, object] = {
    "positive": None, "labels": (), "class_weights": None, "max_weight": None,
    "threshold": None, "digest": False,
    "passes": 1, "until_clean": False, "max_passes": None,
}  # fmt: skip

TAKEN: dict[Kind, frozenset[str]] = {
    "labelled": frozenset(_DEFAULTS),
    "experts": frozenset({"positive"}),
    "arms": frozenset(),
}
"""The options that each protocol takes, of ``Run``, ``Run.play`` and ``play``; all take
``progress``."""

_ROUNDS: dict[Kind, str] = {
    "labelled": "rows with labels",
    "experts": "the losses of experts",
    "arms": "the losses of arms",
}


class Passes(NamedTuple):
    """How often a stream is played."""

    most: int
    until_clean: bool


_ONE = Passes(1, False)


def refuse_ignored(kind: Kind, learner: str, given: Mapping[str, object]) -> None:
    """Refuse an option that the rounds of a learner would ignore."""
    if kind == "labelled":
        return
    for name in given.keys() - TAKEN[kind]:
        value, default = given[name], _DEFAULTS[name]
        if value is not default and not (type(value) is type(default) and value == default):
            raise parameter(
                name,
                f"{default!r} with {learner}, whose rounds are {_ROUNDS[kind]}",
                value,
                "Leave it out.",
            )


def checked_passes(passes: int, until_clean: bool, max_passes: int | None) -> Passes:
    """Return how many passes may be made."""
    if type(passes) is int and passes == 1 and until_clean is False and max_passes is None:
        return _ONE
    if until_clean and passes != 1:
        raise parameter("passes", "1 with until_clean", passes, "Limit passes with max_passes.")
    if until_clean:
        most = MOST_PASSES if max_passes is None else whole("max_passes", max_passes, 1)
        return Passes(most, True)
    if max_passes is not None:
        raise parameter(
            "max_passes", "None without until_clean", max_passes, "Pass passes, or until_clean."
        )
    return Passes(whole("passes", passes, 1), False)


def refuse_unlearned(rounds: int, began_fresh: bool | None) -> None:
    """Refuse to predict before the first round of a learner that has seen nothing."""
    if rounds == 0 and began_fresh:
        raise InputError(
            "predict: expected a run that has learned something, got none yet. Learn a round first."
        )


def no_prediction(where: str, learner: object) -> InputError:
    """Return the error for a learner that draws an arm, if a prediction is asked for."""
    return InputError(
        f"{where}: expected a learner that predicts, got {type(learner).__name__}, which draws an "
        "arm. Play losses with run.play, or call its choose and update."
    )
