"""Judging: whether what a certificate claims is true of the rows."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from math import inf, isfinite, nextafter
from typing import Any, NamedTuple

from mpmath import mp, mpf

from novikoff.verifier import THEOREMS as STATED
from oracle.chains import chain
from oracle.claim import Claim, Mixed, Outcome
from oracle.class_losses import class_blend
from oracle.data import Data, rows_as_data, rows_with_numbers, sentences_as_data
from oracle.descent import gradient_descent
from oracle.experts import bandit, hedge, randomized, weighted_majority
from oracle.finite import elimination, finite
from oracle.kernels import kernel_perceptron
from oracle.losses import adaptive_gradient, blend, coin_betting
from oracle.minnows import minnow
from oracle.parameters import check_parameters
from oracle.perceptrons import binary, multiclass
from oracle.predicted import JUDGED, check_predictions
from oracle.reals import (
    DIGITS,
    SURELY,
    UntrueError,
    fits_float,
    is_least_float,
    is_number,
    is_whole,
    least_float,
    real,
    require,
)
from oracle.regressions import forward_regression
from oracle.transformed import transformed
from oracle.witnesses import not_separable, separable
from oracle.writing import canonical, parsed, rounds_in


class Judgement(NamedTuple):
    """Whether a certificate's claim is true, and if not, why."""

    true: bool
    reason: str


FIELDS = {
    "format", "theorem", "statement", "assumptions", "data", "learner", "mistakes", "evidence",
    "bound", "sha256",
}  # fmt: skip
ENCLOSED = Fraction(1, 2**150)  # what the verifier may add to sums of exponentials, relatively
ROUNDED_UP = Fraction(1, 10**24)  # and to losses of a comparator
PERCEPTRON = ("novikoff", "hinge", "hinge-tight", "freund-schapire", "run", "progressive")
THEOREMS: dict[str, tuple[str, ...]] = {
    "Perceptron": PERCEPTRON,
    "AveragedPerceptron": PERCEPTRON,
    "VotedPerceptron": PERCEPTRON,
    "MulticlassPerceptron": PERCEPTRON,
    "KernelPerceptron": PERCEPTRON,
    "Minnow": ("minnow", "minnow-hinge", "progressive"),
    "BalancedMinnow": ("minnow", "minnow-hinge", "progressive"),
    "Consistent": ("consistent", "progressive"),
    "Halving": ("halving", "progressive"),
    "StandardOptimal": ("littlestone", "progressive"),
    "IteratedHalving": ("iterated-halving", "progressive"),
    "Elimination": ("elimination", "progressive"),
    "WeightedMajority": ("weighted-majority",),
    "RandomizedWeightedMajority": ("randomized-weighted-majority",),
    "Hedge": ("hedge", "hedge-anytime"),
    "Exp3": ("exp3",),
    "Exp3IX": ("exp3ix",),
    "Exp3P": ("exp3p",),
    "StructuredPerceptron": ("structured", *PERCEPTRON[1:]),
    "AdaptiveGradient": ("ftrl-diag", "progressive"),
    "CoinBetting": ("betting", "progressive"),
    "Blend": ("fixed-share", "betting-share", "progressive"),
    "GradientDescent": ("ogd", "ogd-logistic", "progressive"),
    "ForwardRegression": ("vaw-tight", "vaw"),
    "ClassBlend": ("fixed-share-classes", "progressive"),
}
PROGRAMS = {
    "AdaptiveGradient": "adaptive-gradient/1",
    "CoinBetting": "coin-betting/1",
    "Blend": "blend/1",
    "GradientDescent": "gradient-descent/1",
    "ForwardRegression": "forward-regression/1",
    "ClassBlend": "blend-classes/1",
}
LABELS = {"MulticlassPerceptron": "classes", "ClassBlend": "classes", "ForwardRegression": "real"}
RESUMED: dict[str, tuple[str, ...]] = {
    "Perceptron": ("hinge-resumed", "progressive"),
    "AveragedPerceptron": ("hinge-resumed", "progressive"),
    "VotedPerceptron": ("hinge-resumed", "progressive"),
    "AdaptiveGradient": ("ftrl-diag-resumed", "progressive"),
    "Blend": ("fixed-share-resumed", "progressive"),
    "GradientDescent": ("ogd-resumed", "progressive"),
}
"""The theorems of runs that went on from a model."""
PLAYED = {
    "Perceptron": binary, "AveragedPerceptron": binary, "VotedPerceptron": binary,
    "MulticlassPerceptron": multiclass, "KernelPerceptron": kernel_perceptron,
    "Minnow": minnow, "BalancedMinnow": minnow,
    "Consistent": finite, "Halving": finite, "StandardOptimal": finite, "IteratedHalving": finite,
    "Elimination": elimination, "WeightedMajority": weighted_majority,
    "RandomizedWeightedMajority": randomized, "Hedge": hedge,
    "Exp3": bandit, "Exp3IX": bandit, "Exp3P": bandit,
    "AdaptiveGradient": adaptive_gradient, "CoinBetting": coin_betting, "Blend": blend,
    "GradientDescent": gradient_descent, "ForwardRegression": forward_regression,
    "ClassBlend": class_blend,
}  # fmt: skip


