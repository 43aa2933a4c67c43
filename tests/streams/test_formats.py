"""Formats: what a line of each becomes, and what is wrong with one that is none."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    X = np.round(rng.normal(size=(300, 12)), 3) * (rng.random((300, 12)) < 0.3)
    return X, np.where(X @ rng.normal(size=12) >= 0, 1, -1)


def same(run: nv.Run, other: nv.Run) -> bool:
    return run.ledger.digest == other.ledger.digest and np.array_equal(
        run.ledger.mistake_rounds, other.ledger.mistake_rounds
    )


FOUND: list[tuple[str, bytes, str]] = [
    ("a.svm", b"", "svmlight"), ("a", b"1 2:3\n", "svmlight"), ("a", b"-1 2:3 # x\n", "svmlight"),
    ("a", b"1 |ns a b:2\n", "vw"), ("a", b"| a b\n", "vw"), ("a", b"1.0 'tag|ns a\n", "vw"),
    ("a", b'{"label": 1}\n', "jsonl"), ("a", b"ham\tHello there\n", "text"),
    ("a.csv", b"a,b\n", "csv"), ("a", b"a,b,label\n1,2,3\n", "csv"), ("a", b"a\tb\tc\n", "csv"),
    ("a.tsv", b"a\tb\tlabel\n", "csv"), ("a", b"PAR1....", "parquet"),
    ("a.ndjson", b"", "jsonl"), ("a.vw.gz", gzip.compress(b"1 |a b\n", mtime=0), "vw"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "expected"), FOUND, ids=range(len(FOUND)))
def test_formats_are_found(tmp_path: Path, name: str, content: bytes, expected: str) -> None:
    """A format is found from the name, or from the first line."""
    file = tmp_path / name
    file.write_bytes(content)
    from novikoff.streams.files.formats import format_of
    from novikoff.streams.files.opening import Source

    with Source(str(file)) as source:
        assert format_of(source) == expected


def test_a_file_of_no_format_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "what"
    file.write_text("hello world\n")
    with pytest.raises(nv.InputError, match=r"expected a file of a known format .* 'hello world'"):
        nv.read(file)


def test_csv_with_text_has_named_features(tmp_path: Path) -> None:
    """A number is the feature of its column, a text the feature column=text."""
    file = tmp_path / "people.csv"
    file.write_text(
        'age,town,"the, label",height\n31,Paris,yes,1.7\n"25","New ""York""",no,0\n7,"a\nb",yes,1\n'
    )
    rows, labels = [], []
    for rounds in nv.read(file, label="the, label").blocks():
        rows += [rounds.rows.row(t) for t in range(len(rounds.rows))]
        labels += list(rounds.labels)
    assert labels == ["yes", "no", "yes"]
    assert rows[0] == {"age": 31.0, "town=Paris": 1.0, "height": 1.7}
    assert {k: v for k, v in rows[1].items() if v} == {"age": 25.0, 'town=New "York"': 1.0}
    assert rows[2] == {"age": 7.0, "town=a\nb": 1.0, "height": 1.0}


def test_a_label_that_is_a_number_counts_the_columns(tmp_path: Path, data: tuple[Any, Any]) -> None:
    X, y = data
    file = tmp_path / "plain.csv"
    np.savetxt(file, np.column_stack([X, y]), delimiter=";", fmt="%.17g")
    run = nv.play(nv.Perceptron(), nv.read(file, "csv", label=-1), digest=True)
    assert same(run, nv.play(nv.Perceptron(), nv.stream(X, y), digest=True))


BAD_CSV = [
    ("a,label\nx1,1\n", {"categorical": ["b"]}, "categorical: expected a column"),
    ("a,b\n1,2\n", {}, "label: expected the column"),
    ("a,a,label\n1,2,1\n", {}, "expected every column once"),
    ("a,label\n1,1\nx,1\n", {}, ":3: expected a number in column 'a'"),
    ("a,label\n1,1\n,1\n", {}, ":3: expected a number in column 'a'"),
    ("a,label\n1,1\n1,1,1\n", {}, ":3: expected 2 cells"),
    ("a,label\n1,1\n1,\n", {}, ":3: expected a label"),
    ('a,label\n1,1\n"1"x,1\n', {}, ":3: expected"),
    ('a,label\n1,1\n"1,1\n', {}, ":3: expected"),
]


