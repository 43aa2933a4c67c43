"""``novikoff game``: the dimensions of a finite class, a learner's worst case, and play by hand."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypedDict, TypeVar

from novikoff.classes import (
    FiniteClass,
    conjunctions,
    decision_lists,
    disjunctions,
    halfspaces,
    littlestone_dimension,
    littlestone_tree,
    parities,
    singletons,
    thresholds,
    vc_dimension,
)
from novikoff.cli.answers import print_json
from novikoff.cli.escapes import as_line
from novikoff.cli.plans.game_plans import GamePlan
from novikoff.errors import UnrealizableError, parameter
from novikoff.games.adversaries import LittlestoneAdversary
from novikoff.games.worst_case import worst_case
from novikoff.learners import Consistent, FiniteLearner, Halving, StandardOptimal
from novikoff.playing.ledger import counted
from novikoff.playing.run import Run
from novikoff.receipts.remarks import shown
from novikoff.saving.storage import write_bytes
from novikoff.theory import named

_LEARNERS: dict[str, type[FiniteLearner]] = {
    "halving": Halving, "consistent": Consistent, "soa": StandardOptimal,
}  # fmt: skip
_THEOREMS = {"halving": "halving", "consistent": "consistent", "soa": "littlestone"}
_KINDS: dict[str, Callable[..., FiniteClass]] = {
    "conjunctions": conjunctions, "disjunctions": disjunctions, "decision_lists": decision_lists,
    "parities": parities, "halfspaces": halfspaces, "thresholds": thresholds,
    "singletons": singletons,
}  # fmt: skip
_MONOTONE = ("conjunctions", "disjunctions")
_ANSWERS = {"+": 1, "+1": 1, "1": 1, "-": -1, "-1": -1, "−": -1, "−1": -1}
_BAR = 40  # letters

T = TypeVar("T")


class GameAnswer(TypedDict):
    """What ``game`` answers."""

    size: int
    points: int
    merged: int
    littlestone_dimension: int
    vc_dimension: int
    learner: str
    worst_case: float
    target: object
    sequence: list[tuple[object, int]]


def game(plan: GamePlan) -> int:
    """Say what is known about a class, or play it."""
    H = _class(plan.klass)
    name = plan.learner or "halving"
    if plan.play == "adversary":
        return _as_adversary(H, name)
    if plan.play == "learner":
        return _as_learner(H)
    if plan.tree:
        write_bytes(plan.tree, littlestone_tree(H).svg().encode())
    found = worst_case(_LEARNERS[name](H), H)
    summary: GameAnswer = {
        "size": len(H),
        "points": len(H.points),
        "merged": len(H.merged),
        "littlestone_dimension": littlestone_dimension(H),
        "vc_dimension": vc_dimension(H),
        "learner": name,
        "worst_case": found.mistakes,
        "target": found.target,
        "sequence": [(H.points[H.locate(x)], y) for x, y in found.sequence],
    }
    print_json({"class": plan.klass, **summary}) if plan.json else _show(plan.klass, summary)
    return 0


def _class(text: str) -> FiniteClass:
    """Return the class that a word such as disjunctions:4:monotone names, or that a file holds."""
    kind, *arguments = text.split(":")
    if kind not in _KINDS:
        if Path(text).is_file():
            return FiniteClass.from_csv(text)
        kinds = f"a CSV file, or one of {', '.join(_KINDS)} with a number"
        raise parameter("CLASS", kinds, text, "As in thresholds:16.")
    monotone = arguments[1:] == ["monotone"] and kind in _MONOTONE
    if not arguments or not arguments[0].isdecimal() or (arguments[1:] and not monotone):
        more = "[:monotone]" if kind in _MONOTONE else ""
        raise parameter("CLASS", f"{kind}:NUMBER{more}", text)
    return _KINDS[kind](int(arguments[0]), **({"monotone": True} if monotone else {}))


def _show(name: str, found: GameAnswer) -> None:
    merged = f", {counted(found['merged'], 'row')} merged" if found["merged"] else ""
    print(f"{name}: {found['size']:,} hypotheses on {found['points']:,} points{merged}")
    print(f"Littlestone's dimension {found['littlestone_dimension']}, VC {found['vc_dimension']}")
    print(
        f"{found['learner']}: {counted(int(found['worst_case']), 'mistake')} in the worst case, "
        f"with the target {found['target']}"
    )
    for t, (point, sign) in enumerate(found["sequence"], 1):
        print(f"  {t}. {as_line(point)} is {sign:+d}")


def _asked(prompt: str, answers: Mapping[str, T]) -> T | None:
    """Return what one of the answers stands for; None at the end of the input."""
    while True:
        try:
            text = input(prompt).strip()
        except EOFError:
            print()
            return None
        if text in answers:  # before q, which may be a point's name
            return answers[text]
        if text == "q":
            return None
        shown = ", ".join(list(answers)[:12]) + (", …" if len(answers) > 12 else "")
        print(f"expected one of {shown}, or q to end, got {text[:60] or 'nothing'}")


def _as_adversary(H: FiniteClass, name: str) -> int:
    """Let a person choose points and labels; the learner predicts."""
    learner = _LEARNERS[name](H)
    run, points = Run(learner), {str(name): x for x, name in enumerate(H.points)}
    print("You are the adversary: choose a point, see the prediction, say the label.")
    print(_left(learner))
    while (x := _asked("point? ", points)) is not None:
        print(f"{name} predicts {learner.predict(x):+d}")
        y = _asked("label? ", _ANSWERS)
        if y is None:
            break
        try:
            run.learn(x, y)
        except UnrealizableError:
            print(f"no hypothesis left says {y:+d} there: that round is not played")
            continue
        print(f"round {run.ledger.rounds}: {counted(run.mistakes, 'mistake')}. {_left(learner)}")
    evidence = {"size": len(H), "mistakes": run.mistakes}
    if name == "soa":
        evidence["littlestone_dimension"] = littlestone_dimension(H)
    most = named(_THEOREMS[name]).evaluate(evidence).value
    print(f"{counted(run.mistakes, 'mistake')}; the theorem {_THEOREMS[name]} allows {shown(most)}")
    return 0


def _as_learner(H: FiniteClass) -> int:
    """Let a person predict; Littlestone's adversary answers."""
    adversary, watcher = LittlestoneAdversary(H), Halving(H)
    mistakes = 0
    print("You are the learner: predict, and Littlestone's adversary answers.")
    print(_left(watcher))
    while (x := adversary.ask()) is not None:
        place = H.locate(x)
        prediction = _asked(f"{H.points[place]}: + or −? ", _ANSWERS)
        if prediction is None:
            break
        y = adversary.answer(prediction)
        mistakes += prediction != y
        watcher.update(place, y)
        print(f"it is {y:+d}: {counted(mistakes, 'mistake')}. {_left(watcher)}")
    print(
        f"{counted(mistakes, 'mistake')}, of {adversary.bound} that nobody can be sure to avoid; "
        f"{adversary.target} has every label"
    )
    return 0


def _left(learner: FiniteLearner) -> str:
    """Show how much of V is left, and its first members."""
    full = -(-_BAR * learner.remaining // len(learner.H))
    names = [str(name) for name in learner.first(4)]
    more = ", …" if learner.remaining > len(names) else ""
    bar = "█" * full + "░" * (_BAR - full)
    return f"{bar} {learner.remaining:,} of {len(learner.H):,} left: {', '.join(names)}{more}"
