"""The other verbs: receipts, listings, files, stories, and the help."""

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nv
from commands import Call
from novikoff import demo
from novikoff.cli import help_page, stories
from novikoff.cli.certifying import claim
from novikoff.cli.parser import build


def test_verified_is_0_refused_1_and_bad_input_3(call: Call) -> None:
    for learner in ("blend", "perceptron"):
        call(f"learn a.svm --learner {learner} --save m")
        made = call("certify m a.svm --json").json
        assert made["certificate"] == "a.certificate.json"
        assert made["observed"] <= made["bound"]
        assert call("verify a.certificate.json a.svm").out.startswith("verified: ")
    said = call("certify m a.svm --theorem hinge --output c.json").out
    assert re.fullmatch(r"hinge, \d+ ≤ [\d.]+\ncertificate: c.json \(read the data once\)\n", said)
    verdict = call("verify c.json a.svm --json").json
    assert set(verdict) == {
        "verified", "theorem", "observed", "bound", "reason", "reading", "remarks",
    }  # fmt: skip
    assert (verdict["verified"], verdict["theorem"]) == (True, "hinge")
    assert call("verify c.json a.csv").out.startswith("verified: hinge, ")
    found = call("verify c.json knot.svm")
    assert (found.code, found.out.startswith("refused: ")) == (1, True)
    found = call("verify c.json knot.svm --json")
    assert (found.code, json.loads(found.out)["verified"]) == (1, False)
    assert call("verify a.svm a.svm").code == 1, "no certificate"
    assert call("verify c.json bad.svm").code == 3
    assert call("certify m knot.svm").code == 1, "not the data of the run"
    assert call("certify m a.svm --theorem nonsense").code == 2
    assert call("certify m a.svm --theorem novikoff").code == 0
    said = call("certify m a.svm --theorem progressive").out
    assert re.match(r"progressive, \d+ mistakes, error at most 0\.\d{4}\n", said)
    assert ", error at most 0." in call("verify a.certificate.json a.svm").out


def test_margin_says_what_is_separable_and_proves_it(call: Call) -> None:
    """Separable, not separable, each with its proof."""
    found = call("margin a.svm --json").json
    assert set(found) >= {
        "separable", "margin", "interval", "radius", "novikoff_bound", "witness",
    }  # fmt: skip
    assert found["separable"] is True
    assert found["novikoff_bound"] >= (found["radius"] / found["margin"]) ** 2 * (1 - 1e-9)
    assert "separable: margin 0." in call("margin a.svm --certify yes.json").out
    assert call("verify yes.json a.svm").out == "verified: separable\n"
    found = call("margin knot.svm --certify no.json --json").json
    assert (found["separable"], found["novikoff_bound"]) == (False, None)
    assert found["witness"] == {"rows": [1, 2], "weights": ["1", "1"]}
    assert call("verify no.json knot.svm").out == "verified: not separable\n"
    assert call("verify no.json a.svm").code == 1
    assert call("margin knot.svm").out == "not separable: 2 rows prove it\n"
    Path("apart.svm").write_text("1 1:2\n-1 1:1\n")
    assert call("margin apart.svm --json").json["separable"] is False
    assert call("margin apart.svm --bias 1 --json").json["separable"] is True
    assert call("margin mail.txt --positive spam --json").json["separable"] is True


