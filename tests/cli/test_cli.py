"""Learning and predicting from the command line, as its user does."""

import json
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import novikoff as nv
from commands import Call
from novikoff.cli.parser import LEARNERS

OPTIONS = {
    "blend": ("", "--bias 3", "--freeze snapshots --seed 3"),
    "perceptron": ("", "--ties mistake", "--bias 1"),
    "averaged": ("", "--bias 0.5"),
    "voted": ("", "--max-voters 5"),
    "multiclass": ("", "--bias 2"),
    "modified": ("--sigma 0.1", "--sigma 0.1 --seed 4"),
    "minnow": ("--eta 0.1",),
    "balanced-minnow": ("--eta 0.1", "--eta 0.1 --bias 1"),
    "ellipsoid": ("--dimension 20", "--dimension 20 --bias 1"),
    "centroid": ("--dimension 20 --seed 3",),
    "adaptive-gradient": ("", "--rate 0.5 --bias 1"),
    "normalized-gradient": ("", "--rate 0.5 --bias 1"),
    "gradient-descent": ("--rate 0.5 --bias 1", "--rate 0.1 --loss squared"),
    "coin-betting": ("", "--bias 1"),
    "arow": ("", "--bias 1"),
    "online-newton": ("", "--bias 1"),
    "base-rate": ("", "--keep 0.9375"),
    "forward-regression": ("", "--ridge 0.5 --bias 1"),
}


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_learns_what_its_class_learns(call: Call, learner: str) -> None:
    """Learns what the library's class learns, saves it, predicts with it, shows it."""
    for options in OPTIONS[learner]:
        found = call(f"learn a.svm --learner {learner} {options} --save m --json").json
        pairs = [word.split() for word in options.split("--") if word]
        given = {
            k.replace("-", "_"): v if k in ("ties", "freeze", "loss") else json.loads(v)
            for k, v in pairs
        }
        made = getattr(nv, LEARNERS[learner])(**given)
        run = nv.play(made, nv.read("a.svm"))
        did = getattr(run.ledger, "mistakes", None), getattr(run.ledger, "loss", None)
        assert found["learner"] == LEARNERS[learner]
        assert (found["mistakes"], found["loss"]) == did
        assert found["parameters"] == run.ledger.parameters
        predicted = call("predict m a.svm").out.split()
        expected = [
            str(p) for rounds in nv.read("a.svm").blocks() for p in run.predict(rounds.rows)
        ]
        assert predicted == expected
        assert call("inspect m --json").json["learner"] == LEARNERS[learner]


def test_options_that_do_not_go_together_are_usage(call: Call) -> None:
    """Usage, before anything is read."""
    for command, said in {
        "learn a.svm --sigma 1": "--sigma: expected no such option with --learner blend",
        "learn a.svm --learner perceptron --sigma 1": "no such option with --learner perceptron",
        "learn a.svm --learner minnow": "--eta: expected a value for --learner minnow",
        "learn a.svm --learner multiclass --ties mistake": "--ties: expected no such option",
        "learn a.svm --save-every 1": "--save-every: expected --save MODEL",
        "learn a.svm --until-clean --passes 2": "--passes: expected none with --until-clean",
        "learn a.svm --theorem hinge": "--theorem: expected --certify with it",
        "learn a.svm --resume m --bias 1": "--bias: expected none with --resume",
        "learn a.svm --resume m --learner voted": "--learner: expected none with --resume",
        "learn mail.txt --characters abc": "--characters: expected one number or two",
        "learn a.svm --passes 0": "expected a whole number of at least 1, got 0",
        "learn a.svm --delta 1": "expected a number between 0 and 1, got 1",
        "learn a.svm --save m --save-every -1": "expected seconds, 0 or more, got -1",
        "learn a.svm --learner tree": "invalid choice: 'tree'",
        "check novikoff:Minnow --arguments {": "expected a JSON object, got {",
        f"check novikoff:Minnow --arguments {'[' * 100_000}": "expected a JSON object, got [",
    }.items():
        found = call(command)
        assert (found.code, found.out) == (2, ""), command
        assert said in found.err, found.err


def test_parameters_the_library_refuses_are_usage(call: Call) -> None:
    for command in ("--hash-bits 99", "--threads 0", "--learner minnow --eta -1", "--words 9",
                    "--delimiter ab", "--positive 1 --learner multiclass"):  # fmt: skip
        found = call(f"learn a.svm {command}")
        assert (found.code, found.out) == (2, "")
        assert re.match(r"novikoff: \w+: expected .*, got ", found.err), found.err


