"""What somebody gets wrong on the first day, and what the command line says about it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import novikoff as nv
from commands import Call

MAIL = "spam\twin money now\nham\tsee you, at home\n" * 30
TABLE = "a,b,class\n" + "1,2,up\n3,1,down\n" * 20


def shell(line: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line of bash in which ``novikoff`` is the command."""
    alone = line.replace("novikoff ", f"{sys.executable} -m novikoff ")
    return subprocess.run(["bash", "-c", alone], capture_output=True, check=False)


@pytest.fixture
def mail(call: Call) -> Path:
    """Return a model of text."""
    Path("first.txt").write_text(MAIL)
    assert call("learn first.txt --save mail.model").code == 0
    return Path("mail.model")


@pytest.mark.parametrize("text", ["win, money, now", "see you; win", "plain words", "1 2:3"])
def test_a_model_of_text_reads_text_whatever_is_in_it(call: Call, mail: Path, text: str) -> None:
    """Commas do not make a table, nor does a colon make svmlight, if the model knows text."""
    Path("new.txt").write_text(f"{text}\nsee you\n")
    found, said = call(f"predict {mail} new.txt"), call(f"predict {mail} new.txt --format text")
    assert (found.code, found.out, found.err) == (0, said.out, "")


def test_a_model_of_text_takes_the_text_of_json(call: Call, mail: Path) -> None:
    for name in ("new.jsonl", "new"):
        Path(name).write_text(json.dumps({"text": "win money"}) + "\n")
        assert call(f"predict {mail} {name}").out == "spam\n"
    Path("new.jsonl").write_text(json.dumps({"body": "win money"}) + "\n")
    assert "expected text in 'text'" in call(f"predict {mail} new.jsonl").err
    assert call(f"predict {mail} new.jsonl --text body").out == "spam\n"


def test_a_model_of_text_saved_in_python_is_read_alike(call: Call) -> None:
    Path("first.txt").write_text(MAIL)
    run = nv.play(nv.Blend(), nv.read("first.txt", words=nv.Words(0, characters=(2, 3))))
    run.save("mail.model")
    Path("new.txt").write_text("WIN money\n")
    found = call("predict mail.model new.txt --probabilities").out.splitlines()[1]
    (chance,) = run.probabilities(["WIN money"]).tolist()
    assert (found.split(",")[0], float(found.split(",")[2])) == ("spam", chance)


def test_a_long_text_in_json_lines_gets_a_remark(call: Call) -> None:
    text = "one two three four five six seven eight nine ten eleven twelve"
    rows = [{"label": label, "body": text} for label in ("ham", "spam")]
    Path("mail.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "'body' holds a text of 12 words" in call("learn mail.jsonl --save m").err
    assert "holds a text" not in call("learn mail.jsonl --text body --save m").err


def test_predictions_of_rows_that_were_learned_get_a_remark(call: Call, mail: Path) -> None:
    """Their errors say little about new rows."""
    assert "the model has learned from first.txt" in call(f"predict {mail} first.txt").err
    Path("new.txt").write_text(MAIL)
    assert "the model has learned" not in call(f"predict {mail} new.txt").err


def test_sentences_that_look_like_a_table_get_advice(call: Call) -> None:
    Path("sentences").write_text('the new " conan ", and more,\nshort, and good\n')
    said = call("learn sentences --label 0").err
    assert "if the file is not a table, name its format with --format." in said


INCOMES = "39, State-gov, <=50K\n50, Private, >50K\n" * 10


def test_blanks_around_labels_are_told(call: Call) -> None:
    """In adult.data and its like every cell after the first begins with a blank."""
    Path("adult.data").write_text(INCOMES)
    found = call("learn adult.data --label -1 --save m")
    assert (found.code, "blanks at the ends of labels" in found.err) == (0, True)
    like = "which differs from ' <=50K' only in blanks"
    assert like in call("learn adult.data --label -1 --save m --positive <=50K").err
    assert (
        "got ' <=50K', which differs from '<=50K' only in blanks"
        in call("learn adult.data --label -1 --save m --labels <=50K,>50K").err
    )
    Path("adult.csv").write_text("age, work, class\n" + INCOMES)
    assert "differs from ' class' only in blanks" in call("learn adult.csv --label class").err
    told = f"no row of adult.data has the label '<=50K', {like}"
    with pytest.warns(UserWarning, match="categories"), pytest.warns(UserWarning, match=told):
        nv.play(nv.Perceptron(), nv.read("adult.data", label=-1, positive="<=50K"))


def test_export_says_which_labels_it_can_write_and_what_to_do(call: Call) -> None:
    Path("adult.data").write_text(INCOMES.replace(", ", ","))
    said = call("export adult.data --label -1 --output adult.svm").err
    assert "a word that begins with a letter" in said
    assert "got '<=50K'. Rename the label" in said
    assert "verifier.py reads CSV itself" in said
    assert not Path("adult.svm").exists()
    Path("adult.jsonl").write_text('{"label": "<=50K", "age": 3}\n')
    assert "CSV" not in call("export adult.jsonl --output adult.svm").err


@pytest.mark.parametrize("labels", [("ham", "spam"), ("ham", "spam", "eggs")])
def test_a_label_that_a_resumed_run_never_takes_gets_advice_that_helps(
    call: Call, labels: tuple[str, ...]
) -> None:
    """Neither --labels nor --learner can give a blend another label once it has begun."""
    Path("day1.txt").write_text("".join(f"{label}\tword {label}\n" for label in labels))
    Path("day2.txt").write_text("ham\tword\nnew\tword\n")
    assert call("learn day1.txt --save day1.model").code == 0
    said = call("learn day2.txt --resume day1.model --save day2.model").err
    assert said.startswith("novikoff: day2.txt:2: expected ")
    assert "begin a new run with all the rows and --labels A,B" in said
    assert "--learner" not in said
    skipped = call("learn day2.txt --resume day1.model --save day2.model --on-bad skip")
    assert (skipped.code, "skipped 1 line" in skipped.err) == (0, True)
    wider = ",".join([*labels, "new"])
    for given in (wider, "open"):
        said = call(f"learn day2.txt --resume day1.model --save x --labels {given}").err
        assert "egin a new run" in said
    assert call(f"learn day1.txt day2.txt --labels {wider} --save both").code == 0


def test_a_model_of_text_remarks_on_a_table(call: Call, mail: Path) -> None:
    Path("new.csv").write_text(TABLE)
    found = call(f"predict {mail} new.csv")
    assert (found.code, "learned from words of text" in found.err) == (0, True)
    Path("picture.txt").write_bytes(b"\x89PNG\r\n\x1a\n")
    assert call(f"predict {mail} picture.txt").code == 3


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("lern first.csv", "expected a verb, got 'lern'. Did you mean learn?"),
        ("learn a.svm --lable class", "got --lable class. Did you mean --label?"),
        ("learn a.svm --strange", "got --strange. See novikoff learn --help."),
        ("learn -d a.svm", "Instead of -d, name the file alone: novikoff learn FILE."),
        ("learn a.svm --loss_function=logistic", "Instead of --loss_function, leave it out"),
        ("--verison", "got --verison. Did you mean --version?"),
    ],
)
def test_strange_words_get_a_guess(call: Call, command: str, said: str) -> None:
    found = call(command)
    assert (found.code, said in found.err) == (2, True), found.err


