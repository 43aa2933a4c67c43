"""What the quality table is meant to show, and whether it does."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from reproductions import quality_sets as sets
from reproductions.quality_measures import Scores, geometric_mean, ratio

MEASURES = ("error", "log_loss", "calibration")
REFERENCE = "VW logistic"
PEERS: dict[str, tuple[str, ...]] = {  # a column, and the lines of which it shows the better
    "VW logistic": ("VW logistic",),
    "VW default": ("VW default",),
    "river": ("river plain", "river scaled"),
    "river dense": ("river dense",),
    "VW oaa": ("VW oaa",),
    "VW oaa logistic": ("VW oaa logistic",),
    "SGD": ("SGD standard", "SGD max-abs"),
}
RIVALS = ("perceptron", "VW logistic", "VW default", "river")
MANY_RIVALS = ("perceptron", "VW oaa", "VW oaa logistic", "SGD")
AT_MOST = {"spambase": ("VW logistic", "VW default"), "mnist_3_8": RIVALS}  # ties allowed
ERROR_RATIO, LOSS_RATIO = 0.78, 0.77
FEW = 30  # held-out errors of VW logistic: a ratio of fewer says little, but moves a mean a lot
EIGHT, ENOUGH = tuple(name for name in sets.MANY if name != "kddcup99_23"), 7


class Found(NamedTuple):
    """What was found on one set: the scores of everybody who played it."""

    rows: int
    columns: int
    classes: int
    progressive: dict[str, Scores]
    held_out: dict[str, Scores]

    def part(self, name: str) -> dict[str, Scores]:
        """Return the progressive scores or the held-out ones."""
        return self.progressive if name == "progressive" else self.held_out

    def plain(self) -> dict[str, object]:
        """Return the same as plain data."""
        found: dict[str, object] = {
            part: {who: scores._asdict() for who, scores in self.part(part).items()}
            for part in ("progressive", "held_out")
        }
        return found | {"rows": self.rows, "columns": self.columns, "classes": self.classes}


Results = dict[str, Found]


class Goal(NamedTuple):
    """Something to reach, and whether it is reached."""

    goal: str
    met: bool
    detail: str

    def __str__(self) -> str:
        return f"{self.goal}: {self.detail}"


def best(scores: Mapping[str, Scores], names: Iterable[str]) -> Scores | None:
    """Return the lowest of each number; None if none of these played."""
    found = [scores[name] for name in names if name in scores]
    if not found:
        return None
    losses = [one.log_loss for one in found if one.log_loss is not None]
    gaps = [one.calibration for one in found if one.calibration is not None]
    error = min(one.error for one in found)
    return Scores(error, min(losses, default=None), min(gaps, default=None), found[0].rounds)


def mean_ratio(found: Results, names: tuple[str, ...], measure: str) -> float | None:
    """Return the geometric mean of held-out ratios to VW logistic; None unless they played all."""
    ratios = []
    for one in found.values():
        mine = best(one.held_out, names)
        value = None if mine is None else ratio(mine, one.held_out[REFERENCE], measure)
        if value is None:
            return None
        ratios.append(value)
    return geometric_mean(ratios)


def with_errors(found: Results) -> Results:
    """Return the sets on which VW logistic errs often enough for a ratio of errors to mean much."""
    return {
        name: one
        for name, one in found.items()
        if one.held_out[REFERENCE].error * one.held_out[REFERENCE].rounds >= FEW
    }


def goals(results: Results, learner: str) -> list[Goal]:
    """Return the goals that can be judged from these results, for one of our learners."""
    chosen = {
        name: results[name]
        for name in sets.CHOSEN
        if name in results and REFERENCE in results[name].held_out
    }
    many = {name: results[name] for name in EIGHT if name in results}
    return [
        *(goal for name, one in chosen.items() for goal in _progressive(name, one, learner)),
        *_ratio_goals(chosen, learner),
        *(_held_out(name, one, learner) for name, one in chosen.items()),
        *_many(many, learner),
        *_zeros(results, learner),
    ]


def _progressive(name: str, found: Found, learner: str) -> Iterator[Goal]:
    rivals, strict = AT_MOST.get(name, RIVALS), name not in AT_MOST
    words = "below every peer" if strict else "at most " + " and ".join(rivals)
    for measure in MEASURES[:2]:
        met, detail = _against(found.progressive, learner, rivals, measure, strict)
        yield Goal(f"{name}, progressive {measure.replace('_', ' ')} {words}", met, detail)


def _held_out(name: str, found: Found, learner: str) -> Goal:
    met, detail = _against(found.held_out, learner, RIVALS[1:], "log_loss", True)
    return Goal(f"{name}, held-out log loss below VW and river", met, detail)


def _against(
    scores: Mapping[str, Scores], learner: str, rivals: Iterable[str], measure: str, strict: bool
) -> tuple[bool, str]:
    """Say whether the learner beats all rivals, and what the best of them has."""
    values = {}
    for who in rivals:
        found = best(scores, PEERS.get(who, (who,)))
        value = None if found is None or who == learner else getattr(found, measure)
        if value is not None:
            values[who] = value
    mine = getattr(scores[learner], measure) if learner in scores else None
    if mine is None or not values:
        return False, f"{learner} has no {measure.replace('_', ' ')}, or no peer has one"
    rival = min(values, key=values.__getitem__)
    shown = "{:.2%}" if measure == "error" else "{:.4f}"
    numbers = f"{shown.format(mine)} against {shown.format(values[rival])} ({rival})"
    return (mine < values[rival] if strict else mine <= values[rival]), numbers


def _ratio_goals(chosen: Results, learner: str) -> Iterator[Goal]:
    many = with_errors(chosen)
    for measure, most in (("error", ERROR_RATIO), ("log_loss", LOSS_RATIO)):
        mean = mean_ratio(chosen, (learner,), measure) if chosen else None
        if mean is not None:
            words = f"held out, {measure.replace('_', ' ')} over {REFERENCE}'s, geometric mean"
            part = mean_ratio(many, (learner,), measure) if many else None
            shown = f"{mean:.3f}" + ("" if part is None else f", {part:.3f} on {len(many)} of them")
            yield Goal(f"{words} over {len(chosen)} sets at most {most}", mean <= most, shown)


def _many(many: Results, learner: str) -> Iterator[Goal]:
    played = {name: one for name, one in many.items() if len(one.held_out) > 1}
    won = [
        name
        for name, one in played.items()
        if _against(one.held_out, learner, MANY_RIVALS, "error", True)[0]
    ]
    if played:
        words = f"many classes, error below every peer on at least {ENOUGH} of {len(EIGHT)}"
        lost = ", ".join(name for name in played if name not in won) or "none"
        yield Goal(words, len(won) >= ENOUGH, f"{len(won)} of {len(played)}; not on {lost}")


def _zeros(results: Results, learner: str) -> Iterator[Goal]:
    """Compare with river's scaler on dicts that hold zeros: the table of goals does not have it."""
    played = {name: one for name, one in results.items() if "river dense" in one.progressive}
    for measure in MEASURES[:2] if played else ():
        lost = [
            name
            for name, one in played.items()
            if not _against(one.progressive, learner, ["river dense"], measure, True)[0]
        ]
        words = f"two classes, progressive {measure.replace('_', ' ')} below river dense"
        detail = f"{len(played) - len(lost)} of {len(played)}; not on {', '.join(lost) or 'none'}"
        yield Goal(words, not lost, detail)
