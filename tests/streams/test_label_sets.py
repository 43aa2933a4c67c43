"""Labels are a closed set once they are declared, or once a whole file was played."""

import copy
import json
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from commands import Call
from novikoff.saving import storage
from novikoff.streams import BinaryLabels, ClassLabels, LabelMap, Outputs

DAY = "spam\tfree money\nham\tsee you\nspam\tfree\nham\tat home\n"
NEXT = "spam\tfree money\neggs\tsee you\nham\tat home\n"
ROWS = [({"a": 1.0}, "spam"), ({"b": 1.0}, "ham"), ({"a": 1.0, "b": 1.0}, "spam")]
STRAY = r"expected one of the labels .*, got 'eggs'\. Correct it, declare it with labels=…"


@pytest.fixture
def days(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("day.txt").write_text(DAY)
    Path("next.txt").write_text(NEXT)
    return tmp_path


@pytest.mark.parametrize("kind", [nv.Perceptron, nv.MulticlassPerceptron])
def test_a_declared_set_is_closed_from_the_first_round_on(kind: Any) -> None:
    """By the run, by its play, by a stream; rows before the stray one stay played."""
    positive = None if kind.multiclass else "spam"
    run = nv.Run(kind(), positive=positive, labels=("ham", "spam", "tofu"))
    run.play(ROWS)
    with pytest.raises(nv.InputError, match=f"^round 4: {STRAY}"):
        run.learn({"a": 1.0}, "eggs")
    with pytest.raises(nv.InputError, match=f"^round 5: {STRAY}"):
        run.play([*ROWS[:1], ({"b": 1.0}, "eggs"), *ROWS])
    assert run.ledger.rounds == 4
    assert run.learn({"c": 1.0}, "tofu") is not None, "declared, and met only now"
    stream = nv.stream([x for x, _ in ROWS], ["spam", "ham", "eggs"], positive=positive)
    with pytest.raises(nv.InputError, match=f"^round 3: {STRAY}"):
        nv.play(kind(), stream, labels=["spam", "ham"])
    again = nv.stream([{"a": 1}] * 2, ["spam", "eggs"], positive=positive, labels=["spam", "ham"])
    with pytest.raises(nv.InputError, match=f"^round 2: {STRAY}"):
        nv.play(kind(), again)


def test_undeclared_labels_of_iterables_stay_open_through_save_and_load(tmp_path: Path) -> None:
    for kind, positive in ((nv.Perceptron, "spam"), (nv.MulticlassPerceptron, None)):
        run = nv.Run(kind(), positive=positive).play(ROWS)
        run.save(tmp_path / "m")
        for other in (
            nv.Run.load(tmp_path / "m"),
            copy.deepcopy(run),
            pickle.loads(pickle.dumps(run)),
        ):
            other.learn({"c": 1.0}, "eggs")
            assert other.ledger.rounds == 4


def test_the_negative_label_has_its_name_until_there_is_another() -> None:
    run = nv.Run(nv.Perceptron(), positive="spam").play(ROWS)
    assert run.hypothesis().labels == ("ham", "spam")
    run.learn({"c": 1.0}, "eggs")
    assert run.hypothesis().labels == ("not spam", "spam")
    closed = nv.Run(nv.Perceptron(), positive="spam", labels=["spam", "ham"])
    assert closed.labels.spoken == ("ham", "spam"), "in whatever order they are declared"
    many = nv.Run(nv.Perceptron(), positive="spam", labels=["spam", "ham", "eggs"]).play(ROWS)
    assert many.hypothesis().labels == ("not spam", "spam")


def test_a_label_called_as_the_rest_is_a_label() -> None:
    """``not spam`` may be the name of a class; a third label still counts as several."""
    run = nv.Run(nv.Perceptron(), positive="spam")
    run.play([([1.0], "spam"), ([2.0], "not spam"), ([1.0], "ham")])
    assert list(run.labels.others) == ["not spam", "ham"]


@pytest.mark.parametrize("kind", [nv.Perceptron, nv.MulticlassPerceptron])
def test_a_whole_file_closes_the_set(kind: Any, days: Path) -> None:
    positive = None if kind.multiclass else "spam"
    run = nv.play(kind(), nv.read("day.txt", positive=positive))
    run.save("m")
    for one in (run, nv.Run.load("m"), copy.deepcopy(run)):
        with pytest.raises(nv.InputError, match=f"^next.txt:2: {STRAY}"):
            one.play(nv.read("next.txt"))
        with pytest.raises(nv.InputError, match=f"^round 6: {STRAY}"):
            one.learn({"free": 1.0}, "eggs")
        assert one.ledger.rounds == 5
    opened = nv.Run.load("m").play(nv.read("next.txt", labels="open"))
    assert opened.ledger.rounds == 7
    opened.save("o")
    nv.Run.load("o").learn({"free": 1.0}, "tofu")
    named = nv.Run.load("m").declare(["eggs", "ham", "spam"]).play(nv.read("next.txt"))
    with pytest.raises(nv.InputError, match=r"^round 8: .*'tofu'"):
        named.learn({"free": 1.0}, "tofu")


def test_a_file_that_was_not_read_to_its_end_leaves_the_set_open(days: Path) -> None:
    def stop(_: Any) -> None:
        raise KeyboardInterrupt

    run = nv.Run(nv.Perceptron(), positive="spam")
    with pytest.raises(KeyboardInterrupt):
        run.play(nv.read("day.txt"), progress=stop)
    run.save("m")
    run.learn({"free": 1.0}, "eggs")
    rest = nv.Run.load("m").play(nv.read("next.txt"))
    with pytest.raises(nv.InputError, match=r"^round 8: .*'tofu'"):
        rest.learn({"free": 1.0}, "tofu")


def test_one_label_alone_closes_nothing(days: Path) -> None:
    Path("spam.txt").write_text("spam\tfree\n" * 3)
    for kind, positive in ((nv.Perceptron, "spam"), (nv.MulticlassPerceptron, None)):
        run = nv.play(kind(), nv.read("spam.txt", positive=positive))
        assert run.play(nv.read("day.txt")).ledger.rounds == 7


def test_signs_need_no_declaration(days: Path) -> None:
    Path("ones.svm").write_text("1 1:1\n1 2:1\n")
    Path("both.svm").write_text("1 1:1\n-1 2:1\n")
    Path("zeros.svm").write_text("1 1:1\n0 2:1\n")
    for second in ("both.svm", "zeros.svm"):
        run = nv.play(nv.Perceptron(), nv.read("ones.svm"))
        assert run.play(nv.read(second)).ledger.rounds == 4
    flipped = nv.play(nv.Perceptron(), nv.read("both.svm", labels=[1, -1]))
    assert flipped.ledger.labels == (-1, 1)
    usual = nv.play(nv.Perceptron(), nv.read("both.svm"))
    X = [[1.0, 0.0], [0.0, 1.0]]
    assert flipped.hypothesis().scores(X).tolist() == usual.hypothesis().scores(X).tolist()


def test_older_models_are_open(days: Path) -> None:
    """A model file that says nothing of closed sets, as they were written before."""
    run = nv.play(nv.Perceptron(), nv.read("next.txt", positive="spam"))
    run.save("m")
    kind, metadata, arrays = storage.read("m", ("Run",))
    for name in ("closed", "label_set", "met", "others", "columns"):
        del metadata[name]
    storage.write("old", kind, metadata, arrays, lambda *_: None)
    old = nv.Run.load("old")
    assert old.hypothesis().labels == ("not spam", "spam")
    old.play(nv.read("day.txt"))
    old.learn({"a": 1.0}, "tofu")
    assert old.hypothesis().labels == ("not spam", "spam")


def test_a_declaration_is_checked() -> None:
    played = nv.Run(nv.MulticlassPerceptron()).play(ROWS)
    for labels in ("ham", 3, [None], [["a"]], [float("nan"), 1], ["a", "a"]):
        with pytest.raises(nv.ParameterError, match="labels: expected"):
            nv.Run(nv.MulticlassPerceptron(), labels=labels)  # type: ignore[arg-type]
        with pytest.raises(nv.ParameterError, match="labels: expected"):
            nv.stream([[1.0]], ["a"], labels=labels)  # type: ignore[arg-type]
    with pytest.raises(nv.ParameterError, match="labels: expected 'ham' among them"):
        played.declare(["spam", "eggs"])
    with pytest.raises(nv.ParameterError, match="labels: expected 'spam' among them"):
        nv.Run(nv.Perceptron(), positive="spam", labels=["ham", "eggs"])
    with pytest.raises(nv.ParameterError, match="labels: expected"):
        nv.Run(nv.Perceptron(), labels=["ham", "eggs", "spam"])
    pair = nv.play(nv.Perceptron(), [([1.0], 1), ([2.0], -1)])
    with pytest.raises(nv.ParameterError, match=re.escape("labels: expected (-1, 1), as so far")):
        pair.declare([0, 1])
    problem = nv.Chains("tagging")
    with pytest.raises(nv.ParameterError, match=r"labels: expected none for a structured learner"):
        nv.Run(nv.StructuredPerceptron(problem), labels=["a", "b"])
    assert nv.Run(nv.StructuredPerceptron(problem), labels="open").ledger.rounds == 0
    with pytest.raises(nv.ParameterError, match=r"labels: expected .* with Hedge, whose rounds"):
        nv.play(nv.Hedge(2), [[0.0, 1.0]], labels=["a", "b"])


def test_declaring_changes_no_round_and_no_certificate() -> None:
    """Classes are numbered as they appear, whatever the order in which they are declared."""
    rounds = [([1.0, 0.0], "a"), ([0.0, 1.0], "b"), ([1.0, 1.0], "c"), ([1.0, 3.0], "b")] * 5
    free = nv.play(nv.MulticlassPerceptron(), rounds, digest=True)
    told = nv.play(nv.MulticlassPerceptron(), rounds, digest=True, labels=["z", "c", "b", "a"])
    assert told.ledger.labels == ("a", "b", "c", "z")
    assert told.ledger.digest == free.ledger.digest
    assert told.ledger.mistake_rounds.tolist() == free.ledger.mistake_rounds.tolist()
    assert nv.certify(told).content == nv.certify(free).content


def test_a_learner_that_is_used_knows_its_classes_first() -> None:
    run = nv.Run(nv.MulticlassPerceptron()).play(ROWS)
    again = nv.Run(run.learner, labels=[*run.ledger.labels, "eggs"])
    assert again.labels.known == run.labels.known
    again.learn({"c": 1.0}, "eggs")
    assert again.labels.known == (*run.labels.known, "eggs")


def test_a_set_that_was_declared_before_the_first_round_is_saved(tmp_path: Path) -> None:
    for run in (
        nv.Run(nv.Perceptron(), labels=["ham", "spam"]),
        nv.Run(nv.Perceptron(), positive="spam", labels=["ham", "spam"]),
        nv.Run(nv.MulticlassPerceptron(), labels=["ham", "spam"]),
    ):
        run.save(tmp_path / "m")
        loaded = nv.Run.load(tmp_path / "m")
        with pytest.raises(nv.InputError, match=r"^round 1: .*'eggs'"):
            loaded.learn([1.0], "eggs")
        loaded.learn([1.0], "ham")


@pytest.mark.parametrize(
    "y",
    [
        ["a", "b", "z", "y"], [1, 2, 9, 8], [1.5, 2.5, 9.5, 8.5], np.array([1, 2, 9, 8], np.uint64),
        ["a", 2, 9, "z"], np.array(["a", "b", "z", "y"], object), [True, False, 3, 4],
    ],
)  # fmt: skip
def test_the_first_stray_label_of_a_block_is_named(y: Any) -> None:
    """Whatever the kind of array that the labels make."""
    first, second, stray = (getattr(label, "item", lambda v=label: v)() for label in y[:3])
    for known in (
        ClassLabels().declared([first, second]),
        BinaryLabels(first).declared([first, second]),
    ):
        with pytest.raises(
            nv.InputError, match=rf"^round 12: .*got {re.escape(repr(stray))}"
        ) as error:
            known.encode(y, 10)
        assert error.value.row == 2


def test_labels_that_end_in_zeros_are_not_one() -> None:
    run = nv.play(nv.MulticlassPerceptron(), [([1.0], "a"), ([2.0], "a\0")])
    assert run.labels.known == ("a", "a\0")
    stream = nv.stream([[1.0], [2.0]], ["a", "a\0"])
    assert nv.play(nv.MulticlassPerceptron(), stream).labels.known == ("a", "a\0")


def test_the_quick_way_of_a_dict_refuses_a_stray_label() -> None:
    run = nv.Run(nv.MulticlassPerceptron(), labels=["a", "b", "c"])
    for _ in range(3):
        run.learn({"x": 1.0}, "a")
        run.learn({"x": 1.0, "y": 2.0}, "b")
    run.learn({"z": 3.0}, "c")
    assert run.learn({"z": 3.0}, "c") == "c"
    with pytest.raises(nv.InputError, match=r"^round 9: .*got 'd'"):
        run.learn({"z": 3.0}, "d")


def test_experts_refuse_a_stray_label() -> None:
    stream = nv.stream([[1, -1]] * 3, ["up", "down", "eggs"], positive="up", labels=["up", "down"])
    with pytest.raises(nv.InputError, match=f"^round 3: {STRAY}"):
        nv.play(nv.WeightedMajority(2), stream)


def test_stopping_and_testing_refuse_a_stray_label() -> None:
    X, y = [[1.0], [2.0]] * 40, ["up", "down", "up", "eggs"] * 20
    stream = nv.stream(X, y, positive="up", labels=["up", "down"])
    with pytest.raises(nv.InputError, match=STRAY):
        nv.random_stopping(nv.Perceptron(), stream, epsilon=0.1, mistake_bound=1, seed=7)
    with pytest.raises(nv.InputError, match=STRAY):
        nv.controlled_testing(nv.Perceptron(), stream, epsilon=0.1, delta=0.05)


# The command line.


def test_resuming_with_a_stray_label_is_refused_and_changes_no_file(call: Call, days: Path) -> None:
    call("learn day.txt --positive spam --save m")
    before = Path("m").read_bytes()
    for options in ("--save m", "--save m --save-every 3600", ""):
        told = call(f"learn next.txt --resume m {options}")
        assert (told.code, told.out) == (3, "")
        assert re.match(
            "novikoff: next.txt:2: expected one of the labels 'ham', 'spam', got 'eggs'", told.err
        )
        assert "--labels open" in told.err
        assert Path("m").read_bytes() == before
    assert call("predict m next.txt").out == "spam\nham\nham\n"


def test_stray_labels_are_skipped_and_counted(call: Call, days: Path) -> None:
    call("learn day.txt --positive spam --save m")
    told = call("learn next.txt --resume m --save n --on-bad skip --json")
    assert (told.json["rounds"], told.json["skipped"]) == (6, 1)
    assert "next.txt:2: expected one of the labels 'ham', 'spam', got 'eggs'" in told.err
    told = call("learn next.txt --labels ham,spam --on-bad skip --certify c.json --save n --json")
    assert (told.json["rounds"], told.json["skipped"], told.json["labels"]) == (
        2,
        1,
        ["ham", "spam"],
    )
    assert call("verify c.json next.txt --labels ham,spam --on-bad skip").code == 0
    assert call("certify n next.txt --on-bad skip --output d").code == 0
    assert Path("c.json").read_bytes() == Path("d").read_bytes()
    assert call("verify c.json next.txt --labels ham,spam").code == 3


@pytest.mark.parametrize("form", ["text", "csv", "jsonl", "cache"])
def test_every_format_skips_or_refuses_the_declared_way(form: str, call: Call, days: Path) -> None:
    labels = ["spam", "ham", "eggs", "ham", "eggs", "spam"]
    Path("d.text").write_text("".join(f"{y}\tword{t}\n" for t, y in enumerate(labels)))
    Path("d.csv").write_text("label,x\n" + "".join(f"{y},{t}\n" for t, y in enumerate(labels)))
    Path("d.jsonl").write_text(
        "".join(json.dumps({"label": y, "x": t}) + "\n" for t, y in enumerate(labels))
    )
    nv.cache(nv.read("d.text", "text"), "d.cache")
    source = f"d.{form} --format {'arrow' if form == 'cache' else form}"
    line = 4 if form == "csv" else 3
    place = "d.cache, round 3" if form == "cache" else f"d.{form}:{line}"
    told = call(f"learn {source} --labels ham,spam")
    assert told.code == 3
    assert told.err.startswith(
        f"novikoff: {place}: expected one of the labels 'ham', 'spam', got 'eggs'"
    )
    found = call(f"learn {source} --labels ham,spam --on-bad skip --json")
    assert (found.json["rounds"], found.json["skipped"]) == (4, 2)


def test_labels_are_declared_as_words_apart_by_commas(call: Call, days: Path) -> None:
    Path("n.csv").write_text('label,x\n"a,b",1\n2,3\n')
    found = call('learn n.csv --learner multiclass --labels "a,b",2 --json')
    assert found.json["labels"] == ["a,b", 2]
    assert call("learn day.txt --labels spam --positive spam").code == 2
    assert call("learn day.txt --labels spam,spam --positive spam").code == 2
    assert call("learn day.txt --labels spam,eggs --positive spam").code == 3


def test_a_remark_names_what_counts_as_negative(call: Call, days: Path) -> None:
    told = call("learn next.txt --positive spam --save m")
    assert "remark: the labels 'eggs', 'ham' count as one, the negative" in told.err
    assert "'not spam'" in told.err
    assert "count as one" not in call("learn day.txt --positive spam").err
    assert (
        call("inspect m")
        .out.splitlines()[1]
        .endswith("labels not spam, spam (eggs, ham are negative)")
    )
    found = call("inspect m --json").json
    assert (found["labels"], found["closed"]) == (["not spam", "spam"], True)
    assert found["negative"] == ["eggs", "ham"]


def test_a_stray_label_that_is_predicted_counts_as_a_mistake(call: Call, days: Path) -> None:
    """``not spam`` stands for the labels that were learned, and for no other of a closed set."""
    Path("new.txt").write_text("tofu\tat home\nham\tat home\n")
    call("learn next.txt --positive spam --save m")
    assert call("predict m new.txt --json").json["mistakes"] == 1
    Path("kinds.txt").write_text("not bad\tx\nbad\ty\ngood\tz\n")
    call("learn kinds.txt --learner multiclass --save k --passes 3")
    Path("new.txt").write_text("awful\tx\nbad\ty\n")
    found = call("predict k new.txt --json").json
    assert found["mistakes"] == 1, "'not bad' is a class of its own"


@pytest.mark.parametrize("labels", [BinaryLabels("spam"), ClassLabels(), Outputs()])
def test_every_label_map_keeps_the_protocol(labels: LabelMap) -> None:
    """A copy learns labels on its own; no prediction is an abstention."""
    known, codes = labels.known, labels.copy().encode(["ham", "spam"])
    assert len(codes) == 2
    assert labels.known == labels.every == labels.allowed == known
    assert labels.decode_one(None) is None
    assert set(labels.spoken) <= set(labels.table)


INSIDE: list[tuple[Any, ...]] = [([],), (1, (2, [])), ("a", {})]
"""Tuples that cannot be looked up, because of what is in them."""


@pytest.mark.parametrize("label", INSIDE)
@pytest.mark.parametrize(
    "labels",
    [
        BinaryLabels(),
        BinaryLabels("a"),
        BinaryLabels(None, ("a", "b")),
        ClassLabels(),
        ClassLabels(("a", "b"), True, ("a", "b")),
    ],
    ids=["signs", "positive", "pair", "classes", "closed"],
)
def test_a_tuple_with_a_list_in_it_is_no_label(labels: LabelMap, label: Any) -> None:
    """It raised a TypeError; Python calls every tuple hashable."""
    with pytest.raises(nv.InputError, match=r"^round 4: expected .*label.*, got \("):
        labels.copy().encode([label], 4)
    if isinstance(labels, ClassLabels):
        assert not labels.has_met(label)


@pytest.mark.parametrize("label", INSIDE)
@pytest.mark.parametrize("kind", [nv.MulticlassPerceptron, nv.Perceptron, nv.Blend])
def test_a_run_refuses_a_tuple_with_a_list_in_it(kind: Any, label: Any) -> None:
    """By learning, playing and telling, and wherever labels are declared."""
    run = nv.Run(kind(), labels=("a", "b"))
    rows: list[tuple[Any, Any]] = [([1.0], "a"), ([-1.0], "b")]
    run.play(rows)
    with pytest.raises(nv.InputError, match=r"^round 3: expected"):
        run.learn([1.0], label)
    with pytest.raises(nv.InputError, match=r"^round 4: expected"):
        run.play([rows[0], ([1.0], label)])
    ask = run.ask([1.0])
    with pytest.raises(nv.InputError, match=r"^round 4: expected"):
        run.tell(ask.id, label)
    assert run.ledger.rounds == 3
    with pytest.raises(nv.ParameterError, match=r"^labels: expected"):
        nv.Run(kind(), labels=("a", label))


@pytest.mark.parametrize("label", INSIDE)
def test_a_tuple_with_a_list_in_it_is_no_positive_label(label: Any) -> None:
    with pytest.raises(nv.ParameterError, match=r"^positive: expected one label"):
        nv.Run(nv.Perceptron(), positive=label)
