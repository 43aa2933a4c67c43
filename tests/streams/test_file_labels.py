"""What certificates say of the labels and columns of files, verified alone and by the library."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from novikoff import verifier
from novikoff.cli import main as cli
from novikoff.receipts.rereading import Sentences
from novikoff.streams import as_examples
from novikoff.structures import Chains

B = 2**53


def certified(learner: Any, file: Path, **options: Any) -> dict[str, Any]:
    """Certify a run on a file, and return what the certificate says of its data."""
    stream = nv.read(file, **options)
    certificate = nv.certify(nv.play(learner, stream), stream)
    certificate.save(file.with_suffix(".json"))
    assert nv.verify(certificate, stream).verified
    found: dict[str, Any] = certificate.content["data"]
    return found


def verdicts(file: Path, *words: str, options: tuple[str, ...] = ()) -> tuple[int, int]:
    """Return the exit codes of the verifier alone and of ``novikoff verify``."""
    certificate = str(file.with_suffix(".json"))
    alone = verifier.main([certificate, str(file), *words])
    return alone, cli(["verify", certificate, str(file), *options, "--json"])


MIXED = {
    "words and numbers": ("a 1:1\n1 2:1\nb 3:1\n-2.5 1:1 2:1\na 1:1\n", ["a", 1, "b", -2.5]),
    "one number, many ways": ("x 1:1\n1 2:1\n+1.0 2:1\n01 2:1\n1e0 2:1\n", ["x", 1]),
    "no-break space": ("a\u00a0b 1:1\na 2:1\n", ["a\u00a0b", "a"]),
    "unit separator": ("a\x1fb 1:1\na 2:1\n", ["a\x1fb", "a"]),
    "form feed": ("a\x0c 1:1\na 2:1\n", ["a\x0c", "a"]),
    "carriage return": ("a\rb 1:1\na\r 2:1\n", ["a\rb", "a\r"]),
    "line separators": ("a\u2028b 1:1\na\u0085 2:1\na\x1c 3:1\n", ["a\u2028b", "a\u0085", "a\x1c"]),
    "other digits": ("\u0661 1:1\n1 2:1\n", ["\u0661", 1]),
    "large numbers": (f"{B} 1:1\n{B - 1} 2:1\n-{B} 3:1\n", [B, B - 1, -B]),
}


@pytest.mark.parametrize("case", MIXED)
def test_classes_of_words_and_numbers_verify(case: str, tmp_path: Path) -> None:
    """Classes may mix both, and words hold what other readers take for blanks."""
    text, classes = MIXED[case]
    file = tmp_path / "d.svm"
    file.write_bytes(text.encode())
    assert certified(nv.MulticlassPerceptron(), file)["labels"] == {"classes": classes}
    assert verdicts(file) == (0, 0)
    file.write_bytes(text.encode().replace(b"1 2:1", b"2 2:1").replace(b"a", b"c"))
    assert verdicts(file) == (1, 1)


TABLES: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "other delimiter": ("a;b;y\n1;2;1\n3;4;-1\n", {}, []),
    "tabs": ("a\tb\ty\n1\t2\t1\n3\t4\t-1\n", {}, []),
    "text": ("age,town,y\n31,Paris,1\n25,Rome,-1\n0,Oslo,-1\n2,Rome,1\n", {}, []),
    "text by option": (
        "zip,a,y\n1,2,1\n01,3,-1\n1,0,-1\n", {"categorical": ["zip"]}, ["categorical=zip"]
    ),
    "given delimiter": ("a|b|y\n1|2|1\n3|4|-1\n", {"delimiter": "|"}, ["delimiter=|"]),
    "ignored columns": (
        "id,a,t,y\nx,1,p,1\nz,2,q,-1\n", {"ignore": ["id", "t"]}, ["ignore=id", "ignore=t"]
    ),
    "quotes": ('"a;b;c",t,y\n1,"x, ""y""",1\n2,"p\nq",-1\n', {}, []),
    "empty lines": ("\n\na,t,y\n\n1,x,1\n\n2,z,-1\n", {}, []),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLES)
