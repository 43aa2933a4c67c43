"""What a saved run states twice it must state alike: each number is changed in one place."""

import copy
import json
import pickle
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from safetensors.numpy import load as arrays_of
from test_tampering import Change, put, resign

import novikoff as nv
from golden.recipes import RECIPES, SIGNS, X
from novikoff.saving import storage

Runs = Callable[[], Any]


def _decided() -> Any:
    """Return a run with a threshold, of which the last round was asked."""
    run = nv.Run(nv.Blend(), threshold=0.7).play(nv.stream(X, SIGNS))
    run.tell(run.ask(X[0]), 1)
    run.ask(X[1], id=7)
    return run


def _used() -> Any:
    """Return a run of a learner that had learned a round before."""
    learner = nv.Perceptron()
    learner.update(X[0], 1)
    return nv.Run(learner).play(nv.stream(X, SIGNS))


MAKE: dict[str, Runs] = {
    name: RECIPES[name].played
    for name in (
        "perceptron", "named", "multiclass", "modified", "blend", "blend-classes",
        "forward-regression", "structured", "hedge", "exp3", "weighted-majority",
    )
}  # fmt: skip
MAKE |= {"decided": _decided, "used": _used}


def add(name: str, place: int, more: float) -> Change:
    """Add to one number of an array."""

    def change(_: dict[str, Any], arrays: dict[str, Any]) -> None:
        arrays[name] = arrays[name].copy()
        arrays[name].reshape(-1)[place] += more

    return change


def both(*changes: Change) -> Change:
    """Make several changes."""
    return lambda metadata, arrays: [change(metadata, arrays) for change in changes]


def move(name: str, source: int, target: int, count: float) -> Change:
    """Take from one number of an array and add to another, so that their sum stays."""
    return both(add(name, source, -count), add(name, target, count))


