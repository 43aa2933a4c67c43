"""Rows at the ends of float64: a certificate that holds, or an error that says why not."""

from pathlib import Path

import pytest

from commands import Call

TWO_DAYS = {
    "perceptron": ("--learner perceptron", "-1 1:-5e126", "-1 1:-2.5e-288", 0),
    "gradient-descent": ("--learner gradient-descent --rate 0.5", "-1 1:1e292", "1 1:1.6e-215", 1),
}


@pytest.mark.parametrize("name", TWO_DAYS)
def test_weights_far_from_the_next_rows(name: str, call: Call, tmp_path: Path) -> None:
    options, first, second, code = TWO_DAYS[name]
    one, two = tmp_path / "1.svm", tmp_path / "2.svm"
    one.write_text(first + "\n")
    two.write_text(second + "\n")
    call(f"learn {one} {options} --save {tmp_path}/1.model")
    asked = f"learn {two} --resume {tmp_path}/1.model --save {tmp_path}/2.model --certify c.json"
    done = call(asked)
    assert done.code == code, done.err
    assert "Traceback" not in done.err
    if code == 0:
        verified = call(f"verify c.json {two} --start {tmp_path}/1.model")
        assert verified.out.startswith("verified")
    else:
        assert "expected sums within float64" in done.err


def test_moments_that_floats_take_for_singular(call: Call, tmp_path: Path) -> None:
    data = tmp_path / "r.svm"
    data.write_text("0.5 1:395228.9 2:-13610594.0\n")
    learner = "--learner forward-regression --ridge 9.313225746154785e-10"
    done = call(f"learn {data} {learner} --certify c.json")
    assert done.code == 0, done.err
    assert call(f"verify c.json {data}").out.startswith("verified: vaw")


def test_the_model_that_a_receipt_begins_from_is_not_overwritten(call: Call) -> None:
    call("learn a.svm --save m.model")
    before = Path("m.model").read_bytes()
    done = call("learn b.svm --resume m.model --save m.model --certify c.json")
    assert done.code == 2
    assert "verify needs the model as it was" in done.err
    assert Path("m.model").read_bytes() == before
