"""Learners and the verifier take the same parameters: one table, tried value by value on both."""

import json
import math
from typing import Any

import pytest

import novikoff as nv
from novikoff import verifier
from novikoff.classes import as_class
from novikoff.learners import Learner
from novikoff.learners.experts.regret_learner import RegretLearner

TABLE = {"cube": None, "points": None, "table": ["+-", "--"]}
CHAINS = {"kind": "Chains", "templates": None, "columns": None, "tags": ["D", "N"]}
DRAWS = {"seed": 7, "span": [0.0, 1.0], "rewards": False}
LINEAR = {"bias": None, "hashing": None}
STATED: dict[str, dict[str, Any]] = {  # of a learner of each kind
    "Perceptron": {"ties": "positive", **LINEAR},
    "AveragedPerceptron": {"ties": "mistake", **LINEAR},
    "VotedPerceptron": {"ties": "positive", "max_voters": 3, **LINEAR},
    "MulticlassPerceptron": LINEAR,
    "MixedPerceptron": LINEAR | {"ties": "positive", "shards": [2, 3], "averaged": False},
    "MixedMulticlassPerceptron": LINEAR | {"shards": [2, 3], "classes": 3, "averaged": False},
    "FrozenMixture": LINEAR | {"hypotheses": ["0" * 64]},
    "FrozenClassMixture": LINEAR | {"classes": 3, "hypotheses": ["0" * 64]},
    "Minnow": {"eta": 0.5, **LINEAR},
    "BalancedMinnow": {"eta": 0.5, **LINEAR},
    "KernelPerceptron": {
        "ties": "positive", "kernel": {"name": "polynomial", "degree": 2, "c": 1.0},
        "budget": None, **LINEAR,
    },
    "Consistent": {"H": TABLE},
    "Halving": {"H": TABLE},
    "StandardOptimal": {"H": TABLE},
    "IteratedHalving": {"H": TABLE},
    "Elimination": {"d": 2, "monotone": True},
    "WeightedMajority": {"experts": 2, "beta": 0.5},
    "RandomizedWeightedMajority": {"experts": 2, "beta": 0.5, **DRAWS},
    "Hedge": {"experts": 2, "eta": None, "horizon": None, **DRAWS},
    "Exp3": {"arms": 2, "horizon": None, **DRAWS},
    "Exp3IX": {"arms": 2, "horizon": None, **DRAWS},
    "Exp3P": {"arms": 2, "delta": 0.1, "horizon": None, **DRAWS},
    "StructuredPerceptron": {"problem": CHAINS, "averaged": True},
    "MixedStructuredPerceptron": {
        "shards": [2, 3], "problem": CHAINS | {"tags": ["D", "N"]}, "averaged": True,
    },
    "AdaptiveGradient": {"rate": 0.5, "loss": "logistic", **LINEAR},
    "CoinBetting": {"loss": "logistic", **LINEAR},
    "ForwardRegression": {"ridge": 0.5, **LINEAR},
    "Blend": LINEAR,
    "GradientDescent": {"rate": 0.5, "loss": "hinge", **LINEAR},
    "ClassBlend": {"classes": 3, **LINEAR},
}  # fmt: skip
MADE = {**Learner.kinds, **RegretLearner.kinds}  # the learners of the library, by their names