def judge(
    text: bytes,
    rows: Sequence[Any],
    predictions: Sequence[Any] | None = None,
    before: Sequence[Any] | None = None,
) -> Judgement:
    """Say whether the claim of a certificate, as its bytes are, is true of these rows.

    Some claims are about predictions that somebody made of them. ``before`` are the rows that the
    model has learned from which the run went on.
    """
    try:
        content = parsed(text)
        _check_form(content)
        if content["theorem"] in JUDGED:
            _check_predicted(content, rows, predictions)
        elif content["learner"] is None:
            _check_witness(content, rows)
        else:
            _check_run(content, rows, before)
    except UntrueError as untrue:
        return Judgement(False, str(untrue))
    return Judgement(True, "true")


def bound_of(content: dict[str, Any], rows: Sequence[Any]) -> tuple[list[int], float, float | None]:
    """Return the mistakes, the bound and what is expected, whatever a content says they are."""
    outcome = _outcome(content, rows)
    expected = None if outcome.own is None else _least_expected(outcome)
    return outcome.mistakes, least_float(outcome.value), expected


def played_of(content: dict[str, Any], rows: Sequence[Any]) -> tuple[float | None, dict[int, str]]:
    """Return the loss and the hashes of the states of a float program's run."""
    outcome = _outcome(content, rows)
    return outcome.loss, outcome.states or {}


def least_value(content: dict[str, Any], rows: Sequence[Any]) -> float:
    """Return the greatest float that is not above the dual value, and not below 0."""
    dual = _outcome(content, rows).dual
    assert dual is not None
    return 0.0 if dual.nearby >= 0 else -least_float(dual)


def _check_form(content: dict[str, Any]) -> None:
    names, learner = content.keys(), content.get("learner")
    name = learner.get("name") if isinstance(learner, dict) else None
    program = PROGRAMS.get(name) if isinstance(name, str) else None
    second = program or ("states" in names and isinstance(name, str) and name in RESUMED)
    expected = FIELDS | ({"program", "start", "states"} if second else set())
    optional = {"remarks"} | ({"transforms"} if learner is not None else set())
    require(expected <= names <= expected | optional, "it has other fields")
    version = 2 if second else 1
    require(content["format"] == f"novikoff-certificate/{version}", "its format is another")
    if second:
        require(content["program"] == program, "its program is another")
    theorem = content["theorem"]
    require(isinstance(theorem, str) and theorem in STATED, "its theorem is none")
    words = [content["statement"], content["assumptions"]]
    earlier = STATED[theorem].earlier if version == 1 else ()
    if sha256(canonical(words)).hexdigest() not in earlier:
        require(words[0] == STATED[theorem].statement, "its statement is another")
        own, further = STATED[theorem].assumptions, STATED[theorem].further
        require(words[1] in ([*own], [*own, *further]), "its assumptions differ")
    remarks = content.get("remarks", {})
    known = isinstance(remarks, dict) and remarks.keys() <= {"reading", "model"}
    require(known and all(isinstance(v, dict) for v in remarks.values()), "its remarks are none")
    facts = {"digest", "rows", "nonzeros", "dimension", "labels", "passes"}
    found = isinstance(content["data"], dict) and content["data"].keys() == facts
    require(found, "it says other things of its data")