BY_LABEL, WRONG = "ledger.rounds_by_label", "ledger.mistakes_by_label"
COUNTS, POINTS = "ledger.counts", "ledger.checkpoints"
CHANGES = "ledger.label_changes"
CHANGED: dict[str, tuple[str, Change, str]] = {
    "endless rounds": ("perceptron", add(COUNTS, 0, 2**32), "10 of them by label"),
    "a round less": ("perceptron", add(COUNTS, 0, -1), "saved state"),
    "a round more by label": ("perceptron", add(BY_LABEL, 0, 1), "and 11 of them by label"),
    "rounds of nobody": (
        "perceptron", both(add(COUNTS, 0, 5), add(BY_LABEL, 0, 5)), "15 rounds, and 10 of the",
    ),
    "rounds of a learner that had learned": (
        "used", both(add(COUNTS, 0, 1), add(BY_LABEL, 0, 1)), "which was not fresh",
    ),
    "no labels": (
        "perceptron",
        both(put(BY_LABEL, lambda a: a[:0]), put(WRONG, lambda a: a[:0]),
             put(CHANGES, lambda a: a * 0)),
        "10 rounds, none by label",
    ),
    "fewer mistakes": (
        "perceptron", put("ledger.mistake_rounds", lambda a: a[:3]), "3 mistakes, and 5 of them",
    ),
    "a mistake less by label": ("perceptron", add(WRONG, 0, -1), "5 mistakes, and 4 of them"),
    "mistakes out of order": ("perceptron", move("ledger.mistake_rounds", 0, 1, 5), "saved state"),
    "a mistake after the last round": ("perceptron", add("ledger.mistake_rounds", -1, 9), "saved"),
    "more mistakes than rounds of a label": (
        "perceptron", move(BY_LABEL, 1, 0, 4), "more mistakes on a label",
    ),
    "many abstentions": ("modified", add(COUNTS, 1, 5), "more mistakes and abstentions"),
    "exact steps": ("perceptron", add(COUNTS, 3, 1), "more exact steps"),
    "weights of a kind": ("perceptron", add(COUNTS, 4, 2), "weights that are neither"),
    "a small radius": (
        "perceptron", put("ledger.measures", lambda a: a * [1e-3, 1, 1, 1]), "a mistake energy",
    ),
    "energy without mistakes": (
        "structured",
        both(put("ledger.mistake_rounds", lambda a: a[:0])), "a mistake energy beyond",
    ),
    "many changes of the label": ("perceptron", add(CHANGES, 1, 2), "more changes of the label"),
    "another last label": ("perceptron", add(CHANGES, 2, 5), "a last label that no round had"),
    "a label taken for itself": (
        "multiclass", move("ledger.confusion", 64, 65, 1), "taken for itself",
    ),
    "another confusion": ("multiclass", move("ledger.confusion", 64, 1, 1), "other confusions"),
    "probabilities that came true": ("blend", add("ledger.calibration_came", 9, 1), "came true"),
    "probabilities out of their bins": (
        "blend", put("ledger.calibration_sums", lambda a: a / 2), "not in their bins",
    ),
    "a falling loss": ("blend", add(POINTS, 1, 9), "losses that fall"),
    "a low last loss": ("blend", add(POINTS, -1, -0.1), "another loss at the last checkpoint"),
    "a high last loss": ("blend", add(POINTS, -1, 0.1), "losses that fall"),
    "a loss of nothing": ("blend", put("ledger.loss", lambda a: a * 0), "losses that fall"),
    "a real loss of nothing": (
        "forward-regression", put("ledger.loss", lambda a: a * 0), "losses that fall",
    ),
    "mistakes of numbers": (
        "forward-regression",
        both(put("ledger.mistake_rounds", [1]), put(WRONG, [1])), "never right or wrong",
    ),
    "errors of decisions": ("decided", put("ledger.decided", [9, 0]), "errors of decisions"),
    "served rounds": ("decided", put("ledger.served", [12, 0]), "these among all"),
    "an ask of the future": ("decided", put("asks.last", 3), "not given yet"),
    "another label set": ("named", put("label_set", ["spam", "ham"]), "two sets of labels"),
    "another positive label": ("named", put("positive", "ham"), "met"),
    "other negative labels": ("named", put("others", ["eggs"]), "met"),
    "other labels": ("named", put("labels", ["eggs", "spam"]), "instead of|two sets of labels"),
    "labels of another type": ("perceptron", put("labels", [-1.0, 1.0]), "two sets of labels"),
    "labels that are forgotten": ("perceptron", put("labels", []), "rounds without their labels"),
    "labels met": ("perceptron", put("met", 1), "'met'"),
    "classes relabelled": (
        "multiclass", put("label_set", ["blue", "red", "green"]), "two sets of labels",
    ),
    "classes met": ("multiclass", put("met", 2), "3 labels, 2 of them named"),
    "classes that nobody met": ("multiclass", put("met", -1), "'met'"),
    "two classes of three": ("blend-classes", put("label_set", [-1, 1]), "'met'"),
    "two classes of three, met": (
        "blend-classes", both(put("label_set", [-1, 1]), put("met", 2)), "two sets of labels",
    ),
    "passes without a round": ("unplayed", put("passes", 3), "passes without a round"),
    "two classes of three, unplayed": (
        "unplayed", both(put("label_set", ["a", "b"]), put("met", 2)), "two sets of labels",
    ),
    "a class unmet, unplayed": ("unplayed", put("met", 1), "3 classes, 1 of them named"),
    "a weight twice": ("perceptron", put("class_weights", [[1, 2.0], [1, 3.0]]), "class_weights"),
    "rounds of experts": ("hedge", add("ledger.rounds", 0, -1), "'|checkpoints|last round"),
    "more rounds of experts": ("hedge", add("ledger.rounds", 0, 5), "21 rounds, and 16 of the"),
    "the loss of experts": ("hedge", add("ledger.sums", 0, -1), "a last checkpoint"),
    "the expected loss": ("hedge", add("ledger.sums", 1, -1), "a last checkpoint"),
    "the loss of choices": ("hedge", add("ledger.sums", 2, -1), "a last checkpoint"),
    "the losses of experts": ("hedge", add("ledger.losses", 1, 1), "other losses than the"),
    "the mean losses": ("hedge", add("ledger.mean_losses", 0, -1), "a last checkpoint"),
    "the losses of arms": ("exp3", add("ledger.losses", 0, 1), "other losses than the learner's"),
    "what arms lost": ("exp3", add("ledger.arm_losses", 0, 1), "other losses than the learner's"),
    "the last point": ("exp3", add(POINTS, -4, 1), "a last checkpoint"),
    "a point twice": ("exp3", add(POINTS, 5, -1), "a checkpoint twice"),
    "no points": (
        "exp3",
        both(put(POINTS, lambda a: a[:0]), put("ledger.probabilities", lambda a: a[:0])),
        "checkpoints without rounds, or none",
    ),
    "mistakes of experts": (
        "weighted-majority", put("ledger.mistake_rounds", lambda a: a[::-1].copy()), "out of order",
    ),
    "late mistakes": ("weighted-majority", add("ledger.mistake_rounds", -1, 99), "in other rounds"),
    "streams": ("hedge", put("streams", 17), "17 streams with 16 rounds"),
    "what experts show": ("hedge", put("full_information", False), "'full_information'"),
}  # fmt: skip
MAKE["unplayed"] = lambda: nv.Run(nv.Blend(), labels=["a", "b", "c"])


