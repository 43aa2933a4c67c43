"""The domains of the learners' parameters, as their constructors state them."""

from collections.abc import Callable
from typing import Any

from oracle.reals import is_number, is_whole, require

Check = Callable[[Any], bool]


def _one_of(*choices: str) -> Check:
    return lambda value: isinstance(value, str) and value in choices


def _between(low: float, high: float, ends: str = "[]") -> Check:
    def check(value: Any) -> bool:
        if not is_number(value):
            return False
        above = value >= low if ends[0] == "[" else value > low
        return bool(above and (value <= high if ends[1] == "]" else value < high))

    return check


def _whole(low: int, high: int) -> Check:
    return lambda value: is_whole(value, low, high)


def _or_none(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool)


def _is_none(value: Any) -> bool:
    return value is None


def _finite(value: Any) -> bool:
    return is_number(value) and abs(value) <= 1.7976931348623157e308


def _hashing(value: Any) -> bool:
    if not (isinstance(value, dict) and value.keys() == {"bits", "signed"}):
        return False
    return is_whole(value["bits"], 1, 30) and _is_bool(value["signed"])


def _unit_span(value: Any) -> bool:
    pair = isinstance(value, list) and len(value) == 2 and all(map(is_number, value))
    return pair and value == [0, 1]


def _is_false(value: Any) -> bool:
    return value is False


def _kernel(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if value.get("name") == "rbf":
        return value.keys() == {"name", "gamma"} and _between(0, 1e100, "()")(value["gamma"])
    known = value.get("name") == "polynomial" and value.keys() == {"name", "degree", "c"}
    return known and is_whole(value["degree"], 1, 100) and _between(0, 1e100, "[)")(value["c"])


def _words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


def _problem(value: Any) -> bool:
    if not (isinstance(value, dict) and value.get("kind") == "Chains"):
        return False
    tags, columns = value.get("tags"), value.get("columns")
    return (
        value.keys() == {"kind", "tags", "templates", "columns"}
        and (tags is None or (_words(tags) and len(set(tags)) == len(tags) > 0))
        and (value["templates"] is None or isinstance(value["templates"], str))
        and (columns is None or _words(columns))
    )


_LINEAR: dict[str, Check] = {"bias": _or_none(_finite), "hashing": _or_none(_hashing)}
_TIES: dict[str, Check] = {"ties": _one_of("positive", "mistake")}
_DRAWN: dict[str, Check] = {
    "seed": _whole(0, 2**64 - 1), "span": _unit_span, "rewards": _is_false,
}  # fmt: skip
_EXPERTS: dict[str, Check] = {"experts": _whole(1, 2**31 - 1)}
_BETA: dict[str, Check] = {"beta": _between(1e-6, 0.999999)}
_HORIZON: dict[str, Check] = {"horizon": _or_none(_whole(1, 2**53 - 1))}
_ARMS: dict[str, Check] = {"arms": _whole(1, 2**31 - 1)} | _HORIZON | _DRAWN

PARAMETERS: dict[str, dict[str, Check]] = {
    "Perceptron": _LINEAR | _TIES,
    "AveragedPerceptron": _LINEAR | _TIES,
    "VotedPerceptron": _LINEAR | _TIES | {"max_voters": _or_none(_whole(1, 2**62 - 1))},
    "MulticlassPerceptron": _LINEAR,
    "Minnow": _LINEAR | {"eta": _between(0, 1e300, "(]")},
    "BalancedMinnow": _LINEAR | {"eta": _between(0, 1e300, "(]")},
    "KernelPerceptron": _LINEAR | _TIES | {"kernel": _kernel, "budget": _is_none},
    "Consistent": {"H": lambda value: isinstance(value, dict)},
    "Halving": {"H": lambda value: isinstance(value, dict)},
    "StandardOptimal": {"H": lambda value: isinstance(value, dict)},
    "IteratedHalving": {"H": lambda value: isinstance(value, dict)},
    "Elimination": {"d": _whole(1, 2**24), "monotone": _is_bool},
    "WeightedMajority": _EXPERTS | _BETA,
    "RandomizedWeightedMajority": _EXPERTS | _BETA | _DRAWN,
    "Hedge": _EXPERTS | {"eta": _or_none(_between(0, 1e6, "(]"))} | _HORIZON | _DRAWN,
    "Exp3": _ARMS,
    "Exp3IX": _ARMS,
    "Exp3P": _ARMS | {"delta": _between(1e-300, 1, "()")},
    "StructuredPerceptron": {"problem": _problem, "averaged": _is_bool},
    "AdaptiveGradient": _LINEAR
    | {"rate": _between(2.0**-20, 2.0**20), "loss": _one_of("logistic")},
    "CoinBetting": _LINEAR | {"loss": _one_of("logistic")},
    "Blend": _LINEAR,
    "GradientDescent": _LINEAR
    | {
        "rate": _between(2.0**-20, 2.0**20),
        "loss": _one_of("logistic", "hinge", "squared", "absolute"),
    },
    "ForwardRegression": _LINEAR | {"ridge": _between(2.0**-40, 2.0**40)},
    "ClassBlend": _LINEAR | {"classes": _whole(2, 2**20)},
}

REGRET = {"WeightedMajority", "RandomizedWeightedMajority", "Hedge", "Exp3", "Exp3IX", "Exp3P"}
"""Their certificates state ``bias``, which they do not have, as null."""


def check_parameters(learner: str, parameters: Any) -> None:
    """Require that the learner can be made with these parameters, and has no others."""
    require(isinstance(parameters, dict), "the parameters are no object")
    checks = PARAMETERS[learner]
    if learner in REGRET:
        checks = checks | {"bias": _is_none}
        parameters = {"bias": None} | parameters
    require(parameters.keys() == checks.keys(), "the learner has other parameters")
    for name, check in checks.items():
        require(check(parameters[name]), f"{name} is outside its domain")
    if learner == "Hedge":
        both = parameters["eta"] is not None and parameters["horizon"] is not None
        require(not both, "eta and horizon are both given")
    if learner == "KernelPerceptron" and parameters["kernel"]["name"] == "rbf":
        require(parameters["bias"] is None, "the rbf kernel takes no bias")
