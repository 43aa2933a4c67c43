"""The quality table: its measures, its rounds, everybody's way of playing them, its goals."""

import gzip
import json
import math
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import novikoff as nv
from reproductions import (
    quality,
    quality_goals,
    quality_learners,
    quality_measures,
    quality_peers,
    quality_sets,
)
from reproductions.quality_cache import Cache
from reproductions.quality_goals import Found
from reproductions.quality_measures import Guesses, Scores
from reproductions.quality_peers import Peer, Played


def test_log_loss_is_the_mean_surprise() -> None:
    """(ln 2 + ln 4)/2, and a certainty that fails costs 34.5 rather than ∞."""
    assert quality_measures.log_loss(np.array([0.5, 0.25])) == pytest.approx(1.5 * math.log(2))
    assert quality_measures.log_loss(np.array([0.0])) == pytest.approx(15 * math.log(10))


def test_calibration_error_has_fifteen_bins_of_equal_mass() -> None:
    """Pairs of neighbours with one outcome of two: each bin is off by |its mean p − ½|."""
    p = np.arange(30) / 30
    happened = np.arange(30) % 2 == 0
    by_hand = sum(abs((2 * b + 0.5) / 30 - 0.5) for b in range(15)) / 15
    shuffled = np.random.default_rng(0).permutation(30)
    found = quality_measures.calibration_error(p[shuffled], happened[shuffled])
    assert found == pytest.approx(by_hand)


def test_calibration_error_does_not_depend_on_the_order_of_equal_probabilities() -> None:
    p, happened = np.full(60, 0.3), np.arange(60) < 30
    assert quality_measures.calibration_error(p, happened) == pytest.approx(0.2)
    assert quality_measures.calibration_error(p, happened[::-1]) == pytest.approx(0.2)
    assert quality_measures.calibration_error(p[:2], happened[:2]) == pytest.approx(0.7)


def test_guesses_are_judged_by_the_labels_that_came() -> None:
    two = quality_measures.judged(
        Guesses(np.array([1, 1, -1, -1]), np.array([0.8, 0.5, 0.4, 0.1])), np.array([1, -1, -1, 1])
    )
    assert two.error == 0.5
    assert two.log_loss == pytest.approx(-math.log(0.8 * 0.5 * 0.6 * 0.1) / 4)
    shares = np.array([[0.7, 0.2, 0.1], [0.3, 0.3, 0.4]])
    many = quality_measures.judged(Guesses(np.array([0, 2]), shares), np.array([0, 1]))
    assert many.error == 0.5
    assert many.log_loss == pytest.approx(-math.log(0.7 * 0.3) / 2)
    assert many.calibration == pytest.approx((0.3 + 0.4) / 2)
    assert quality_measures.judged(Guesses(np.array([1])), np.array([1]))[1:3] == (None, None)


def test_ratios_count_half_an_error_more_so_that_none_is_allowed() -> None:
    clean, one = Scores(0.0, 0.2, None, 10), Scores(0.1, 0.1, 0.5, 10)
    assert quality_measures.ratio(clean, one, "error") == pytest.approx(0.5 / 1.5)
    assert quality_measures.ratio(clean, one, "log_loss") == pytest.approx(2)
    assert quality_measures.ratio(clean, one, "calibration") is None
    assert quality_measures.geometric_mean([0.5, 8]) == pytest.approx(2)


def _stream(count: int = 60, classes: int = 2) -> quality_sets.Rounds:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((count, 3)) * [1, 100, 0.01]
    y = rng.integers(classes, size=count) if classes > 2 else np.where(X[:, 0] > 0, 1, -1)
    X[:, 1] += 100 * y
    return quality_sets.arranged(X, y, in_order=True)


def test_rounds_are_arranged_by_the_seed_of_the_table() -> None:
    X, y = np.array([[0.0, 1], [2, 0], [3, 4]]), ["b", "c", "a"]
    rounds, order = quality_sets.arranged(X, y, in_order=False), np.random.default_rng(0)
    assert rounds.order.tolist() == order.permutation(3).tolist()
    assert rounds.X.toarray().tolist() == X[rounds.order].tolist()
    assert rounds.y.tolist() == [[1, 2, 0][t] for t in rounds.order]
    assert rounds.X.nnz == 4
    assert quality_sets.arranged(X, [1, -1, 1], in_order=True).y.tolist() == [1, -1, 1]


def test_every_row_label_and_place_is_in_the_digest() -> None:
    rounds = _stream()
    changed = [rounds.y.copy(), rounds.X.copy(), rounds.X.copy()]
    changed[0][-1] *= -1
    changed[1].data[-1] += 1
    changed[2].indices[:2] = changed[2].indices[1::-1]
    others = [
        rounds._replace(y=changed[0]),
        rounds._replace(X=changed[1]),
        rounds._replace(X=changed[2]),
        quality_sets.Rounds(rounds.X[::-1], rounds.y[::-1], rounds.order),
        quality_sets.Rounds(rounds.X[:-1], rounds.y[:-1], rounds.order),
    ]
    assert len({rounds.digest(), *(other.digest() for other in others)}) == 6