def _check_facts(stated: dict[str, Any], facts: dict[str, Any]) -> None:
    for name, value in facts.items():
        right = stated[name] == value and not isinstance(stated[name], bool)
        require(right, f"{name} is {value!r}")


def _check_witness(content: dict[str, Any], rows: Sequence[Any]) -> None:
    checks = {"separable": separable, "not separable": not_separable}
    require(content["theorem"] in checks, "a theorem about a run has a learner")
    empty = [content["mistakes"], content["bound"], content["data"]["passes"]]
    require(empty == [None] * 3, "a claim about data has no run")
    require(_is_key(content["data"]["labels"], "positive"), "it has classes")
    data = rows_as_data(rows, content["data"]["labels"])
    _check_facts(content["data"], data.facts)
    checks[content["theorem"]](content["evidence"], data)


def _check_predicted(content: dict[str, Any], rows: Sequence[Any], predictions: Any) -> None:
    empty = [content["learner"], content["mistakes"], content["data"]["passes"]]
    require(empty == [None] * 3, "a claim about predictions has no run")
    labels = content["data"]["labels"]
    if content["theorem"] == "fixed-weights-squared":
        require(_is_key(labels, "real") and labels["real"] is True, "its labels are no numbers")
        data = rows_with_numbers(rows)
    else:
        many = content["theorem"] == "clopper-pearson" and _is_key(labels, "classes")
        require(many or _is_key(labels, "positive"), "it has classes")
        data = rows_as_data(rows, labels)
    _check_facts(content["data"], data.facts)
    check_predictions(content, data, predictions)


def _is_key(labels: Any, name: str) -> bool:
    return isinstance(labels, dict) and labels.keys() == {name}


def _outcome(
    content: dict[str, Any], rows: Sequence[Any], before: Sequence[Any] | None = None
) -> Outcome:
    """Play the run again, and evaluate the theorem."""
    learner, stated = content["learner"], content["data"]
    require(isinstance(learner, dict) and learner.keys() == {"name", "parameters"}, "no learner")
    name, parameters = learner["name"], learner["parameters"]
    require(isinstance(name, str) and name in THEOREMS, "the learner is none")
    theorem, evidence = content["theorem"], content["evidence"]
    if theorem == "progressive-mixture":
        require(isinstance(evidence, dict), "the evidence is no object")
        theorem, evidence = "progressive", Mixed(evidence)
    about = THEOREMS if content.get("start") is None else RESUMED
    require(theorem in about.get(name, ()), "the theorem is about other learners")
    check_parameters(name, parameters)
    require(is_whole(stated["passes"], 1), "passes is no whole number above 0")
    require(isinstance(content["evidence"], dict), "the evidence is no object")
    passes = int(stated["passes"])
    earlier = None if before is None else rows_as_data(before, stated["labels"])
    claim = Claim(theorem, name, parameters, evidence, passes, earlier)
    if name == "StructuredPerceptron":
        tagged = sentences_as_data(rows, stated["labels"], parameters["problem"]["tags"])
        _check_facts(stated, tagged.facts)
        return chain(claim, tagged)
    kind = LABELS.get(name, "positive")
    require(_is_key(stated["labels"], kind), f"the labels are not given as {kind}")
    data = rows_as_data(rows, stated["labels"], closed=name == "ClassBlend")
    if name == "ClassBlend":
        as_many = parameters["classes"] == len(stated["labels"]["classes"])
        require(as_many, "the classes are more or fewer")
    _check_facts(stated, data.facts)
    _check_hashing(parameters, data)
    if "transforms" not in content:
        return PLAYED[name](claim, data)
    data, earlier = transformed(data, content["transforms"], name, passes, earlier)
    outcome = PLAYED[name](replace(claim, before=earlier), data)
    return _remembered(outcome, data, earlier)


def _remembered(outcome: Outcome, data: Data, before: Data | None) -> Outcome:
    """Hash what transforms remember with every state, if they remember anything."""
    if outcome.states is None or not any(data.memories or ()):
        return outcome

    def whole(own: str, memory: str) -> str:
        return sha256(f"{own}{memory}".encode()).hexdigest()

    states = {t: whole(own, data.memories[t - 1]) for t, own in outcome.states.items()}
    start = outcome.start
    if start is not None and before is not None:
        start = whole(start, before.memories[-1])
    return replace(outcome, states=states, start=start, older=outcome.states)


