"""``cluster.play``: what is learned depends on data, shards and epochs alone."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from novikoff import cluster

ROWS, SHARDS, EPOCHS = 120, 3, 4


def noisy() -> tuple[Any, Any]:
    rng = np.random.default_rng(7)
    X = rng.integers(-30, 31, (ROWS, 5)) / 10
    return X, np.where((X[:, 0] > X[:, 1]) ^ (rng.random(ROWS) < 0.1), 1, -1)


def assert_same(found: nv.Run, expected: nv.Run) -> None:
    """The same bits of weights, ledger and certificate."""
    a, b = found.learner.state(), expected.learner.state()
    assert a.keys() == b.keys()
    assert all(np.array_equal(a[name], b[name]) for name in a)
    (_, a), (_, b) = found.ledger.state(), expected.ledger.state()
    assert all(np.array_equal(a[name], b[name]) for name in a)


LEARNERS = {
    "perceptron": nv.Perceptron,
    "averaged": lambda: nv.AveragedPerceptron(ties="mistake", bias=0.5),
    "classes": lambda: nv.MulticlassPerceptron(bias=0.5),
    "averaged-classes": lambda: nv.MulticlassPerceptron(averaged=True),
}


@pytest.mark.parametrize("make", LEARNERS.values(), ids=LEARNERS)
@pytest.mark.parametrize("shards", [1, 2, 3, 7])
def test_shards_learn_what_one_learner_does_row_by_row(make: Any, shards: int) -> None:
    X, y = noisy()
    y = np.array(["c", "a", "b"])[X[:, :3].argmax(axis=1)] if make().multiclass else y
    rounds = nv.stream(X, y)
    run = cluster.play(make(), rounds, shards=shards, epochs=EPOCHS)
    one = nv.play(make().in_shards(run.learner.shards, len({*y})), rounds, passes=EPOCHS)
    a, b = run.learner.state(), one.learner.state()
    assert all(np.array_equal(a[name], b[name]) for name in a)
    assert run.ledger.mistake_rounds.tolist() == one.ledger.mistake_rounds.tolist()
    assert (run.ledger.rounds, run.ledger.passes) == (EPOCHS * ROWS, EPOCHS)
    assert run.ledger.mistakes_by_label == one.ledger.mistakes_by_label
    assert run.ledger.mistake_energy == pytest.approx(one.ledger.mistake_energy)
    assert run.predict(X).tolist() == one.predict(X).tolist()
    assert nv.verify(nv.certify(run), rounds).verified


def test_mistakes_are_known_by_shard_and_epoch() -> None:
    X, y = noisy()
    run = cluster.play(nv.Perceptron(), nv.stream(X, y), shards=SHARDS, epochs=EPOCHS)
    table = cluster.mistakes_by_shard(run)
    assert table.shape == (EPOCHS, SHARDS)
    assert table.sum() == run.mistakes
    first = nv.play(nv.Perceptron(), nv.stream(X[:40], y[:40]))
    assert table[0, 0] == first.mistakes


def written(folder: Path, files: int) -> list[Path]:
    """Files of words; later ones have words that earlier ones lack."""
    rng = np.random.default_rng(1)
    paths = []
    for k in range(files):
        words = [rng.choice(list("abcdefghij"[k : k + 5]), 3) for _ in range(15)]
        lines = [f"{'spam' if min(ws) < 'd' else 'ham'}\t{' '.join(ws)}\n" for ws in words]
        paths.append(folder / f"{k}.txt")
        paths[-1].write_text("".join(lines))
    return paths


@pytest.mark.parametrize("shards", [1, 2, 3, 5, 8])
def test_names_get_the_numbers_that_one_learner_gives_them(tmp_path: Path, shards: int) -> None:
    """Five files: eight shards divide rows, fewer divide files."""
    written(tmp_path, 5)
    rounds = nv.read(str(tmp_path / "*.txt"), positive="spam")
    run = cluster.play(nv.Perceptron(), rounds, shards=shards, epochs=2)
    one = nv.play(nv.Perceptron().in_shards(run.learner.shards), rounds, passes=2)
    a, b = run.learner.state(), one.learner.state()
    assert all(np.array_equal(a[name], b[name]) for name in a)
    assert len(run.learner.shards) == shards
    assert nv.verify(nv.certify(run), rounds).verified
    assert run.predict_one({"a": 1.0}) == one.predict_one({"a": 1.0}) == "spam"


def test_hashed_names_need_no_dictionary(tmp_path: Path) -> None:
    written(tmp_path, 3)
    rounds = nv.read(str(tmp_path / "*.txt"), positive="spam")
    learner = nv.Perceptron(hashing=nv.Hashing(8))
    run = cluster.play(learner, rounds, shards=3, epochs=2)
    one = nv.play(learner.in_shards(run.learner.shards), rounds, passes=2)
    assert run.ledger.mistake_rounds.tolist() == one.ledger.mistake_rounds.tolist()
    assert nv.verify(nv.certify(run), rounds).verified


def test_tables_are_read_as_the_first_file_is(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,colour,label\n1,red,1\n-1,blue,-1\n")
    (tmp_path / "b.csv").write_text("x,colour,label\n2,7,1\n-2,blue,-1\n")
    rounds = nv.read(str(tmp_path / "*.csv"))
    run = cluster.play(nv.Perceptron(), rounds, shards=2, epochs=3)
    one = nv.play(nv.Perceptron().in_shards([2, 2]), rounds, passes=3)
    a, b = run.learner.state(), one.learner.state()
    assert all(np.array_equal(a[name], b[name]) for name in a)


def test_a_play_goes_on_after_its_last_epoch(tmp_path: Path) -> None:
    X, y = noisy()
    rounds = nv.stream(X, y)
    whole = cluster.play(nv.AveragedPerceptron(), rounds, shards=SHARDS, epochs=EPOCHS)
    for epochs in (1, 3, EPOCHS, 2):
        run = cluster.play(
            nv.AveragedPerceptron(), rounds, shards=SHARDS, epochs=epochs, folder=tmp_path
        )
    assert_same(run, whole)
    with pytest.raises(nv.InputError, match="Name another folder"):
        cluster.play(nv.AveragedPerceptron(), rounds, shards=2, folder=tmp_path)


DYING = """
import os, signal, sys
sys.path[:0] = [{tests!r}]
from test_mixed_play import EPOCHS, SHARDS, noisy
import novikoff as nv
from novikoff import cluster