def test_the_cache_never_gives_the_predictions_for_other_rows(tmp_path: Path) -> None:
    rounds, asked = _stream(), []

    def play(given: quality_sets.Rounds, cut: int) -> Played:
        asked.append(cut)
        return Played(None, Guesses(given.y[cut:], given.y[cut:] / 2 + len(asked)))

    peer, cache = Peer(play, "numpy"), Cache(tmp_path)
    first = cache.played(("a", "b"), peer, rounds, 48)
    (file,) = tmp_path.iterdir()
    again = cache.played(("a", "b"), peer, rounds, 48)
    assert asked == [48]
    assert again.progressive is None
    assert again.held_out.labels.tolist() == first.held_out.labels.tolist()
    assert again.held_out.probabilities is not None
    assert again.held_out.probabilities.tolist() == (first.held_out.labels / 2 + 1).tolist()
    cache.played(("a", "b"), peer, rounds, 50)
    cache.played(("a", "b"), peer, rounds._replace(y=-rounds.y), 48)
    cache.played(("a", "b"), peer._replace(package="river"), rounds, 48)
    cache.played(("a", "c"), peer, rounds, 48)
    assert len(asked) == 5
    other = next(path for path in tmp_path.iterdir() if path != file)
    other.replace(file)  # a moved file is about something else
    cache.played(("a", "b"), peer, rounds, 48)
    assert len(asked) == 6


Play = Callable[[quality_sets.Rounds, int], Played]


def _players() -> dict[str, tuple[Play, int, str]]:
    """Everybody in the table, with a number of classes and the module that must be there."""
    modules = {"vowpal-wabbit-next": "vowpal_wabbit_next", "scikit-learn": "sklearn"}
    found: dict[str, tuple[Play, int, str]] = {}
    for classes, peers, ours in (
        (2, quality_peers.TWO, quality_learners.TWO),
        (3, quality_peers.MANY, quality_learners.MANY),
    ):
        for name, peer in peers.items():
            found[name] = peer.play, classes, modules.get(peer.package, peer.package)
        for name, make in ours.items():
            play = partial(quality_learners.play, make, many=classes > 2)
            found[f"our {name}, {classes} classes"] = play, classes, "novikoff"
    return found


@pytest.mark.parametrize("name", _players())
def test_nobody_sees_a_label_before_predicting_it(name: str) -> None:
    """Other labels from round 41 on change no guess up to it, and other held-out ones none."""
    play, classes, module = _players()[name]
    pytest.importorskip(module, reason="a peer")
    rounds = _stream(classes=classes)
    y = rounds.y.copy()
    y[40:] = -y[40:] if classes == 2 else (y[40:] + 1) % classes
    found, other = play(rounds, 40), play(rounds._replace(y=y), 40)
    pairs = [(found.held_out, other.held_out, 20)]
    if found.progressive is not None and other.progressive is not None:
        assert len(found.progressive.labels) == 60
        pairs.append((found.progressive, other.progressive, 41))
    for one, another, known in pairs:
        assert one.labels[:known].tolist() == another.labels[:known].tolist()
        if one.probabilities is not None and another.probabilities is not None:
            assert np.array_equal(one.probabilities[:known], another.probabilities[:known])
            assert ((one.probabilities >= 0) & (one.probabilities <= 1)).all()
            if classes > 2:
                assert one.probabilities.sum(axis=1) == pytest.approx(1, abs=1e-4)
    assert classes > 2 or found.held_out.labels.tolist().count(1) in range(1, 20)


@pytest.mark.parametrize("name", quality_learners.TWO)
def test_our_guesses_are_those_of_a_run(name: str) -> None:
    rounds, make = _stream(), quality_learners.TWO[name]
    run = nv.play(make(), nv.stream(rounds.X, rounds.y))
    played = quality_learners.play(make, rounds, 48, many=False)
    assert played.progressive is not None
    scores = quality_measures.judged(played.progressive, rounds.y)
    assert scores.error == pytest.approx(run.ledger.error_rate)
    if scores.log_loss is not None:
        assert scores.log_loss == pytest.approx(run.ledger.mean_loss)


def _found(**errors: float) -> Found:
    scores = {who.replace("_", " "): Scores(e, e, e, 100) for who, e in errors.items()}
    return Found(500, 3, 2, scores, scores)