def test_halving_learners_need_the_number_of_features_of_sparse_rows(call: Call) -> None:
    for learner in ("ellipsoid", "centroid --seed 1"):
        found = call(f"learn a.svm --learner {learner}")
        assert (found.code, found.out) == (3, "")
        assert "Pass --dimension D." in found.err
        found = call(f"learn a.svm --learner {learner} --dimension 20 --json")
        assert (found.code, found.json["rounds"]) == (0, 300)


def test_several_passes_have_no_error_bound(call: Call) -> None:
    """Several passes have no error bound; until_clean says whether it was reached."""
    found = call("learn a.svm --passes 3 --json").json
    assert (found["rounds"], found["passes"], found["error_bound"]) == (900, 3, None)
    found = call("learn a.svm --learner perceptron --until-clean --json").json
    run = nv.play(nv.Perceptron(), nv.read("a.svm"), until_clean=True)
    assert (found["converged"], found["rounds"]) == (True, run.ledger.rounds)
    found = call("learn knot.svm --learner perceptron --until-clean --max-passes 4 --json").json
    assert (found["converged"], found["passes"], found["error_bound"]) == (False, 4, None)
    assert "error of a hypothesis" not in call("learn a.svm --passes 2").out


INPUTS = {
    "a.svm": "svmlight",
    "a.csv": "csv",
    "a.csv --format csv --label label --delimiter ,": "csv",
    "mail.txt --positive spam": "text",
    "mail.jsonl --text text --positive spam": "jsonl",
    "mail.vw": "vw",
    "many.csv --label kind --positive x": "csv",
    "many.csv --label kind --learner multiclass": "csv",
}


@pytest.mark.parametrize("command", INPUTS)
def test_the_format_of_an_input_is_found(call: Call, command: str) -> None:
    found = call(f"learn {command} --json").json
    assert found["format"] == INPUTS[command]
    assert 0 < found["mistakes"] < found["rounds"] / 2


def test_text_is_the_same_from_lines_and_json_and_files_add_up(call: Call) -> None:
    """Text is the same from lines and JSON; files are read one after the other."""
    text = call("learn mail.txt --positive spam --digest --json").json
    json_lines = call("learn mail.jsonl --text text --positive spam --digest --json").json
    assert text["digest"] == json_lines["digest"]
    assert text["labels"] == ["ham", "spam"]
    assert call("learn a.svm a.svm --json").json["rounds"] == 600
    assert call("learn *.svm --on-bad skip --json").json["rounds"] == 304
    assert call("learn many.csv --label kind --positive x --json").json["labels"] == ["not x", "x"]


def test_options_of_words_change_the_features(call: Call) -> None:
    counts = {
        options: call(f"learn mail.txt --positive spam {options} --json").json["dimension"]
        for options in ("", "--words 2", "--characters 3", "--presence", "--hash-bits 6")
    }
    assert counts[""] == counts["--presence"] == 8
    assert counts["--words 2"] == 14
    assert counts["--characters 3"] > 20
    assert counts["--hash-bits 6"] == 64


def test_receipts_are_called_as_the_input(call: Call) -> None:
    """--certify and --report write the model too; files without a name are called as the input."""
    found = call("learn a.svm --certify --report out.html --json").json
    assert found["certificate"] == "a.certificate.json"
    assert (found["model"], found["report"]) == ("a.model", "out.html")
    assert nv.Run.load("a.model").mistakes == found["mistakes"]
    assert Path("out.html").read_text().startswith("<!DOCTYPE html>")
    assert nv.Certificate.load("a.certificate.json").theorem == "betting-share"
    out = call("learn a.svm --learner perceptron --certify c.json --theorem hinge --save m").out
    assert re.search(
        r"^  hinge-tight +\d+ mistakes; the theorem allows at most \d", out, re.MULTILINE
    )
    assert out.endswith("model: m\ncertificate: c.json (read the data twice)\n")
    assert nv.Certificate.load("c.json").theorem == "hinge"
    call("learn mail.txt --positive spam --report page.svg")
    assert "<svg" in Path("page.svg").read_text()
    assert Path("mail.model").exists()


def test_a_report_needs_no_theorem(call: Call) -> None:
    """A run that no theorem speaks of has a page; to certify it is refused."""
    found = call("learn a.svm --learner modified --sigma 0.1 --report page.html")
    assert found.code == 0
    assert found.err.startswith("remark: no bounds: ")
    assert call("report a.model a.svm --output again.html").code == 0
    for asked in ("--certify", "--bounds"):
        found = call(f"learn a.svm --learner modified --sigma 0.1 {asked}")
        assert found.code == 1


