"""Many classes take memory for the weights that are not 0, measured in processes of their own."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

MOST = {"plain": 200e6, "averaged": 260e6}  # bytes of a process that plays and saves
MANY = """
import sys
import novikoff as nv

rounds, model, averaged = sys.argv[1], sys.argv[2], sys.argv[3] == "averaged"
if averaged or sys.argv[3] == "plain":
    learner = nv.MulticlassPerceptron(averaged=averaged)
    run = nv.play(learner, nv.read(rounds))
    assert learner.core.is_listed
    run.save(model)
else:
    run = nv.Run.load(model)
    next_row = next(iter(nv.read(rounds).blocks())).rows.part(0, 100)
    assert len(set(run.predict(next_row))) > 90
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(int(peak.split()[1]) * 1024)
"""


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """20,000 rows of 30 of 20,000 features, each of a class of its own."""
    rng = np.random.default_rng(7)
    count = 20_000
    at = np.sort(rng.integers(0, count // 30, (count, 30)) * 30 + np.arange(30), axis=1)
    lines = (
        f"{k} " + " ".join(f"{j}:1" for j in row) + "\n"
        for k, row in zip(rng.permutation(count).tolist(), (at + 1).tolist(), strict=True)
    )
    path = tmp_path_factory.mktemp("many") / "many.svm"
    path.write_text("".join(lines))
    return path


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux to see memory")
@pytest.mark.parametrize("form", ["plain", "averaged"])
def test_twenty_thousand_classes_fit_in_little_memory(form: str, many: Path) -> None:
    """All weights would take 2.6 GB in floats. Each process is measured alone, from its start."""
    model = many.with_name(f"{form}.model")
    for step in (form, "load"):
        command = [sys.executable, "-c", MANY, str(many), str(model), step]
        found = subprocess.run(command, check=True, capture_output=True, text=True)
        assert int(found.stdout) < MOST[form], step
