"""One run and one ledger: measures that a run has or has not, options it takes or refuses."""

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from novikoff import _core
from novikoff.learners import BlockLearner, Slice, plays_blocks
from novikoff.learners.row_by_row import RowByRow, block_learner_of
from novikoff.playing.options import TAKEN
from novikoff.streams import BinaryLabels, Block, LabelMap, Stream, as_stream, one_row
from novikoff.streams.labels.declared import Declared

SAVED = Path(__file__).parent / "saved"
FACTS: dict[str, dict[str, Any]] = json.loads((SAVED / "facts.json").read_text())
LOSSES = np.random.default_rng(0).random((30, 3))
ROWS = [((1.0, 2.0), 1), ((2.0, -1.0), -1), ((-1.0, 0.5), 1)]


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return list(value)
    return value.tolist() if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize("name", FACTS)
def test_a_run_saved_before_there_was_one_ledger_is_loaded(name: str) -> None:
    """The files were written when experts and arms had runs and ledgers of their own."""
    run, facts = nv.Run.load(SAVED / f"{name}.model"), dict(FACTS[name])
    points = run.ledger.checkpoints
    if name == "labelled":
        assert [_plain(column) for column in points] == facts.pop("checkpoints")
    else:
        assert run.streams == facts.pop("streams")
        assert run.learner.probabilities().tolist() == facts.pop("probabilities")
        for column in ("rounds", "loss", "pseudo_regret"):
            assert getattr(points, column).tolist() == facts.pop(f"checkpoint_{column}")
    for fact, value in facts.items():
        if value is None:
            assert not hasattr(run.ledger, fact)
        else:
            assert _plain(getattr(run.ledger, fact)) == value, fact


@pytest.mark.parametrize("name", FACTS)
def test_a_loaded_run_goes_on_saves_and_pickles(name: str, tmp_path: Path) -> None:
    run = nv.Run.load(SAVED / f"{name}.model")
    more: Any = LOSSES
    if name == "labelled":
        more = [({"a": 1.0, "z": -2.0}, "ham"), ({"b": 0.5}, "spam")]
    elif name == "majority":
        more = nv.stream([[1, -1, 1], [-1, -1, 1]], ["yes", "no"])
    run.play(more)
    run.save(tmp_path / "again")
    for other in (nv.Run.load(tmp_path / "again"), pickle.loads(pickle.dumps(run))):
        assert repr(other) == repr(run)
        assert pickle.loads(pickle.dumps(other.ledger)).rounds == run.ledger.rounds
        assert name == "labelled" or other.streams == run.streams
        for one, two in zip(other.ledger.checkpoints, run.ledger.checkpoints, strict=True):
            assert np.array_equal(one, two, equal_nan=True)


def test_a_measure_that_a_run_does_not_have_is_an_error_that_names_it() -> None:
    labelled = nv.play(nv.Perceptron(), ROWS).ledger
    hedge, exp3 = (nv.play(kind(3), LOSSES).ledger for kind in (nv.Hedge, nv.Exp3))
    for ledger, name in ((labelled, "regret"), (hedge, "radius"), (exp3, "expected_regret")):
        assert not hasattr(ledger, name)
        with pytest.raises(nv.MeasureError) as refused:
            getattr(ledger, name)
        said = str(refused.value)
        assert said.startswith(f"{name}: expected a measure of a run of {ledger.learner}")
        assert all(measure in said for measure in ledger.measures)
        assert f'hasattr(ledger, "{name}")' in said
    with pytest.raises(nv.MeasureError, match="rounds_by_label: expected a measure"):
        _ = hedge.rounds_by_label
    with pytest.raises(nv.MeasureError, match="loss: expected a measure"):
        _ = labelled.loss


@pytest.mark.parametrize("make", [nv.Perceptron, lambda: nv.Hedge(3), lambda: nv.Exp3(3)])
def test_every_declared_measure_can_be_read_and_has_its_type(make: Callable[[], Any]) -> None:
    stream: Any = ROWS if isinstance(make(), nv.Learner) else LOSSES
    ledger = nv.play(make(), stream).ledger
    assert len(ledger.measures) > 5
    for name, measure in ledger.measures.items():
        assert measure.name == name
        assert measure.combination in ("sum", "largest", "last")
        assert isinstance(getattr(ledger, name), measure.kind), name


def test_a_ledger_of_losses_has_their_sum_and_their_mean() -> None:
    ledger = nv.play(nv.Hedge(3, seed=4), LOSSES).ledger
    assert ledger.mean_loss == ledger.loss / 30
    assert nv.Run(nv.Hedge(3)).ledger.mean_loss == 0


GIVEN: dict[str, Any] = {
    "positive": "a", "labels": ("a", "b"), "class_weights": {"a": 2.0}, "digest": True,
    "passes": 2, "until_clean": True, "max_passes": 3,
}  # fmt: skip