@pytest.mark.parametrize(("text", "options", "said"), BAD_CSV)
def test_a_bad_table_is_refused_by_column_or_cell(
    tmp_path: Path, text: str, options: dict[str, Any], said: str
) -> None:
    """Columns that are none and cells that are no numbers are named."""
    file = tmp_path / "bad.csv"
    file.write_text(text)
    with pytest.raises((nv.InputError, nv.ParameterError)) as caught:
        nv.play(nv.Perceptron(), nv.read(file, **options))
    assert said in str(caught.value)


def test_vw_text_is_read_as_vowpal_wabbit_reads_it(tmp_path: Path) -> None:
    """Labels, weights, namespaces, scales and values, as Vowpal Wabbit reads them."""
    file = tmp_path / "data.vw"
    file.write_text("1 2.0 'tag|user:0.5 old age:30 |page news\n-1 |page sports:2 sports\n")
    (rounds,) = nv.read(file).blocks()
    assert [rounds.rows.row(t) for t in range(2)] == [
        {"user^old": 0.5, "user^age": 15.0, "page^news": 1.0},
        {"page^sports": 3.0},
    ]
    assert list(rounds.labels) == [1, -1]
    assert np.asarray(rounds.weights).tolist() == [2.0, 1.0]


def test_named_features_of_files_are_those_of_dicts(tmp_path: Path) -> None:
    """A file of names plays as the dicts it stands for: ids, digest and mistakes."""
    rng = np.random.default_rng(3)
    rows, labels = [], []
    for _ in range(4000):
        words = {f"w{k}" for k in rng.zipf(1.3, 6) % 5000}
        rows.append({word: float(rng.integers(1, 4)) for word in sorted(words)})
        labels.append(int(rng.choice([-1, 1])))
    file = tmp_path / "data.vw"
    file.write_text(
        "".join(
            f"{y} | {' '.join(f'{n}:{v}' for n, v in row.items())}\n"
            for row, y in zip(rows, labels, strict=True)
        )
    )
    for hashing in (None, nv.Hashing(10)):
        ours = nv.play(nv.Perceptron(hashing=hashing), nv.read(file, threads=2), digest=True)
        dicts = nv.play(nv.Perceptron(hashing=hashing), nv.stream(rows, labels), digest=True)
        assert same(ours, dicts)
        one, other = ours.hypothesis(), dicts.hypothesis()
        assert isinstance(one, nv.Halfspace)
        assert isinstance(other, nv.Halfspace)
        assert one.weights() == other.weights()
    cached = nv.cache(nv.read(file), tmp_path / "named.arrow")
    again = nv.play(nv.Perceptron(hashing=nv.Hashing(10)), cached, digest=True)
    assert same(again, ours)


def test_names_that_a_hypothesis_does_not_know_weigh_nothing(tmp_path: Path) -> None:
    """A hypothesis takes the rows of a file; names it does not know weigh nothing."""
    file = tmp_path / "a.txt"
    file.write_text("spam\tFree money\nham\tSee you\n" * 2)
    run = nv.play(nv.Perceptron(), nv.read(file, positive="spam"))
    other = tmp_path / "b.txt"
    other.write_text("spam\tfree lunch\nham\tyou see\n")
    (rounds,) = nv.read(other).blocks()
    assert run.predict(rounds.rows).tolist() == ["spam", "ham"]


