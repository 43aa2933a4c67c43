"""Models are not lost: names stay apart, nothing half done is saved, what was saved can be read."""

import copy
import json
import os
import pickle
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from commands import Call, assert_same_run
from novikoff.interrupts import listening, look, waiting
from novikoff.saving import storage

LEARNERS: dict[str, Any] = {
    "perceptron": nv.Perceptron,
    "averaged": nv.AveragedPerceptron,
    "voted": nv.VotedPerceptron,
    "classes": nv.MulticlassPerceptron,
    "minnow": lambda: nv.Minnow(0.1),
    "balanced": lambda: nv.BalancedMinnow(0.1),
    "modified": lambda: nv.ModifiedPerceptron(0.1),
    "kernel": lambda: nv.KernelPerceptron(nv.linear),
    "kernel classes": lambda: nv.MulticlassKernelPerceptron(nv.linear),
    "one against the rest": lambda: nv.OneVsRestKernelPerceptron(nv.rbf(1.0)),
    "hashed": lambda: nv.Perceptron(hashing=nv.Hashing(4)),
}
NAMELESS = {"a.jsonl": '{"label":1}\n{"label":-1}\n', "a.vw": "1 |\n-1 |\n", "a.txt": "1\t\n-1\t\n"}


@pytest.mark.parametrize("file", NAMELESS)
@pytest.mark.parametrize("name", LEARNERS)
def test_a_run_that_never_met_a_name_is_saved_and_copied(
    name: str, file: str, tmp_path: Path
) -> None:
    (tmp_path / file).write_text(NAMELESS[file])
    run = nv.play(LEARNERS[name](), nv.read(tmp_path / file, "text" if "txt" in file else "auto"))
    run.save(tmp_path / "run")
    run.learner.save(tmp_path / "learner")
    run.hypothesis().save(tmp_path / "h")
    nv.Learner.load(tmp_path / "learner")
    nv.Hypothesis.load(tmp_path / "h")
    run.learn({"met": 1.0}, 1)
    for again in (
        nv.Run.load(tmp_path / "run"),
        copy.deepcopy(nv.Run.load(tmp_path / "run")),
        pickle.loads(pickle.dumps(nv.Run.load(tmp_path / "run"))),
    ):
        again.learn({"met": 1.0}, 1)
        assert again.ledger.rounds == 3
        assert again.ledger.mistake_rounds.tolist() == run.ledger.mistake_rounds.tolist()


BYTES = {
    "names.vw": (b"1 | good\n-1 | bad\xff\n", ":2: expected UTF-8, got 'bad\\xff'"),
    "space.vw": (b"1 | good\n-1 |n\xff x\n", ":2: expected UTF-8, got 'n\\xff'"),
    "value.vw": (b"1 | good\n-1 | x:\xe9\n", ":2: expected UTF-8, got 'x:\\xe9'"),
    "labels.txt": (b"good\tone\nbad\xff\ttwo\n", ":2: expected a label in UTF-8, got 'bad\\xff'"),
    "labels.csv": (b"a,label\n1,x\n2,y\xff\n", ":3: expected a label in UTF-8 in column 'label'"),
    "cells.csv": (b"a,label\nx,1\ny\xff,0\n", ":3: expected UTF-8 in column 'a', got 'y\\xff'"),
    "label.jsonl": (
        b'{"label":"a","b":1}\n{"label":"\\ud800","b":1}\n',
        ":2: expected text that UTF-8 can hold",
    ),
    "name.jsonl": (
        b'{"label":1,"b":1}\n{"label":1,"\\ud800":1}\n',
        ":2: expected text that UTF-8 can hold",
    ),
    "value.jsonl": (b'{"label":1,"b":1}\n{"label":1,"b":"\\udcff"}\n', ":2: expected text"),
}


@pytest.mark.parametrize("file", BYTES)
def test_bytes_that_are_no_text_are_refused_by_file_and_line(file: str, tmp_path: Path) -> None:
    """Two names never become one, and no name has two ids."""
    content, said = BYTES[file]
    path = tmp_path / file
    path.write_bytes(content)
    learner = nv.MulticlassPerceptron()
    with pytest.raises(nv.InputError) as refused:
        nv.play(learner, nv.read(path, "text" if "txt" in file else "auto"))
    assert f"{path}{said}" in str(refused.value)
    stream = nv.read(path, "text" if "txt" in file else "auto", on_bad="skip")
    run = nv.play(nv.MulticlassPerceptron(), stream)
    assert (run.ledger.rounds, stream.skipped) == (1, 1)


