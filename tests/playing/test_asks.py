"""Late labels: asks are served now, and tells play their rounds, in the order of the tells."""

import copy
import math
import pickle
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from commands import assert_same_run
from novikoff.receipts.certificates import sealed
from novikoff.saving import storage


def _rounds(count: int = 120, seed: int = 4) -> list[tuple[dict[str, Any], str]]:
    """Rows with numbers and words; the label depends on both, and on chance."""
    rng = np.random.default_rng(seed)
    found = []
    for a, b, noise in rng.standard_normal((count, 3)).tolist():
        word = "red" if b > 0 else "blue"
        label = "spam" if a + (word == "red") + noise > 0.5 else "ham"
        found.append(({"a": 100 * a, "colour": word}, label))
    return found


def _run(**options: Any) -> nv.Run:
    return nv.Run(nv.AdaptiveGradient(bias=1.0), labels=("ham", "spam"), **options)


def _late(run: nv.Run, rounds: list[tuple[dict[str, Any], str]], delay: int) -> list[nv.Ask]:
    """Ask for every round; tell each label ``delay`` asks later, two at a time in turned order."""
    served, waiting = [], list[tuple[Any, str]]()
    for x, y in rounds:
        ask = run.ask(x)
        served.append(ask)
        waiting.append((ask.id, y))
        if len(waiting) > delay:
            for id, label in reversed(waiting[:2]):
                run.tell(id, label)
            del waiting[:2]
    for id, label in waiting:
        run.tell(id, label)
    return served


def test_tells_play_the_rounds_in_their_order() -> None:
    """A run with asks is, bit for bit, the run that learns the same rounds when labels come."""
    rounds, run, plain = _rounds(), _run(digest=True), _run(digest=True)
    asked = [run.ask(x) for x, _ in rounds]
    order = np.random.default_rng(0).permutation(len(rounds)).tolist()
    assert list(run.pending) == list(range(1, len(rounds) + 1))
    for t in order:
        x, y = rounds[t]
        assert run.tell(asked[t].id, y) == plain.learn(x, y)
    assert run.ledger.digest == plain.ledger.digest
    assert run.ledger.loss == plain.ledger.loss
    assert run.ledger.mistake_rounds.tolist() == plain.ledger.mistake_rounds.tolist()
    assert run.learner.state()["cells"].tobytes() == plain.learner.state()["cells"].tobytes()
    assert not run.pending


@pytest.mark.parametrize("delay", [0, 1, 30, 1000])
def test_what_was_served_is_counted_apart(delay: int) -> None:
    """Against a count of one's own, made from what ``ask`` returned."""
    rounds, run = _rounds(), _run()
    served = _late(run, rounds, delay)
    labels = [y for _, y in rounds]
    wrong = sum(ask.prediction != y for ask, y in zip(served, labels, strict=True))
    chances = list[float]()
    for ask, y in zip(served, labels, strict=True):
        assert isinstance(ask.probability, float)
        chances.append(ask.probability if y == "spam" else 1 - ask.probability)
    ledger = run.ledger
    assert (ledger.served, ledger.served_mistakes, ledger.rounds) == (
        len(rounds),
        wrong,
        len(rounds),
    )
    assert ledger.served_loss == pytest.approx(-sum(map(math.log, chances)), rel=1e-12)
    if delay == 0:
        assert ledger.served_mistakes == ledger.mistakes
        assert ledger.served_loss == pytest.approx(ledger.loss, rel=1e-12)
    if delay == 1000:  # nothing was known yet
        assert {ask.prediction for ask in served} == {"spam"}
        assert ledger.served_loss == pytest.approx(len(rounds) * math.log(2))


def test_weights_scale_what_was_served() -> None:
    run = _run(max_weight=6.0, class_weights={"spam": 2.0})
    ids = [run.ask({"a": 1.0}).id for _ in range(3)]
    for id, y, weight in zip(ids, ("spam", "ham", "spam"), (3.0, 1.0, 1.0), strict=True):
        run.tell(id, y, weight)
    assert run.ledger.served_loss == pytest.approx((6 + 1 + 2) * math.log(2))
    assert run.ledger.served_mistakes == 1


def test_rounds_without_an_ask_are_not_served() -> None:
    run = _run()
    run.learn({"a": 1.0}, "spam")
    assert not hasattr(run.ledger, "served")
    ask = run.ask({"a": 1.0})
    run.learn({"a": -1.0}, "ham")
    assert (run.ledger.served, run.ledger.rounds) == (0, 2)
    run.tell(ask.id, "ham")
    assert (run.ledger.served, run.ledger.served_mistakes, run.ledger.rounds) == (1, 1, 3)
    for twin in (copy.deepcopy(run.ledger), pickle.loads(pickle.dumps(run.ledger))):
        assert (twin.served, twin.served_loss) == (1, run.ledger.served_loss)


