"""Our learners keep to every check; planted defects and known ones of others are found."""

import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from cases import FINITE_LEARNERS
from novikoff.conformance import Report, check, replay
from novikoff.conformance.report import CHECKS

OURS: list[tuple[str, dict[str, Any]]] = [
    ("novikoff.Perceptron", {}),
    ("novikoff.Perceptron", {"ties": "mistake"}),
    ("novikoff.Perceptron", {"bias": 0.5}),
    ("novikoff:AveragedPerceptron", {}),
    ("novikoff:VotedPerceptron", {}),
    ("novikoff:MulticlassPerceptron", {}),
    ("novikoff:Minnow", {"eta": 0.25}),
    ("novikoff:BalancedMinnow", {"eta": 0.25, "bias": 1.0}),
    ("novikoff:ModifiedPerceptron", {"sigma": 0.1, "seed": 3}),
    ("novikoff:EllipsoidHalving", {"bias": 1.0}),
    ("novikoff:CentroidHalving", {"seed": 2, "samples": 32, "dimension": None}),
    ("novikoff:KernelPerceptron", {"kernel": {"name": "polynomial", "degree": 1, "c": 0.0}}),
    ("novikoff:MulticlassKernelPerceptron", {"kernel": {"name": "rbf", "gamma": 0.5}}),
    ("novikoff:OneVsRestKernelPerceptron", {"kernel": {"name": "rbf", "gamma": 0.5}}),
    ("novikoff:AdaptiveGradient", {"rate": 0.5, "bias": 1.0}),
    ("novikoff:GradientDescent", {"rate": 0.5, "bias": 1.0}),
    ("novikoff:GradientDescent", {"rate": 0.1, "loss": "squared"}),
    ("novikoff:CoinBetting", {"bias": 1.0}),
    ("novikoff:NormalizedGradient", {"rate": 0.5}),
    ("novikoff:Arow", {}),
    ("novikoff:BaseRate", {"keep": 0.5}),
    ("novikoff:OnlineNewton", {"bias": 1.0}),
    ("novikoff:Blend", {}),
    ("novikoff:ClassBlend", {"classes": 2}),  # a tape has two labels
    (
        "novikoff:Mixture",
        {
            "members": [
                {"learner": "CoinBetting", "parameters": {"bias": 1.0}},
                {"learner": "BaseRate", "parameters": {}},
            ]
        },
    ),
    ("novikoff.river:PerceptronClassifier", {}),
    ("novikoff.sklearn:PerceptronClassifier", {}),
]


class Copy:
    """The perceptron, without a defect: w ← w + y x on a mistake."""

    def __init__(self) -> None:
        self.w: Any = None

    def predict(self, x: Any) -> int:
        return 1 if self.w is None or self.score(x) >= 0 else -1

    def score(self, x: Any) -> float:
        return float(self.w @ x)

    def update(self, x: Any, y: int) -> None:
        if not np.isfinite(x).all() or y not in (-1, 1):
            raise ValueError("no example")
        if self.predict(x) != y:
            self.step(x, y)

    def step(self, x: Any, y: int) -> None:
        self.w = y * x if self.w is None else self.w + y * x


class PerceptronCopy(Copy):
    pass


class PerceptronWithPredictedLabel(Copy):
    def step(self, x: Any, y: int) -> None:
        super().step(x, self.predict(x))


class PerceptronEveryRound(Copy):
    def update(self, x: Any, y: int) -> None:
        self.step(x, y)


class PerceptronWithoutSign(Copy):
    def step(self, x: Any, y: int) -> None:
        super().step(x, 1)


class PerceptronWithoutLastFeature(Copy):
    def score(self, x: Any) -> float:
        return float(self.w[:-1] @ x[:-1])


class PerceptronByChance(Copy):
    def predict(self, x: Any) -> int:
        tie = self.w is None or self.score(x) == 0
        return random.choice([-1, 1]) if tie else super().predict(x)


class PerceptronOfAliases(Copy):
    def step(self, x: Any, y: int) -> None:
        if self.w is None:
            x *= y
            self.w = x
        else:
            self.w += y * x


