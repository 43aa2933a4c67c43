"""The size of a constant feature: ``learn --bias auto``, and the remark on a large one."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file

import novikoff as nv
from commands import Call
from novikoff.receipts.remarks import about_run
from novikoff.streams.typical_values import typical_value
from reproductions import constants, sets

PAGE = Path(__file__).parents[2] / "docs" / "choosing.md"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _unit_rows(rounds: int = 1500, classes: int = 20) -> tuple[Any, Any]:
    """Rows of 30 words, 6 of them from the class's own 60, as unit vectors."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, classes, rounds)
    X = sp.lil_matrix((rounds, 60 * classes))
    for t, k in enumerate(y):
        X[t, rng.choice(60, 6, replace=False) + 60 * k] = 1
        X[t, rng.choice(60 * classes, 24, replace=False)] = 1
    X = X.tocsr()
    return X.multiply(1 / np.sqrt(X.multiply(X).sum(1))).tocsr(), y


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([[0.1, 0.0], [0.0, -0.15]], 0.125),  # √((0.01 + 0.0225)/2) = 0.127
        ([[1, 1, 0]], 1.0),
        ([[3.9], [-3.9]], 2.0),
        ([[4.0]], 4.0),
        ([[1e200], [1e200]], 2.0**300),
        ([[0.0]], 1.0),
        ([{"a": 0.3, "b": "text"}, {"a": 0.1}], 0.5),  # √((0.09 + 1 + 0.01)/3) = 0.61
    ],
)
def test_a_typical_value_is_a_power_of_two_below_the_root_mean_square(
    rows: Any, expected: float
) -> None:
    assert typical_value(nv.stream(rows, [1] * len(rows))) == expected


def test_a_typical_value_is_that_of_the_first_rows() -> None:
    stream = nv.stream([[1.0]] * 10 + [[64.0]] * 90, [1] * 100)
    assert typical_value(stream, rows=10) == 1
    assert typical_value(stream) == 32  # √((10 + 90·4096)/100) = 60.7


def test_a_constant_as_long_as_the_rows_costs_mistakes_and_auto_does_not(call: Call) -> None:
    X, y = _unit_rows()
    dump_svmlight_file(X, y, "t.svm", zero_based=False)
    made = {
        bias: call(f"learn t.svm --learner multiclass {bias} --json").json
        for bias in ("", "--bias 1", "--bias auto")
    }
    none, one, auto = (found["mistakes"] for found in made.values())
    assert one > 1.25 * none
    assert auto < 1.1 * none
    said = made["--bias auto"]
    assert said["parameters"]["bias"] == 0.125  # the largest power of two below 1/√30
    assert any("--bias auto is 0.125" in remark for remark in said["remarks"])
    assert any("about as long as the longest row" in r for r in made["--bias 1"]["remarks"])
    for bias in ("", "--bias auto"):
        assert not any("longest row" in remark for remark in made[bias]["remarks"])


def test_auto_is_a_number_in_models_and_certificates(call: Call) -> None:
    Path("t.csv").write_text("a,b,label\n0.3,0,1\n0,-0.3,0\n0.3,0.3,1\n")
    assert call("learn t.csv --bias auto --save m --certify c.json").code == 0
    assert nv.Run.load("m").learner.bias == 0.25
    assert call("verify c.json t.csv").code == 0
    assert call("learn t.csv --bias auto --resume m").code == 2
    assert call("learn t.csv --bias much").code == 2
    told = call("learn - --format csv --labels 0,1 --bias auto")
    assert told.code == 2
    assert "expected a number for standard input" in told.err


@pytest.mark.parametrize(
    ("learner", "remarked"),
    [
        (nv.MulticlassPerceptron(bias=1.0), True),
        (nv.MulticlassPerceptron(bias=0.25), False),
        (nv.MulticlassPerceptron(), False),
        (nv.Perceptron(bias=1.0), False),
        (nv.AdaptiveGradient(bias=1.0), False),
    ],
)
def test_the_remark_is_about_many_classes_and_long_constants(
    learner: nv.Learner, remarked: bool
) -> None:
    run = nv.play(learner, nv.stream([[0.6, 0.8], [1.0, 0.0], [0.0, 1.0]], [0, 1, 1]))
    assert any("longest row" in remark for remark in about_run(run)) == remarked


def test_a_line_of_the_table_is_measured(data: Path) -> None:
    if not (data / "snips_nlu").is_dir():
        pytest.skip("no snips_nlu among the datasets")
    line = constants.line("snips, tf-idf", sets.intents(data))
    assert line in PAGE.read_text(), "run: python -m reproductions.constants FOLDER"
