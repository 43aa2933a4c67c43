"""Runs and ledgers: what is counted, and when it stops."""

import hashlib
import signal
import struct
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nv

rng = np.random.default_rng(3)
X = rng.standard_normal((500, 12))
y = np.where(X @ rng.standard_normal(12) + 0.5 * rng.standard_normal(500) >= 0, 1, -1)


def test_the_classic_example_errs_in_rounds_1_3_and_5() -> None:
    rounds = [((-1, 2), -1), ((1, 0), 1), ((1, 1), 1), ((-1, 0), -1), ((-1, -2), -1), ((1, -1), 1)]
    run = nv.play(nv.Perceptron(), rounds)
    assert run.ledger.mistake_rounds.tolist() == [1, 3, 5]
    assert run.hypothesis().w.tolist() == [3.0, 1.0]  # type: ignore[attr-defined]


def test_the_ledger_is_what_the_rounds_say() -> None:
    run = nv.play(nv.Perceptron(bias=2.0), nv.stream(X, y))
    ledger = run.ledger
    folded = np.column_stack([X, np.full(500, 2.0)])
    mistaken = ledger.mistake_rounds - 1
    norms = np.linalg.norm(folded, axis=1)
    assert (ledger.rounds, ledger.mistakes, ledger.abstentions) == (500, len(mistaken), 0)
    assert ledger.mistakes == run.mistakes
    assert ledger.error_rate == ledger.mistakes / 500
    assert ledger.radius == pytest.approx(norms.max(), rel=1e-14)
    assert ledger.radius_inf == np.abs(folded).max()
    assert ledger.mistake_energy == pytest.approx((norms[mistaken] ** 2).sum(), rel=1e-13)
    assert ledger.weight_norm == pytest.approx(
        np.linalg.norm((y[mistaken, None] * folded[mistaken]).sum(axis=0)), rel=1e-12
    )
    assert ledger.mistakes_by_label == {k: int((y[mistaken] == k).sum()) for k in (-1, 1)}
    assert ledger.rounds_by_label == {k: int((y == k).sum()) for k in (-1, 1)}
    assert ledger.learner == "Perceptron"
    assert ledger.parameters == {"ties": "positive", "bias": 2.0, "hashing": None}
    assert ledger.began_fresh is True
    assert ledger.digest is None
    assert "500 rounds" in repr(run)


def test_checkpoints_and_recent_errors_are_those_of_the_mistakes() -> None:
    run = nv.play(nv.Perceptron(), nv.stream(X, y), passes=6)
    rounds, mistakes = run.ledger.checkpoints
    assert rounds[0] == 1
    assert rounds[-1] == 3000
    assert mistakes[-1] == run.mistakes
    assert (np.diff(rounds) > 0).all()
    assert len(rounds) < 100
    assert all(
        m == (run.ledger.mistake_rounds <= r).sum() for r, m in zip(rounds, mistakes, strict=True)
    )
    recent = (run.ledger.mistake_rounds > 2000).sum() / 1000
    assert run.ledger.recent_error_rate == recent
    assert run.ledger.passes == 6


def test_a_ledger_begun_on_a_used_learner_says_so() -> None:
    learner = nv.Perceptron()
    nv.play(learner, nv.stream(X, y))
    assert nv.Run(learner).ledger.began_fresh is False
    with pytest.raises(nv.ParameterError, match="labels: expected the labels of the 2 classes"):
        nv.Run(nv.play(nv.MulticlassPerceptron(), nv.stream(X, y)).learner)


def test_many_rounds_few_mistakes_keep_a_small_ledger(tmp_path: Any) -> None:
    ones = np.ones((100_000, 1))
    run = nv.play(nv.Perceptron(), nv.stream(ones, np.ones(100_000)), passes=20)
    run.save(tmp_path / "run")
    assert run.ledger.rounds == 2_000_000
    assert (tmp_path / "run").stat().st_size < 2000


def _digest(dense: Any, codes: Any, form: str) -> str:
    digest = hashlib.sha256()
    for x, code in zip(dense, codes, strict=True):
        found = np.flatnonzero(x)
        digest.update(struct.pack(form, code) + struct.pack("<I", len(found)))
        digest.update(b"".join(struct.pack("<Qd", j, x[j]) for j in found))
    return digest.hexdigest()