@pytest.mark.parametrize("kind", CHANGED)
def test_a_run_that_contradicts_itself_is_refused(kind: str, tmp_path: Path) -> None:
    name, change, expected = CHANGED[kind]
    path = tmp_path / "x.model"
    MAKE[name]().save(path)
    resign(path, lambda *_: None)
    nv.Run.load(path)
    resign(path, change)
    with pytest.raises(nv.InputError, match=expected) as caught:
        nv.Run.load(path)
    assert "x.model: expected what save wrote" in str(caught.value) or "labels" in str(caught.value)


@pytest.mark.parametrize("name", MAKE)
def test_a_run_that_agrees_is_read(name: str, tmp_path: Path) -> None:
    run = MAKE[name]()
    run.save(tmp_path / "m")
    again = nv.Run.load(tmp_path / "m")
    for one in (again, pickle.loads(pickle.dumps(run)), copy.deepcopy(again)):
        assert (one.ledger.rounds, one.ledger.labels) == (run.ledger.rounds, run.ledger.labels)


def head_of(path: Path) -> tuple[dict[str, Any], bytes]:
    """Return the header of a file and the data after it."""
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    return json.loads(data[8 : 8 + size]), data[8 + size :]


def write(path: Path, header: str, data: bytes) -> None:
    """Write a header as text and the data after it."""
    path.write_bytes(struct.pack("<Q", len(header.encode())) + header.encode() + data)


def test_a_ledger_without_a_checksum_is_not_believed_either(tmp_path: Path) -> None:
    """With 2^32 rounds in place of 10, the bound on the error was 2.8e-8 of what it should be."""
    path = tmp_path / "x.model"
    run = nv.play(nv.Perceptron(), nv.stream(X, SIGNS))
    for change, expected in (CHANGED["endless rounds"][1:], CHANGED["fewer mistakes"][1:]):
        run.save(path)
        resign(path, change)
        header, data = head_of(path)
        about = header["__metadata__"]
        header["__metadata__"] = {n: about[n] for n in ("kind", "metadata")} | {
            "format": "novikoff/1"
        }
        write(path, json.dumps(header), data)
        with pytest.raises(nv.InputError, match=expected):
            nv.Run.load(path)


