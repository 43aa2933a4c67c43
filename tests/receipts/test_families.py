"""Families: their records are whole, and nobody else knows particular learners."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import novikoff as nv
from novikoff import verifier
from novikoff.receipts import objectives
from novikoff.receipts.family import FAMILIES, family_named, family_of
from novikoff.theory import named, theorems

SOURCES = Path(nv.__file__).parent
KINDS = {
    name: kind
    for name, kind in {**nv.Learner.kinds, **nv.RegretLearner.kinds}.items()
    if kind.__module__.startswith("novikoff.")
}
BASES = {"Learner", "RegretLearner"}  # what a user's object is asked for
# The command line and the package list the public names, without importing them.
NAMING = ("learners/", "verifier.py", "cli/file_options.py", "__init__.py")


def _named(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the lines that check for a particular learner, or hold its name as a string."""
    narrowed = {id(node.test) for node in ast.walk(tree) if isinstance(node, ast.Assert)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value in KINDS:
            yield node.lineno, f"the string {node.value!r}"
        if not isinstance(node, ast.Call) or id(node) in narrowed:
            continue
        asked = isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "issubclass")
        for name in ast.walk(node.args[1]) if asked else ():
            if isinstance(name, ast.Name) and name.id in KINDS.keys() - BASES:
                yield node.lineno, f"a check for {name.id}"


def test_nobody_outside_the_learners_asks_which_learner_it_is() -> None:
    """What differs between learners is an attribute of theirs, or in the record of their family.

    A family may assert what its own learner is, which tells a type checker and nobody else.
    """
    found = []
    for path in sorted(SOURCES.rglob("*.py")):
        inside = path.relative_to(SOURCES).as_posix()
        if not inside.startswith(NAMING):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found += [f"{inside}:{line}: {what}" for line, what in _named(tree)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", sorted(KINDS))
def test_every_family_a_learner_names_has_a_theorem(name: str) -> None:
    """A family without a theorem would promise receipts that nobody can write."""
    named = KINDS[name].family
    assert named == "" or any(named in theorem.families for theorem in theorems())


def test_every_family_of_a_theorem_has_a_learner_that_names_it() -> None:
    """A theorem about no learner at all would be a misspelt family."""
    assert family_of(nv.Perceptron()) is FAMILIES["perceptron"]
    about = {family for theorem in theorems() for family in theorem.families}
    assert about == {kind.family for kind in KINDS.values()} - {""}
    assert FAMILIES.keys() == about - {"modified-perceptron"}  # w*·w_0 is not in the rounds


@pytest.mark.parametrize("name", sorted(verifier.LEARNERS.keys() & KINDS.keys()))
def test_the_verifier_replays_what_a_family_certifies(name: str) -> None:
    """Its part is about the theorems of the family; progressive is about every run."""
    family = family_named(name)
    assert family is not None
    assert not family.inexact
    about = {theorem.id for theorem in theorems() if family.name in theorem.families}
    assert set(verifier.LEARNERS[name].theorems) - {"progressive"} <= about


@pytest.mark.parametrize(("a", "loss"), [(0.0, 3.0), (2.5, 0.0), (7.0, 11.0), (1e-9, 1e9)])
def test_the_search_minimises_what_the_theorems_state(a: float, loss: float) -> None:
    """The float forms that a search evaluates many times are the registry's formulas."""
    stated = {"radius2": a, "norm2": 1, "hinge": loss, "hinge2": loss}
    for theorem, objective in {
        "hinge": objectives.hinge,
        "hinge-tight": objectives.hinge_tight,
        "freund-schapire": objectives.freund_schapire,
    }.items():
        assert objective(a, loss) == pytest.approx(named(theorem).evaluate(stated).value, rel=1e-12)
