"""Files in the wrong order are refused with the command that has them right."""

import pytest

from commands import Call


@pytest.mark.parametrize("verb", ["predict", "test", "report", "certify"])
def test_data_before_the_model(call: Call, verb: str) -> None:
    assert call("learn a.svm --save a.model").code == 0
    said = call(f"{verb} a.svm a.model")
    assert said.code == 2
    assert said.err.endswith(
        "a.svm: expected a saved model, got another file, but a.model is a saved model: the two "
        f"look swapped. Say novikoff {verb} a.model a.svm.\n"
    )
    assert "swapped" not in call(f"{verb} a.model a.svm").err
    assert "swapped" not in call(f"{verb} a.svm a.svm").err
    assert "swapped" not in call(f"{verb} missing a.model").err


def test_data_before_the_certificate(call: Call) -> None:
    assert call("learn a.svm --certify c.json").code == 0
    said = call("verify a.svm c.json")
    assert said.code == 2
    assert said.err.endswith(
        "a.svm: expected a certificate, got another file, but c.json is a certificate: the two "
        "look swapped. Say novikoff verify c.json a.svm.\n"
    )
    assert call("verify c.json a.svm").code == 0
    assert call("verify a.svm a.svm").code != 0
