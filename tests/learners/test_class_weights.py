"""The weights of a mixture for many classes, from the program on its page."""

import numpy as np
import pytest

import novikoff as nv
from class_page import CLASSES, Played, class_data
from novikoff.learners import ClassBlendHypothesis


def test_a_weight_is_what_the_stack_s_score_gains_per_unit() -> None:
    """Σ_j ω_j (score of member j for class k), at the largest |x|, without the mean over k."""
    X, y = class_data()
    program = Played(X, y).program
    h = nv.play(nv.Blend(), nv.stream(X, y)).hypothesis()
    assert isinstance(h, ClassBlendHypothesis)
    weights, moves = h.weights(), h.moves()
    for i in range(X.shape[1]):
        largest = program.cells[i].m
        row = program.predict({i: largest}).row
        scores = np.zeros(CLASSES)
        for k in range(CLASSES):
            for j in range(4):
                scores[k] += program.stack[j + 2] * program.member_score(j, k, row)
            scores[k] += program.stack[6] * program.newton.w[i][k] * row[0].u
        scores -= scores.mean()
        for k, label in enumerate(weights):
            assert moves[label][i] == pytest.approx(abs(scores[k]), rel=1e-9)
            assert weights[label][i] == pytest.approx(scores[k] / largest, rel=1e-9)
    for label, top in h.top(3).items():
        order = sorted(moves[label], key=lambda i: -moves[label][i])
        assert [i for i, _ in top] == order[:3]
        assert top == [(i, weights[label][i]) for i in order[:3]]


def test_names_and_labels_are_the_user_s() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    rows = [{name: float(v) for name, v in zip("abc", row, strict=True)} for row in np.eye(3)[y]]
    h = nv.play(nv.Blend(), nv.stream(rows, np.array(["ash", "elm", "fir"])[y])).hypothesis()
    assert isinstance(h, ClassBlendHypothesis)
    own = dict(zip(("ash", "elm", "fir"), "abc", strict=True))
    for label, ((feature, weight), *_) in h.top(1).items():
        assert feature == own[str(label)]
        assert weight > 0