def test_a_bad_line_stops_with_its_address_or_is_skipped(call: Call) -> None:
    """A bad line stops with its address, or is skipped and shown on stderr by every verb."""
    address = "bad.svm:2: expected a finite number as the label, got '1x'"
    for verb in ("learn bad.svm", "margin bad.svm", "cache bad.svm --output o",
                 "export bad.svm --output o"):  # fmt: skip
        found = call(verb)
        assert (found.code, found.out) == (3, "")
        assert found.err.startswith(f"novikoff: {address}. ")
        assert "--on-bad skip" in found.err
        assert not Path("o").exists()
    for verb in ("learn bad.svm --certify c.json --save m", "predict m bad.svm",
                 "certify m bad.svm", "verify c.json bad.svm", "margin bad.svm", "report m bad.svm",
                 "cache bad.svm --output o", "export bad.svm --output e"):  # fmt: skip
        for form in ("", "--json"):
            found = call(f"{verb} --on-bad skip {form}")
            assert found.code == 0
            assert f"remark: skipped 1 line: {address}.\n" in found.err
            if form:
                assert f"skipped 1 line: {address}." in found.json["remarks"]
    Path("worse.svm").write_text("1 1:1\n" + "1x\n" * 30)
    found = call("learn worse.svm --on-bad skip --json")
    assert found.json["skipped"] == 30
    assert "; and 20 more.\n" in found.err


MISSING = [
    "learn nowhere.svm", "learn nowhere*.svm", "predict nowhere a.svm", "predict m nowhere.svm",
    "certify nowhere a.svm", "certify m nowhere.svm", "verify nowhere a.svm", "margin nowhere.svm",
    "inspect nowhere", "report nowhere a.svm", "cache nowhere.svm --output o",
    "export nowhere.svm --output o", "learn a.svm --resume nowhere",
]  # fmt: skip


def test_a_missing_file_is_named_before_the_work(call: Call) -> None:
    call("learn a.svm --save m")
    for command in MISSING:
        found = call(command)
        assert (found.code, found.out) == (3, ""), command
        assert found.err.startswith("novikoff: ")
        assert "nowhere" in found.err
    for command in ("learn a.svm --save no/m", "learn a.svm --certify no/c",
                    "predict m a.svm --output no/o", "export a.svm --output no/o",
                    "learn a.svm --save ."):  # fmt: skip
        found = call(command)
        assert (found.code, found.out) == (3, ""), command
        assert "expected a f" in found.err, "said before the work, not after it"


def test_what_is_no_model_is_refused(call: Call) -> None:
    for command in ("predict a.svm a.svm", "inspect a.svm", "learn a.svm --resume a.svm"):
        assert call(command).code == 3
    call("learn mail.txt --positive spam --save m")
    assert "expected named features" in call("predict m a.svm").err
    found = call("learn mail.txt --learner perceptron")
    assert found.code == 3
    assert "--positive LABEL" in found.err, "options, not the library's words"


def test_predict_keeps_the_order(call: Call) -> None:
    """A line a row; judged on stderr where there are labels."""
    call("learn mail.txt --learner perceptron --positive spam --save m")
    found = call("predict m mail.txt")
    assert found.out.split() == ["spam", "ham", "spam"] * 20
    pairs = [
        "  ham          called ham          20",
        "  spam         called spam         40",
    ]
    assert found.err.splitlines() == [
        "0 of 60 rows wrong (0.00%); the model has learned from such rows",
        *pairs,
        "remark: the model has learned from mail.txt. Unless the file has changed, its rows are "
        "not new to the model, and the bounds say nothing. Test on other rows.",
    ]
    Path("other.txt").write_bytes(Path("mail.txt").read_bytes())
    assert call("predict m other.txt").err.splitlines() == [
        "0 of 60 rows wrong (0.00%); error at most 0.0488 with probability 0.95, if the rows are "
        "independent draws that the model has not seen",
        *pairs,
    ]
    call("predict m mail.txt --output o")
    assert Path("o").read_text() == found.out
    scores = call("predict m mail.txt --scores").out.split()
    assert [float(s) >= 0 for s in scores] == [True, False, True] * 20
    Path("wrong.txt").write_text("ham\tfree\nspam\tfree\n")
    judged = call("predict m wrong.txt --json --delta 0.5").json
    assert (judged["rows"], judged["mistakes"], judged["error_rate"]) == (2, 1, 0.5)
    assert judged["confusion"] == [
        {"label": "ham", "predicted": "spam", "count": 1},
        {"label": "spam", "predicted": "spam", "count": 1},
    ]
    assert judged["error_bound"]["delta"] == 0.5
    assert 0.5 < judged["error_bound"]["value"] < 1


