"""Day after day on the command line: resumed, certified, verified, and chained."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from commands import Call, caller
from novikoff.receipts.remarks import shown_places
from novikoff.receipts.stumps import best_feature
from novikoff.reports.page_words import percent, percent_allowed

VERIFIER = Path(nv.__file__).parent / "verifier.py"
LEARNERS = pytest.mark.parametrize("learner", ["blend", "perceptron"])
DAYS = "day1.json day2.json day3.json"


@pytest.fixture
def call(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Call:
    monkeypatch.chdir(tmp_path)
    for day in (1, 2, 3):
        rng = np.random.default_rng(day)
        X = rng.normal(size=(200, 4)).round(2)
        y = np.where(X @ [1, 2, -1, 0.5] + rng.normal(size=200) > 0, 1, -1)
        rows = [" ".join(f"{j + 1}:{v}" for j, v in enumerate(x)) for x in X.tolist()]
        text = "".join(f"{b} {r}\n" for b, r in zip(y, rows, strict=True))
        Path(f"day{day}.svm").write_text(text)
    return caller(capsys)


def learn_days(call: Call, learner: str) -> None:
    first = call(f"learn day1.svm --learner {learner} --certify day1.json --chain")
    assert first.code == 0, first.err
    for day in (2, 3):
        found = call(f"learn day{day}.svm --resume day{day - 1}.model --certify day{day}.json")
        assert found.code == 0, found.err
        assert "-resumed" in found.out
        assert f"200 rounds since day{day - 1}.model" in found.err


def stop_while_saving(patch: pytest.MonkeyPatch) -> None:
    """Stop a run with --save-every 0 at its second save."""
    save, left = nv.Run.save, iter(range(100))

    def stopped(run: Any, path: Any) -> None:
        save(run, path)
        if next(left) == 1:
            signal.raise_signal(signal.SIGTERM)

    patch.setattr(nv.Run, "save", stopped)


@LEARNERS
def test_three_days_are_certified_and_chained(call: Call, learner: str) -> None:
    learn_days(call, learner)
    for day in (2, 3):
        verify = f"verify day{day}.json day{day}.svm"
        found = call(f"{verify} --start day{day - 1}.model --json").json
        assert found["verified"]
        missing = call(verify)
        assert (missing.code, missing.out) == (3, "")
        assert "expected the model that the run began from, got none" in missing.err
        other = call(f"{verify} --start day{day}.model")
        assert (other.code, other.out) == (1, "refused: it began from another state\n")
    found = json.loads(call(f"verify --chain {DAYS} --json").out)
    run = nv.Run.load("day3.model")
    own = run.ledger.loss if learner == "blend" else run.mistakes
    assert (found["linked"], found["verified"]) == (True, None)
    assert (found["certificates"], found["rounds"]) == (3, 600)
    assert found["observed"] == pytest.approx(own)
    assert found["observed"] < found["bound"]
    assert "not checked: whether each certificate is true" in found["remarks"][0]
    again = call(f"verify --chain {DAYS} --data day1.svm day2.svm day3.svm --json").json
    assert (again["bound"], again["remarks"]) == (found["bound"], [])
    assert (again["linked"], again["verified"]) == (True, True)
    said = call(f"verify --chain {DAYS}")
    assert said.out.startswith("3 certificates, 600 rounds: ")
    follows = "each begins where the one before it ended\n"
    assert said.code == 4
    assert said.out.splitlines(keepends=True)[1] == f"linked, not verified: {follows}"
    said = call(f"verify --chain {DAYS} --data day1.svm day2.svm day3.svm")
    assert (said.code, said.out.splitlines(keepends=True)[1]) == (0, f"verified: {follows}")


@LEARNERS
def test_broken_chains_are_refused(call: Call, learner: str) -> None:
    learn_days(call, learner)
    ended = "it does not begin where the one before it ended"
    for words, said in {
        "day1.json day3.json": f"certificate 2: {ended}",
        "day2.json day1.json": "certificate 2: its run began anew",
        "day1.json day2.json day3.json --data day1.svm day3.svm day2.svm": (
            "certificate 2: these are not its data"
        ),
        "day1.json day1.svm": "certificate 2 is not made as one is",
    }.items():
        found = call(f"verify --chain {words}")
        assert found.code == 1, words
        assert found.out.startswith(f"refused: {said}")
    part = json.loads(call("verify --chain day2.json day3.json --json").out)
    assert part["remarks"][-1] == "not checked: the model that the first one went on from."
    whole = "verify --chain day2.json day3.json --data day2.svm day3.svm"
    assert call(whole).code == 3
    assert call(f"{whole} --start day1.model --json").json["remarks"] == []


def test_a_day_that_was_stopped_is_certified_from_where_it_began(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn = "learn day2.svm --resume day1.model"
    assert call("learn day1.svm --certify day1.json").code == 0
    assert call(f"{learn} --certify whole.json --save whole.model").code == 0
    with monkeypatch.context() as patch:
        stop_while_saving(patch)
        found = call(f"{learn} --save part.model --save-every 0")
    assert found.code == 130
    assert 200 < nv.Run.load("part.model").ledger.rounds < 400
    again = call("learn day2.svm --resume part.model --certify day2.json --save day2.model")
    assert again.code == 0, again.err
    assert "200 rounds since day1.model" in again.err
    assert Path("day2.json").read_bytes() == Path("whole.json").read_bytes()
    assert call("verify --chain day1.json day2.json --data day1.svm day2.svm").code == 0
    Path("day1.model").unlink()
    lost = call("learn day2.svm --resume part.model --certify")
    assert lost.code == 3
    assert "day1.model: expected the model that the run went on from" in lost.err


def test_the_file_alone_verifies_days_and_chains(call: Call) -> None:
    learn_days(call, "perceptron")
    for words, code in (
        (["day2.json", "day2.svm", "start=day1.model"], 0),
        (["day2.json", "day2.svm", "start=day2.model"], 1),
        (["day2.json", "day2.svm", "start=day1.svm"], 3),
        (["day2.json", "day2.svm"], 3),
        (["day2.json", "day2.svm", "start=day1.model", "start=day1.model"], 2),
        (["--chain", *DAYS.split()], 4),
        (["--chain", "day1.json", "day3.json"], 1),
        (["--chain", "day1.json", "none.json"], 3),
    ):
        done = subprocess.run(
            [sys.executable, "-I", str(VERIFIER), *words],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, (words, done.stdout, done.stderr)
        if code < 2:
            assert json.loads(done.stdout)["verified"] == (code == 0)
        if "--chain" in words and code != 3:
            said = json.loads(done.stdout)
            expected = (True, None) if code == 4 else (False, False)
            assert (said["linked"], said["verified"]) == expected


def test_saved_runs_are_certified_later(call: Call) -> None:
    """With ``certify``, and without --chain the first format stays."""
    assert call("learn day1.svm --learner perceptron --certify day1.json").code == 0
    assert call("learn day2.svm --resume day1.model --save day2.model").code == 0
    later = "certify day2.model day2.svm --start day1.model --output day2.json"
    assert call(later).code == 0
    found = call("verify --chain day1.json day2.json")
    said = "the one before it does not say in which state it ended"
    assert (found.code, found.out) == (1, f"refused: certificate 2: {said}\n")
    assert "certify that one again: novikoff certify MODEL FILE --chain." in found.err
    assert call("certify day1.model day1.svm --chain --output day1.json").code == 0
    assert call("verify --chain day1.json day2.json").code == 4


def test_options_that_contradict_each_other_are_refused(call: Call) -> None:
    for words, said in {
        "verify a.json a.svm --data a.svm": "--data: expected --chain with it",
        "verify --chain a.json b.json --data a.svm": "expected a file for each of the 2 certificat",
        "verify --chain a.json b.json --start m": "--start: expected --data with it in a chain",
        "learn day1.svm --chain": "--chain: expected --certify with it",
    }.items():
        found = call(words)
        assert found.code == 2
        assert said in found.err


def test_columns_in_another_order_are_noted_and_verified(call: Call) -> None:
    """A certificate is about the columns as the model numbers them, and so is its note."""
    rows = [(0.5, -1.0, 1), (-2.0, 0.25, -1), (1.5, 0.5, 1), (-0.5, -0.75, -1)] * 5
    table = {"a": [r[0] for r in rows], "b": [r[1] for r in rows], "label": [r[2] for r in rows]}
    for file, names in (("ab.csv", "a,b,label"), ("ba.csv", "b,label,a")):
        columns = [table[name] for name in names.split(",")]
        lines = [",".join(map(str, row)) for row in zip(*columns, strict=True)]
        Path(file).write_text("\n".join([names, *lines, ""]))
    for learner in ("perceptron", "blend"):
        assert call(f"learn ab.csv --learner {learner} --save m").code == 0
        assert call("certify m ba.csv --output c.json").code == 0
        noted = json.loads(Path("c.json").read_text())["remarks"]["reading"]
        assert noted == {"files": ["ba.csv"], "order": ["a", "b"]}
        found = call("verify c.json ba.csv")
        assert found.out.startswith("verified: ")
        assert "read as the certificate says: columns in the order a,b" in found.err
        assert call("verify c.json ab.csv").code == 0  # the same columns, wherever they stand
    assert call("learn ba.csv --resume m --certify d.json --save n").code == 0
    assert call("verify d.json ba.csv --start m").code == 0


@LEARNERS
def test_the_page_of_a_day_promises_what_its_rounds_do(call: Call, learner: str) -> None:
    """Not what the rounds of all days do; the terminal is about all, and says so."""
    assert call(f"learn day1.svm --learner {learner} --save day1.model").code == 0
    done = call("learn day2.svm --resume day1.model --certify c.json --report day2.html --save m")
    assert done.code == 0, done.err
    start, run = nv.Run.load("day1.model"), nv.Run.load("m")
    day = start.continued().play(nv.read("day2.svm"))
    assert (day.ledger.rounds, run.ledger.rounds) == (200, 400)
    own, both = (nv.error_bound(one.ledger, 0.05).value for one in (day, run))
    page = Path("day2.html").read_text().replace("\u00a0", " ")
    assert f"<strong>{percent_allowed(own)}</strong> wrong on new rows" in page
    assert percent_allowed(both) not in page
    assert f"at most {shown_places(both)} with probability 0.95" in done.out
    assert f" on day2.svm (svmlight), so far: {run.mistakes} mistakes in 400 rounds" in done.out
    assert f"wrong on {run.ledger.error_rate:.2%} of 400 rounds so far" in done.out
    stump = best_feature(day, nv.read("day2.svm"))
    assert stump is not None
    assert percent(stump.error_rate) in page


def test_the_best_feature_of_one_day_is_not_compared_with_all_days(call: Call) -> None:
    first = call("learn day1.svm --baselines --save m --json")
    assert first.json["baseline"]["best_feature"] is not None
    found = call("learn day2.svm --resume m --baselines --save n --json").json
    assert found["baseline"]["best_feature"] is None
    assert any("best single feature is left out" in remark for remark in found["remarks"])
    plain = call("learn day2.svm --resume m --save n --json").json
    assert not any("best single feature" in remark for remark in plain["remarks"])
    again = call("learn day1.svm --resume m --baselines --save n --json").json
    assert again["baseline"]["best_feature"] is not None, "all its rounds are of this file"


@LEARNERS
def test_a_daily_file_that_keeps_its_name(call: Call, learner: str) -> None:
    """Every day has its receipt from the model of the day before, but no bound on new rows."""
    mail = Path("mail.svm")
    for day in (1, 2, 3):
        mail.write_bytes(Path(f"day{day}.svm").read_bytes())
        how = f"--resume day{day - 1}.model" if day > 1 else f"--learner {learner} --chain"
        done = call(f"learn mail.svm {how} --certify day{day}.json --save day{day}.model --json")
        assert done.code == 0, done.err
        assert (done.json["error_bound"] is None) == (day > 1)
        assert ("learned from before" in done.err) == (day > 1)
        if day > 1:
            assert f"about the 200 rounds since day{day - 1}.model" in done.err
            assert done.json["bounds"][0]["theorem"].endswith("-resumed")
            verified = call(f"verify day{day}.json mail.svm --start day{day - 1}.model")
            assert verified.out.startswith("verified: ")
    assert call(f"verify --chain {DAYS} --data day1.svm day2.svm day3.svm").code == 0
    assert call("report day3.model mail.svm --output page.html").code == 0
    assert "about the 200 rounds since day2.model" in Path("page.html").read_text()
    before = sorted(os.listdir())
    fresh = "learn mail.svm --resume day3.model --certify c.json --save m --theorem progressive"
    refused = call(fresh)
    assert (refused.code, sorted(os.listdir())) == (1, before)
    assert "expected rounds that the run has not learned from for progressive" in refused.err


def test_learners_whose_theorems_take_no_start_count_the_same_rows_from_the_first(
    call: Call,
) -> None:
    for learner in ("minnow --eta 0.1", "perceptron --cross 0,1"):
        assert call(f"learn day1.svm --learner {learner} --save m").code == 0
        done = call("learn day1.svm --resume m --certify c.json --save n")
        assert done.code == 0, done.err
        assert json.loads(Path("c.json").read_text())["data"]["passes"] == 2
        other = call("learn day2.svm --resume m --certify c.json --save n")
        assert (other.code, "from a model" in other.err) == (1, True)


def test_the_model_that_a_certificate_begins_from_keeps_its_name(call: Call) -> None:
    """If no other is given for the model of today: it would be lost, or that one."""
    assert call("learn day1.svm --certify").code == 0
    before = {name: Path(name).read_bytes() for name in sorted(os.listdir())}
    for more in ("", "--save day1.model", "--save ./day1.model"):
        refused = call(f"learn day1.svm --resume day1.model --certify c.json {more}")
        assert (refused.code, refused.out) == (2, "")
        assert "--save: expected another file than day1.model, from which the cert" in refused.err
        assert "save to another file" in refused.err
    assert {name: Path(name).read_bytes() for name in sorted(os.listdir())} == before


def test_a_model_of_many_classes_takes_the_place_of_its_like(call: Call) -> None:
    """Before round 1 the learner does not know yet how many classes there are."""
    Path("many.csv").write_text("a,kind\n" + "1,x\n2,y\n3,z\n" * 4)
    for _ in range(2):
        done = call("learn many.csv --label kind --certify")
        assert done.code == 0, done.err
        assert "is another model" not in done.err
    assert "is another model" in call("learn many.csv --label kind --certify --bias 2").err


def test_a_first_day_that_was_stopped_is_finished_under_its_name(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The certificate begins from no model, and the name is that of the same run."""
    learn = "learn day1.svm --certify c.json"
    assert call(f"{learn} --save whole.model").code == 0
    whole = Path("c.json").read_bytes()
    for save in ("", "--save day1.model"):
        with monkeypatch.context() as patch:
            stop_while_saving(patch)
            stopped = call("learn day1.svm --save day1.model --save-every 0")
        assert stopped.err.endswith("; go on with --resume day1.model.\n")
        done = call(f"{learn} --resume day1.model {save}")
        assert done.code == 0, done.err
        assert "is another model" not in done.err
        assert Path("c.json").read_bytes() == whole
        run = nv.Run.load("day1.model")
        assert (run.ledger.rounds, run.unfinished) == (200, None)


def test_a_stopped_day_that_overwrote_its_start_has_no_receipt(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    for data in ("day1.svm", "day2.svm"):
        assert call("learn day1.svm --save m").code == 0
        with monkeypatch.context() as patch:
            stop_while_saving(patch)
            assert call(f"learn {data} --resume m --save m --save-every 0").code == 130
        before = sorted(os.listdir())
        lost = call(f"learn {data} --resume m --certify c.json --save n")
        assert (lost.code, sorted(os.listdir())) == (3, before)
        assert "m: expected the model that the run went on from, got the run itself" in lost.err