def test_tables_of_all_kinds_verify(case: str, tmp_path: Path) -> None:
    """Delimiters, columns of text and ignored ones, read alike alone and by the library."""
    text, options, words = TABLES[case]
    file = tmp_path / "d.csv"
    file.write_text(text)
    certified(nv.Perceptron(), file, label="y", **options)
    flags = [f"--{word.partition('=')[0]}={word.partition('=')[2]}" for word in words]
    assert verdicts(file, "y", *words, options=("--label", "y", *flags)) == (0, 0)
    file.write_text(text.replace("-1", "1"))
    assert verdicts(file, "y", *words, options=("--label", "y", *flags)) == (1, 1)


def test_a_table_without_a_header_verifies(tmp_path: Path) -> None:
    """A whole number counts the columns, in the verifier as on the command line."""
    file = tmp_path / "d.csv"
    file.write_text("1,x,1\n2,z,-1\n")
    certified(nv.Perceptron(), file, label=-1)
    assert verdicts(file, "-1", options=("--label=-1",)) == (0, 0)
    assert verdicts(file, "2", options=("--label", "2")) == (0, 0)
    assert verdicts(file, "1", options=("--label", "1")) == (1, 1)


def test_a_label_with_a_leading_zero_is_a_number(tmp_path: Path) -> None:
    """In CSV 01 is the number 1, also where it is the positive label."""
    file = tmp_path / "d.csv"
    file.write_text("a,b,y\n1,0,01\n0,1,02\n1,1,1\n")
    assert certified(nv.Perceptron(), file, label="y", positive="01")["labels"] == {"positive": 1}
    assert verdicts(file, "y", options=("--label", "y")) == (0, 0)
    assert verdicts(file, "y", options=("--label", "y", "--positive", "01")) == (0, 0)


BEYOND = {
    "svmlight": ("d.svm", "1 1:1\n{} 1:1\n"),
    "csv": ("d.csv", "a,label\n1,1\n1,{}\n"),
    "quoted": ("d.csv", 'a,label\n1,1\n1," {} "\n'),
    "vw": ("d.vw", "1 |n a\n{} |n a\n"),
    "text": ("d.txt", "1\ta\n{}\ta\n"),
    "jsonl": ("d.jsonl", '{{"label": 1, "a": 1}}\n{{"label": {}, "a": 1}}\n'),
}


@pytest.mark.parametrize("case", BEYOND)
def test_labels_that_float64_does_not_tell_apart_are_refused_by_line(
    case: str, tmp_path: Path
) -> None:
    """A label 2^53 + 1 would be 2^53: both cannot be labels of one file."""
    name, text = BEYOND[case]
    file = tmp_path / name
    format = case if case != "quoted" else "csv"
    for label in (B + 1, -B - 1, B + 2, "1e300", 10**30):
        file.write_text(text.format(label))
        with pytest.raises(nv.InputError, match=rf"^{file}:.: expected a number within ±2\^53"):
            nv.play(nv.MulticlassPerceptron(), nv.read(file, format))
    for label in (B, -B, B - 1):
        file.write_text(text.format(label))
        run = nv.play(nv.MulticlassPerceptron(), nv.read(file, format))
        assert run.labels.known == (1, label)


def test_a_certificate_of_a_label_beyond_is_no_verdict_on_a_file_of_it(tmp_path: Path) -> None:
    """The data 2^53 + 1 are not read as 2^53, alone or by the library."""
    file = tmp_path / "d.svm"
    rows = nv.stream([[1.0, 0.0], [0.0, 1.0]], [B + 1, B], positive=B)
    nv.certify(nv.play(nv.Perceptron(), rows), rows).save(tmp_path / "d.json")
    file.write_text(f"{B + 1} 1:1\n{B} 2:1\n")
    assert verdicts(file) == (3, 3)


