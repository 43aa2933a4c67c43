"""The command line of experts and bandits: simulations, their pictures and certificates."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from novikoff.cli import main
from novikoff.receipts import remarks


def test_the_command_line_simulates_and_draws(tmp_path: Path, capsys: Any) -> None:
    picture = tmp_path / "regret.svg"
    words = ["simulate", "--learner", "exp3", "hedge", "--environment", "switching", "stochastic"]
    asked = [*words, "--rounds", "300", "--arms", "4", "--seeds", "5"]
    assert main([*asked, "--json", "--plot", str(picture)]) == 0
    found = json.loads(capsys.readouterr().out)["simulations"]
    assert [(f["learner"], f["environment"]) for f in found] == [
        ("Exp3", "switching"), ("Hedge", "switching"),
        ("Exp3", "stochastic"), ("Hedge", "stochastic"),
    ]  # fmt: skip
    assert found[0]["quantiles"]["1.0"] >= found[0]["quantiles"]["0.5"]
    assert found[1]["bound"] == pytest.approx(math.sqrt(150 * math.log(4)))
    assert picture.read_text().startswith("<?xml")
    assert main(asked) == 0
    assert "bound" in capsys.readouterr().out


def test_a_run_is_drawn_with_its_bound_the_same_every_time(tmp_path: Path) -> None:
    run = nv.play(nv.Hedge(3, horizon=200), np.random.default_rng(0).random((200, 3)))
    for name in ("a.svg", "b.svg"):
        nv.report(run, tmp_path / name)
    text = (tmp_path / "a.svg").read_text()
    assert "bound" in text
    assert "expected regret" in text
    assert text == (tmp_path / "b.svg").read_text()
    with pytest.raises(nv.ParameterError, match=r"ends in \.svg or \.png"):
        nv.report(run, tmp_path / "a.html")


def test_the_command_line_says_what_a_bandits_certificate_is_about(
    tmp_path: Path, capsys: Any
) -> None:
    losses, certificate = tmp_path / "losses.svm", tmp_path / "certificate.json"
    losses.write_text("1 1:0.5 2:0.25\n1 2:1\n1\n")
    run = nv.play(nv.Exp3(2), np.array([[0.5, 0.25], [0, 1], [0, 0]]))
    nv.certify(run).save(certificate)
    assert main(["verify", str(certificate), str(losses)]) == 0
    said = capsys.readouterr().out
    assert "draws in general" in said
    assert f"exp3, bound {remarks.shown(nv.bounds(run)[0].value)}" in said


@pytest.mark.parametrize("path", ["x.foo", "x"])
def test_a_plot_is_one_of_the_pictures_known(path: str, capsys: Any) -> None:
    assert main(["simulate", "--plot", path]) == 2
    assert "--plot: expected one of" in capsys.readouterr().err


def test_the_command_line_replays_a_file_of_losses(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "losses.csv"
    file.write_text("left,right\n" + "0,1\n1,0\n0,0.5\n" * 20)
    words = ["simulate", "--learner", "hedge", "--environment", str(file), "--seeds", "3"]
    assert main([*words, "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["simulations"]
    assert found["rounds"] == 60
    file.write_text("left,right\n0,1\n7,0\n")
    assert main(words) == 3
    assert "round 2: expected a loss in [0, 1]" in capsys.readouterr().err
    assert main(["simulate", "--environment", str(tmp_path / "none.csv")]) == 3


def test_a_bound_says_whether_it_is_on_the_mean_or_on_each_run(tmp_path: Path, capsys: Any) -> None:
    """Exp3's worst seeds exceed its bound, which is on the expectation; that is said everywhere."""
    names = ["exp3", "hedge", "randomized", "exp3p", "exp3ix", "weighted-majority"]
    words = ["simulate", "--learner", *names, "--environment", "switching", "--rounds", "2000"]
    asked = [*words, "--seeds", "50", "--plot", str(tmp_path / "regret.svg")]
    assert main([*asked, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    found = {one["learner"]: one for one in said["simulations"]}
    assert [one["bounds_on"] for one in found.values()] == [
        "expectation", "expectation", "expectation", "each run with probability 1 − δ",
        "each run with probability 1 − δ", "each run",
    ]  # fmt: skip
    exp3, hedge, certain = found["Exp3"], found["Hedge"], found["WeightedMajority"]
    assert exp3["quantiles"]["1.0"] > exp3["bound"] >= exp3["compared"] == exp3["pseudo_regret"]
    assert exp3["runs_above"] > 0
    assert (hedge["measure"], hedge["compared"]) == ("regret", hedge["expected_regret"])
    assert certain["compared"] == certain["quantiles"]["1.0"] <= certain["bound"]
    (remark,) = said["remarks"]
    assert remark.startswith(f"Exp3 in switching: {exp3['runs_above']} of 50 runs exceed")
    assert main(asked) == 0
    shown = capsys.readouterr()
    assert shown.err == f"remark: {remark}\n"
    for line in (
        "exp3 bounds the expected pseudo-regret: compare it with the mean over seeds (column "
        "pseudo), not with the worst run",
        "hedge bounds the expected regret: compare it with the mean over seeds (column mean), ",
        "exp3ix bounds the regret of each run with probability 0.95: about 0.05 of the runs may",
        "weighted-majority bounds the regret of every run\n",
    ):
        assert line in shown.out
    picture = (tmp_path / "regret.svg").read_text()
    for label in ("Exp3 (bound on the mean)", "Exp3IX (bound on 1 − δ of the runs)"):
        assert label in picture


def test_a_run_s_picture_says_what_its_bound_is_on(tmp_path: Path) -> None:
    losses = np.random.default_rng(0).random((200, 3))
    for learner, label in (
        (nv.Exp3(3, horizon=200), "bound on expected pseudo-regret"),
        (nv.Hedge(3, horizon=200), "bound on expected regret"),
        (nv.Exp3IX(3, horizon=200), "bound on regret, with probability 1 − δ"),
    ):
        nv.report(nv.play(learner, losses), tmp_path / "r.svg")
        assert label in (tmp_path / "r.svg").read_text()


def test_a_simulation_tells_what_its_bound_is_compared_with() -> None:
    found = nv.simulate(nv.Exp3(arms=3, horizon=500), nv.switching(3, 500), seeds=10)
    assert (found.bounds_on, found.measure) == ("expectation", "pseudo-regret")
    assert found.compared == found.pseudo_regret
    assert "on expectation" in repr(found)
