"""``novikoff tag``: from columns to a model, and from a model to columns."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import novikoff as nv
from commands import Call

WORDS = [
    [("the", "DT", "B-NP"), ("cat", "NN", "I-NP"), ("sat", "VB", "B-VP")],
    [("a", "DT", "B-NP"), ("dog", "NN", "I-NP"), ("ran", "VB", "B-VP"), ("off", "RB", "O")],
]
TEXT = "".join("".join(" ".join(token) + "\n" for token in s) + "\n" for s in WORDS * 3)
BARE = "".join("".join(" ".join(token[:2]) + "\n" for token in s) + "\n" for s in WORDS)


@pytest.fixture(autouse=True)
def _files(call: Call) -> None:
    Path("train.conll").write_text(TEXT)
    Path("bare.conll").write_text(BARE)
    Path("broken.conll").write_text("a b c\nd e\n")
    ten = "\t_\t_\t0\troot\t_\t_"
    lines = [f"{i}\t{w}\t_\t{p}{ten}\n" for i, (w, p, _) in enumerate(WORDS[1], 1)]
    Path("train.conllu").write_text("# text\n" + "".join(lines) + "\n")


def test_what_was_learned_tags_its_own_sentences(call: Call) -> None:
    learned = call("tag m train.conll --learn --templates chunking --json").json
    assert learned["labels"] == ["B-NP", "I-NP", "B-VP", "O"]
    assert learned["passes"] < 10  # one was clean
    assert learned["model"] == "m"
    tagged = call("tag m bare.conll")
    assert tagged.code == 0
    expected = "".join("".join("\t".join(token) + "\n" for token in s) + "\n" for s in WORDS)
    assert tagged.out == expected
    assert tagged.err == ""
    judged = call("tag m train.conll --output out.conll --json").json
    assert (judged["accuracy"], judged["f1"], judged["sentences"]) == (1.0, 1.0, 6)
    assert Path("out.conll").read_text() == expected * 3
    assert call("tag m train.conll").err == "accuracy 100.00%, F1 100.00%\n"
    assert isinstance(nv.Hypothesis.load("m"), nv.Chain)


def test_the_best_outputs_stand_beside_each_other(call: Call) -> None:
    assert call("tag m train.conll --learn --templates w[0]|p[0] --last").code == 0
    lines = call("tag m bare.conll --best 3").out.split("\n\n")[0].splitlines()
    assert [len(line.split("\t")) for line in lines] == [5, 5, 5]
    assert [line.split("\t")[2] for line in lines] == ["B-NP", "I-NP", "B-VP"]


def test_a_pass_is_kept_by_held_out_data(call: Call) -> None:
    said = call("tag m train.conll --learn --templates chunking --held-out train.conll --json").json
    assert said["measure"] == "f1"
    assert said["held_out"][said["best_pass"] - 1] == 1.0
    shown = call("tag m train.conll --learn --templates chunking --held-out train.conll").out
    assert "f1 on held-out data after pass" in shown


def test_universal_dependencies_are_learned_and_tagged(call: Call) -> None:
    said = call("tag m train.conllu --learn --json").json
    assert said["labels"] == ["DT", "NN", "VB", "RB"]
    assert said["measure"] == "accuracy"
    assert call("tag m train.conllu").out.startswith("a\tDT\ndog\tNN\n")
    assert call("tag m train.conllu --json").json["accuracy"] == 1.0


def test_bad_files_and_options_are_refused(call: Call) -> None:
    broken = call("tag m broken.conll --learn --templates chunking")
    assert broken.code == 3
    assert "broken.conll:2: expected 3 columns, as in the lines before, got 2" in broken.err
    assert "--on-bad skip" in broken.err
    empty = call("tag m broken.conll --learn --on-bad skip")
    assert (empty.code, "expected sentences to learn from" in empty.err) == (3, True)
    assert call("tag m a.svm --learn").code == 3
    assert call("tag m train.conll --learn --output x").code == 2
    assert call("tag missing train.conll").code == 3
    assert call("tag m train.conll --learn --templates w[").code == 2
    call("tag m train.conll --learn --templates chunking")
    assert call("tag m bare.conll --held-out train.conll").code == 2


@pytest.mark.parametrize(
    ("learned", "read"),
    [
        ("train.conll --templates chunking --passes 3", "train.conll --templates chunking"),
        (
            "train.conll --templates w[0]|p[0] --held-out train.conll",
            "train.conll --templates w[0]|p[0]",
        ),
        ("train.conll --columns 0 --label 1 --last", "train.conll --columns 0 --label 1"),
        ("train.conllu", "train.conllu"),
    ],
)
def test_a_certificate_of_tags_is_verified_alone(call: Call, learned: str, read: str) -> None:
    """By the command line on the file, and by one file of Python on its sentences."""
    said = call(f"tag m {learned} --learn --certify c.json --json").json
    assert said["certificate"] == "c.json"
    assert call(f"tag m {learned} --learn --certify c.json").out.endswith("certificate: c.json\n")
    plain = read.partition(" --templates")[0]
    assert call(f"verify c.json {plain} --json").json["observed"] == said["mistakes"]
    found = call(f"export {read} --output data.sentences --json").json
    assert found["bytes"] == Path("data.sentences").stat().st_size
    verifier = Path(nv.__file__).with_name("verifier.py")
    alone = [sys.executable, "-I", str(verifier), "c.json", "data.sentences"]
    done = subprocess.run(alone, check=False, capture_output=True, text=True)
    assert (done.returncode, json.loads(done.stdout)["verified"]) == (0, True)
    other = Path("data.sentences").read_text().replace(" 1:1", " 1:2", 1)
    Path("data.sentences").write_text(other)
    done = subprocess.run(alone, check=False, capture_output=True, text=True)
    assert json.loads(done.stdout)["reason"] == "these are not its data"


def test_options_and_columns_that_do_not_fit_export_nothing(call: Call) -> None:
    assert call("tag m train.conll --certify c.json").code == 2
    assert call("export train.conll --output o --hash-bits 7").code == 2
    assert call("export a.svm --output o --templates tagging").code == 2
    assert call("export train.conll --output o --templates w[").code == 2
    Path("blank.conll").write_text("the\tDET or so\n")
    assert (
        "expected tags without blanks, got 'DET or so'" in call("export blank.conll --output o").err
    )
    heads = call("export train.conllu --label head --output o")
    assert (heads.code, "expected a column of tags, got head" in heads.err) == (2, True)
    assert not Path("o").exists()


def test_other_verbs_take_no_sentences(call: Call) -> None:
    for verb in ("learn", "margin", "cache --output o"):
        found = call(f"{verb} train.conll")
        assert (found.code, "expected rows of features, got sentences" in found.err) == (3, True)
    call("learn a.svm --certify c.json")
    found = call("verify c.json train.conll")
    assert (found.code, "expected rows of features, got sentences" in found.err) == (3, True)
    call("tag m train.conll --learn --templates chunking --certify c.json")
    assert "expected sentences, got rows of features" in call("verify c.json a.svm").err


def test_heads_are_no_tags(call: Call) -> None:
    found = call("tag m train.conllu --learn --label head")
    assert found.code == 2
    assert "expected a column of tags, got head" in found.err