@pytest.mark.parametrize(
    "labels",
    [[B + 1, B, B + 2], np.array([B + 1, B, B + 2]), [B + 1, B, 0.5], [B + 1, B, "a"],
     [B + 1, float(B), 1], [-(2**62) - 1, -(2**62), 0.5], [2**63 + 1, 2**63, 1]],
    ids=repr,
)  # fmt: skip
def test_large_whole_numbers_in_python_stay_apart(labels: Any) -> None:
    """Labels of 64 bits are exact from the stream to the verdict, beside floats too."""
    X = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    run = nv.play(nv.MulticlassPerceptron(), nv.stream(X, labels))
    assert list(run.labels.known) == list(labels)
    certificate = nv.certify(run, nv.stream(X, labels))
    assert nv.verify(certificate, nv.stream(X, labels)).verified
    swapped = [labels[1], labels[0], labels[2]]
    assert not nv.verify(certificate, nv.stream(X, swapped)).verified
    stream = nv.stream(X, labels, positive=labels[1])
    certificate = nv.certify(nv.play(nv.Perceptron(), stream), stream)
    assert nv.verify(certificate, stream).verified
    assert not nv.verify(certificate, nv.stream(X, swapped)).verified


def test_sentences_that_are_written_are_read_again(tmp_path: Path) -> None:
    """Tags with no-break spaces and signs, and counts, as the verifier reads them from a file."""
    x = [["a", "b", "a"], ["c"], []]
    pairs = [(x, ["NN", ":", "#"]), ([["b"], ["a"]], ["a\u00a0b", "a\x1f"])]
    sentences = Sentences(as_examples(pairs), Chains(None))
    file = tmp_path / "d.txt"
    file.write_bytes("".join(sentences.lines()).encode())
    assert [row[1:] for row in verifier.read_sentences(str(file))] == [
        (["NN", ":", "#"], [[(0, 2), (1, 1)], [(2, 1)], []]),
        (["a\u00a0b", "a\x1f"], [[(1, 1)], [(0, 1)]]),
    ]
    assert [row[1:] for row in sentences()] == [
        row[1:] for row in verifier.read_sentences(str(file))
    ]


def test_counts_that_a_digest_does_not_tell_apart_are_bad_data() -> None:
    """Of 2^53 and 2^53 + 1 float64 makes one; no count beyond 2^32 − 1 is read at all."""
    for count in (B, B + 1, 2**32, 0, 1.0):
        rows: Any = [("here", ["D"], [[(0, count)]])]
        with pytest.raises(verifier.BadData, match="counts from 1 to 4294967295"):
            verifier.Sentences(lambda rows=rows: rows, {"tags": ["D"]})  # type: ignore[misc]
    rows = [("here", ["D"], [[(0, 2**32 - 1)]])]
    assert verifier.Sentences(lambda: rows, {"tags": ["D"]}).nonzeros == 1


@pytest.mark.parametrize("label", ["1_0", "01", "nan", "a,b", "a:b", "a b", "", "\ufeffa", "-x"])
def test_export_refuses_words_that_its_file_could_not_hold(label: str, tmp_path: Path) -> None:
    """Written down such a word would be another label, or none."""
    file, out = tmp_path / "d.jsonl", str(tmp_path / "d.svm")
    file.write_text(json.dumps({"label": label, "a": 1}) + "\n")
    assert cli(["export", str(file), "--output", out]) == 3


def test_export_writes_labels_that_are_read_again(tmp_path: Path) -> None:
    """Words with odd characters, numbers, and bools as the numbers that they are."""
    labels = ["a\u00a0b", "a\rb", "œ", "_", 1, -2.5, True, False, B]
    file, out = tmp_path / "d.jsonl", tmp_path / "d.svm"
    file.write_text("".join(json.dumps({"label": y, "a": 1}) + "\n" for y in labels))
    assert cli(["export", str(file), "--output", str(out)]) == 0
    assert [row[1] for row in verifier.read_svmlight(str(out))] == labels
    (rounds,) = nv.read(out).blocks()
    assert list(rounds.labels) == labels
