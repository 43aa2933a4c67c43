"""Every run has a page: without a mistake, of one round, of any learner, with any words."""

import html
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from novikoff.comparators.histogram import histogram
from novikoff.reports.facts import gathered
from report_pages import noisy, page_of


def test_several_passes_have_no_band(tmp_path: Path) -> None:
    run = nv.play(nv.Perceptron(), noisy(), passes=3)
    page, outline = page_of(tmp_path, run, bounds=nv.bounds(run))
    assert "passes 3" in outline.text
    assert "δ" not in outline.text
    assert "anytime error" not in page


def test_runs_without_a_mistake_and_of_one_round_have_a_page(tmp_path: Path) -> None:
    clean = nv.play(nv.Perceptron(), nv.stream([[1.0], [2.0]] * 20, [1, 1] * 20))
    _, outline = page_of(tmp_path, clean, bounds=nv.bounds(clean), certificate=nv.certify(clean))
    assert "mistakes 0" in outline.text
    assert "error rate 0 %" in outline.text
    for label in (-1, 1):
        one = nv.play(nv.Perceptron(), nv.stream([[1.0, 2.0]], [label]))
        _, outline = page_of(tmp_path, one, bounds=nv.bounds(one), certificate=nv.certify(one))
        assert "rounds 1 " in outline.text
    zeros = nv.play(nv.Perceptron(), nv.stream([[0.0], [0.0]], [1, -1]))
    page_of(tmp_path, zeros, bounds=nv.bounds(zeros))


def test_a_learner_of_somebody_else_has_a_page(tmp_path: Path) -> None:
    class Stubborn:
        def predict(self, x: Any) -> int:
            return 1

        def update(self, x: Any, y: Any) -> None:
            pass

    run = nv.play(Stubborn(), noisy())
    _, outline = page_of(tmp_path, run)
    assert "learner Stubborn" in outline.text
    assert "What weighs most" not in outline.text
    assert "the learner had learned from none of them before" in outline.text


@pytest.mark.parametrize(
    "make", [nv.VotedPerceptron, nv.AveragedPerceptron, lambda: nv.BalancedMinnow(0.1)]
)
def test_other_learners_have_a_page(tmp_path: Path, make: Any) -> None:
    run = nv.play(make(), noisy())
    _, outline = page_of(tmp_path, run, bounds=nv.bounds(run), certificate=nv.certify(run))
    assert run.ledger.learner in outline.text
    assert ("What weighs most" in outline.text) == (make is not nv.VotedPerceptron)


def test_many_classes_are_limited(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 40, 400)
    X = np.eye(40)[y] + 0.3 * rng.standard_normal((400, 40))
    page, outline = page_of(tmp_path, nv.play(nv.MulticlassPerceptron(), nv.stream(X, y)))
    assert page.count("<small>class</small>") == 12
    assert "And 28 classes more." in outline.text
    assert "and 28 more" in outline.text


NASTY = [
    "</title><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "x' onload='y", "&amp;",
    "עברית", "日本語", "\u202eright to left", "\x00\x1b[31m", "\ud800", "w" * 5000, "a b\nc", "",
]  # fmt: skip


def test_words_of_the_user_stay_words(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    names = [name for name in NASTY if name not in ("", "\ud800")]
    rows = [dict(zip(names, rng.standard_normal(len(names)), strict=True)) for _ in range(60)]
    for no, yes in zip(NASTY, NASTY[1:] + NASTY[:1], strict=True):
        labels = [yes if sum(row.values()) > 0 else no for row in rows]
        run = nv.play(nv.Perceptron(), nv.stream(rows, labels, positive=yes))
        page, outline = page_of(tmp_path, run, bounds=nv.bounds(run), title=yes)
        assert not outline.tags("script")
        assert not outline.tags("img")
        assert len(page) < 200_000
        for found in re.findall(r"<bdi>(.*?)</bdi>", page, re.DOTALL):
            assert len(html.unescape(found)) <= 200
            assert html.unescape(found).isprintable()


def test_bounds_carry_the_margins_of_their_comparator() -> None:
    stream = noisy()
    run = nv.play(nv.Perceptron(bias=-0.5), stream, passes=2)
    (rows, labels, _), *_ = ((*r, None)[:3] for r in stream.blocks())
    for bound in nv.bounds(run):
        w, constant = np.zeros(5), 0.0
        for j, value in bound.comparator["w"]:
            if j < 0:
                constant = value
            else:
                w[j] = value
        X = np.array([rows.row(t) for t in range(len(rows))])
        margins = np.where(np.array(labels) == "spam", 1, -1) * (X @ w - 0.5 * constant)
        found = bound.margins
        assert found is not None
        assert sum(found.counts) == 400  # one pass
        width = (found.high - found.low) / 64
        for place in (0.0, 1.0):
            k = int(np.clip((place - found.low) / width, 0, 64))
            below = int((margins < place).sum())
            assert sum(found.counts[:k]) - 1 <= below <= sum(found.counts[: k + 1]) + 1


def test_the_last_bar_says_what_it_holds(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    X = rng.standard_normal((500, 2))
    y = np.where(X[:, 0] + 0.3 * rng.standard_normal(500) > 0, 1, -1)
    X[:2] *= 0.1
    run = nv.play(nv.Perceptron(), nv.stream(X, y))
    values = np.append(y * X[:, 0], [50.0, 60.0, -40.0])
    bound = nv.Bound("hinge-tight", 500.0, run.mistakes, margins=histogram(values))
    _, outline = page_of(tmp_path, run, bounds=[bound])
    assert "The first bar includes 1 row below" in outline.text
    assert "The last bar includes 2 rows above" in outline.text


def test_a_long_run_is_drawn_with_few_points() -> None:
    rng = np.random.default_rng(4)
    X = rng.standard_normal((200_000, 2))
    long = nv.play(nv.Perceptron(), nv.stream(X, rng.choice([-1, 1], 200_000)))
    rounds, made = gathered(long, None, None, None, 0.05).curve()
    assert len(rounds) < 400
    assert (rounds[-1], made[-1]) == (200_000, long.mistakes)
    assert np.array_equal(made, np.searchsorted(long.ledger.mistake_rounds, rounds, side="right"))
    for t in long.ledger.mistake_rounds[:3]:
        assert t in rounds
