"""What a learner would refuse is refused before it is written, so that every record applies."""

from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest
from services import running

import novikoff as nv
from novikoff.errors import NovikoffError
from novikoff.service.limits import Limits
from novikoff.service.refusals import TooLarge
from novikoff.service.service_engine import Engine
from novikoff.service.wishes import Answer, Example, Part, Question
from novikoff.streams.log.records import Features

LABELS = ("a", "b")
MODELS: dict[str, nv.Run] = {
    "Blend": nv.Run(nv.Blend(), labels=LABELS, max_weight=1e6),
    "ClassBlend": nv.Run(nv.Blend(), labels=("a", "b", "c")),
    "Perceptron": nv.Run(nv.Perceptron(), labels=LABELS),
    "a constant feature": nv.Run(nv.Perceptron(bias=1e-300), labels=LABELS),
    "hashed": nv.Run(nv.Perceptron(hashing=nv.Hashing(4)), labels=LABELS),
    "scaled": nv.Run(nv.Perceptron(transforms=[nv.Scale()]), labels=LABELS),
    "weights of classes": nv.Run(nv.Perceptron(), labels=LABELS, class_weights={"a": 3.0}),
    "AveragedPerceptron": nv.Run(nv.AveragedPerceptron(), labels=LABELS),
    "VotedPerceptron": nv.Run(nv.VotedPerceptron(), labels=LABELS),
    "MulticlassPerceptron": nv.Run(nv.MulticlassPerceptron(), labels=LABELS),
    "Minnow": nv.Run(nv.Minnow(0.5), labels=LABELS),
    "AdaptiveGradient": nv.Run(nv.AdaptiveGradient(), labels=LABELS, max_weight=1e6),
    "GradientDescent": nv.Run(nv.GradientDescent(0.5), labels=LABELS),
    "CoinBetting": nv.Run(nv.CoinBetting(), labels=LABELS),
    "Arow": nv.Run(nv.Arow(), labels=LABELS),
    "OnlineNewton": nv.Run(nv.OnlineNewton(), labels=LABELS),
}
ROWS: tuple[Features, ...] = (
    {"u": 1e308}, {"u": 1e308, "v": 1e308}, {"u": -1e308, "v": 1e308}, {"u": 5e-324, "v": 1e308},
    {"u": 1e-320}, {}, {"u": 0.0}, {"u": "x"}, {"u": True}, {"u": 1e200}, {"u": 1e-290},
    {f"n{i}": 1.0 for i in range(140)}, {f"m{i}": 1.0 for i in range(100)},
)  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_no_record_is_refused_when_it_is_applied(tmp_path: Path, name: str) -> None:
    MODELS[name].save(tmp_path / "m")
    with running(tmp_path / "log", str(tmp_path / "m")) as engine:
        for number, (row, weight) in enumerate(product(ROWS, (1.0, 1e6, 1e-6, 3.0))):
            label = LABELS[number // 3 % 2]
            refused_unwritten(engine, Example(row, label, weight))
            refused_unwritten(engine, Question(row, number))
            if number in engine.replica.waiting:
                refused_unwritten(engine, Answer(number, label, weight))
        assert engine.replica.counts.refused == 0
        assert engine.replica.run.ledger.rounds > 20


def refused_unwritten(engine: Engine, part: Part) -> None:
    """Wish for it; if it is refused, nothing may be written."""
    before = engine.log.size
    with suppress(NovikoffError):
        engine.wish([part])
        before = engine.log.size
    assert engine.log.size == before, part


@pytest.mark.parametrize("name", ["a constant feature", "Perceptron", "weights of classes"])
def test_a_weight_that_cannot_scale_a_value_is_named(tmp_path: Path, name: str) -> None:
    MODELS[name].save(tmp_path / "m")
    with running(tmp_path / "log", str(tmp_path / "m")) as engine:
        with pytest.raises(NovikoffError, match="weight: expected one that can scale every value"):
            engine.wish([Example({"u": 1e308}, "a", 3.0)])
        with pytest.raises(NovikoffError, match=r"examples\[1\].weight: expected one that"):
            engine.wish([Example({"u": 1.0}, "b"), Example({"u": 1e308}, "a", 3.0)])


def test_names_of_a_batch_count_once_and_told_rows_count_too(tmp_path: Path) -> None:
    MODELS["OnlineNewton"].save(tmp_path / "m")
    with running(tmp_path / "log", str(tmp_path / "m"), Limits(names=10)) as engine:
        engine.wish([Example({f"n{i}": 1.0 for i in range(8)}, "a")])
        engine.wish([Question({"x": 1.0, "y": 1.0, "z": 1.0}, "q")])
        same: Features = {"n8": 1.0, "k": "v"}
        engine.wish([Example(same, "a"), Example(same, "b"), Example({**same, "n9": 0.0}, "a")])
        assert engine.replica.names == 10
        with pytest.raises(TooLarge, match="3 new ones after 10"):
            engine.wish([Answer("q", "a")])
        with pytest.raises(TooLarge, match="1 new ones after 10"):
            engine.wish([Example({"k": "w"}, "a")])
        engine.wish([Example({"k": "v", "n1": 2.0}, "a")])


def test_online_newton_is_served_up_to_its_room(tmp_path: Path) -> None:
    MODELS["OnlineNewton"].save(tmp_path / "m")
    with running(tmp_path / "log", str(tmp_path / "m")) as engine:
        engine.wish([Example({f"n{i}": 1.0 for i in range(129)}, "a")])
        with pytest.raises(TooLarge, match="at most 129 names in all, got 1 new"):
            engine.wish([Example({"one more": 1.0}, "a")])