def test_predicting_needs_no_labels(call: Call) -> None:
    """Labels are optional in every format, and so is the column of a table."""
    call("learn mail.txt --positive spam --save mail")
    call("learn a.csv --save rows")
    Path("new.txt").write_text("free\nhome you\nwhatever is new\n")
    Path("new.jsonl").write_text('{"text": "free"}\n{"text": "home you"}\n{"text": "or new"}\n')
    for command in ("predict mail new.txt --format text", "predict mail new.jsonl --text text"):
        found = call(command)
        assert (found.out.split(), found.err) == (["spam", "ham", "spam"], "")
    table = Path("a.csv").read_text().splitlines()[:5]
    Path("new.csv").write_text("".join(line.rpartition(",")[0] + "\n" for line in table))
    Path("new.svm").write_text(
        "".join(line.split(" ", 1)[1] + "\n" for line in Path("a.svm").read_text().splitlines()[:4])
    )
    columns = np.loadtxt("new.csv", delimiter=",", skiprows=1)
    names = table[0].split(",")[:-1]
    frame = pa.table({name: columns[:, j] for j, name in enumerate(names)})
    pyarrow.parquet.write_table(frame, "new.parquet")
    expected = call("predict rows a.csv").out.splitlines()[:4]
    for file in ("new.csv", "new.svm", "new.parquet"):
        found = call(f"predict rows {file}")
        assert (found.out.splitlines(), found.err) == (expected, "")
        assert call(f"predict rows {file} --json").json["error_rate"] is None
    for command in ("predict rows new.csv --label y", "learn new.parquet"):
        assert "label: expected a column of new." in call(command).err
    assert "got none. Name it with --label COLUMN" in call("learn new.csv").err


def test_the_class_predicted_has_the_highest_score(call: Call) -> None:
    """Labels, a score a class, and a label that the model has never seen."""
    call("learn many.csv --label kind --learner multiclass --save m")
    found = call("predict m many.csv --label kind")
    assert set(found.out.split()) == {"x", "y", "z"}
    rows = [
        line.split("\t")
        for line in call("predict m many.csv --label kind --scores").out.splitlines()
    ]
    labels = nv.Run.load("m").ledger.labels
    assert [labels[int(np.argmax(list(map(float, row))))] for row in rows] == found.out.split()
    Path("other.csv").write_text("a,b,c,kind\n1,0,0,new\n1,0,0,x\n")
    judged = call("predict m other.csv --label kind --json").json
    assert (judged["mistakes"], judged["rows"]) == (1, 2)


def test_one_class_is_told_from_the_rest(call: Call) -> None:
    call("learn many.csv --label kind --positive x --save m")
    found = call("predict m many.csv --label kind --json").json
    assert {entry["label"] for entry in found["confusion"]} == {"x", "not x"}
    assert found["error_rate"] < 0.2


def test_a_model_reads_as_it_has_learned(call: Call) -> None:
    lines = ["spam\tgood not bad\n", "ham\tbad not good\n"]
    Path("order.txt").write_text("".join(lines[k % 3 % 2] for k in range(300)))
    call("learn order.txt --positive spam --words 2 --save order.model")
    assert call("predict order.model order.txt --json").json["mistakes"] == 0
    assert call("certify order.model order.txt --output order.json").code == 0
    assert call("verify order.json order.txt --words 1").code == 1
    assert call("verify order.json order.txt --words 2").code == 0
    assert (
        call("learn order.txt --resume order.model --save order.model --json").json["rounds"] == 600
    )


def test_numbers_are_not_hashed_and_that_is_said(call: Call) -> None:
    refused = call("learn a.svm --hash-bits 1 --save m")
    assert refused.code == 2
    assert "--hash-bits: expected none for svmlight" in refused.err
    assert not Path("m").exists()
    Path("n.csv").write_text("y,a,b\n1,1,0\n0,0,1\n1,2,1\n")
    (remark,) = call("learn n.csv --label y --hash-bits 1 --json").json["remarks"][-1:]
    assert "--hash-bits changes nothing" in remark
    assert not any(
        "hash-bits" in one for one in call("learn n.csv --label y --json").json["remarks"]
    )
    named = call("learn mail.txt --positive spam --hash-bits 6 --json").json
    assert not any("hash-bits" in one for one in named["remarks"])