def _check_hashing(parameters: dict[str, Any], data: Data) -> None:
    hashing = parameters.get("hashing")
    fits = hashing is None or data.facts["dimension"] <= 2 ** int(hashing["bits"])
    require(fits, "there are more features than hashes")


def _check_run(
    content: dict[str, Any], rows: Sequence[Any], before: Sequence[Any] | None = None
) -> None:
    outcome = _outcome(content, rows, before)
    stated_start = None if outcome.start is None else {"state": outcome.start}
    require(content.get("start") == stated_start, "it began from another state")
    mistakes = content["mistakes"]
    stated = isinstance(mistakes, dict) and mistakes.keys() == {"count", "rounds"}
    require(stated, "the mistakes are not stated")
    require(is_whole(mistakes["count"], 0), "the count is no number")
    require(mistakes["count"] == len(outcome.mistakes), "the number of mistakes is another")
    require(rounds_in(mistakes["rounds"]) == outcome.mistakes, "the mistakes are others")
    if outcome.states is not None:
        _check_states(content.get("states", []), outcome.states, outcome.older or {})
    kernel = content["learner"]["parameters"].get("kernel", {})
    slack = ENCLOSED if kernel.get("name") == "rbf" else Fraction(0)
    slack = slack if outcome.loss is None else ROUNDED_UP
    require(is_least_float(outcome.value, content["bound"], slack), "the bound is another")
    if outcome.own is not None:
        expected = content["evidence"]["expected"]
        require(_is_expected(outcome, expected), "another is expected")
        require(expected <= content["bound"], "more is expected than is allowed")
    elif outcome.loss is not None:
        loss = content["evidence"]["loss"]
        require(isinstance(loss, float) and loss == outcome.loss, "the loss is another")
        require(loss <= content["bound"], "the loss is more than is allowed")
        if "least" in content["evidence"]:
            least = content["evidence"]["least"]
            require(_is_least_value(outcome, least), "the least value is another")
    elif content["theorem"] not in ("progressive", "progressive-mixture"):
        require(len(outcome.mistakes) <= content["bound"], "more mistakes than are allowed")


def _check_states(stated: Any, states: dict[int, str], older: dict[int, str]) -> None:
    require(isinstance(stated, list), "the states are no list")
    last = 0
    for pair in stated:
        require(isinstance(pair, list) and len(pair) == 2, "a state is no pair")
        require(is_whole(pair[0], last + 1), "the rounds of the states do not ascend")
        t = int(pair[0])
        require(t in states and pair[1] in (states[t], older.get(t)), "a state is another")
        last = int(pair[0])


def _is_least_value(outcome: Outcome, claimed: Any) -> bool:
    """Whether a float is the greatest that is not above the dual value, and not below 0."""
    if not (isinstance(claimed, float) and isfinite(claimed)):
        return False
    assert outcome.dual is not None
    if outcome.dual.nearby >= 0:
        return repr(claimed) == "0.0"
    return claimed > 0 and is_least_float(outcome.dual, -claimed, ROUNDED_UP)


def _least_expected(outcome: Outcome) -> float:
    """Return the least float64 that is not below what is expected, less the best."""
    assert outcome.own is not None
    own = outcome.own.value
    with mp.workdps(DIGITS):
        exact = own - real(outcome.best)
        found = float(exact)
        found = found if real(found) >= exact else nextafter(found, inf)
        nearest = min(abs(real(f) - exact) for f in (found, nextafter(found, -inf)))
        require(nearest > own * mpf(10) ** -30, "what is expected is too close to a float")
        return found


def _is_expected(outcome: Outcome, claimed: Any) -> bool:
    """Whether a float is an upper bound of what is expected, no further off than rounding it."""
    if not (is_number(claimed) and fits_float(claimed)):
        return False
    assert outcome.own is not None
    own = outcome.own.value
    with mp.workdps(DIGITS):
        exact = own - real(outcome.best)
        near = exact + abs(exact) * mpf(10) ** -15 + own * mpf(10) ** -30
        below = nextafter(float(claimed), -inf)
        return bool(real(claimed) >= exact - own * mpf(10) ** -SURELY and real(below) <= near)
