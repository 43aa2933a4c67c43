"""The quick way of a round with a dict: it is taken, and plays as the long one does."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from problems import named_rounds


def test_separate_predict_and_update_are_the_fused_call() -> None:
    run, learner = nv.Run(nv.Perceptron()), nv.Perceptron()
    for x, y in named_rounds(300):
        prediction = learner.predict(x)
        learner.update(x, y)
        assert run.learn(x, y) == prediction
    assert run.learner.hypothesis().weights() == learner.hypothesis().weights()


def test_the_quick_path_is_taken_and_counts_the_same() -> None:
    quick, slow = nv.Run(nv.Perceptron()), nv.Run(nv.Perceptron(), digest=True)
    for x, y in named_rounds(200):
        assert quick.learn(x, y) == slow.learn(x, y)
    assert quick.is_quick
    assert not slow.is_quick
    assert np.array_equal(quick.ledger.mistake_rounds, slow.ledger.mistake_rounds)
    assert quick.ledger.radius == slow.ledger.radius
    assert quick.ledger.rounds_by_label == slow.ledger.rounds_by_label


def test_new_labels_and_changed_kinds_of_labels_leave_the_quick_path_right() -> None:
    run = nv.Run(nv.MulticlassPerceptron())
    rows = [({"a": 1.0}, "x"), ({"b": 1.0}, "y"), ({"a": 1.0}, "x"), ({"c": 1.0}, "z")]
    expected = nv.play(nv.MulticlassPerceptron(), rows * 5)
    found = [run.learn(x, y) for x, y in rows * 5]
    assert found[3] == "x"
    assert run.ledger.mistake_rounds.tolist() == expected.ledger.mistake_rounds.tolist()
    assert run.learn({"c": 1.0}, np.str_("z")) == "z"
    with pytest.raises(nv.InputError, match="expected a label, got None"):
        run.learn({"c": 1.0}, None)
    with pytest.raises(nv.InputError, match="expected a label"):
        run.learn({"c": 1.0}, ["z"])
    one_sided = nv.Run(nv.Perceptron(), positive="spam")
    for name in ("ham", "eggs", "ham", "eggs"):
        one_sided.learn({"a": 1.0}, name)
    assert one_sided.learn({"a": 1.0}, "ham") == "not spam"


def test_a_restored_learner_is_not_played_with_the_names_of_before() -> None:
    run = nv.Run(nv.Perceptron())
    for x, y in named_rounds(50):
        run.learn(x, y)
    other = nv.Perceptron()
    nv.play(other, [({"b": 1.0, "a": 2.0}, 1), ({"b": 1.0, "a": -2.0}, 1)])
    assert run.is_quick
    run.learner.restore(other.state())
    run.learn({"a": 1.0, "c": 1.0}, 1)
    assert run.learner.features.names(3) == ["a", "b", "c"]


def test_no_round_is_played_inside_a_play() -> None:
    run = nv.Run(nv.Perceptron())
    run.learn({"a": 1.0}, 1)
    run.learn({"a": 1.0}, -1)

    def interfere(_: nv.Progress) -> None:
        run.learn({"a": 1.0}, 1)

    with pytest.raises(nv.BusyError):
        run.play(named_rounds(10), progress=interfere)


def test_runs_in_cycles_are_collected() -> None:
    class Label:
        run: Any = None

    import gc
    import weakref

    label = Label()
    run = nv.Run(nv.MulticlassPerceptron())
    label.run = run
    run.learn({"a": 1.0}, label)
    run.learn({"a": 1.0}, label)
    gone = weakref.ref(label)
    del run, label
    gc.collect()
    assert gone() is None


def test_checkpoints_have_the_loss_however_the_rounds_were_played(tmp_path: Path) -> None:
    """Dicts go straight to the core between two checkpoints; a saved run goes on recording."""
    rounds = [({"a": float(t % 7 - 3), f"b{t % 5}": 1.0}, 1 if t % 3 else -1) for t in range(300)]
    whole = nv.play(nv.AdaptiveGradient(), rounds).ledger.checkpoints
    run, saved, quick = nv.Run(nv.AdaptiveGradient()), nv.Run(nv.AdaptiveGradient()), 0
    for t, (x, y) in enumerate(rounds):
        run.learn(x, y)
        quick += run.is_quick
        saved.learn(x, y)
        if t % 29 == 0:
            saved.save(tmp_path / "m")
            saved = nv.Run.load(tmp_path / "m")
    assert quick == len(rounds)
    for one in (run, saved):
        for found, expected in zip(one.ledger.checkpoints, whole, strict=True):
            assert found.tolist() == expected.tolist()


def test_rounds_between_checkpoints_do_not_call_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 1,000 rounds with dicts, only the checkpoints and new labels do."""
    run, slow = nv.Run(nv.AdaptiveGradient()), list[int]()
    learn = nv.Run._learn

    def noted(self: nv.Run, x: object, y: int) -> object:
        slow.append(self.ledger.rounds + 1)
        return learn(self, x, y)

    monkeypatch.setattr(nv.Run, "_learn", noted)
    for t in range(1000):
        run.learn({"a": float(t % 7 - 3), "b": 1.0}, 1 if t % 3 else -1)
    assert slow == sorted({*run.ledger.checkpoints.rounds.tolist()} - {1000} | {1, 2})


@pytest.mark.parametrize("one", [1, 1.0, True, np.int64(1), np.float32(1), np.float64(1)])
@pytest.mark.parametrize("x", [{"a": 1.0}, [1.0]])
def test_a_weight_of_one_is_no_weight(one: Any, x: Any) -> None:
    """Whatever its type: also for a learner that takes no weights."""
    for learner in (nv.AdaptiveGradient(), nv.ModifiedPerceptron(0.5), nv.Perceptron()):
        run = nv.Run(learner)
        run.learn(x, 1, one)
        assert (run.ledger.rounds, run.ledger.weighted) == (1, False)
    others: list[Any] = [2, 0, np.int64(2)]
    for other in others:
        with pytest.raises(nv.InputError, match="weights: expected none"):
            nv.Run(nv.ModifiedPerceptron(0.5)).learn(x, 1, other)
        with pytest.raises(nv.InputError, match="weights: expected a largest weight"):
            nv.Run(nv.AdaptiveGradient()).learn(x, 1, other)