@pytest.mark.parametrize("kind", TAKEN)
@pytest.mark.parametrize("name", GIVEN)
def test_an_option_is_taken_or_refused_by_its_name(kind: Any, name: str) -> None:
    makers: dict[str, Callable[[], Any]] = {
        "labelled": nv.Perceptron, "experts": lambda: nv.Hedge(3), "arms": lambda: nv.Exp3(3)
    }  # fmt: skip
    learner, given = makers[kind](), {name: GIVEN[name]}
    stream: Any = ROWS if kind == "labelled" else LOSSES
    of_run = name in ("positive", "labels", "class_weights", "digest")
    if name in TAKEN[kind]:
        if name == "max_passes":
            given["until_clean"] = True
        if of_run:
            nv.Run(learner, **given)
        else:
            nv.Run(learner).play(stream, **given)
        return
    with pytest.raises(nv.ParameterError, match=f"^{name}: expected .* with {learner!r}"[:25]):
        _ = nv.Run(learner, **given) if of_run else nv.Run(learner).play(stream, **given)
    if name not in ("positive", "class_weights"):
        with pytest.raises(nv.ParameterError, match=f"^{name}: expected .* Leave it out"):
            nv.play(learner, stream, **given)


def test_max_passes_without_until_clean_is_refused() -> None:
    with pytest.raises(nv.ParameterError, match="max_passes: expected None without until_clean"):
        nv.play(nv.Perceptron(), ROWS, max_passes=5)


def test_an_interrupted_run_with_experts_goes_on() -> None:
    def stop(progress: nv.Progress) -> None:
        if progress.rounds > 9:
            raise KeyboardInterrupt

    whole, run = nv.play(nv.Hedge(3, seed=1), LOSSES), nv.Run(nv.Hedge(3, seed=1))
    with pytest.raises(KeyboardInterrupt):
        run.play(LOSSES, progress=stop)
    assert 9 < run.ledger.rounds < 30
    run.go_on(LOSSES)
    assert (run.streams, run.unfinished) == (1, None)
    assert repr(run) == repr(whole)
    assert run.ledger.losses.tolist() == whole.ledger.losses.tolist()
    for one, two in zip(run.ledger.checkpoints, whole.ledger.checkpoints, strict=True):
        assert one.tolist() == two.tolist()


def test_one_round_of_advice_is_learned_and_an_arm_is_refused() -> None:
    run = nv.Run(nv.WeightedMajority(3), positive="up")
    assert run.predict_one([1, 1, -1]) == "up"
    assert run.learn([1, 1, -1], "down") == "up"
    assert (run.ledger.rounds, run.mistakes, run.ledger.losses.tolist()) == (1, 1, [1, 1, 0])
    assert run.ledger.labels == ("down", "up")
    with pytest.raises(nv.InputError, match="learn: expected a learner that predicts, got Exp3"):
        nv.Run(nv.Exp3(2)).learn([1.0], 1)
    with pytest.raises(nv.InputError, match="weights: expected none with WeightedMajority"):
        run.learn([1, 1, -1], "up", 2.0)


class Sign:
    """A learner from outside that plays whole blocks, and inherits nothing."""

    plays_blocks = True
    multiclass = False
    takes_weights = False

    def __init__(self) -> None:
        self.rounds, self.blocks = 0, 0
        self.features = _core.Features()

    def predict(self, x: Any) -> int:
        return 1 if x[0] >= 0 else -1

    def update(self, x: Any, y: int) -> None:
        self.rounds += 1

    def declare(self, tally: _core.Tally) -> None: ...

    def label_map(self, positive: Any, labels: Declared) -> LabelMap:
        return BinaryLabels(positive)

    def stream_of(self, source: object) -> Stream:
        return as_stream(source)

    def block_of(self, x: object) -> Block:
        return one_row(x)

    def fitting(self, block: Block) -> Block:
        return block

    def fix_form(self, block: Block) -> None:
        self.blocks += 1

    def checked_weights(self, weights: object, count: int) -> Any:
        raise nv.InputError("weights: expected none, got some. Leave them out.")

    def learn_row(self, block: Block, code: int, tally: _core.Tally, weights: Any) -> int:
        self.play_rows(Slice(block, np.array([code]), weights, 0, 1), tally)
        return self.predict(block.row(0))

    def play_rows(self, rows: Slice, tally: _core.Tally) -> int:
        for t in range(rows.start, rows.stop):
            x, y = rows.block.row(t), int(rows.codes[t])
            tally.round(rows.block.native, t, int(y > 0), self.predict(x) != y)
            self.update(x, y)
        return rows.stop


def test_a_learner_from_outside_plays_whole_blocks_without_a_base_class() -> None:
    learner: BlockLearner = Sign()
    assert plays_blocks(learner)
    assert block_learner_of(Sign()).plays_blocks
    X = np.random.default_rng(3).normal(size=(40, 2))
    run, rows = nv.play(Sign(), nv.stream(X, np.where(X[:, 1] > 0, 1, -1))), nv.Run(Sign())
    for x in X:
        rows.learn(x, 1 if x[1] > 0 else -1)
    assert (run.learner.rounds, run.learner.blocks) == (40, 1)
    assert run.ledger.mistake_rounds.tolist() == rows.ledger.mistake_rounds.tolist()
    assert not hasattr(run.ledger, "weight_norm")