def test_members_of_json_lines_are_features(tmp_path: Path) -> None:
    """Members are features; objects inside have longer names."""
    file = tmp_path / "data.jsonl"
    lines = [
        {"label": "a", "size": 2, "big": True, "from": "bank", "user": {"age": 3, "x": None}},
        {"label": "b", "size": 1.5},
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    (rounds,) = nv.read(file).blocks()
    assert rounds.rows.row(0) == {"size": 2, "big": True, "from": "bank", "user.age": 3}
    assert rounds.labels == ["a", "b"]


BAD_JSON = [
    ('{"label": 1, "a": [1]}', "array"), ("[1]", "JSON object"), ('{"label": 1', "JSON object"),
    ('{"label": 1, "a": 1, "a": 2}', "once"), ('{"label": 1, "a": NaN}', "finite"),
    ('{"label": 1, "a": 1e999}', "finite"), ('{"label": {}, "a": 1}', "label"),
    ('{"label": 1, "a.b": 1, "a": {"b": 1}}', "once"), ("[" * 100_000, "JSON object"),
    ('{"label": 1, "a": 1234567890123456789}', "2^53"), ("\x00", "JSON object"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), BAD_JSON, ids=range(len(BAD_JSON)))
def test_a_bad_json_line_has_an_address_and_can_be_skipped(
    tmp_path: Path, text: str, said: str
) -> None:
    """Every line that is no object of features has an address."""
    file = tmp_path / "bad.jsonl"
    file.write_text('{"label": 1, "a": 1}\n' + text + "\n")
    with pytest.raises(nv.InputError, match=f"^{file}:2: expected") as caught:
        nv.play(nv.Perceptron(), nv.read(file))
    assert said in str(caught.value)
    run = nv.play(nv.Perceptron(), nv.read(file, on_bad="skip"))
    assert run.ledger.rounds == 1


def test_a_member_that_is_text_gives_its_words(tmp_path: Path) -> None:
    lines = [{"label": "spam", "date": "1", "text": "Free MONEY, free!"}]
    file = tmp_path / "mail.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    (rounds,) = nv.read(file, text="text").blocks()
    assert rounds.rows.row(0) == {"free": 2.0, "money": 1.0}


WORDS: list[tuple[nv.Words, dict[str, float]]] = [
    (nv.Words(), {"to": 2, "be": 2, "or": 1, "not": 1}),
    (nv.Words(presence=True), {"to": 1, "be": 1, "or": 1, "not": 1}),
    (nv.Words(2), {"to": 2, "be": 2, "or": 1, "not": 1, "to be": 2, "be or": 1, "or not": 1,
                   "not to": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("words", "expected"), WORDS)
def test_words_and_runs_of_words_are_counted(
    tmp_path: Path, words: nv.Words, expected: dict[str, float]
) -> None:
    file = tmp_path / "a.txt"
    file.write_text("1\tTo be, or NOT to-be\n")
    (rounds,) = nv.read(file, "text", words=words).blocks()
    assert rounds.rows.row(0) == expected


WRONG: list[Callable[[Path], Any]] = [
    lambda file: nv.read(file, "tar"),
    lambda file: nv.read(file, on_bad="ignore"),  # type: ignore[arg-type]
    lambda file: nv.read(file, threads=0),
    lambda file: nv.read(file, words=3),  # type: ignore[arg-type]
    lambda file: nv.Words(9),
    lambda file: nv.Words(0),
    lambda file: nv.Words(1, (3, 2)),
    lambda file: nv.read([]),
    lambda file: nv.read(3),  # type: ignore[arg-type]
    lambda file: nv.read("-"),
    lambda file: nv.read(file, "csv", delimiter="ab").blocks(),
    lambda file: nv.read(file, "parquet", label=3),
]


@pytest.mark.parametrize("wrong", WRONG, ids=range(len(WRONG)))
def test_parameters_are_checked(tmp_path: Path, wrong: Callable[[Path], Any]) -> None:
    """Every parameter is checked when it is given."""
    file = tmp_path / "a.svm"
    file.write_text("1 1:1\n")
    with pytest.raises(nv.ParameterError, match="expected"):
        wrong(file)


def test_a_cache_keeps_weights_and_texts(tmp_path: Path) -> None:
    """Labels that are texts, weights and names come back as they were."""
    rows = [{"a": 1.0, "b": 2.0}, {"c": "x"}, {"a": 3.0}]
    source = nv.stream(rows, ["p", 2, "q"], weights=[1.0, 0.5, 2.0])
    stream = nv.cache(source, tmp_path / "odd.arrow")
    (rounds,) = stream.blocks()
    assert [rounds.rows.row(t) for t in range(3)] == [rows[0], {"c=x": 1.0}, rows[2]]
    assert rounds.labels == ["p", 2, "q"]
    assert np.asarray(rounds.weights).tolist() == [1.0, 0.5, 2.0]


def test_a_one_shot_stream_is_spooled_by_a_cache(tmp_path: Path, data: tuple[Any, Any]) -> None:
    """What can be played once is certified from its cache."""
    X, y = data
    spooled = nv.cache(((x, label) for x, label in zip(X, y, strict=True)), tmp_path / "s.arrow")
    run = nv.play(nv.Perceptron(), spooled)
    assert nv.verify(nv.certify(run), nv.stream(X, y)).verified


def test_a_cache_is_whole_or_not_there(tmp_path: Path) -> None:
    """A stream that fails leaves no file behind."""

    def failing() -> Any:
        yield [1.0], 1
        raise RuntimeError("lost")

    with pytest.raises(RuntimeError):
        nv.cache(failing(), tmp_path / "half.arrow")
    assert list(tmp_path.iterdir()) == []


def test_rows_without_a_label_are_skipped_as_bad_lines_are(tmp_path: Path) -> None:
    """What cannot be learned from is a bad line, with its address."""
    file = tmp_path / "some.svm"
    file.write_text("1 1:1\n2:1\n-1 x\n-1 2:1\n3:1\n")
    stream = nv.read(file, on_bad="skip")
    run = nv.play(nv.Perceptron(), stream)
    assert (run.ledger.rounds, stream.skipped) == (2, 3)
    assert [fault.partition(": ")[0][-1] for fault in stream.faults] == ["2", "3", "5"]


def test_a_positive_label_is_read_as_the_labels_of_its_file_are(tmp_path: Path) -> None:
    """In text 01 is the number 1; in JSON the text "1" would make every label negative."""
    file, lines = tmp_path / "a.svm", tmp_path / "a.jsonl"
    file.write_text("01 1:1\n2 2:1\n")
    for positive in ("1", "01", " +1.0", 1):
        run = nv.play(nv.Perceptron(), nv.read(file, positive=positive))
        assert run.labels.spoken == (2, 1)
    for positive in ("nan", "1e999", "9007199254740993", "-9007199254740994", ""):
        with pytest.raises(nv.ParameterError, match="positive: expected a word, or a number"):
            nv.read(file, positive=positive)
    lines.write_text('{"label": 1, "a": 1}\n')
    with pytest.raises(nv.ParameterError, match="positive: expected 1, as the labels have it"):
        nv.play(nv.Perceptron(), nv.read(lines, positive="1"))


def test_a_header_alone_is_no_row(tmp_path: Path) -> None:
    """A header is no row, with or without its line end."""
    for text in ("a,label", "a,label\n", "a,label\r\n"):
        file = tmp_path / "empty.csv"
        file.write_text(text)
        assert nv.play(nv.Perceptron(), nv.read(file)).ledger.rounds == 0


def test_numbers_that_no_float_holds_are_faults_in_tables_too(tmp_path: Path) -> None:
    """1e999 in the first row is a number, and a bad one; a long cell is one, too."""
    for cell in ("1e999", "inf", "9" * 200_000):
        file = tmp_path / "large.csv"
        file.write_text(f"a,label\n{cell},1\n")
        with pytest.raises(nv.InputError, match=":2: expected a finite number in column 'a'"):
            nv.play(nv.Perceptron(), nv.read(file))
