"""The verifier's sources: one file is made of them, and its core knows no family."""

import ast
import copy
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from novikoff import verifier
from novikoff.theory import theorems
from oracle.samples import samples
from oracle.writing import sealed_text, transcript
from verifier import build

CORE = sorted((build.FOLDER / "core").glob("*.py"))
FAMILIES = sorted((build.FOLDER / "families").glob("*.py"))


def test_the_file_is_the_one_that_the_sources_give() -> None:
    assert build.TARGET.read_text(encoding="utf-8") == build.written()
    parts = {path.relative_to(build.FOLDER).as_posix() for path in (*CORE, *FAMILIES)}
    assert parts - {"core/__init__.py", "families/__init__.py"} == {*build.PARTS}
    assert build.main(["--check"]) == 0


def test_a_part_stands_behind_those_it_needs() -> None:
    with pytest.raises(SystemExit, match=r"families/multiclass\.py: expected families/perceptron"):
        build.written((*build.PARTS[: len(build.CORE)], "families/multiclass.py"))


def _words(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the names and the texts of a source, but for its docstrings, with their lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    bodies = [node.body[0] for node in ast.walk(tree) if isinstance(node, documented) and node.body]
    told = {id(first.value) for first in bodies if isinstance(first, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.lineno, node.value
        elif isinstance(node, ast.Name):
            yield node.lineno, node.id
        elif isinstance(node, (ast.Attribute, ast.arg, ast.ClassDef, ast.FunctionDef)):
            yield (
                node.lineno,
                getattr(node, "attr", getattr(node, "arg", getattr(node, "name", ""))),
            )


def test_the_core_names_no_family_no_learner_and_no_theorem() -> None:
    """Nor a parameter, a field of evidence or a class of theirs."""
    ids = {*verifier.THEOREMS, *verifier.LEARNERS, *(path.stem for path in FAMILIES)}
    for learner in verifier.LEARNERS.values():
        ids |= {learner.__name__, *learner.evidence}
    for parameters in verifier.PARAMETERS.values():
        ids |= parameters.keys()
    for path in FAMILIES:
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        ids |= {node.name for node in nodes if isinstance(node, ast.ClassDef)}
    ids |= {"tags", "sentences", "experts", "margin", "comparator"}
    ids -= {
        "__init__",
        "bias",
        "rows",
        "classes",
        "expected",
        "least",
    }  # words of all data and runs
    ids = {name for name in ids if len(name) > 1}
    names = ids - {"run"}  # a run is also what every learner plays
    odd = [
        f"{path.name}:{line} {word!r}"
        for path in CORE
        for line, word in _words(path)
        if word in names or (word == "run" and path.name != "check.py")
    ]
    assert odd == []
    for path in CORE:  # in docstrings and comments too, for names that are no plain words
        text, said = path.read_text(encoding="utf-8"), "|".join(sorted(n for n in ids if "-" in n))
        assert re.findall(rf"\b(?:{said}|max_voters|progressive|Perceptron)\b", text) == [], path


def test_every_theorem_is_stated_once() -> None:
    """The library's theorems are those of the verifier, all of them, word for word."""
    stated = {id: text for id, text in verifier.THEOREMS.items() if id not in verifier.CLAIMS}
    listed = {theorem.id for theorem in theorems()}
    assert stated.keys() - listed == {"fixed-weights", "fixed-weights-squared"}
    assert listed <= stated.keys()
    for theorem in theorems():
        found = stated[theorem.id]
        assert (theorem.statement, theorem.kind, theorem.assumptions) == found[:3]
        assert (theorem.kind == "always") or theorem.assumptions, theorem.id
        assert not theorem.statement.endswith(".")
        assert "statement" not in (theorem.formula.__doc__ or "")
        assert (theorem.formula.__doc__ or "").startswith("Proof: ")


EARLIER: dict[str, tuple[str, list[str]]] = {
    "progressive": (
        "with probability ≥ 1 − δ the mean error of the hypotheses of the T rounds is at most "
        "min_λ (1 − exp(−(λM + ln(|Λ|/δ))/T))/(1 − e^{−λ}), Λ = {2^(3 − j/2) : j = 0..33}",
        [
            "the rounds are independent draws from one distribution",
            "learner, class, parameters and δ were chosen before the data were seen",
        ],
    ),
    "minnow": (
        "M ≤ ‖w‖₁ ln d/(ηγ − ‖w‖₁ ln cosh(ηR∞)) where y_t w·x_t ≥ γ > 0 for every t",
        [],
    ),
    "minnow-hinge": (
        "M ≤ (‖w‖₁ ln d + ηL)/(ηγ − ‖w‖₁ ln cosh(ηR∞)) where L = Σ_t max(0, γ − y_t w·x_t)",
        [],
    ),
    "consistent": ("M ≤ |H| − 1 where some h in H has every label", []),
    "halving": ("M ≤ ⌊lg |H|⌋ where some h in H has every label", []),
    "littlestone": ("M ≤ Ldim(H) where some h in H has every label", []),
    "iterated-halving": (
        "M ≤ (⌊lg |H|⌋ + 1)·m + ⌊lg |H|⌋ where m are the mistakes of the best h",
        [],
    ),
    "elimination": ("M ≤ d, or d + 1 with negations, where some disjunction has every label", []),
    "weighted-majority": (
        "M ≤ (m* ln(1/β) + ln N)/ln(2/(1 + β)), m* those of the best expert",
        [],
    ),
    "randomized-weighted-majority": (
        "E[M] ≤ (L* ln(1/β) + ln N)/(1 − β), L* the losses of the best expert",
        [
            "the learner drew with the probabilities it states",
            "its parameters, its seed and δ were chosen without knowledge of the losses",
            "no loss depended on its draws",
        ],
    ),
    "hedge": (
        "Σ_t p_t·l_t − L* ≤ (ln N)/η + ηT/8 where p_t ∝ e^{−ηL}, L* the least of L",
        [
            "the learner drew with the probabilities it states",
            "its parameters, its seed and δ were chosen without knowledge of the losses",
        ],
    ),
    "hedge-anytime": (
        "Σ_t p_t·l_t − L* ≤ 2√(T ln N/2) + √(ln N/8) where p_t ∝ e^{−η_t L}, η_t = √(8 ln N/t)",
        [
            "the learner drew with the probabilities it states",
            "its parameters, its seed and δ were chosen without knowledge of the losses",
        ],
    ),
    "exp3": (
        "in expectation, regret ≤ √(2TK ln K) for a known T, and ≤ 2√(TK ln K) at any T",
        [
            "the learner drew with the probabilities it states",
            "its parameters, its seed and δ were chosen without knowledge of the losses",
            "no loss depended on its draws",
        ],
    ),
}
"""How certificates were worded before: those that were true still verify."""


def test_earlier_words_verify_as_a_whole_and_for_their_own_theorem() -> None:
    worded = {id for id, theorem in verifier.THEOREMS.items() if theorem.earlier}
    assert worded == EARLIER.keys()
    first = {sample.content["theorem"]: sample for sample in reversed(list(samples()))}
    for id, (statement, assumptions) in EARLIER.items():
        content, rows = copy.deepcopy(first[id].content), first[id].rows
        content |= {"statement": statement, "assumptions": assumptions}
        verdict = verifier.verify(sealed_text(content), lambda rows=rows: rows)  # type: ignore[misc]
        assert verdict.verified, (id, verdict.reason)
        changes: list[dict[str, Any]] = [
            {"statement": statement + " "},
            {"assumptions": [*assumptions, "luck"]},
            {"statement": EARLIER["halving" if id == "consistent" else "consistent"][0]},
        ]
        for change in changes:
            text = sealed_text(content | change)
            assert not verifier.verify(text, lambda rows=rows: rows).verified  # type: ignore[misc]


class Stubborn(verifier.Learner[int, Any]):
    """Predicts +1 for ever: a toy family of one learner and one theorem, from outside."""

    theorems = ("stubborn",)
    evidence = ("least",)
    negative = 0

    def __init__(self, data: verifier.Data, patience: int) -> None:
        self.data, self.patience = data, patience

    def take(self, evidence: dict[str, Any]) -> None:
        verifier.require(evidence["least"] == self.patience, "its least is another")

    def mistaken(self, y: int, x: Any) -> bool:
        self.negative += y < 0
        return y < 0

    def bound(self, theorem: str) -> float:
        return float(max(self.negative, self.patience))


def test_a_family_can_be_added_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    text = verifier.Theorem("M ≤ max(n, k) where n rows are negative")
    monkeypatch.setitem(verifier.THEOREMS, "stubborn", text)
    monkeypatch.setitem(verifier.LEARNERS, "Stubborn", Stubborn)
    domains = {"patience": verifier.integers(0, 9), "mood": verifier.remark(verifier.BOOLS)}
    monkeypatch.setitem(verifier.PARAMETERS, "Stubborn", domains)
    rows = [("row 1", 1, [(0, 1.0)]), ("row 2", -1, [(1, 2.0)])]
    about = verifier.Data(lambda: rows, {"positive": 1}, None).about | {"passes": 2}
    content: dict[str, Any] = {
        "format": verifier.FORMAT, "theorem": "stubborn", "statement": text.statement,
        "assumptions": [], "data": about, "evidence": {"least": 1}, "bound": 2.0,
        "learner": {"name": "Stubborn", "parameters": {"patience": 1, "mood": True}},
        "mistakes": {"count": 2, "rounds": transcript([2, 4])},
    }  # fmt: skip
    found = verifier.verify(sealed_text(content), lambda: rows)
    assert found == (True, "stubborn", 2, 2.0, "verified")
    for change, reason in (
        ({"bound": 3.0}, "its bound is not 2.0"),
        ({"evidence": {"least": 2}}, "its least is another"),
        ({"mistakes": {"count": 1, "rounds": transcript([2])}}, "round 4 is a mistake when played"),
        ({"theorem": "hinge"}, "its statement is another"),
    ):
        assert verifier.verify(sealed_text(content | change), lambda: rows).reason == reason
    parameters = {"patience": 1, "mood": 2}
    content["learner"] = {"name": "Stubborn", "parameters": parameters}
    said = "its mood is not false or true"
    assert verifier.verify(sealed_text(content), lambda: rows).reason == said