def test_a_subclass_that_changes_predict_is_played_row_by_row() -> None:
    class Stubborn(nv.Perceptron):
        def predict(self, x: object, /) -> int:
            return 1

    found = block_learner_of(Stubborn())
    assert isinstance(found, RowByRow)
    run = nv.play(Stubborn(), ROWS)
    assert run.ledger.mistake_rounds.tolist() == [2]


@pytest.mark.parametrize(
    "make",
    [nv.Perceptron, lambda: nv.KernelPerceptron(nv.linear), nv.EllipsoidHalving],
)
def test_no_learner_inherits_a_method_that_fails_for_want_of_a_core(make: Any) -> None:
    """Whatever a learner of features offers can be asked of it."""
    learner = make()
    learner.introduce([1.0, 2.0])
    nv.Run(learner).play(ROWS[:1])
    for name in ("rounds", "dimension", "weight_norm", "nbytes", "plays_blocks", "parameters"):
        assert getattr(learner, name) is not None, name
    assert hasattr(learner, "require_finite") == hasattr(learner, "core")


def test_a_learner_with_a_loss_has_it_at_the_checkpoints(tmp_path: Path) -> None:
    """The loss up to each round of the grid is that of a run that stops there."""
    X = np.random.default_rng(7).normal(size=(60, 3))
    y = np.where(X[:, 0] > 0.2, 1, -1)
    run = nv.play(nv.AdaptiveGradient(), nv.stream(X, y))
    points = run.ledger.checkpoints
    assert points.rounds.tolist()[-3:] == [49, 54, 60]
    for t, mistakes, loss in zip(*(column.tolist() for column in points), strict=True):
        short = nv.play(nv.AdaptiveGradient(), nv.stream(X[:t], y[:t])).ledger
        assert (short.mistakes, short.loss) == (mistakes, loss)
    assert run.ledger.mean_loss == run.ledger.loss / 60
    run.save(tmp_path / "m")
    assert nv.Run.load(tmp_path / "m").ledger.checkpoints.loss.tolist() == points.loss.tolist()
    rows = nv.Run(nv.AdaptiveGradient())
    for x, label in zip(X, y.tolist(), strict=True):
        rows.learn(x, label)
    assert rows.ledger.checkpoints.loss.tolist() == points.loss.tolist()


def test_rounds_that_went_straight_to_the_core_have_a_loss_at_their_checkpoint() -> None:
    run = nv.Run(nv.AdaptiveGradient())
    for t in range(20):
        run.learn({"a": float(t), "b": 1.0}, 1 if t % 3 else -1)
    assert run.is_quick
    points = run.ledger.checkpoints
    assert not np.isnan(points.loss).any()
    assert points.loss[-1] == run.ledger.loss


@pytest.mark.parametrize("name", ["predict", "predict_one"])
def test_a_run_with_arms_predicts_no_label(name: str) -> None:
    run = nv.play(nv.Exp3(3, seed=1), LOSSES)
    with pytest.raises(nv.InputError, match=f"^{name}: expected a learner that predicts, got Exp3"):
        getattr(run, name)([[1.0, 0.0, 0.0]])


@pytest.mark.parametrize("loaded", [False, True])
@pytest.mark.parametrize("named", [False, True])
def test_a_round_learned_since_an_interruption_is_no_round_of_the_stream(
    tmp_path: Path, loaded: bool, named: bool
) -> None:
    """``go_on`` would skip a round of the stream for it, so it refuses; no round is lost."""
    X = [{"a": a, "b": b} for (a, b), _ in ROWS] if named else [x for x, _ in ROWS]
    rounds = [(x, y) for x, (_, y) in zip(X, ROWS, strict=True)] * 5

    def broken() -> Any:
        yield from rounds[:4]
        raise OSError

    run = nv.Run(nv.Perceptron())
    with pytest.raises(OSError):  # noqa: PT011
        run.play(broken())
    with pytest.raises(nv.InputError):
        run.learn(X[0], 7)
    run.save(tmp_path / "m")
    assert nv.Run.load(tmp_path / "m").go_on(rounds).ledger.rounds == 15  # a refused round is none
    run.learn(X[0], -1)
    if loaded:
        run.save(tmp_path / "m")
        run = nv.Run.load(tmp_path / "m")
    run.learn(X[1], -1)
    said = r"got 2 rounds learned since then. The run keeps all its rounds, 4 of them from the"
    for _ in range(2):
        with pytest.raises(nv.InputError, match=said):
            run.go_on(rounds)
    run.play(rounds[4:])
    assert (run.ledger.rounds, run.unfinished) == (17, None)