class PerceptronOfViews(Copy):
    """Keeps its rows, and not copies of them."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[tuple[Any, int]] = []

    def predict(self, x: Any) -> int:
        return 1 if sum(y * float(v @ x) for v, y in self.kept) >= 0 else -1

    def step(self, x: Any, y: int) -> None:
        self.kept.append((x, y))


class PerceptronThatLearnsFromPredict(Copy):
    def predict(self, x: Any) -> int:
        label = super().predict(x)
        if self.w is not None:
            self.w = self.w + label * x
        return label


class PerceptronWithShortMemory(Copy):
    def __reduce__(self) -> Any:
        return type(self), ()


class PerceptronOfNoughts(Copy):
    """Learns from what it refuses."""

    def update(self, x: Any, y: int) -> None:
        if self.w is None and np.isfinite(x).all():
            self.w = np.zeros(len(x))
        if not np.isfinite(x).all() and self.w is not None:
            self.w = self.w + 1
        super().update(x, y)


class PerceptronOfFirstColumn(Copy):
    """The first column counts twice, so the order of columns matters."""

    def step(self, x: Any, y: int) -> None:
        super().step(np.r_[2 * x[:1], x[1:]], y)


class PerceptronThatFades(Copy):
    """Forgets what is small: not free of scale."""

    def step(self, x: Any, y: int) -> None:
        super().step(np.where(np.abs(x) < 1e-9, 0.0, x), y)


DEFECTS: list[tuple[type, set[str]]] = [
    (PerceptronWithPredictedLabel, {"novikoff", "hinge"}),
    (PerceptronEveryRound, {"novikoff", "hinge"}),
    (PerceptronWithoutSign, {"novikoff", "hinge"}),
    (PerceptronWithoutLastFeature, {"novikoff", "hinge", "column-order"}),
    (PerceptronByChance, {"deterministic"}),
    (PerceptronOfAliases, {"inputs-unwritten"}),
    (PerceptronOfViews, {"inputs-unkept"}),
    (PerceptronThatLearnsFromPredict, {"predict-pure"}),
    (PerceptronWithShortMemory, {"deepcopy", "pickle"}),
    (PerceptronOfNoughts, {"refused-unchanged"}),
    (PerceptronOfFirstColumn, {"column-order"}),
    (PerceptronThatFades, {"scale-free"}),
]

PAGE = Path(__file__).parents[2] / "docs" / "conformance.md"
RIVER, SKLEARN = ("river", "0.26.1"), ("sklearn", "1.9.1")
PEERS: list[tuple[tuple[str, str], str, set[str]]] = [
    (RIVER, "river.linear_model:Perceptron", {"batch", "labels", "not-finite"}),
    (RIVER, "river.linear_model:PAClassifier", {"passive-aggressive", "labels", "not-finite"}),
    (RIVER, "river.linear_model:ALMAClassifier", {"sparse"}),
    (
        SKLEARN,
        "sklearn.linear_model:Perceptron",
        {"batch", "sparse", "fit-sparse", "fit-separates", "float32"},
    ),
    (SKLEARN, "sklearn.linear_model:SGDClassifier", {"batch", "sparse", "fit-sparse"}),
    (RIVER, "river.linear_model:LogisticRegression", {"batch", "not-finite"}),
    (RIVER, "river.linear_model:SoftmaxRegression", {"not-finite"}),
]


def _names(report: Report) -> set[str]:
    return {row.name for row in report.violated}


@cache
def _checked(target: str | type) -> Report:
    return check(target)


def _replays(report: Report, folder: Path) -> None:
    """Every saved stream shows its violation again, and is no larger than the streams played."""
    rows = [row for row in report.rows if row.stream is not None]
    paths = report.save(folder)
    assert len(paths) == len(rows)
    for path, row in zip(paths, rows, strict=True):
        again = replay(path)
        assert (again.name, again.verdict, again.detail) == (row.name, "violated", row.detail)


@pytest.mark.parametrize(("target", "arguments"), OURS, ids=str)
def test_our_learners_pass_every_check(target: str, arguments: dict[str, Any]) -> None:
    report = check(target, arguments)
    assert not report.violated, str(report)
    assert {row.name for row in report.rows} == set(CHECKS)


def test_every_learner_of_ours_is_checked() -> None:
    tested = {target.replace(":", ".").rpartition(".")[2] for target, _ in OURS}
    ours = set(nv.Learner.kinds) & set(nv.__all__)
    others = {"Learner", "StructuredPerceptron"}  # the checks' tapes have no sentences,
    others |= {"ForwardRegression"}  # no real labels
    others |= {"FrozenMixture", "FrozenClassMixture"}  # no members that have learned
    assert ours - FINITE_LEARNERS <= tested | others  # and no points


def test_a_copy_without_defect_is_cleared() -> None:
    report = _checked(PerceptronCopy)
    assert not report.violated, str(report)
    assert all(row.claimed for row in report.rows)


@pytest.mark.parametrize(("kind", "expected"), DEFECTS, ids=lambda v: getattr(v, "__name__", ""))
def test_planted_defects_are_found(kind: type, expected: set[str], tmp_path: Path) -> None:
    report = _checked(kind)
    assert expected <= _names(report), str(report)
    _replays(report, tmp_path)


def test_streams_are_shrunk() -> None:
    rows = {row.name: row for row in _checked(PerceptronWithoutSign).violated}
    stream = rows["novikoff"].stream
    assert stream is not None
    assert len(stream["labels"]) <= 4
    assert len(stream["rows"][0]) <= 2


@pytest.mark.parametrize(
    ("release", "target", "expected"), PEERS, ids=[target for _, target, _ in PEERS]
)
def test_known_defects_of_others_are_found(
    release: tuple[str, str], target: str, expected: set[str], tmp_path: Path
) -> None:
    package = pytest.importorskip(release[0], reason=f"{release[0]} is the peer that is checked")
    if package.__version__ != release[1]:
        pytest.skip(f"documented for {release[0]} {release[1]}, got {package.__version__}")
    report = _checked(target)
    assert _names(report) == expected, str(report)
    for row in report.violated:
        line = f"| `{target}` | `{row.name}` | {row.detail} |"
        assert line in PAGE.read_text(), f"docs/conformance.md does not have: {line}"
    _replays(report, tmp_path)


def test_what_is_not_claimed_is_only_reported() -> None:
    report = check("novikoff:Minnow", {"eta": 0.25})
    rows = {row.name: row for row in report.rows}
    assert not rows["novikoff"].claimed
    assert "not claimed" in str(report)


def test_reports_are_plain_data() -> None:
    report = _checked(PerceptronWithoutSign)
    found = json.loads(json.dumps(report.to_json(), allow_nan=False))
    assert found["target"] == "test_conformance:PerceptronWithoutSign"
    assert "novikoff" in found["violated"]
    assert len(found["rows"]) == len(CHECKS)


@pytest.mark.parametrize(
    ("target", "arguments", "expected"),
    [
        ("novikoff:Nothing", {}, "target: expected module:Class that can be imported"),
        ("nowhere.Nothing", {}, "target: expected module:Class that can be imported"),
        ("novikoff:play", {}, "target: expected the name of a class"),
        ("novikoff:Minnow", {}, "arguments: expected those of novikoff:Minnow"),
        ("builtins:dict", {}, "target: expected a learner with one of"),
    ],
)
def test_what_is_no_learner_is_refused(
    target: str, arguments: dict[str, Any], expected: str
) -> None:
    with pytest.raises(nv.ParameterError, match=expected):
        check(target, arguments)


@pytest.mark.parametrize("text", ["{}", "[1]", "", "[" * 200_000])
def test_a_file_that_is_no_stream_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text(text)
    with pytest.raises(nv.InputError, match="expected a stream that a report saved"):
        replay(tmp_path / "other.json")


def test_the_page_lists_every_check() -> None:
    for name, found in CHECKS.items():
        line = f"| `{name}` | {found.statement} |"
        assert line in PAGE.read_text(), f"docs/conformance.md does not have: {line}"


def test_the_page_names_the_releases() -> None:
    for package, version in (RIVER, SKLEARN):
        name = package.replace("sklearn", "scikit-learn")
        assert f"{name} {version}" in PAGE.read_text()
