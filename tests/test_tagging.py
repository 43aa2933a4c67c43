"""``novikoff tag``: from columns to a model, and from a model to columns."""

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


def test_heads_are_no_tags(call: Call) -> None:
    found = call("tag m train.conllu --learn --label head")
    assert found.code == 2
    assert "expected a column of tags, got head" in found.err
