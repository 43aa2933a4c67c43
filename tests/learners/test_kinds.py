"""Kinds: a class is found by its name, though nobody has imported it yet."""

import subprocess
import sys
from pathlib import Path

import pytest

import novikoff as nv


def ran(program: str, *arguments: str) -> str:
    """Return what a program prints in a process of its own."""
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("learner", [nv.Arow(), nv.AveragedPerceptron(), nv.MulticlassPerceptron()])
def test_a_model_loads_in_a_process_that_has_imported_no_learner(
    learner: nv.Learner, tmp_path: Path
) -> None:
    run = nv.play(learner, [((1, 0), 1), ((0, 1), 0), ((1, 1), 1)])
    run.save(tmp_path / "run")
    learner.save(tmp_path / "learner")
    run.hypothesis().save(tmp_path / "hypothesis")
    program = (
        "import sys, novikoff as nv\nfolder = sys.argv[1]\n"
        "run = nv.Run.load(folder + '/run')\n"
        "learner = nv.Learner.load(folder + '/learner')\n"
        "print(run, learner, nv.Hypothesis.load(folder + '/hypothesis'))"
    )
    assert ran(program, str(tmp_path)) == f"{run} {learner} {run.hypothesis()}\n"


def test_a_class_of_ours_keeps_its_name() -> None:
    """A user's class of the same name, made before ours is imported, is not loaded instead."""
    program = (
        "import novikoff as nv\nclass Perceptron(nv.Learner): pass\nclass Other(nv.Learner): pass\n"
        "kinds = nv.Learner.kinds\n"
        "print(kinds['Perceptron'].__module__, kinds['Other'].__module__, 'Strange' in kinds)"
    )
    assert ran(program) == "novikoff.learners.linear.perceptron __main__ False\n"


def test_a_name_that_is_no_class_is_refused() -> None:
    for name in ("plays_blocks", "Strange", "Halfspace"):
        assert name not in nv.Learner.kinds
        with pytest.raises(KeyError):
            nv.Learner.kinds[name]