def test_a_margin_that_nobody_can_tell_is_null(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """null is an answer, with the interval that is known."""
    from novikoff.cli import certifying as receipts

    unknown = nv.margin([[1.0], [-2.0]], [1, -1])
    object.__setattr__(unknown, "separable", None)
    object.__setattr__(unknown, "value", None)
    monkeypatch.setattr(receipts, "margin_of", lambda *_, **__: unknown)
    found = call("margin a.svm --json").json
    assert (found["separable"], found["margin"], len(found["interval"])) == (None, None, 2)
    assert call("margin a.svm").out.startswith("undecided: the margin is between ")


def test_the_stand_alone_verifier_checks_what_is_exported(call: Call) -> None:
    """A certificate about words is checked on svmlight, by one file of Python alone."""
    verifier = Path(nv.__file__).with_name("verifier.py")
    for words in ("", "--words 2 --hash-bits 7"):
        call(f"learn mail.txt --positive spam --certify c.json {words}")
        found = call(f"export mail.txt --output e.svm --json {words}").json
        assert found["bytes"] == Path("e.svm").stat().st_size
        alone = [sys.executable, "-I", str(verifier), "c.json", "e.svm"]
        done = subprocess.run(alone, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout
        assert json.loads(done.stdout)["verified"]
    assert call("export many.csv --label kind --output k.svm").out.startswith("k.svm: ")
    Path("blank.txt").write_text("so so\tyes\nno\tno\n")
    assert "expected labels that svmlight can hold" in call("export blank.txt --output x").err


def test_theorems_are_listed_as_the_library_has_them(call: Call) -> None:
    listed = call("theorems --json").json["theorems"]
    assert [theorem["id"] for theorem in listed] == [theorem.id for theorem in nv.theorems()]
    assert {"id", "statement", "kind", "citation"} <= set(listed[0])
    out = call("theorems").out
    assert all(theorem["id"][:8] in out for theorem in listed)


def test_check_tells_and_keeps_what_is_violated(call: Call) -> None:
    """A learner of one's own, from the folder one is in: what it violates is told and kept."""
    assert call('check novikoff:BalancedMinnow --arguments {"eta":0.1} --json').json
    Path("mine.py").write_text(
        "class Stubborn:\n"
        "    def predict(self, x): return 1\n"
        "    def update(self, x, y): x[:] = 0\n"
    )
    try:
        found = call("check mine:Stubborn --save kept")
    finally:
        sys.modules.pop("mine", None)
        sys.path.remove(str(Path.cwd()))
    assert found.code == 1
    assert list(Path("kept").iterdir())
    assert call("check mine:Nobody").code == 2
    assert call("check nothing").code == 2


def test_report_writes_the_page_it_names(call: Call) -> None:
    call("learn a.svm --certify c.json --save some.model")
    assert call("report some.model a.svm").out == "report: some.html\n"
    found = call("report some.model a.svm --certificate c.json --output page.html --json").json
    assert found["report"] == "page.html"
    text = Path("page.html").read_text()
    assert text.startswith("<!DOCTYPE html>")
    assert len(text) > Path("some.html").stat().st_size - 20_000
    assert call("report some.model a.svm --output page.xyz").code == 2
    assert call("report some.model mail.txt").code == 3, "other data"


@pytest.mark.parametrize(
    "learner", ["", "--learner perceptron", "--learner modified --sigma 0.01", "--passes 2"]
)
def test_a_report_on_other_rows_than_those_of_the_run_is_refused(call: Call, learner: str) -> None:
    """Whether the learner has a theorem or none."""
    lines = Path("a.svm").read_text().splitlines(keepends=True)
    Path("old.svm").write_text("".join(lines[:150]))
    Path("new.svm").write_text("".join(lines[150:300]))
    Path("fewer.svm").write_text("".join(lines[:100]))
    call(f"learn old.svm {learner} --save m")
    for file in ("new.svm", "fewer.svm", "a.svm"):
        refused = call(f"report m {file} --output page.html")
        assert refused.code == 1
        assert "bounds: expected " in refused.err
        assert not Path("page.html").exists()
    assert call("report m old.svm --output page.html").code == 0
    assert Path("page.html").exists()


def test_a_report_reads_as_many_rows_as_the_run_did(call: Call) -> None:
    call("learn a.svm --first 100 --save m")
    found = call("report m a.svm --output page.html --json")
    assert found.code == 0
    assert not any("no bounds" in remark for remark in found.json["remarks"])


def test_inspect_shows_runs_and_hypotheses(call: Call) -> None:
    """A run, or a hypothesis that was saved by itself."""
    call("learn mail.txt --positive spam --save m")
    out = call("inspect m --top 1").out.splitlines()
    assert out[:2] == [
        "Blend(bias=1.0): 1 mistake in 60 rounds (1.67%)",
        "BlendHypothesis of 8 features, labels ham, spam",
    ]
    assert re.fullmatch(r"  \+\d\.\d+  free", out[2])
    call("learn mail.txt --learner perceptron --positive spam --save m")
    out = call("inspect m --top 2").out.splitlines()
    assert out[0] == "Perceptron(ties=positive): 1 mistake in 60 rounds (1.67%)"
    assert out[1] == "Halfspace of 8 features, labels ham, spam"
    assert out[2:] == ["  -1  at", "  -1  home"]
    nv.Run.load("m").hypothesis().save("h")
    found = call("inspect h --json --top 1").json
    assert (found["kind"], found["hypothesis"], found["top"]) == (
        "Halfspace", "Halfspace", [["at", -1.0]],
    )  # fmt: skip
    assert "learner" not in found
    assert call("predict h mail.txt").out == call("predict m mail.txt").out
    call("learn many.csv --label kind --learner multiclass --save many")
    assert set(call("inspect many --json").json["top"]) == {"x", "y", "z"}
    assert call("inspect many --top 1").out.count("\n") == 2 + 6
    call("learn a.svm --learner voted --save v")
    assert call("inspect v --json").json["top"] is None, "a vote has no one weight a feature"
    assert call("inspect m --top -1").code == 2


def test_what_is_cached_is_learned_from_as_the_file_was(call: Call) -> None:
    """What is cached is learned from as the file was, receipts included."""
    for file, options in (("a.svm", ""), ("mail.txt", "--positive spam")):
        found = call(f"cache {file} --output c.arrow --json").json
        size = Path("c.arrow").stat().st_size
        assert found == {"output": "c.arrow", "bytes": size, "skipped": 0, "remarks": []}
        one = call(f"learn {file} {options} --certify c.json --save m --json").json
        two = call(f"learn c.arrow {options} --digest --json").json
        assert (one["digest"], one["mistakes"]) == (two["digest"], two["mistakes"])
        assert two["format"] == "cache"
        assert call("verify c.json c.arrow").code == 0
        assert call(f"predict m {file}").out == call("predict m c.arrow").out


def test_demo_tells_its_whole_story(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "_ROUNDS", 20_000)
    found = call("demo --json").json
    real, mail = 4, 6
    assert found["codes"] == [0] * (real + mail)
    assert Path(found["report"]).parent == Path("novikoff-demo")


def test_bench_measures_our_speed_and_scikit_learns(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Our speed and scikit-learn's, or ours alone."""
    monkeypatch.setattr(demo, "_ROUNDS", 20_000)
    monkeypatch.setattr(stories, "_LINES", 500)
    found = call("bench --json").json
    assert found.pop("remarks") == []
    assert len(found) == 4
    assert all(speed > 0 for speed in found.values())
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    assert call("bench --json").json["scikit_learn_bytes_per_second"] is None
    assert re.search(r"^scikit learn +not installed$", call("bench").out, re.MULTILINE)


def completed(words: list[str]) -> list[str]:
    """Return what bash offers after these words."""
    script = (
        'source /dev/stdin <<< "$(novikoff completion bash)"; COMP_WORDS=("$@"); '
        "COMP_CWORD=$(($# - 1)); compopt() { :; }; _novikoff; printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    folder = str(Path(sys.executable).parent)
    environment = os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", script, "bash", *words],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout.split()


def test_bash_completes_verbs_options_and_words() -> None:
    """Verbs, a verb's options, and the words an option takes."""
    assert completed(["novikoff", "ve"]) == ["verify"]
    assert set(completed(["novikoff", ""])) > set(verbs())
    assert completed(["novikoff", "learn", "--until"]) == ["--until-clean"]
    assert completed(["novikoff", "predict", "m", "--sc"]) == ["--scores"]
    assert completed(["novikoff", "learn", "a.svm", "--learner", "m"]) == [
        "multiclass", "modified", "minnow",
    ]  # fmt: skip
    assert completed(["novikoff", "completion", "z"]) == ["zsh"]
    assert completed(["novikoff", "learn", "a"]) == [], "files are left to the shell"


def test_zsh_and_fish_complete_too(call: Call) -> None:
    assert call("completion zsh").out.startswith("autoload")
    fish = call("completion fish").out
    assert "__fish_seen_subcommand_from learn' -l learner -x -a 'blend perceptron averaged" in fish
    assert "__fish_seen_subcommand_from completion' -a 'bash zsh fish'" in fish


def verbs() -> dict[str, Any]:
    return dict(build()._subparsers._group_actions[0].choices)  # type: ignore[union-attr, arg-type]


def test_every_verb_has_its_help(call: Call) -> None:
    """No arguments: the help, and 2; every verb has its own."""
    found = call("")
    assert (found.code, found.err) == (2, "")
    assert found.out == call("--help").out
    for verb in verbs():
        helped = call(f"{verb} --help")
        assert helped.code == 0
        assert helped.out.startswith(f"usage: novikoff {verb} ")
        assert re.search(rf"^    {verb}( |$)", found.out, re.MULTILINE)
        assert "--json" in helped.out
    assert call("--version").out == f"{nv.__version__}\n"
    found = call("nonsense")
    assert (found.code, "invalid choice: 'nonsense'" in found.err) == (2, True)


def test_the_page_of_the_documentation_is_the_help() -> None:
    written = Path(__file__).parents[2] / "docs" / "cli.md"
    words = help_page.page().split()  # its columns are argparse's, which differ between Pythons
    assert written.read_text().split() == words, "run: make docs"


@given(st.floats(1e-9, 1e15), st.floats(0, 1))
def test_what_a_certificate_says_in_one_line_is_true(bound: float, share: float) -> None:
    """A bound is shown rounded upward: never below itself, nor below what it bounds."""
    for observed in (bound, bound * share, math.nextafter(bound, 0)):
        left, right = claim("ftrl-diag", observed, bound).removeprefix("ftrl-diag, ").split(" ≤ ")
        assert float(left.replace(",", "")) <= float(right)
        assert bound * (1 - 1e-11) <= float(right) <= bound * (1 + 1e-4)
    error = claim("progressive", 1, share).split(" at most ")[1]
    assert share - 1e-11 <= float(error) <= share + 1e-4
    assert len(error) == 6


def test_a_bound_is_printed_rounded_upward(call: Call) -> None:
    Path("three.svm").write_text("1\n-1\n1\n")  # ln 2 in every round: 2.0794415…
    out = call("learn three.svm --learner adaptive-gradient --bounds --certify c.json").out
    said = r"ftrl-diag +losses add up to 2\.07944; the theorem allows at most 2\.07945 "
    assert re.search(said, out)
    assert "ftrl-diag, 2.079441542 ≤ 2.07945\n" in call("verify c.json three.svm").out
