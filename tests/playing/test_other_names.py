"""Names of other libraries: asking for one is an error that says what to use."""

import pickle
import pkgutil
import re
from importlib import import_module
from inspect import getattr_static, isclass
from typing import Any

import pytest

import novikoff as nv
from novikoff.other_names import (
    OF_HYPOTHESIS,
    OF_LEARNER,
    OF_LEDGER,
    OF_PACKAGE,
    OF_RUN,
    OtherName,
)

ROUNDS: list[Any] = [({"a": 1.0}, "spam"), ({"b": 1.0}, "ham"), ({"a": 2.0}, "spam")]
HINTS = {"nv": OF_PACKAGE, "run": OF_RUN, "h": OF_HYPOTHESIS, "learner": OF_LEARNER}
CASES = [(home, name) for home, names in HINTS.items() for name in names]


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    run = nv.play(nv.Blend(), ROUNDS, labels=("ham", "spam"))
    return {
        "nv": nv,
        "run": run,
        "h": run.hypothesis(),
        "learner": nv.Blend(),
        "ledger": run.ledger,
    }


def _is_there(call: str, found: dict[str, Any]) -> bool:
    """Say whether what a hint names is there, e.g. run.ledger.error_rate."""
    first, *parts = call.split(".")
    one = found[first]
    for part in parts:
        one = getattr(one, part)
    return True


@pytest.mark.parametrize(("home", "name"), CASES)
def test_the_error_says_what_to_use(home: str, name: str, found: dict[str, Any]) -> None:
    instead = HINTS[home][name]
    with pytest.raises(AttributeError, match=re.escape(f"{name!r}. Use {instead}.")):
        getattr(found[home], name)
    assert not hasattr(found[home], name)
    assert name not in dir(found[home])
    calls = re.findall(r"\b((?:nv|run|h)(?:\.[A-Za-z_]+(?:\(\)(?=\.))?)+)", instead)
    calls = [call.replace("run.hypothesis().", "h.").replace("()", "") for call in calls]
    assert all(_is_there(call, found) for call in calls)
    assert calls or instead == "h(x)"


@pytest.mark.parametrize("name", OF_LEDGER)
def test_a_ledger_says_so_too(name: str, found: dict[str, Any]) -> None:
    with pytest.raises(nv.MeasureError, match=re.escape(f"Use {OF_LEDGER[name]}.")):
        getattr(found["ledger"], name)
    for call in re.findall(r"ledger\.[a-z_]+", OF_LEDGER[name]):
        assert _is_there(call, found)


def test_what_a_class_has_is_not_replaced() -> None:
    """A hint shadows nothing, neither in a class nor in those made of it."""
    for base, names in (
        (nv.Run, OF_RUN),
        (nv.Hypothesis, OF_HYPOTHESIS),
        (nv.Learner, OF_LEARNER),
    ):
        for kind in [base, *_subclasses(base)]:
            for name in names:
                homes = [one for one in kind.__mro__ if name in vars(one)]
                after = homes[homes.index(base) + 1 :]
                assert not after, f"{kind.__name__}.{name} is that of {after[0].__name__}"
    assert nv.KernelPerceptron.__dict__.keys().isdisjoint(OF_LEARNER)
    with pytest.raises(AttributeError, match="type object 'Run' has no attribute 'fit'"):
        nv.Run.fit  # type: ignore[attr-defined]  # noqa: B018


def test_no_protocol_looks_for_such_a_name() -> None:
    """From Python 3.12 on, ``isinstance`` would find it without asking for it."""
    members = {name for kind in _protocols() for name in kind.__dict__ if not name.startswith("_")}
    assert {"probability", "probabilities", "update", "top"} <= members
    for kind, names in ((nv.Hypothesis, OF_HYPOTHESIS), (nv.Learner, OF_LEARNER)):
        assert not members & names.keys()
        assert all(isinstance(getattr_static(kind, name), OtherName) for name in names)


def test_other_missing_names_are_errors_as_ever(found: dict[str, Any]) -> None:
    run = found["run"]
    with pytest.raises(AttributeError, match=r"object has no attribute 'mistake'$") as caught:
        run.mistake  # noqa: B018
    assert caught.value.name == "mistake"  # so that Python can guess
    with pytest.raises(nv.MeasureError, match="regret: expected a measure of a run of Blend"):
        run.regret  # noqa: B018
    assert {"predict", "mistakes", "learner"} <= set(dir(run))
    assert pickle.loads(pickle.dumps(run)).mistakes == run.mistakes


def _subclasses(kind: Any) -> list[Any]:
    return [one for child in kind.__subclasses__() for one in (child, *_subclasses(child))]


def _protocols() -> set[Any]:
    """All runtime protocols of the library."""
    found = set()
    for module in pkgutil.walk_packages(nv.__path__, "novikoff."):
        if not module.name.startswith(("novikoff.service", "novikoff.__main__")):
            kinds = filter(isclass, vars(import_module(module.name)).values())
            found |= {kind for kind in kinds if getattr(kind, "_is_runtime_protocol", False)}
    return {kind for kind in found if kind.__module__.startswith("novikoff")}
