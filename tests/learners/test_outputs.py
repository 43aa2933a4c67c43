"""What is written: whole or not at all, never over what is read or what is no plain file."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import novikoff as nv
from commands import Call, assert_same_run


def test_a_pipe_is_written_into_and_stays_one(call: Call) -> None:
    """As /dev/null does: replacing it by a file would take it from everybody."""
    os.mkfifo("pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(Path("pipe").read_bytes()))
    reader.start()
    found = call("learn a.svm --save pipe")
    reader.join()
    assert found.code == 0
    assert not Path("pipe").is_file()
    call("learn a.svm --save m")
    Path("copy").write_bytes(read[0])
    assert_same_run("copy", "m")


@pytest.mark.parametrize(
    "command",
    [
        "learn a.svm --save a.svm",
        "learn a.svm --certify ./a.svm",
        "predict m a.svm --output a.svm",
        "predict m a.svm --output m",
        "export a.svm --output a.svm",
        "certify m a.svm --output m",
        "learn a.svm --save new --certify new",
    ],
)
def test_no_output_takes_the_place_of_an_input_or_of_another_output(
    call: Call, command: str
) -> None:
    call("learn a.svm --save m --digest")
    before = {file: file.read_bytes() for file in Path().iterdir()}
    assert call(command).code in (2, 3)
    assert {file: file.read_bytes() for file in Path().iterdir()} == before


def test_a_link_stays_one_and_a_file_keeps_its_mode(call: Call) -> None:
    Path("v1.model").touch()
    Path("v1.model").chmod(0o600)
    Path("current").symlink_to("v1.model")
    assert call("learn a.svm --save current").code == 0
    assert Path("current").is_symlink()
    assert Path("v1.model").stat().st_mode & 0o777 == 0o600
    assert isinstance(nv.Run.load("v1.model"), nv.Run)


def test_errors_name_the_file_and_not_its_draft(tmp_path: Path) -> None:
    run = nv.play(nv.Perceptron(), [([1.0], -1)])
    with pytest.raises(FileNotFoundError) as refused:
        run.save(tmp_path / "nowhere" / "model")
    assert refused.value.filename == str(tmp_path / "nowhere" / "model")


def test_a_flipped_bit_of_a_model_is_noticed(tmp_path: Path) -> None:
    """Wherever it is: in the weights, in the rounds of the mistakes, in the metadata."""
    file = tmp_path / "model"
    nv.play(nv.Perceptron(), [([1.0, 2.0], -1), ([3.0, 0.5], 1)] * 9).save(file)
    whole = file.read_bytes()
    for place in range(8, len(whole), 7):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        with pytest.raises(nv.InputError):
            nv.Run.load(file)


def test_a_run_that_is_told_to_end_is_saved_first(call: Call) -> None:
    """As by a supervisor: SIGTERM, an exit code, and a model that can go on."""
    command = [sys.executable, "-m", "novikoff", "learn", "-", "--format", "svmlight"]
    command += ["--save", "m", "--save-every", "0"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        while not Path("m").exists():
            process.stdin.write(b"1 1:1\n-1 2:1\n" * 500)
            process.stdin.flush()
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        said = process.stderr.read().decode()
    assert process.returncode == 130
    assert "interrupted after " in said
    assert "go on with --resume m and the rows that follow" in said
    rounds = int(said.split("after ")[1].split()[0].replace(",", ""))
    run = nv.Run.load("m")
    assert run.ledger.rounds == rounds
    assert run.unfinished is None, "nobody has the beginning of a pipe any more"


def test_a_file_without_rounds_teaches_nothing_and_is_refused(call: Call) -> None:
    Path("empty.svm").write_text("")
    Path("other.svm").write_text("no numbers at all\n" * 3)
    assert "expected rows, got an empty file" in call("learn empty.svm --save m").err
    found = call("learn other.svm --format svmlight --on-bad skip --save m")
    assert (found.code, "and 3 lines skipped" in found.err) == (3, True)
    assert not Path("m").exists()


def test_a_file_that_is_learned_from_again_gets_no_bound_of_the_error_to_come(call: Call) -> None:
    first = call("learn a.svm --save m --json").json
    assert first["error_bound"] is not None
    again = call("learn a.svm --resume m --save m --json")
    assert again.json["error_bound"] is None
    assert "learned from before" in again.err
    other = call("learn knot.svm --resume m --json")
    assert other.json["error_bound"] is None, "the bound is about all rounds of the run"


def test_what_was_learned_is_said_although_no_receipt_can_be(call: Call) -> None:
    """A run with weights is beyond the theorems; its mistakes are a fact all the same."""
    Path("w.vw").write_text("1 2.0 | a b\n-1 1.0 | b c\n" * 5)
    found = call("learn w.vw --save m --certify")
    assert found.code == 1
    assert "mistakes in 10 rounds" in found.out


def test_a_model_without_a_name_is_not_written_over_another(call: Call) -> None:
    """A receipt alone names its model after the input; the same command again may."""
    assert call("learn a.svm --certify x.json").code == 0
    assert call("learn a.svm --certify y.json").code == 0
    before = Path("a.model").read_bytes()
    found = call("learn a.svm --certify z.json --learner averaged")
    assert (found.code, "Name this one with --save" in found.err) == (0, True)
    assert Path("a.model").read_bytes() == before


@pytest.mark.parametrize(
    "option", ["--label x", "--words 2", "--delimiter ;", "--ignore x", "--text t"]
)
def test_an_option_that_a_format_does_not_take_is_refused(call: Call, option: str) -> None:
    found = call(f"learn a.svm {option}")
    assert (found.code, "expected none for svmlight" in found.err) == (2, True)


def test_the_report_speaks_of_the_probability_that_was_asked_for(call: Call) -> None:
    call("learn a.svm --delta 0.001 --report page.html")
    assert "with probability 99.9\u00a0%" in Path("page.html").read_text()


def test_a_bound_that_says_nothing_is_marked(call: Call) -> None:
    Path("knots.svm").write_text("1 1:1\n-1 1:1\n" * 10)
    lines = call("learn knots.svm --learner perceptron --bounds").out.splitlines()
    assert ["says nothing" in line for line in lines if line.startswith("  hinge ")] == [True]


def test_a_cache_remembers_which_label_is_positive(call: Call) -> None:
    pytest.importorskip("pyarrow", reason="caches need the extra files")
    call("cache mail.txt --positive spam --output mail.arrow")
    cached, text = (call(f"learn {file} --json") for file in
                    ("mail.arrow", "mail.txt --positive spam"))  # fmt: skip
    assert cached.json["mistakes"] == text.json["mistakes"]


def test_one_x_is_predicted_as_it_will_be_when_it_is_learned_from() -> None:
    run = nv.Run(nv.AveragedPerceptron(), positive="spam")
    rounds = [({"free": 1}, "spam"), ({"home": 2, "free": 1}, "ham"), ({"home": 1}, "ham")] * 3
    for x, y in rounds:
        asked = run.predict_one(x)
        assert run.predict_one(x) == asked, "asking changes nothing"
        assert run.learn(x, y) == asked


def test_a_model_or_a_json_array_is_no_data(call: Call) -> None:
    call("learn a.svm --save m")
    assert "got a saved model" in call("learn m").err
    Path("all.json").write_text('[{"label": 1}]')
    assert "got a JSON array" in call("learn all.json").err


def test_faults_are_told_in_the_order_of_the_file(call: Call) -> None:
    Path("bad.svm").write_text("1 1:1\n" * 8 + "1 x:1\n" * 4)
    assert "bad.svm:9: " in call("learn bad.svm").err
    said = call("learn bad.svm --on-bad skip").err
    assert said.index("bad.svm:9:") < said.index("bad.svm:10:")


def test_tagging_does_not_learn_into_a_file_that_is_no_model(call: Call) -> None:
    """MODEL forgotten: the first file would be taken for it."""
    Path("train.conll").write_text("the D\ncat N\n\n" * 3)
    Path("test.conll").write_text("a D\ndog N\n\n")
    before = Path("train.conll").read_bytes()
    found = call("tag train.conll test.conll --learn")
    assert (found.code, "MODEL: expected a new file, or a model" in found.err) == (2, True)
    assert Path("train.conll").read_bytes() == before
    for _ in range(2):
        assert call("tag m train.conll --learn").code == 0, "a model is written over"


def test_standard_input_is_never_taken_for_a_file_learned_from_before(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each day's rounds are fresh."""
    for more in ("--save m", "--resume m --save m"):
        with open("a.svm", encoding="utf-8") as day:
            monkeypatch.setattr(sys, "stdin", day)
            found = call(f"learn - --format svmlight {more} --json")
        assert found.json["error_bound"] is not None
        assert found.err == ""
