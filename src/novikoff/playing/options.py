"""Options: which of them each protocol takes. A run refuses by name what it would ignore."""

from collections.abc import Mapping

from novikoff.errors import InputError, parameter
from novikoff.learners.learner import Kind

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