def test_the_digest_is_that_of_the_written_encoding() -> None:
    dense = np.where(rng.random(X.shape) < 0.5, X, 0)
    dense[0, 0] = -0.0
    expected = _digest(dense, y, "<b")
    for form in (dense, sp.csr_array(dense), sp.csr_matrix(dense)):
        run = nv.play(nv.Perceptron(bias=1.0), nv.stream(form, y), passes=3, digest=True)
        assert run.ledger.digest == expected
    run = nv.Run(nv.Perceptron(), digest=True)
    run.play(nv.stream(dense[:99], y[:99]))
    for x, label in zip(dense[99:], y[99:], strict=True):
        run.learn(x, label)
    assert run.ledger.digest == expected
    names = np.array(["no", "yes"])[(y > 0).astype(int)]
    named = nv.play(nv.Perceptron(), nv.stream(dense, names, positive="yes"), digest=True)
    assert named.ledger.digest == expected
    classes = nv.play(nv.MulticlassPerceptron(), nv.stream(dense, names), digest=True)
    ids = (names != names[0]).astype(int)
    assert classes.ledger.digest == _digest(dense, ids, "<I")


def test_the_digest_survives_saving_and_more_rounds(tmp_path: Any) -> None:
    run = nv.play(nv.Perceptron(), nv.stream(X, y), digest=True)
    run.save(tmp_path / "run")
    loaded = nv.Run.load(tmp_path / "run")
    assert loaded.ledger.digest == run.ledger.digest
    loaded.learn(X[0], y[0])
    run.learn(X[0], y[0])
    assert loaded.ledger.digest == run.ledger.digest is not None


def test_until_clean_is_the_batch_perceptron() -> None:
    separable = np.where(X[:, 0] > 0, 1, -1)
    easy = X[np.abs(X[:, 0]) > 0.2]
    run = nv.play(
        nv.Perceptron(), nv.stream(easy, separable[np.abs(X[:, 0]) > 0.2]), until_clean=True
    )
    assert run.converged is True
    assert (run.predict(easy) == separable[np.abs(X[:, 0]) > 0.2]).all()
    assert run.ledger.rounds == run.ledger.passes * len(easy)
    noisy = nv.play(nv.Perceptron(), nv.stream(X, y), until_clean=True, max_passes=7)
    assert noisy.converged is False
    assert noisy.ledger.passes == 7
    assert nv.play(nv.Perceptron(), nv.stream(X, y)).converged is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"passes": 0}, "passes: expected a whole number"),
        ({"passes": 1.5}, "passes: expected a whole number"),
        ({"until_clean": True, "max_passes": 0}, "max_passes: expected"),
        ({"until_clean": True, "passes": 2}, "passes: expected 1 with until_clean"),
    ],
)
def test_passes_are_checked(arguments: Any, message: str) -> None:
    with pytest.raises(nv.ParameterError, match=message):
        nv.play(nv.Perceptron(), nv.stream(X, y), **arguments)


@pytest.mark.parametrize(
    ("make", "arguments", "message"),
    [
        (nv.Perceptron, {"ties": "never"}, "ties: expected 'positive' or 'mistake', got 'never'"),
        (nv.Perceptron, {"bias": float("nan")}, "bias: expected None or a finite number, got nan"),
        (nv.Perceptron, {"bias": "1"}, "bias: expected None or a finite number, got '1'"),
        (nv.VotedPerceptron, {"max_voters": 0}, "max_voters: expected"),
        (nv.Run, {"learner": 3}, "learner: expected an object with predict and update, got 3"),
    ],
)
def test_parameters_are_checked(make: Any, arguments: Any, message: str) -> None:
    with pytest.raises(nv.ParameterError, match=message):
        make(**arguments)


class Majority:
    """Somebody else's learner: predicts the label seen most, abstains before the first."""

    def __init__(self) -> None:
        self.sum = 0
        self.seen = 0

    def predict(self, x: Any) -> int | None:
        assert isinstance(x, np.ndarray) or len(x) == 2
        return (1 if self.sum >= 0 else -1) if self.seen else None

    def update(self, _: Any, y: int) -> None:
        self.sum += y
        self.seen += 1