def die(progress):
    if progress.rounds >= {rounds}:
        os.kill(os.getpid(), signal.SIGKILL)

cluster.play(nv.Perceptron(), nv.stream(*noisy()), shards=SHARDS, epochs=EPOCHS,
             folder={folder!r}, progress=die, address={address!r})
"""


def dies(folder: Path, rounds: int, address: str | None = None) -> None:
    """Play in another process, which is killed in the middle of an epoch."""
    tests = os.path.dirname(__file__)
    script = DYING.format(tests=tests, rounds=rounds, folder=str(folder), address=address)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


@pytest.mark.parametrize("rounds", [40, ROWS, 2 * ROWS + 40, EPOCHS * ROWS])
def test_an_epoch_is_committed_or_it_never_happened(tmp_path: Path, rounds: int) -> None:
    """The driver is killed in an epoch, or after its last shard and before the commit."""
    dies(tmp_path, rounds)
    stream = nv.stream(*noisy())
    run = cluster.play(nv.Perceptron(), stream, shards=SHARDS, epochs=EPOCHS, folder=tmp_path)
    assert_same(run, cluster.play(nv.Perceptron(), stream, shards=SHARDS, epochs=EPOCHS))


def test_ctrl_c_keeps_the_last_epoch(tmp_path: Path) -> None:
    rounds = nv.stream(*noisy())

    def stop(progress: nv.Progress) -> None:
        if progress.rounds > 2 * ROWS:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match=r"after 2 epochs"):
        cluster.play(
            nv.Perceptron(), rounds, shards=SHARDS, epochs=EPOCHS, folder=tmp_path, progress=stop
        )
    run = cluster.play(nv.Perceptron(), rounds, shards=SHARDS, epochs=2, folder=tmp_path)
    assert_same(run, cluster.play(nv.Perceptron(), rounds, shards=SHARDS, epochs=2))


REFUSED: dict[str, tuple[Any, str]] = {
    "blend": (nv.Blend(), "got Blend, whose mean"),
    "voted": (nv.VotedPerceptron(), "got VotedPerceptron, whose votes"),
    "minnow": (nv.Minnow(0.4), "got Minnow, whose weights"),
    "kernel": (nv.KernelPerceptron(nv.rbf(1.0)), "got KernelPerceptron, whose"),
    "transforms": (nv.Perceptron(transforms=[nv.Scale()]), "without transforms"),
}


@pytest.mark.parametrize(("learner", "said"), REFUSED.values(), ids=REFUSED)
def test_learners_without_a_theorem_are_refused_by_name(learner: Any, said: str) -> None:
    with pytest.raises(nv.HypothesisError, match=said):
        cluster.play(learner, nv.stream(*noisy()), shards=2)


def test_bad_arguments_are_refused(tmp_path: Path) -> None:
    rounds = nv.stream(*noisy())
    with pytest.raises(nv.ParameterError, match="shards: expected a whole number"):
        cluster.play(nv.Perceptron(), rounds, shards=0)
    with pytest.raises(nv.InputError, match="shards: expected at most 120"):
        cluster.play(nv.Perceptron(), rounds, shards=121)
    with pytest.raises(nv.ParameterError, match="epochs"):
        cluster.play(nv.Perceptron(), rounds, shards=2, epochs=0)
    with pytest.raises(nv.ParameterError, match="workers: expected None without an address"):
        cluster.play(nv.Perceptron(), rounds, shards=2, workers=2)
    used = nv.play(nv.Perceptron(), rounds).learner
    with pytest.raises(nv.ParameterError, match="one that has learned nothing"):
        cluster.play(used, rounds, shards=2)
    (tmp_path / "a.svm").write_text("1 1:1\n")
    (tmp_path / "b.svm").write_text("\n")
    with pytest.raises(nv.InputError, match="shard 2: expected rows"):
        cluster.play(nv.Perceptron(), str(tmp_path / "*.svm"), shards=2)