def test_goals_are_met_by_beating_every_peer() -> None:
    peers = {"VW_logistic": 0.2, "VW_default": 0.3, "river_plain": 0.4, "river_scaled": 0.15}
    met = {
        goal.goal: goal.met
        for error in (0.1, 0.15)
        for goal in quality_goals.goals({"a9a": _found(mine=error, **peers)}, "mine")
        if error == 0.1 or "progressive" in goal.goal
    }
    assert met == {
        "a9a, progressive error below every peer": False,
        "a9a, progressive log loss below every peer": False,
        "held out, error over VW logistic's, geometric mean over 1 sets at most 0.78": True,
        "held out, log loss over VW logistic's, geometric mean over 1 sets at most 0.77": True,
        "a9a, held-out log loss below VW and river": True,
    }
    few = {"sonar": _found(mine=0.1, **peers), "heart": _found(mine=0.1, VW_logistic=0.3)}
    assert list(quality_goals.with_errors(few)) == ["heart"]
    assert quality_goals.mean_ratio(few, ("mine",), "log_loss") == pytest.approx(6**-0.5)
    tie = quality_goals.goals({"mnist_3_8": _found(mine=0.15, **peers)}, "mine")
    assert [goal.met for goal in tie[:2]] == [True, True]


def test_seven_of_eight_sets_with_many_classes_are_enough() -> None:
    results = {name: _found(mine=0.1, VW_oaa=0.2, SGD_standard=0.3) for name in quality_goals.EIGHT}
    results["letter"] = _found(mine=0.1, VW_oaa=0.05)
    (goal,) = quality_goals.goals(results, "mine")
    assert goal.met
    results["digits"] = _found(mine=0.2, VW_oaa=0.2)
    (goal,) = quality_goals.goals(results, "mine")
    assert not goal.met
    assert goal.detail == "6 of 8; not on letter, digits"


def test_the_quality_table_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two small files in the place of real sets: numbers as judged, with the command and date."""
    for module in ("vowpal_wabbit_next", "river", "sklearn"):
        pytest.importorskip(module, reason="a peer")
    for path, labels in (("sonar/Sonar.csv.gz", "MR"), ("satimage/Satellite.csv.gz", "abc")):
        (tmp_path / path).parent.mkdir()
        X = np.random.default_rng(0).standard_normal((100, 3))
        with gzip.open(tmp_path / path, "wt") as file:
            file.write("x,y,z,class\n")
            for t, (x, *rest) in enumerate(X.tolist()):
                kind = t % len(labels)
                file.write(f"{x + 2 * kind},{rest[0]},{rest[1]},{labels[kind]}\n")
    options = ["--sets", "sonar,satimage", "--data", str(tmp_path), "--cache", str(tmp_path / "c")]
    quality.main([*options, "--json"])
    said = json.loads(capsys.readouterr().out)
    rounds = quality_sets.load("sonar", tmp_path)
    learner = nv.Perceptron(bias=1.0)
    run = nv.play(learner, nv.stream(rounds.X, rounds.y))
    assert said["sets"]["sonar"]["progressive"]["perceptron"]["error"] == run.ledger.error_rate
    assert set(said["sets"]["sonar"]["held_out"]) == {*quality_learners.USUAL, *quality_peers.TWO}
    assert said["sets"]["satimage"]["classes"] == 3
    quality.main(options)
    page = capsys.readouterr().out
    error = 100 * run.ledger.error_rate
    assert re.search(rf"\| sonar \| 100 \| 3 \|.*\| {error:.2f} \|", page)
    loss = said["sets"]["sonar"]["progressive"]["VW logistic"]["log_loss"]
    assert f"/ {loss:.4f} /" in page
    assert "python -m reproductions.quality --sets sonar,satimage" in page


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--sets", "chosen,a10a"], "--sets: expected some of chosen, fresh, many, a9a"),
        (["--learners", "x,perceptron"], "--learners: expected some of .*, got x\\."),
        (["--data", "nowhere"], "nowhere: expected the folder of the sets, got none"),
    ],
)
def test_the_quality_table_says_what_it_expects(
    options: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        quality.planned(options)
    assert re.search(said, capsys.readouterr().err)


@pytest.mark.parametrize(
    ("name", "error"),
    [("svmguide1", 22.86), ("spambase", 47.23), ("mushrooms", 1.43), ("sms_spam", 3.98)],
)
def test_the_sets_are_those_of_the_first_quality_table(name: str, error: float, data: Path) -> None:
    """The perceptron's mistakes depend on every row and on the order of all."""
    pytest.importorskip("sklearn", reason="it reads the sets")
    rounds = quality_sets.load(name, data)
    run = nv.play(nv.Perceptron(bias=1.0), nv.stream(rounds.X, rounds.y))
    assert 100 * run.ledger.error_rate == pytest.approx(error, abs=0.005)