def test_any_object_with_predict_and_update_is_played() -> None:
    for form in (X, sp.csr_array(X)):
        run = nv.play(Majority(), nv.stream(form, (y + 1) // 2), digest=True)
        total, mistakes = int(y[0]), []
        for t, label in enumerate(y[1:], 2):
            if (1 if total >= 0 else -1) != label:
                mistakes.append(t)
            total += int(label)
        assert run.ledger.mistake_rounds.tolist() == mistakes
        assert run.ledger.abstentions == 1
        assert run.ledger.radius == pytest.approx(np.linalg.norm(X, axis=1).max())
        assert run.ledger.began_fresh is None
        assert not hasattr(run.ledger, "weight_norm")
        assert set(run.predict(form)) <= {0, 1}
        assert run.learn(X[0] if form is X else (np.array([1]), np.array([2.0])), 1) in (0, 1)
    with pytest.raises(nv.ParameterError, match="to save"):
        run.save("nowhere")


def test_a_python_copy_of_the_perceptron_makes_the_same_ledger() -> None:
    class Plain:
        def __init__(self) -> None:
            self.w = np.zeros(5)

        def predict(self, x: Any) -> int:
            return 1 if self.w @ x >= 0 else -1

        def update(self, x: Any, label: int) -> None:
            if self.predict(x) != label:
                self.w = self.w + label * x

    whole = rng.integers(-3, 4, (400, 5)).astype(float)
    labels = np.where(whole[:, 0] - whole[:, 1] > 0, 1, -1)
    ours = nv.play(nv.Perceptron(), nv.stream(whole, labels)).ledger
    theirs = nv.play(Plain(), nv.stream(whole, labels)).ledger
    assert ours.state()[1].keys() == theirs.state()[1].keys()
    for name in ("mistake_rounds", "rounds_by_label", "mistakes_by_label", "measures"):
        assert np.array_equal(
            ours.state()[1][f"ledger.{name}"], theirs.state()[1][f"ledger.{name}"]
        )


def test_update_judges_the_current_hypothesis_not_a_remembered_prediction() -> None:
    learner = nv.Perceptron()
    learner.predict([1.0, 0.0])  # +1
    learner.update([1.0, 0.0], -1)
    learner.predict([-1.0, 0.0])
    learner.update([1.0, 0.0], -1)  # right by now: no update
    assert learner.hypothesis().w.tolist() == [-1.0, 0.0]
    with pytest.raises(nv.InputError, match=r"y: expected −1 or \+1, got 0"):
        learner.update([1.0, 0.0], 0)
    with pytest.raises(nv.InputError, match="y: expected a class id from 0 to 0"):
        nv.MulticlassPerceptron().update([1.0], 3)


def test_progress_is_told() -> None:
    told: list[nv.Progress] = []
    nv.play(
        nv.Perceptron(),
        nv.stream(np.repeat(X, 40, axis=0), np.repeat(y, 40)),
        passes=2,
        progress=told.append,
    )
    assert told[-1].rounds == told[-1].total == 40_000
    assert [p.rounds for p in told] == sorted(p.rounds for p in told)
    assert 0 < told[-1].error_rate < 1
    assert nv.Progress(0, 0, None).error_rate == 0
    assert nv.play(nv.Perceptron(), nv.stream(X, y), progress=True).ledger.rounds == 500


def test_ctrl_c_stops_and_keeps_the_ledger() -> None:
    big = np.repeat(X, 200, axis=0)
    run = nv.Run(nv.Perceptron())
    timer = threading.Timer(0.3, signal.raise_signal, (signal.SIGINT,))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        run.play(nv.stream(big, np.repeat(y, 200)), passes=10**6)
    timer.join()
    played = run.ledger.rounds
    assert played == run.learner.rounds > 0
    twin = nv.Run(nv.Perceptron())
    whole, rest = divmod(played, len(big))
    if whole:
        twin.play(nv.stream(big, np.repeat(y, 200)), passes=whole)
    twin.play(nv.stream(big[:rest], np.repeat(y, 200)[:rest]))
    assert twin.ledger.mistakes == run.mistakes


def test_a_play_inside_a_play_is_refused() -> None:
    run = nv.Run(nv.Perceptron(), digest=True)
    refused = []

    def intrude(_: nv.Progress) -> None:
        with pytest.raises(nv.BusyError, match="run: expected one play at a time"):
            run.play(nv.stream(X, y))
        with pytest.raises(nv.BusyError, match="run: expected one play at a time"):
            run.learn(X[0], 1)
        refused.append(1)

    run.play(nv.stream(X[:20], y[:20]), progress=intrude)
    assert refused
    assert run.ledger.rounds == 20


def test_a_play_refused_inside_another_leaves_its_course() -> None:
    run = nv.Run(nv.Perceptron())
    stream = nv.stream(np.repeat(X, 200, axis=0), np.repeat(y, 200))  # several slices

    def intrude(progress: nv.Progress) -> None:
        with pytest.raises(nv.BusyError):
            run.play(nv.stream(X[:5], y[:5]))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run.play(stream, passes=2, progress=intrude)
    assert 0 < run.ledger.rounds < 200 * len(X)
    run.go_on(stream)
    assert run.ledger.rounds == 400 * len(X)
    assert run.mistakes == nv.play(nv.Perceptron(), stream, passes=2).mistakes


def test_labels_are_spoken_and_saved_within_a_progress_function(tmp_path: Any) -> None:
    run = nv.Run(nv.MulticlassPerceptron())
    names = np.array(["a", "b"])[(y > 0).astype(int)]
    spoken: set[Any] = set()

    def look(_: nv.Progress) -> None:
        spoken.update(run.predict(X[:50]).tolist(), run.ledger.rounds_by_label)
        run.save(tmp_path / "run")

    run.play(nv.stream(X, names), progress=look)
    assert spoken == {"a", "b"}
    assert nv.Run.load(tmp_path / "run").ledger.labels == run.ledger.labels


def test_a_thread_may_watch_the_ledger() -> None:
    run = nv.Run(nv.Perceptron())
    big, labels = np.repeat(X, 100, axis=0), np.repeat(y, 100)
    thread = threading.Thread(target=run.play, args=(nv.stream(big, labels),), kwargs={"passes": 9})
    thread.start()
    busy = 0
    while thread.is_alive():
        assert 0 <= run.ledger.rounds <= 9 * len(big)
        try:
            assert len(run.ledger.mistake_rounds) <= run.ledger.rounds
        except nv.BusyError:
            busy += 1
    thread.join()
    assert run.ledger.rounds == 9 * len(big)


def test_a_subclass_with_its_own_update_is_asked() -> None:
    class Counting(nv.Perceptron):
        updates = 0

        def update(self, x: Any, y: int, /, weight: float = 1.0) -> None:
            self.updates += 1
            super().update(x, y, weight)

    learner = Counting()
    try:
        run = nv.play(learner, nv.stream(X, y))
    finally:
        nv.Learner.kinds.pop("Counting")
    assert learner.updates == 500
    plain = nv.play(nv.Perceptron(), nv.stream(X, y)).ledger
    assert run.ledger.mistake_rounds.tolist() == plain.mistake_rounds.tolist()


def test_other_learners_cannot_write_into_the_data() -> None:
    class Vandal(Majority):
        def update(self, x: Any, label: int) -> None:
            x *= 0

    with pytest.raises(ValueError, match="read-only"):
        nv.play(Vandal(), nv.stream(X.copy(), y))


def test_passes_over_one_stream_add_up() -> None:
    source = nv.stream(X, y)
    run = nv.Run(nv.Perceptron(), digest=True).play(source)
    digest = run.ledger.digest
    run.play(source, passes=2)
    assert run.ledger.passes == 3
    assert run.ledger.digest == digest
    rounds = list(zip(X, y, strict=True))
    again = nv.Run(nv.Perceptron()).play(rounds).play(rounds)
    assert again.ledger.passes == 2


def test_an_unfinished_pass_is_digested_as_it_was_played() -> None:
    def stop(_: nv.Progress) -> None:
        raise KeyboardInterrupt

    rows, labels = np.tile(X, (60, 1)), np.tile(y, 60)
    source = nv.stream(rows, labels)
    run = nv.Run(nv.Perceptron(), digest=True)
    with pytest.raises(KeyboardInterrupt):
        run.play(source, progress=stop)
    part = run.ledger.rounds
    assert 0 < part < len(rows)
    run.play(source)
    played = np.vstack([rows[:part], rows]), np.concatenate([labels[:part], labels])
    assert run.ledger.digest == _digest(*played, "<b")
    assert run.ledger.passes == 2


def test_nothing_learned_predicts_nothing() -> None:
    with pytest.raises(nv.InputError, match="expected a run that has learned something"):
        nv.Run(nv.Perceptron()).predict(X)
    with pytest.raises(nv.ParameterError, match="which has a hypothesis"):
        nv.Run(Majority()).hypothesis()
    with pytest.raises(nv.ParameterError, match="progress: expected True, or a function"):
        nv.play(nv.Perceptron(), nv.stream(X, y), progress=5)  # type: ignore[arg-type]
    with pytest.raises(nv.ParameterError, match="learner: expected an object"):
        nv.Run(nv.Perceptron)


def test_memory_that_runs_out_changes_nothing() -> None:
    for make in (nv.AveragedPerceptron, nv.VotedPerceptron):
        program = (
            "import resource, numpy as np, novikoff as nv\n"
            f"run = nv.Run(nv.{make.__name__}())\n"
            "run.learn(([0], [1.0]), -1)\n"
            "size = int(open('/proc/self/statm').read().split()[0]) * 4096\n"
            "far = 2**27\n"
            "resource.setrlimit(resource.RLIMIT_AS, (size + 2 * far,) * 2)\n"
            "for _ in range(2):\n"
            "    try:\n"
            "        run.learn(([far - 1], [1.0]), -1)\n"
            "    except MemoryError:\n"
            "        print('refused')\n"
            "run.learn(([0], [-1.0]), -1)\n"
            "print(run.ledger.rounds)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )
        assert done.stdout.split() == ["refused", "refused", "2"]