def test_ids_are_the_users_or_new_numbers() -> None:
    run = _run()
    assert [run.ask({"a": 1.0}, id).id for id in ("x", None, 7, None)] == ["x", 1, 7, 8]
    assert list(run.pending) == ["x", 1, 7, 8]
    assert run.pending["x"].prediction == "spam"
    with pytest.raises(nv.InputError, match="ask: expected an id that no pending ask has, got 7"):
        run.ask({"a": 1.0}, 7)
    for bad in (1.5, True, b"x", "\ud800", ("a",)):
        with pytest.raises(nv.ParameterError, match="id: expected a string, a whole number"):
            run.ask({"a": 1.0}, bad)  # type: ignore[arg-type]
    run.forget("x")
    run.tell(7, "ham")
    for id in ("x", 7, 9, "1", None, ["a"]):
        with pytest.raises(nv.InputError, match="tell: expected the id of a pending ask, got"):
            run.tell(id, "ham")  # type: ignore[arg-type]
        with pytest.raises(nv.InputError, match="forget: expected the id of a pending ask, got"):
            run.forget(id)  # type: ignore[arg-type]
    assert run.ask({"a": 1.0}).id == 9
    assert run.ledger.rounds == 1


def test_a_refused_tell_loses_nothing() -> None:
    run = _run(max_weight=2.0)
    ask = run.ask({"a": 3.0})
    before = run.learner.state()["cells"].tobytes()
    with pytest.raises(nv.InputError, match="expected"):
        run.tell(ask.id, "eggs")
    with pytest.raises(nv.InputError, match="expected a weight of at most 2, got 5"):
        run.tell(ask.id, "ham", 5.0)
    assert (run.ledger.rounds, list(run.pending)) == (0, [ask.id])
    assert run.learner.state()["cells"].tobytes() == before
    assert run.tell(ask.id, "ham", 2.0) == "spam"
    assert (run.ledger.rounds, run.ledger.served_mistakes) == (1, 1)


def test_a_refused_ask_is_not_pending(tmp_path: Path) -> None:
    run = _run()
    with pytest.raises(nv.InputError, match="finite"):
        run.ask({"a": math.nan})
    with pytest.raises(nv.InputError, match="forget: expected the id of a pending ask"):
        run.forget(1)
    run.save(tmp_path / "m")
    assert nv.Run.load(tmp_path / "m").ask({"a": 1.0}).id == 1
    assert not run.pending
    assert not hasattr(run.ledger, "served")


@pytest.mark.parametrize(
    "x",
    [{"a": 1.0}, [1.0, 0.0], np.array([1.0, 0.0]), ([1], [2.0])],
    ids=["dict", "list", "array", "pair"],
)
def test_the_caller_may_change_x_after_asking(x: Any) -> None:
    run, plain = _run(), _run()
    ask = run.ask(x)
    plain.learn(copy.deepcopy(x), "ham")
    if isinstance(x, dict):
        x["a"] = 9.0
    else:
        part = x if not isinstance(x, tuple) else x[1]
        part[0] = 9.0
    run.tell(ask.id, "ham")
    assert run.learner.state()["cells"].tobytes() == plain.learner.state()["cells"].tobytes()


FORMS: dict[str, Any] = {
    "dict": {"a": np.float32(0.1), "b": True, "c": "x", "d": 3},
    "vector": np.array([0.1, 0.0, -3.0]),
    "pair": ([2, 5], [1 / 3, -1.0]),
}


@pytest.mark.parametrize("form", FORMS)
def test_pending_asks_are_saved_with_the_run(form: str, tmp_path: Path) -> None:
    """A loaded run goes on exactly: ids, what was served, and the rounds of the asks."""
    run = _run(max_weight=4.0, threshold=0.25)
    run.tell(run.ask(FORMS[form]).id, "ham")
    run.ask(FORMS[form], "later")
    run.ask(FORMS[form])
    run.save(tmp_path / "one")
    again = nv.Run.load(tmp_path / "one")
    assert dict(again.pending) == dict(run.pending)
    pickled = pickle.loads(pickle.dumps(run))
    for one, name in ((run, "a"), (again, "b"), (pickled, "c")):
        one.tell("later", "spam", 3.0)
        one.ask(FORMS[form])
        one.tell(3, "ham")
        assert (one.ledger.served, list(one.pending)) == (3, [2])
        one.save(tmp_path / name)
    assert_same_run(tmp_path / "a", tmp_path / "b")
    assert_same_run(tmp_path / "a", tmp_path / "c")


def test_points_and_classes_can_be_asked_too(tmp_path: Path) -> None:
    halving = nv.Run(nv.Halving(nv.thresholds(8)))
    ask = halving.ask(3)
    assert ask.probability is None
    halving.save(tmp_path / "m")
    halving = nv.Run.load(tmp_path / "m")
    halving.tell(ask.id, 1)
    assert not hasattr(halving.ledger, "served_loss")
    many = nv.Run(nv.MulticlassPerceptron())
    first, second = many.ask({"a": 1.0}), many.ask({"a": 1.0})
    assert first.prediction is None
    many.tell(first.id, "x")
    many.tell(second.id, "y")
    third = many.ask({"a": 1.0})
    many.save(tmp_path / "m")
    many = nv.Run.load(tmp_path / "m")
    assert many.pending[third.id].prediction == "y"
    many.tell(third.id, "x")
    assert (many.ledger.served, many.ledger.served_mistakes) == (3, 1)


