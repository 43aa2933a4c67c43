"""Data that are not what they seem: what the command line and Python say about them."""

import csv
import json
import subprocess
import sys
import warnings
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

import novikoff as nv
from commands import Call
from novikoff.streams.first_rows import numerals_of

PEOPLE: list[dict[str, object]] = [
    {"age": 20 + t % 50, "work": ("State-gov", "Private")[t % 2], "income": ("low", "high")[t % 2]}
    for t in range(60)
]
ADULT = "39, State-gov, low\n50, Private, high\n" * 10
LETTER = "one two three four five six seven eight nine ten eleven twelve"


def lines(name: str, rows: list[dict[str, object]]) -> None:
    """Write rows as JSON lines."""
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def quoted(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Return the rows as csv.DictReader gives them."""
    return [{name: str(value) for name, value in row.items()} for row in rows]


@pytest.fixture
def people(call: Call) -> Path:
    """Return a model of a table of numbers and categories."""
    with open("people.csv", "w", newline="") as file:
        table = csv.DictWriter(file, ["age", "work", "income"])
        table.writeheader()
        table.writerows(PEOPLE)
    assert call("learn people.csv --label income --save people.model").err == ""
    return Path("people.model")


def test_numbers_in_quotes_get_one_remark(call: Call) -> None:
    lines("quoted.jsonl", quoted(PEOPLE))
    found = call("learn quoted.jsonl --label income --json")
    assert [one for one in found.json["remarks"] if "as strings" in one] == [
        "'age' holds numbers as strings, such as '20', so each number counts as a category of its "
        "own. If they are quantities, write numbers: in JSON without quotes, in Python "
        "float(value)."
    ]
    lines("plain.jsonl", PEOPLE)
    assert "as strings" not in call("learn plain.jsonl --label income").err


def test_numbers_in_strings_are_warned_about_once() -> None:
    rounds = [({"age": row["age"]}, row["income"]) for row in quoted(PEOPLE)]
    with pytest.warns(UserWarning, match=r"'age' holds numbers as strings.*float\(value\)") as told:
        nv.play(nv.Blend(), nv.stream([x for x, _ in rounds], [y for _, y in rounds]))
    assert len(told) == 1
    run = nv.Run(nv.Blend(), labels=("low", "high"))
    with pytest.warns(UserWarning, match="'age' holds numbers as strings") as told:
        _ = [run.learn(x, str(y)) for x, y in rounds]
    assert len(told) == 1


def test_codes_are_categories() -> None:
    """Postcodes, numbers that begin with 0 and words mixed with numbers are meant as they are."""
    for codes in (["94110", "94103"], ["02139", "1"], ["7", "seven"], ["1-2"], ["10.0.0.1"]):
        assert numerals_of([{"code": code} for code in codes]) == {}
    for numbers in (["39", "5"], ["1e3", "-.5"], [" 77516", " 215646"], ["0", "0.5"]):
        assert numerals_of([{"n": one} for one in numbers]) == {"n": numbers[0]}


@pytest.mark.parametrize(
    ("written", "odd"),
    [("${},174", "$20,174"), ("{} years", "20 years"), ("{},5", "20,5"), ("{}%", "20%")],
)
def test_numbers_with_other_characters_are_remarked_on(call: Call, written: str, odd: str) -> None:
    rows = "".join(f'"{written.format(row["age"])}",{row["income"]}\n' for row in PEOPLE)
    Path("odd.csv").write_text(f"age,income\n{rows}")
    (told,) = call("learn odd.csv --label income --json").json["remarks"]
    assert told.startswith(
        f"'age' holds numbers, but not plain ones only ({odd!r} of 'age'), so each"
    )


def test_a_word_among_numbers_is_remarked_on(call: Call) -> None:
    """If it comes first, the whole column is text."""
    rows = "".join(f"{row['age']},{row['income']}\n" for row in PEOPLE)
    Path("odd.csv").write_text(f"age,income\nthirty,low\n{rows}")
    (told,) = call("learn odd.csv --label income --json").json["remarks"]
    assert "'thirty' of 'age'" in told
    assert "--missing feature" in told


def test_a_few_classes_with_digits_are_categories(call: Call) -> None:
    rows = "".join(f"{10 + t % 3}th,{('low', 'high')[t % 2]}\n" for t in range(60))
    Path("grades.csv").write_text(f"grade,income\n{rows}")
    assert call("learn grades.csv --label income --json").json["remarks"] == []


def test_strings_where_a_model_knows_numbers_are_told(call: Call, people: Path) -> None:
    said = "'age' holds strings such as '20', but the model has learned from numbers there"
    lines("quoted.jsonl", quoted(PEOPLE))
    for verb in ("predict", "test"):
        found = call(f"{verb} {people} quoted.jsonl --label income")
        assert (found.code, found.err.count(said)) == (0, 1)
        lines("plain.jsonl", PEOPLE)
        assert "remark" not in call(f"{verb} {people} plain.jsonl --label income").err
    run = nv.Run.load(people)
    row = {name: value for name, value in quoted(PEOPLE)[0].items() if name != "income"}
    for ask in (run.predict_one, lambda x: run.predict([x]), lambda x: run.probabilities([x])):
        with pytest.warns(UserWarning, match=said):
            ask(row)
    run.predict_one(row)  # once is enough
    with pytest.warns(UserWarning, match=said):
        nv.Run.load(people).probability(row)
    with pytest.warns(UserWarning, match=said):
        nv.test(run, [(row, "low")])


def test_numbers_where_a_model_knows_strings_are_told(call: Call) -> None:
    lines("quoted.jsonl", quoted(PEOPLE))
    lines("plain.jsonl", PEOPLE)
    call("learn quoted.jsonl --label income --save m")
    said = "'age' holds numbers, but the model has learned from strings there, such as 'age="
    assert said in call("predict m plain.jsonl --label income").err


def test_rows_of_which_the_model_knows_nothing_are_counted(call: Call, people: Path) -> None:
    lines("misspelt.jsonl", [{"Age": row["age"], "income": row["income"]} for row in PEOPLE])
    said = (
        "remark: no row has a feature that the model knows, and predictions for such rows are no "
        "more than a guess. The first one has 'Age'; the model knows 'age', 'work="
    )
    for verb in ("predict", "test"):
        assert call(f"{verb} {people} misspelt.jsonl --label income").err.count(said) == 1
    lines("some.jsonl", [PEOPLE[0], {"Age": 3}, {}, {"work": "Private", "Age": 3}])
    assert "1 of 4 rows has no feature" in call(f"predict {people} some.jsonl --label income").err
    run = nv.Run.load(people)
    with pytest.warns(UserWarning, match="No row has a feature that the model knows"):
        run.predict([{"Age": 3}])
    with pytest.warns(UserWarning, match="None of the first 20 rows has a feature"):
        run.predict([{"Age": 3}] * 30)
    run.predict([{"Age": 3}, {"age": 3}])


def test_a_text_for_a_model_of_a_table_is_told(call: Call, people: Path) -> None:
    Path("mail.txt").write_text("low\twin money now\nhigh\tsee you\n")
    assert "no row has a feature" in call(f"predict {people} mail.txt").err


def test_features_beyond_those_of_a_numbered_model_are_told(call: Call) -> None:
    Path("train.svm").write_text("1 1:1 2:3\n-1 1:2 2:1\n" * 5)
    Path("new.svm").write_text("1 7:1\n-1 1:2 7:1\n")
    call("learn train.svm --save m")
    found = call("predict m new.svm").err
    assert "1 of 2 rows has no feature" in found
    assert "has feature 6; the model knows features 0 to 1." in found


def test_nothing_is_said_of_hashed_names(call: Call) -> None:
    lines("plain.jsonl", PEOPLE)
    call("learn plain.jsonl --label income --hash-bits 10 --save m")
    lines("misspelt.jsonl", [{"Age": row["age"], "income": row["income"]} for row in PEOPLE])
    assert "feature" not in call("predict m misspelt.jsonl --label income").err


def test_blanks_around_categories_are_told(call: Call) -> None:
    Path("adult.data").write_text(ADULT)
    (said,) = call("learn adult.data --label -1 --json").json["remarks"][-1:]
    assert "blanks at the ends of labels are part of them: ' high', ' low'" in said
    assert "blanks at the ends of categories are part of them: ' State-gov' of '1'" in said
    command = said.partition(": sed ")[2].removesuffix(".").replace("FILE", "adult.data")
    subprocess.run(["bash", "-c", f"sed {command.replace('CLEAN', 'clean.csv')}"], check=True)
    assert "blanks" not in call("learn clean.csv --label -1").err
    with pytest.warns(UserWarning, match=r"^Blanks at the ends of categories.*value\.strip\(\)"):
        nv.play(nv.Blend(), nv.read("adult.data", label=-1))


@pytest.mark.parametrize("mark", [",", ";"])
@pytest.mark.parametrize("headed", [True, False])
def test_the_advice_about_a_text_in_a_table_works(call: Call, mark: str, headed: bool) -> None:
    """The command in the remark writes lines from which learn learns words."""
    texts = (
        mark.join((str(t), ("ham", "spam")[t % 2], f'"it\'s {LETTER}\n{t}"\n')) for t in range(30)
    )
    rows = "".join(texts)
    Path("mail.csv").write_text(f"id{mark}kind{mark}body\n" * headed + rows)
    found = call(f"learn mail.csv --label {'kind' if headed else 1} --json")
    (said,) = (one for one in found.json["remarks"] if "holds a text" in one)
    command, _, after = said.partition("the text: ")[2].partition("; novikoff ")
    shell = command.replace("python3", sys.executable)
    subprocess.run(["bash", "-c", shell], check=True)
    words = call(f"{after.partition('. Or ')[0]} --json")
    assert (words.code, words.json["rounds"], words.json["format"]) == (0, 30, "text")
    assert "holds a text" not in words.err
    name = "body" if headed else "2"
    assert f"leave it out: --ignore {name}." in said


def test_the_advice_about_a_text_in_json_names_it(call: Call) -> None:
    lines("mail.jsonl", [{"label": t % 2, "the body": f"{LETTER} {t}"} for t in range(9)])
    said = call("learn mail.jsonl").err
    assert "To learn from its words, name it: --text 'the body'." in said


def test_data_as_they_should_be_are_not_warned_about() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = nv.Run(nv.Blend(), labels=("low", "high"))
        for row in PEOPLE:
            x = {name: value for name, value in row.items() if name != "income"}
            run.predict_one(x)
            run.learn(x, str(row["income"]))
        run.predict([{"new": 1}, {"age": 3}])


@pytest.mark.parametrize("ending", ["csv", "svm", "vw", "jsonl", "txt"])
@pytest.mark.parametrize("content", ["", "\n\n"])
def test_an_empty_file_gets_one_sentence(
    call: Call, people: Path, ending: str, content: str
) -> None:
    call("learn people.csv --label income --certify c.json")
    name = f"empty.{ending}"
    Path(name).write_text(content)
    verbs = ["learn", f"predict {people}", f"test {people}", "verify c.json", f"certify {people}"]
    blank = content and ending in ("svm", "vw", "jsonl")  # only reading them shows it
    for verb in ["learn", f"test {people}"] if blank else verbs:
        found = call(f"{verb} {name}")
        assert found.code == 3
        what = "none" if blank else "an empty file. Check its name."
        assert found.err.startswith(f"novikoff: {name}: expected rows, got {what}")


def test_an_empty_file_among_others_is_named(call: Call, people: Path) -> None:
    Path("empty.csv").write_text("")
    said = call("learn people.csv empty.csv --label income").err
    assert said == "novikoff: empty.csv: expected rows, got an empty file. Check its name.\n"


def test_nothing_from_a_pipe_is_no_error(call: Call, people: Path) -> None:
    """A pipe may well bring nothing, and then there is nothing to predict."""
    found = subprocess.run(
        [sys.executable, "-m", "novikoff", "predict", people, "-", "--format", "jsonl"],
        input=b"", capture_output=True, check=True,
    )  # fmt: skip
    assert (found.stdout, found.stderr) == (b"", b"")


def test_a_misspelt_column_gets_the_one_that_was_meant(call: Call, people: Path) -> None:
    said = call("learn people.csv --label incom").err
    assert "('age', 'work', 'income'), got 'incom'. Did you mean 'income'?" in said
    assert "Did you mean 'age'?" in call("learn people.csv --label income --ignore Age").err
    assert "Did you mean" not in call("learn people.csv --label sex").err
    lines("plain.jsonl", PEOPLE)
    assert "got none (did you mean 'income'?); name" in call("learn plain.jsonl --label incom").err
    wide = ",".join(f"column{j}" for j in range(40))
    Path("wide.csv").write_text(f"{wide}\n{','.join('1' * 40)}\n")
    assert "'column9' and 30 more), got 'x'" in call("learn wide.csv --label x").err
    table = pa.table({"age": [1, 2], "income": ["low", "high"]})
    with pytest.raises(nv.ParameterError, match=r"got 'incom'\. Did you mean 'income'"):
        nv.play(nv.Blend(), nv.stream(table, "incom"))
    pyarrow.parquet.write_table(table, "people.parquet")
    assert "Did you mean 'income'?" in call("learn people.parquet --label incom").err


def test_a_file_without_the_header_learned_from_is_told(call: Call, people: Path) -> None:
    Path("bare.csv").write_text("39,Private,low\n50,State-gov,high\n")
    said = (
        "novikoff: bare.csv: expected a header with the columns learned from ('age', 'work', "
        "'income'), got a file that begins with values ('39', 'Private', 'low'). Write the names "
        "of its columns into a first line.\n"
    )
    for verb in (f"predict {people}", f"test {people}", f"learn --resume {people}"):
        found = call(f"{verb} bare.csv")
        assert (found.code, found.err) == (3, said)
    assert "if the file has no header, write" in call(f"predict {people} bare.csv --label -1").err
    assert "If the file has no header, --label -1 is" in call("learn bare.csv --label income").err
    Path("good.csv").write_text("age,work,income\n" + Path("bare.csv").read_text())
    assert call(f"predict {people} good.csv").code == 0
    Path("numbers.csv").write_text("a,b,label\n" + "1,2,1\n3,1,0\n" * 9)
    nv.play(nv.Blend(), nv.read("numbers.csv")).hypothesis().save("h")
    Path("new.csv").write_text("1,2\n3,4\n")
    assert "got a file that begins with values ('1', '2')" in call("predict h new.csv").err


def test_no_label_is_advised_that_the_learner_cannot_take(call: Call) -> None:
    Path("mail.txt").write_text("ham\tone\nspam\ttwo\neggs\tthree\n")
    said = call("learn mail.txt --labels ham,spam").err
    assert (
        "Correct it, skip such lines with --on-bad skip, or declare it with --labels A,B." in said
    )
    assert "open" not in said
    assert call("learn mail.txt --labels ham,spam,eggs").code == 0
    for other in ("--learner multiclass", "--positive spam"):
        assert "--labels open" in call(f"learn mail.txt --labels ham,spam {other}").err
        assert call(f"learn mail.txt --labels open {other}").code == 0
    run = nv.Run(nv.Blend(), labels=("ham", "spam", "eggs"))
    with pytest.raises(nv.InputError, match=r"Correct it, or declare it with labels=…\.$"):
        run.learn({"a": 1}, "other")


def test_predict_and_test_say_how_they_take_labels_that_are_unknown(
    call: Call, people: Path
) -> None:
    Path("new.csv").write_text("age,work,income\n30,Private,low\n40,Private,middle\n")
    said = call(f"predict {people} new.csv").err
    assert "each counts as a mistake" in said
    assert "novikoff test refuses such labels." in said
    said = call(f"test {people} new.csv").err
    assert "only novikoff predict counts the others as mistakes" in said


def test_a_play_that_stops_midway_says_what_is_kept(call: Call, people: Path) -> None:
    text = Path("people.csv").read_text()
    Path("bad.csv").write_text(f"{text}forty,Private,low\n")
    stream = nv.read("bad.csv", label="income")
    run = nv.Run(nv.Blend())
    with pytest.raises(nv.InputError, match=r"bad\.csv:62: expected a number") as caught:
        run.play(stream)
    assert caught.value.__notes__ == [
        "The run has played 60 rounds so far, and keeps them; run.go_on(stream) plays the rest of "
        "a mended stream."
    ]
    for ask in (nv.certify, nv.bounds):
        with pytest.raises(
            nv.InputError, match=r"midway, after 60 rounds\. .* first=…, or .*run\.go_on\(stream\)"
        ) as caught:
            ask(run, stream)
        assert not getattr(caught.value, "__notes__", [])
    first = nv.read("bad.csv", label="income", first=60)
    assert nv.verify(nv.certify(run, first), first).verified
    Path("bad.csv").write_text(f"{text}40,Private,low\n")
    run.go_on(stream)
    assert nv.verify(nv.certify(run, stream), stream).verified
    Path("bad.csv").write_text(f"{text}forty,Private,low\n")
    with pytest.raises(nv.InputError) as caught:
        nv.play(nv.Blend(), nv.read("bad.csv", label="income"))
    assert "60 rounds came before it, in a run that is lost now" in caught.value.__notes__[0]
    assert "rounds" not in call("learn bad.csv --label income").err


def test_a_play_that_stops_at_its_first_round_has_no_receipt() -> None:
    rounds = nv.stream([[1.0], [2.0]], ["ham", "spam"])
    run = nv.Run(nv.Perceptron())
    with pytest.raises(nv.InputError, match="expected labels") as caught:
        run.play(rounds)
    assert not getattr(caught.value, "__notes__", [])
    for ask in (nv.certify, nv.bounds):
        with pytest.raises(nv.HypothesisError, match="one whose play stopped at its first"):
            ask(run, rounds)


def test_every_line_of_texts_has_a_prediction(call: Call) -> None:
    """Also an empty one: the lines of the output go with those of the file."""
    Path("mail.txt").write_text("spam\tfree win\nham\thello gym\n" * 5)
    call("learn mail.txt --save m")
    Path("new.txt").write_text("free win\n\nhello gym\r\n\r\nfree win\n")
    said = call("predict m new.txt --format text")
    found = said.out.splitlines()
    assert (said.code, len(found)) == (0, 5)
    assert [found[k] for k in (0, 2, 4)] == ["spam", "ham", "spam"]
    assert found[1] == found[3]
    Path("learned.txt").write_text("spam\tfree win\n\nham\thello gym\n")
    assert call("learn learned.txt").code == 0