def test_text_that_looks_like_bytes_is_a_name_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "a.vw").write_text("1 | \\xff é\n-1 | \\\\xff \\xfe\n")
    run = nv.play(nv.Perceptron(), nv.read(tmp_path / "a.vw"))
    assert run.learner.features.names(4) == ["\\xff", "é", "\\\\xff", "\\xfe"]
    run.save(tmp_path / "m")
    assert nv.Run.load(tmp_path / "m").learner.features.names(4) == run.learner.features.names(4)


def test_half_a_surrogate_pair_is_no_name() -> None:
    run = nv.Run(nv.Perceptron())
    run.learn({"a": 1.0}, 1)
    for x in ({"\ud800": 1.0}, {"a": "\udc80"}, {"é\ud800": 2.0}):
        with pytest.raises(nv.InputError, match="expected names that UTF-8 can hold"):
            run.learn(x, 1)
    assert (run.ledger.rounds, run.learner.dimension) == (1, 1)


def test_a_model_with_more_names_than_weights_is_read(tmp_path: Path) -> None:
    """As an interrupted save of earlier versions left them: the names of rounds not played."""
    run = nv.play(nv.Perceptron(), [({"a": 1.0}, -1), ({"b": 1.0}, 1)])
    metadata, arrays = run._state()
    arrays["names"] = np.frombuffer(b"abc", np.uint8)
    arrays["name_ends"] = np.array([1, 2, 3])
    storage.write(tmp_path / "m", "Run", metadata, arrays, lambda *_: None)
    again = nv.Run.load(tmp_path / "m")
    assert again.learner.features.names(2) == ["a", "b"]
    again.learn({"c": 1.0}, -1)
    assert again.learner.features.names(3) == ["a", "b", "c"]


def test_what_cannot_be_read_back_replaces_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "m"
    run = nv.play(nv.Perceptron(), [({"a": 1.0}, -1)])
    run.save(file)
    before = file.read_bytes()
    state = nv.Perceptron.state
    monkeypatch.setattr(
        nv.Perceptron, "state", lambda self: state(self) | {"name_ends": np.ones(9)}
    )
    for save in (run.save, run.learner.save):
        with pytest.raises(nv.InputError, match="expected to read back what was written"):
            save(file)
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["m"], "and no draft is left"


def test_ctrl_c_while_saving_leaves_the_model_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "m"
    run = nv.play(nv.Perceptron(), [({"a": 1.0}, -1)])
    run.save(file)
    before = file.read_bytes()
    run.learn({"b": 1.0}, 1)

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    for name in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, stopped)
            with pytest.raises(KeyboardInterrupt):
                run.save(file)
        assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