class Uniform:
    """A learner from outside with many classes, which gives the same probabilities for ever."""

    multiclass = True

    def probability(self, x: object) -> dict[str, float]:
        return {"x": 0.5, "y": 0.5, "z": 0.0}

    def predict(self, x: object) -> int:
        return 0

    def update(self, x: object, y: int) -> None:
        pass


def test_with_many_classes_the_probability_of_the_label_that_came_counts() -> None:
    """A label that was given no chance costs ln 2⁵³, so that the loss stays finite."""
    run: nv.Run = nv.Run(Uniform(), labels=("x", "y", "z"))
    ids = [run.ask([1.0]).id for _ in range(4)]
    assert run.pending[1].probability == {"x": 0.5, "y": 0.5, "z": 0.0}
    for id, label in zip(ids, ("x", "y", "z", "x"), strict=True):
        run.tell(id, label)
    assert run.ledger.served_loss == pytest.approx((3 + 53) * math.log(2))
    assert run.ledger.served_mistakes == 2


def test_probabilities_of_many_classes_are_saved(tmp_path: Path) -> None:
    """As pairs of label and probability: JSON's names are strings only."""
    run = _run()
    run.ask({"a": 1.0}, "x")
    metadata, arrays = run._state()
    asks: Any = metadata["asks"]
    asks["pending"][0]["probability"] = [[0, 0.25], ["0", 0.75], [True, 0.0]]
    storage.write(tmp_path / "m", "Run", metadata, arrays, lambda *_: None)
    again = nv.Run.load(tmp_path / "m")
    assert again.pending["x"].probability == {0: 0.25, "0": 0.75, True: 0.0}
    assert again._state()[0]["asks"] == asks


def test_the_negative_label_may_be_called_otherwise_when_its_label_comes() -> None:
    """With ``positive``, −1 is called after the labels met; only its code is compared."""
    run = nv.Run(nv.Perceptron(), positive="spam")
    run.learn({"a": 1.0}, "ham")
    ask = run.ask({"a": 1.0})
    assert ask.prediction == "ham"
    run.learn({"b": 1.0}, "news")
    run.tell(ask.id, "news")
    assert run.ledger.served_mistakes == 0


def test_only_learners_of_labels_can_be_asked() -> None:
    with pytest.raises(nv.ParameterError, match="learner: expected one of labelled rounds"):
        nv.Run(nv.Hedge(2)).ask([1, 1])
    tagger = nv.Run(nv.StructuredPerceptron(nv.Chains("tagging")))
    with pytest.raises(nv.ParameterError, match="learner: expected one that predicts a label"):
        tagger.ask([["a"]])


def test_ctrl_c_in_a_tell_leaves_the_round_told() -> None:
    """The signal comes while the round is played, and is heard when everything agrees."""

    class Pressing(nv.Perceptron):
        def update(self, x: Any, y: int, /, weight: float = 1.0) -> None:
            super().update(x, y, weight)
            signal.raise_signal(signal.SIGINT)

    run = nv.Run(Pressing())
    ask = run.ask([1.0])
    with pytest.raises(KeyboardInterrupt):
        run.tell(ask.id, -1)
    assert (run.ledger.rounds, run.ledger.served, list(run.pending)) == (1, 1, [])


def test_the_error_to_come_assumes_that_labels_came_whatever_they_were() -> None:
    """On the bound and on the certificate; the verifier knows that sentence, and no other."""
    rounds, run = _rounds(), _run()
    stream = nv.stream([[x["a"]] for x, _ in rounds], [y for _, y in rounds], positive="spam")
    for x, y in rounds:
        run.tell(run.ask([x["a"]]).id, y)
    late = "when a label came, and whether it came at all, did not depend on the label"
    assert late in nv.error_bound(run.ledger).assumes
    assert late in nv.leave_one_out(run.ledger).assumes
    certificate = nv.certify(run, stream, "progressive")
    assert certificate.content["assumptions"][-1] == late
    assert nv.verify(certificate, stream).verified
    assert nv.certify(run, stream, "ftrl-diag").content["assumptions"] == []
    content = copy.deepcopy(certificate.content)
    for sentence in ("it rains", "", late + "."):
        content["assumptions"][-1] = sentence
        assert nv.verify(sealed(content), stream).reason == "its assumptions are others"
    prompt = nv.play(nv.AdaptiveGradient(bias=1.0), stream, labels=("ham", "spam"))
    assert late not in nv.error_bound(prompt.ledger).assumes
    assert late not in nv.certify(prompt, stream, "progressive").content["assumptions"]