def test_one_label_no_row_and_no_format(call: Call) -> None:
    Path("one.csv").write_text("a,class\n1,up\n2,up\n")
    assert (
        "labels: expected two labels at least, got only 'up'."
        in call("learn one.csv --label class").err
    )
    Path("none.csv").write_text("")
    found = call("learn none.csv --label class")
    assert (found.code, "none.csv: expected rows, got an empty file" in found.err) == (3, True)
    done = shell("echo 1,2 | novikoff learn - --label 0")
    assert done.returncode == 2
    assert b"Name it with --format." in done.stderr
    assert "Pass what save wrote." in call("inspect one.csv").err


def test_a_resumed_model_that_is_not_kept_is_said(call: Call, mail: Path) -> None:
    Path("second.txt").write_text(MAIL[:200])
    before = mail.read_bytes()
    found = call(f"learn second.txt --resume {mail}")
    assert f"remark: {mail} is as it was" in found.err
    assert mail.read_bytes() == before
    assert "is as it was" not in call(f"learn second.txt --resume {mail} --save next.model").err


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (range(26), False),
        (range(200), True),
        ([k / 8 for k in range(20)], True),
        ("abcdef" * 30, False),
    ],
)
def test_numbers_to_predict_are_not_classes(call: Call, labels: list[object], said: bool) -> None:
    lines = "".join(f"{k % 7},{y}\n" for k, y in enumerate(labels))
    Path("numbers.csv").write_text("a,price\n" + lines)
    found = call("learn numbers.csv --label price")
    assert (found.code, "use --learner forward-regression" in found.err) == (0, said)
    found = call("learn numbers.csv --label price --learner forward-regression")
    assert "counts as a class" not in found.err


def test_requests_need_no_dash(mail: Path) -> None:
    done = shell(f'echo \'{{"predict": "win"}}\' | novikoff learn --stdio --resume {mail}')
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["label"] == "spam"


def test_an_error_in_the_middle_of_a_file_is_all_that_is_said(mail: Path) -> None:
    """The core's objects are gone when the process ends, or nanobind lists them."""
    Path("strange.txt").write_text(MAIL + "eggs\twin\n")
    done = shell(f"novikoff learn strange.txt --resume {mail} --save {mail}")
    assert done.returncode == 3
    assert done.stderr.count(b"\n") == 1, done.stderr


def test_python_predicts_one_text_as_a_file_has_it(call: Call, mail: Path) -> None:
    run, text = nv.Run.load(mail), "WIN money, win"
    Path("new.txt").write_text(f"{text}\n")
    line = call(f"predict {mail} new.txt --probabilities").out.splitlines()[1]
    h = run.hypothesis()
    assert isinstance(h, nv.BlendHypothesis)
    (chance,) = h.probabilities([nv.Words().features(text)]).tolist()
    assert line.endswith(f",{chance!r}")
    assert run.predict_one(text) == run.predict_one(nv.Words().features(text)) == "spam"
    with pytest.raises(nv.InputError, match=r"nv\.Words\(\)\.features\(text\)"):
        nv.Run(nv.Blend()).predict_one(text)
    with pytest.raises(nv.ParameterError, match="text: expected one text"):
        nv.Words().features([text])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            b"3,caf\xe9,up",
            "Convert the file (iconv -t utf-8), or skip such lines with --on-bad skip.",
        ),
        (b"1", "Mend the line, check delimiter and format, or skip such lines with --on-bad skip."),
        (b"'expected UTF-8',z,up", "name a column of text in --categorical COLUMN"),
    ],
)
def test_advice_fits_the_bad_line(call: Call, row: bytes, said: str) -> None:
    Path("bad.csv").write_bytes(b"a,name,class\n1,x,up\n2,y,down\n" + row + b"\n")
    found = call("learn bad.csv --label class")
    assert (found.code, said in found.err) == (3, True), found.err