OPTIONS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "a positive label": {"positive": "b"},
    "the positive label alone": {"positive": "b", "labels": ["b"]},
    "all beside the positive one": {"positive": "b", "labels": ["a", "b", "c"]},
    "an open set": {"positive": "b", "labels": "open"},
    "two labels": {"labels": ["a", "b"]},
}


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("kind", OPTIONS)
def test_labels_are_read_as_they_were_saved(kind: str, many: bool, tmp_path: Path) -> None:
    """Before the first round, after each, in a fresh run and in one that goes on."""
    options = {n: v for n, v in OPTIONS[kind].items() if not (many and n == "positive")}
    names = {"a": "a", "b": "b"} if options else {"a": 0, "b": 1}
    run = nv.Run(nv.MulticlassPerceptron() if many else nv.Perceptron(), **options)
    for y in ("b", "a", "b"):
        for one in (run, run.fresh(), run.continued()):
            one.save(tmp_path / "m")
            again = nv.Run.load(tmp_path / "m")
            assert again.ledger.labels == one.ledger.labels
            assert again.labels.every == one.labels.every
            assert [*again.labels.others] == [*one.labels.others]
        if kind != "the positive label alone" or y == "b":
            run.learn({"x": 1.0}, names[y])


def test_a_fresh_run_counts_the_rounds_of_labels_that_it_knows() -> None:
    """The labels were missing from its ledger until another one came."""
    run = nv.Run(nv.MulticlassPerceptron()).play([({"x": 1.0}, "a"), ({"y": 1.0}, "b")])
    for one in (run.fresh(), run.continued()):
        one.learn({"x": 1.0}, "b")
        assert one.ledger.rounds_by_label == {"a": 0, "b": 1}


TWICE: dict[str, tuple[str, str]] = {
    "metadata": ('"passes": 1', '"passes": 1, "passes": 9'),
    "parameters": ('"bias": null', '"bias": 1.0, "bias": null'),
}


@pytest.mark.parametrize("kind", TWICE)
def test_a_key_twice_in_the_metadata_is_refused(kind: str, tmp_path: Path) -> None:
    old, new = TWICE[kind]
    path = tmp_path / "x.model"
    nv.play(nv.Perceptron(), nv.stream(X, SIGNS)).save(path)
    header, data = head_of(path)
    about = header["__metadata__"]
    assert about["metadata"].count(old) == 1
    about["metadata"] = about["metadata"].replace(old, new)
    about["sha256"] = storage.seal(about, arrays_of(path.read_bytes()))
    write(path, json.dumps(header), data)
    with pytest.raises(nv.InputError, match=r"x\.model: expected what save .* twice"):
        nv.Run.load(path)


@pytest.mark.parametrize("name", ["kind", "metadata", "ledger.counts", "__metadata__"])
def test_a_key_twice_in_the_header_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "x.model"
    nv.play(nv.Perceptron(), nv.stream(X, SIGNS)).save(path)
    header, data = head_of(path)
    holder = header if name in header else header["__metadata__"]
    entry = f"{json.dumps(name)}:{json.dumps(holder[name])}"
    text = json.dumps(header, separators=(",", ":")).replace(
        json.dumps(holder, separators=(",", ":")),
        "{" + entry + "," + json.dumps(holder, separators=(",", ":"))[1:],
    )
    write(path, text, data)
    with pytest.raises(nv.InputError, match=r"x\.model: expected"):
        nv.Run.load(path)


def test_a_probability_of_a_label_twice_is_refused(tmp_path: Path) -> None:
    run = nv.Run(nv.Blend(), labels=["a", "b", "c"])
    run.ask({"x": 1.0})
    run.save(tmp_path / "m")
    resign(
        tmp_path / "m", lambda m, _: m["asks"]["pending"][0]["probability"][0].__setitem__(0, "b")
    )
    with pytest.raises(nv.InputError, match="one for each label"):
        nv.Run.load(tmp_path / "m")