def test_signals_wait_for_a_boundary() -> None:
    heard: list[str] = []

    def held() -> None:
        with waiting():
            signal.raise_signal(signal.SIGINT)
            heard.append("held")
            look()
            heard.append("never")

    def at_once() -> None:
        with waiting(), listening():
            signal.raise_signal(signal.SIGINT)
            heard.append("never")

    def at_the_end() -> None:
        with waiting():
            signal.raise_signal(signal.SIGINT)
            heard.append("until the end")

    for pressed in (held, at_once, at_the_end):
        with pytest.raises(KeyboardInterrupt):
            pressed()
    assert heard == ["held", "until the end"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


class EnoughError(Exception):
    """What a progress function stops a run with."""


@pytest.mark.parametrize("options", [{"passes": 3}, {"until_clean": True}, {"passes": 1}])
def test_a_run_that_was_cut_short_plays_the_rest(options: dict[str, Any], tmp_path: Path) -> None:
    """Whatever cut it: here the user's own progress function, in the second pass."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 3))
    rounds = nv.stream(X, np.where(X @ [1.0, 2.0, 3.0] > 0.1, 1, -1))
    whole = nv.Run(nv.Perceptron(bias=1.0), digest=True).play(rounds, **options)

    def stop(progress: nv.Progress) -> None:
        if progress.rounds > (300 if options != {"passes": 1} else 0):
            raise EnoughError

    run = nv.Run(nv.Perceptron(bias=1.0), digest=True)
    with pytest.raises(EnoughError):
        run.play(rounds, **options, progress=stop)
    run.save(tmp_path / "m")
    for one in (run, nv.Run.load(tmp_path / "m")):
        one.go_on(rounds)
        assert one.ledger.mistake_rounds.tolist() == whole.ledger.mistake_rounds.tolist()
        assert (one.ledger.passes, one.converged) == (whole.ledger.passes, whole.converged)
        assert (one.unfinished, one.ledger.rounds) == (None, whole.ledger.rounds)
        with pytest.raises(nv.InputError, match="expected one that was interrupted"):
            one.go_on(rounds)
        assert one.ledger.digest == whole.ledger.digest


def interrupt_at(monkeypatch: pytest.MonkeyPatch, saves: int) -> None:
    """Let SIGTERM come with this save."""
    save, left = nv.Run.save, iter(range(1, 1000))

    def stopped(run: nv.Run, path: Any) -> None:
        save(run, path)
        if next(left) == saves:
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(nv.Run, "save", stopped)


@pytest.mark.parametrize("saves", [1, 3, 5])
@pytest.mark.parametrize("passes", ["--passes 4", "--until-clean --max-passes 9"])
def test_resume_plays_all_the_passes_that_are_left(
    call: Call, monkeypatch: pytest.MonkeyPatch, passes: str, saves: int
) -> None:
    learn = f"learn mail.txt --positive spam {passes}"
    whole = call(f"{learn} --save whole --json").json
    with monkeypatch.context() as patch:
        interrupt_at(patch, saves)
        found = call(f"{learn} --save m --save-every 0")
        rest = "; go on with --resume m." if nv.Run.load("m").unfinished else ". Written before: m."
        assert found.code == 0 or found.err.endswith(f"{rest}\n")
    for more in ("", passes):
        again = call(f"learn mail.txt --positive spam --resume m --save n --json {more}").json
        if nv.Run.load("m").unfinished is None:
            return
        for name in ("rounds", "mistakes", "passes", "converged"):
            assert again[name] == whole[name], name
        assert_same_run("n", "whole")
    assert call("learn mail.txt --positive spam --resume m --passes 7").code == 2


def test_an_unfinished_run_of_an_earlier_version_goes_on(tmp_path: Path) -> None:
    """Its file says nothing of passes: there was one."""
    X, y = np.eye(4), np.array([1, -1, -1, 1])
    run = nv.play(nv.Perceptron(), nv.stream(X[:2], y[:2]))
    run.unfinished = {
        "input": ["a.svm"],
        "rounds": 0,
        "reading": {"format": "svmlight", "label": None},
    }
    run.save(tmp_path / "m")
    again = nv.Run.load(tmp_path / "m").go_on(nv.stream(X, y))
    assert (again.ledger.rounds, again.ledger.passes) == (4, 1)
    assert again.mistakes == nv.play(nv.Perceptron(), nv.stream(X, y)).mistakes


def test_no_certificate_is_refused_before_the_first_round(call: Call) -> None:
    """And nothing is written."""
    assert call("learn a.svm --save day1").code == 0
    Path("day2.svm").write_text(Path("a.svm").read_text())
    before = sorted(os.listdir())
    for command, said in {
        "learn day2.svm --resume day1 --certify --theorem fixed-share": "a theorem about Blend (",
        "learn a.svm --learner modified --sigma 0.1 --certify": "can be replayed exactly",
        "learn a.svm --learner ellipsoid --dimension 8 --certify": "can be replayed exactly",
        "learn a.svm --certify --theorem halving": "expected a theorem about Blend",
        "learn a.svm --learner perceptron --certify --theorem halving": "about Perceptron",
        "learn a.svm --certify --theorem progressive --passes 2": "expected one pass",
    }.items():
        found = call(command)
        assert (found.code, found.out) == (1, ""), command
        assert said in found.err
        assert sorted(os.listdir()) == before
    assert call("learn a.svm --resume day1 --save twice --certify").code == 0, "two passes"


def test_files_are_named_although_a_later_step_fails(call: Call) -> None:
    """Weights are known to be there only when they were played."""
    Path("w.vw").write_text("1 2.0 | a b\n-1 1.0 | b c\n" * 5)
    for learner in ("perceptron", "blend"):
        found = call(f"learn w.vw --learner {learner} --certify c.json")
        assert found.code == 1
        assert "weight" in found.err
        assert found.err.endswith("Written before: w.model.\n")
        Path("w.model").unlink()
    rows = "1 1:1\n" * 400_000
    for learner, last in {"perceptron": "x\n", "blend": "1 1:x\n"}.items():
        Path("bad.svm").write_text(rows + last)  # a label x is a class of Blend
        found = call(f"learn bad.svm --learner {learner} --save m --save-every 0")
        assert found.code == 3
        assert found.err.endswith("Written before: m.\n")
        Path("m").unlink()


def test_a_stop_after_the_last_round_waits_for_the_model(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "novikoff.cli.learning.check_played", lambda *_: signal.raise_signal(signal.SIGTERM)
    )
    found = call("learn a.svm --save m")
    assert (found.code, found.err) == (130, "novikoff: interrupted. Written before: m.\n")
    assert nv.Run.load("m").unfinished is None


@pytest.mark.parametrize(("kind", "after"), [("perceptron", "300 rounds"), ("blend", "1 round")])
def test_a_second_stop_waits_for_the_model(
    call: Call, monkeypatch: pytest.MonkeyPatch, kind: str, after: str
) -> None:
    """The first stop comes with the first save: of Blend at its first checkpoint, in round 1."""
    save = nv.Run.save

    def pressed(run: nv.Run, path: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        save(run, path)

    monkeypatch.setattr(nv.Run, "save", pressed)
    found = call(f"learn a.svm --learner {kind} --save m --save-every 0")
    assert (found.code, Path("m").exists()) == (130, True)
    assert found.err == f"novikoff: interrupted after {after}; go on with --resume m.\n"
    monkeypatch.setattr(nv.Run, "save", save)
    assert call("learn a.svm --resume m --json").json["rounds"] == 300


def test_a_stop_while_tagging_leaves_the_model(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.conll").write_text("the\tD\ndog\tN\n\na\tD\ncat\tN\n\n" * 50)
    assert call("tag m a.conll --learn").code == 0
    before = Path("m").read_bytes()
    play = nv.StructuredPerceptron.play_rows

    def stopped(self: Any, *rest: Any) -> int:
        signal.raise_signal(signal.SIGTERM)
        return play(self, *rest)

    monkeypatch.setattr(nv.StructuredPerceptron, "play_rows", stopped)
    found = call("tag m a.conll --learn")
    assert (found.code, found.err) == (
        130,
        "novikoff: interrupted after 100 rounds; m is as it was.\n",
    )
    assert Path("m").read_bytes() == before
    Path("m").unlink()
    assert call("tag m a.conll --learn").err.endswith("no model was written.\n")


def test_a_pool_learns_no_further_than_its_run() -> None:
    """A stop in the middle of a block: the learners have heard of the rounds played alone."""
    X = np.random.default_rng(2).normal(size=(200, 3))
    y = np.where(X[:, 0] > 0, 1, -1)

    def experts() -> nv.Hedge:
        return nv.Hedge([nv.Perceptron(), nv.Perceptron(bias=1.0)], horizon=200)

    def stop(progress: nv.Progress) -> None:
        if progress.rounds > 50:
            raise KeyboardInterrupt

    run: nv.Run = nv.Run(experts())
    with pytest.raises(KeyboardInterrupt):
        run.play(nv.stream(X, y), progress=stop)
    done = run.ledger.rounds
    assert 50 < done < 200
    assert [member.rounds for member in run.learner.pool.members] == [done, done]
    run.play(nv.stream(X[done:], y[done:]))
    whole = nv.Run(experts()).play(nv.stream(X, y))
    assert run.ledger.losses.tolist() == whole.ledger.losses.tolist()
    assert run.ledger.loss == whole.ledger.loss


def test_unfinished_is_plain_data(tmp_path: Path) -> None:
    run = nv.play(nv.Perceptron(), [([1.0], 1)])
    for name, value in {"passes": 0, "number": 3, "rounds": 9, "until_clean": "no"}.items():
        run.unfinished = {"passes": 2, "number": 1, "rounds": 0, "over": 1, name: value}
        json.dumps(run.unfinished)
        with pytest.raises(nv.InputError):
            run.save(tmp_path / "m")


def test_a_class_that_comes_late_is_learned_even_if_bad_lines_are_skipped(call: Call) -> None:
    """Two labels in the first block were only taken for all; nobody declared them."""
    rows = "".join(f"{'ab'[t % 2]}\tword{t % 2} and some more words\n" for t in range(150_000))
    Path("late.txt").write_text(f"{rows}c\tlate\n")
    first = next(iter(nv.read("late.txt").blocks()))
    assert len(first.labels) < 150_000, "more than one block"
    for options in ("", "--on-bad skip"):
        found = call(f"learn late.txt {options} --save m --json").json
        assert (found["rounds"], found["labels"]) == (150_001, ["a", "b", "c"])
