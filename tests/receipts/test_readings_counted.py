"""Certifying reads the data at most three times, the learner's own pass included."""

import json
from pathlib import Path
from typing import Any

import pytest

import novikoff as nv
from novikoff.cli import main
from novikoff.streams import FileStream

ROWS = "".join(f"{y} 1:{a} 2:{b}\n" for y, a, b in [(1, 1, 2), (-1, 1, -1), (-1, -2, 0.25)] * 4)
CLASSES = ROWS + ROWS.replace("-1 1:1 ", "2 1:1 ")
LEARNERS: dict[str, tuple[Any, str]] = {
    "perceptron": (nv.Perceptron(), ROWS),
    "multiclass-perceptron": (nv.MulticlassPerceptron(), CLASSES),
    "minnow": (nv.Minnow(0.5), ROWS),
    "kernel-perceptron": (nv.KernelPerceptron(nv.rbf(0.5)), ROWS),
    "adaptive-gradient": (nv.AdaptiveGradient(), ROWS),
    "gradient-descent": (nv.GradientDescent(0.5), ROWS),
    "coin-betting": (nv.CoinBetting(), ROWS),
    "blend": (nv.Blend(), ROWS),
    "forward-regression": (nv.ForwardRegression(), ROWS),
}


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count how often a file is read."""
    count = [0]
    blocks = FileStream.blocks

    def counted(self: FileStream) -> Any:
        count[0] += 1
        return blocks(self)

    monkeypatch.setattr(FileStream, "blocks", counted)
    return count


@pytest.mark.parametrize("name", sorted(LEARNERS))
def test_a_run_and_its_certificate_read_the_file_three_times_at_most(
    name: str, readings: list[int], tmp_path: Path
) -> None:
    learner, text = LEARNERS[name]
    path = tmp_path / "d.svm"
    path.write_text(text)
    run = nv.play(learner, nv.read(path))
    certificate = nv.certify(run)
    assert readings[0] <= 3
    assert nv.verify(certificate, nv.read(path)).verified


@pytest.mark.parametrize(("passes", "said"), [(1, "twice"), (2, "3 times")])
def test_the_command_line_says_how_often(
    passes: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "d.svm"
    path.write_text(ROWS)
    learn = ["learn", str(path), "--learner", "perceptron", "--passes", str(passes), "--certify"]
    assert main(learn) == 0
    assert f".certificate.json (read the data {said})\n" in capsys.readouterr().out
    assert main([*learn, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["readings"] == passes + 1
