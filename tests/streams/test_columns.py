"""Files of columns, and what is learned from real ones."""

import gzip
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import conlleval
import novikoff as nv
from novikoff.streams.files.columns import sentences_of
from novikoff.structures.spans import accuracy

CONLL = "\n\nThe DT B-NP\ncat NN I-NP\n\n\n# NN O\n"
CONLLU = (
    "# text = don't go\n1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tdo\tdo\tAUX\tVB\t_\t3\taux\t_\t_\n2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_\n"
    "2.1\tx\tx\tX\tX\t_\t_\t_\t_\t_\n3\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n\n"
)


def _file(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


@pytest.mark.parametrize("name", ["a.conll", "a.conll.gz"])
def test_columns_are_read(tmp_path: Path, name: str) -> None:
    path = _file(tmp_path, name, CONLL)
    stream = nv.read(path)
    expected = ([[("The", "DT"), ("cat", "NN")], [("#", "NN")]], [["B-NP", "I-NP"], ["O"]])
    assert sentences_of(stream) == expected
    assert sentences_of(stream) == expected  # from memory
    assert stream.format == "conll"
    words = nv.read(path, label=1, columns=[0])
    assert sentences_of(words) == ([["The", "cat"], ["#"]], [["DT", "NN"], ["NN"]])
    with pytest.raises(nv.ParameterError, match="expected the number of a column"):
        nv.read(path, label="tag")


def test_universal_dependencies_are_read(tmp_path: Path) -> None:
    path = _file(tmp_path, "a.conllu", CONLLU)
    assert sentences_of(nv.read(path)) == ([["do", "n't", "go"]], [["AUX", "PART", "VERB"]])
    X, heads = sentences_of(nv.read(path, label="head"))
    assert X == [[("do", "AUX"), ("n't", "PART"), ("go", "VERB")]]
    assert heads == [[3, 3, 0]]
    lemmas = nv.read(path, label="xpos", columns=["lemma"])
    assert sentences_of(lemmas) == ([["do", "not", "go"]], [["VB", "RB", "VB"]])
    with pytest.raises(nv.ParameterError, match="expected one of id, form"):
        nv.read(path, label="tag")


def test_sentences_are_not_cached(tmp_path: Path) -> None:
    with pytest.raises(nv.InputError, match="expected rows of features, got sentences"):
        nv.cache(nv.read(_file(tmp_path, "a.conll", CONLL)), tmp_path / "a.arrow")
    assert [path.name for path in tmp_path.iterdir()] == ["a.conll"]


BAD = {
    "a column too few": ("a.conll", CONLL + "\nx\n", "a.conll:9: expected 3 columns, as in"),
    "a column too many": ("a.conll", "a b\nc d e\n", "a.conll:2: expected 2 columns, as in"),
    "one column": ("a.conll", "a\n", "a.conll:1: expected at least 2 columns"),
    "an empty column": ("a.conll", "a\tb\n\tb\n", "a.conll:2: expected something in every column"),
    "no UTF-8": ("a.conll", "a b\n\udcff b\n", "a.conll:2: expected UTF-8"),
    "nine columns": ("a.conllu", CONLLU.replace("\t_\n", "\n"), "a.conllu:2: expected 10 columns"),
    "a token left out": ("a.conllu", CONLLU.replace("2\tn't", "4\tn't"), "expected the token 2"),
}


@pytest.mark.parametrize("bad", BAD)
def test_bad_lines_have_an_address_or_are_skipped(tmp_path: Path, bad: str) -> None:
    name, text, message = BAD[bad]
    path = tmp_path / name
    path.write_bytes(text.encode(errors="surrogateescape"))
    run = nv.Run(nv.StructuredPerceptron(nv.Chains(lambda x, i: [str(x[i])])))
    with pytest.raises(nv.InputError, match=message) as error:
        run.play(nv.read(path))
    assert str(error.value).endswith("skip such sentences with on_bad='skip'.")
    assert run.ledger.rounds == (2 if bad == "a column too few" else 0)
    skipping = nv.read(path, on_bad="skip")
    assert len(sentences_of(skipping)[0]) == (2 if bad == "a column too few" else 0)
    assert skipping.skipped == 1
    assert message.split(": ")[-1] in skipping.faults[0]


def test_a_space_that_keeps_a_word_together_parts_no_columns(tmp_path: Path) -> None:
    text = "10\u00a0000 NUM\n\u3000 PUNCT\n\nx X\n"
    X, y = sentences_of(nv.read(_file(tmp_path, "a.conll", text)))
    assert X == [["10\u00a0000", "\u3000"], ["x"]]
    assert y == [["NUM", "PUNCT"], ["X"]]


def test_a_tag_that_is_not_allowed_has_an_address(tmp_path: Path) -> None:
    path = _file(tmp_path, "a.conll", CONLL)
    run = nv.Run(nv.StructuredPerceptron(nv.Chains("chunking", tags=["B-NP", "I-NP"])))
    with pytest.raises(nv.InputError, match=r"a\.conll:7: expected tag 1 among B-NP I-NP, got 'O'"):
        run.play(nv.read(path))
    assert run.ledger.rounds == 1


tags = st.sampled_from(["O", "B-A", "I-A", "B-B", "I-B"])
pairs = st.lists(st.tuples(tags, tags), max_size=12)


@given(st.lists(pairs, max_size=4))
def test_f1_is_the_shared_tasks(sentences: Any) -> None:
    gold = [[one for one, _ in sentence] for sentence in sentences]
    found = [[other for _, other in sentence] for sentence in sentences]
    assert nv.span_scores(gold, found).f1 == pytest.approx(conlleval.f1(gold, found), abs=1e-12)


def test_f1_of_an_example_worked_by_hand() -> None:
    gold = [["B-NP", "I-NP", "O", "B-VP", "I-NP"]]  # NP 1–2, VP 4, NP 5
    found = [["I-NP", "I-NP", "O", "B-VP", "I-VP"]]  # NP 1–2, VP 4–5
    scores = nv.span_scores(gold, found)
    assert scores[3:] == (3, 2, 1)
    assert scores.f1 == conlleval.f1(gold, found) == 2 / 5


def test_the_best_pass_is_kept_and_a_clean_one_is_the_last() -> None:
    rounds: Any = [(["a", "b"], ["A", "B"]), (["b", "a", "a"], ["B", "A", "B"])]
    learner = nv.StructuredPerceptron(nv.Chains("w[0] w[-1]"))
    found = nv.best_pass(learner, rounds, rounds, passes=50)
    assert found.scores[found.number - 1] == max(found.scores) == 1.0
    assert len(found.scores) < 50
    again: Any = nv.play(learner.fresh(), rounds, passes=found.number).hypothesis()
    assert again.weights() == found.hypothesis.weights()
    with pytest.raises(nv.InputError, match="held_out: expected at least one example"):
        nv.best_pass(learner.fresh(), rounds, [])


def _real(data: Path, name: str, **options: Any) -> tuple[list[Any], list[Any]]:
    if not (data / name).exists():
        pytest.skip(f"no {name} among the real datasets")
    return sentences_of(nv.read(data / name, **options))


def test_chunks_of_newspapers_are_found(data: Path) -> None:
    """A quarter of the training part; docs/structured.md has the whole."""
    X, y = _real(data, "conll2000/train.txt.gz", format="conll")
    test, gold = _real(data, "conll2000/test.txt.gz", format="conll")
    rounds = list(zip(X[:2200], y[:2200], strict=True))
    run = nv.play(nv.StructuredPerceptron(nv.Chains("chunking")), rounds, passes=6)
    found = run.hypothesis().predict(test)
    assert conlleval.f1(gold, found) > 0.915
    assert nv.span_scores(gold, found).f1 == conlleval.f1(gold, found)


def test_parts_of_speech_are_found(data: Path) -> None:
    """A quarter of the training part; docs/structured.md has the whole."""
    X, y = _real(data, "ud_english_ewt/en_ewt-ud-train.conllu.gz")
    test, gold = _real(data, "ud_english_ewt/en_ewt-ud-test.conllu.gz")
    rounds = list(zip(X[::4], y[::4], strict=True))
    run = nv.play(nv.StructuredPerceptron(nv.Chains("tagging")), rounds, passes=4)
    assert accuracy(gold, run.hypothesis().predict(test)) > 0.92


def test_entities_of_noisy_text_are_read(data: Path) -> None:
    X, y = _real(data, "wnut17/wnut17train.conll.gz", format="conll")
    assert len(X) == 3394
    test, gold = _real(data, "wnut17/emerging.test.annotated.gz", format="conll")
    run = nv.play(nv.StructuredPerceptron(nv.Chains("entities")), list(zip(X, y, strict=True)))
    assert conlleval.f1(gold, run.hypothesis().predict(test)) > 0.1