VALUES: list[Any] = [
    None, False, True, 0, 1, 2, 3, 30, 31, -1, 100, 101, 2**24, 2**24 + 1, 2**31, 2**53 - 1, 2**53,
    2**62 - 1, 2**62, 2**64 - 1, 2**64, "", "positive", "mistake", "both", [], {}, [0.0, 1.0],
    [0, 1], [0.0, 2.0], ["a"],
    0.0, -0.0, 5e-324, 1e-300, 1e-7, 1e-6, 0.5, 0.999999, 0.9999999, math.nextafter(1.0, 0.0), 1.0,
    2.0, 1e6, 1e7, math.nextafter(1e100, 0.0), 1e100, 1e300, math.nextafter(1e300, math.inf), 1e308,
    2.0**-20, 2.0**-21, 2.0**20, 2.0**21, "logistic", "squared", -0.5, math.inf, -math.inf,
    math.nan,
]  # fmt: skip
NESTED: dict[str, list[Any]] = {
    "shards": [[], [1], [0], [2, -1], [2.0], [True], ["2"], [1 << 40, 1]],
    "hashing": [
        {"bits": bits, "signed": signed}
        for bits in (0, 1, 30, 31, 1.0, True, None)
        for signed in (True, False, 1, None)
    ] + [{"bits": 3}, {"signed": True}, {"bits": 3, "signed": True, "more": 1}],
    "kernel": [
        {"name": "rbf", "gamma": value} for value in VALUES
    ] + [
        {"name": "polynomial", "degree": 2, "c": value} for value in VALUES
    ] + [
        {"name": "polynomial", "degree": value, "c": 0.5} for value in VALUES
    ] + [{"name": "rbf"}, {"name": "linear"}, {"name": "rbf", "gamma": 0.5, "c": 0.5}, {"c": 1.0}],
    "H": [
        TABLE | {name: value}
        for name in ("cube", "points", "table", "more")
        for value in [*VALUES, ["a", "b"], ["a", "a"], ["+", "-"], ["++"] * 2, ["+x"], ["+", "--"]]
    ] + [{"cube": 1, "points": None, "table": ["+-"]}, {"cube": 0, "points": None, "table": ["+"]}],
    "problem": [
        CHAINS | {name: value}
        for name in ("kind", "columns", "tags", "more")
        for value in [*VALUES, ["a", "b"], ["a", "a"], "Chains", "Trees"]
    ] + [{"kind": "Trees"}],
}  # fmt: skip

HASHED = {
    "FrozenMixture",
    "FrozenClassMixture",
}  # members are stated by hashes

# What a learner may be and a certificate does not speak of.
NARROWER: dict[str, str] = {
    "budget": "a learner that forgets supports has no theorem",
    "span": "losses of another span are rescaled in floats",
    "rewards": "rewards are rescaled in floats",
    "experts": "with one expert there is nothing to choose",
    "arms": "with one arm there is nothing to choose",
    "problem": "only sentences whose features are stated are read again",
    "H": "the names of what is not a table are not stated",
}


def _learner(name: str, parameters: dict[str, Any]) -> Any:
    kind: Any = MADE[name]
    if "H" in parameters:
        parameters = {"H": as_class(parameters["H"] | {"hypotheses": None, "title": ""})}
    return kind(**parameters)


def _stated(learner: Any, parameter: str) -> Any:
    """Return a parameter as a certificate states it."""
    found = learner.parameters[parameter]
    if parameter == "H":
        found = {name: learner.H.plain[name] for name in ("table", "points", "cube")}
    return json.loads(json.dumps(found))


def _taken(name: str, parameter: str, value: Any) -> bool:
    """Say whether the library's learner takes a value and states it as it is."""
    try:
        learner = _learner(name, STATED[name] | {parameter: value})
        return verifier.canonical(_stated(learner, parameter)) == verifier.canonical(value)
    except (nv.NovikoffError, ValueError, TypeError, AttributeError, KeyError, OverflowError):
        return False


def test_every_learner_that_is_verified_states_its_parameters() -> None:
    assert STATED.keys() == verifier.LEARNERS.keys() == verifier.PARAMETERS.keys()
    for name, parameters in STATED.items():
        constant = verifier.PARAMETERS[name].keys() - parameters.keys()
        assert constant <= {"bias"}, name  # of losses: there is none
        verifier.checked_parameters(name, parameters | dict.fromkeys(constant))


@pytest.mark.parametrize(
    ("name", "parameter"),
    [(name, p) for name, stated in STATED.items() if name in MADE.keys() - HASHED for p in stated],
)
def test_learner_and_verifier_take_the_same_values(name: str, parameter: str) -> None:
    domain, odd = verifier.PARAMETERS[name][parameter], []
    for value in VALUES + NESTED.get(parameter, []):
        if parameter in ("experts", "arms") and value in (2**24, 2**24 + 1):
            continue  # the learner would take the memory
        taken, verified = _taken(name, parameter, value), domain.has(value)
        if taken != verified and not (taken and parameter in NARROWER):
            odd.append((value, taken, verified))
    assert odd == []


@pytest.mark.parametrize("name", STATED)
def test_a_parameter_more_or_less_is_refused(name: str) -> None:
    constant = verifier.PARAMETERS[name].keys() - STATED[name].keys()
    stated = STATED[name] | dict.fromkeys(constant)
    for changed in (
        stated | {"max_voters" if name != "VotedPerceptron" else "seed": None},
        {key: value for key, value in stated.items() if key != next(iter(stated))},
    ):
        with pytest.raises(verifier.Refused, match="its parameters are not"):
            verifier.checked_parameters(name, changed)
