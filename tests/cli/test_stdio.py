"""``novikoff learn - --stdio``: a conversation in JSON lines with a process of its own."""

import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nv
from commands import Call, assert_same_run
from novikoff.cli.asking import Conversation
from novikoff.cli.escapes import json_line
from novikoff.cli.parser import build
from novikoff.cli.plans.learn_plan import LearnPlan

LEARN = [sys.executable, "-m", "novikoff", "learn", "-", "--stdio"]
BLENDED = ["--learner", "adaptive-gradient", "--labels", "ham,spam"]
PLAN = LearnPlan.of(vars(build().parse_args(["learn", "-", "--stdio"])))


class Talk:
    """A client: it sends a line and waits for the answer."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self.process, self.input, self.output = process, process.stdin, process.stdout
        self.error = process.stderr

    def send(self, line: bytes) -> None:
        self.input.write(line)
        self.input.flush()

    def __call__(self, **request: Any) -> dict[str, Any]:
        self.send(json.dumps(request).encode() + b"\n")
        return self.answer()

    def answer(self) -> dict[str, Any]:
        return dict(json.loads(self.output.readline()))

    def end(self) -> tuple[int, str, str]:
        """Close the input; return the exit code and the rest of what the process says."""
        self.input.close()
        out, err = self.output.read().decode(), self.error.read().decode()
        return self.process.wait(), out, err


@contextmanager
def talking(folder: Path, *options: str) -> Iterator[Talk]:
    with subprocess.Popen(
        [*LEARN, *options],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            yield Talk(process)
        finally:
            process.kill()


def _rounds(count: int) -> list[tuple[dict[str, Any], str]]:
    rng = np.random.default_rng(7)
    found = []
    for a, b in rng.standard_normal((count, 2)).tolist():
        found.append(
            ({"a": a, "in": {"b": b}, "c": "x" if b > a else "y"}, "ham" if a < b else "spam")
        )
    return found


def _flat(x: dict[str, Any]) -> dict[str, Any]:
    return {"a": x["a"], "in.b": x["in"]["b"], "c": x["c"]}


def test_a_conversation_is_a_run_with_late_labels(tmp_path: Path) -> None:
    """Bit for bit the run that a program in Python makes with the same asks and tells."""
    rounds = _rounds(40)
    run = nv.Run(nv.AdaptiveGradient(), labels=("ham", "spam"))
    with talking(tmp_path, *BLENDED, "--save", "m", "--json") as talk:
        for t, (x, y) in enumerate(rounds):
            id: Any = f"mail {t}" if t % 2 else None
            expected = run.ask(_flat(x), id)
            asked = talk(ask=x) if id is None else talk(ask=x, id=id)
            assert asked == {
                "id": expected.id,
                "label": expected.prediction,
                "probability": expected.probability,
            }
            if t >= 5:
                oldest = next(iter(run.pending))
                served = run.pending[oldest].prediction
                run.tell(oldest, y)
                told = talk(tell=oldest, label=y)
                assert told == {"id": oldest, "served": served, "rounds": run.ledger.rounds}
            if t % 7 == 0:
                learned = talk(learn=x, label=y)
                assert learned == {"label": run.learn(_flat(x), y), "rounds": run.ledger.rounds}
            assert talk(predict=x) == {
                "label": run.predict_one(_flat(x)),
                "probability": run.probability(_flat(x)),
            }
        last = list(run.pending)[-1]
        run.forget(last)
        assert talk(forget=last) == {"id": last, "pending": 4}
        status = talk(status=True)
        code, out, err = talk.end()
    summary = json.loads(out)
    (remark,) = summary["remarks"]
    assert (code, err) == (0, f"remark: {remark}\n")
    assert remark.startswith("the run does not beat its baseline: it is wrong on ")
    assert summary["beats_baseline"] is False
    ledger = run.ledger
    for found in (status, summary):
        assert (found["rounds"], found["mistakes"]) == (ledger.rounds, ledger.mistakes)
        assert found["loss"] == ledger.loss
    assert summary["served"] == {
        "rounds": ledger.served,
        "mistakes": ledger.served_mistakes,
        "loss": ledger.served_loss,
        "pending": 4,
    }
    assert status["served_mistakes"] == ledger.served_mistakes
    assert "did not depend on the label" in summary["error_bound"]["assumes"]
    saved = nv.Run.load(tmp_path / "m")
    assert dict(saved.pending) == dict(run.pending)
    run.reading = saved.reading
    run.save(tmp_path / "n")
    assert_same_run(tmp_path / "m", tmp_path / "n")


BAD = [
    (b"not json", "expected a JSON object, got"),
    (b"[1, 2]", "expected a JSON object, got"),
    (b"\xff\xfe", "expected a JSON object, got"),
    (b'{"ask": {"a": 1}, "ask": {"a": 2}}', "expected every name once"),
    (b'{"ask": {"a": NaN}}', "expected finite numbers, got NaN"),
    (b'{"ask": {"a": 1e999}}', "expected finite numbers"),
    (b'{"ask": {"a": [1]}}', "expected a number, a string or an object in 'a'"),
    (b'{"ask": 3}', "expected an object of features or an array of numbers, got 3"),
    (b'{"ask": "text"}', "expected an object of features or an array"),
    (b'{"ask": [1, "x"]}', "expected an object of features or an array"),
    (b'{"ask": [1, 2]}', "expected named features"),
    (b'{"ask": {"a": 1}, "id": 1.5}', "expected an id that is a string or a whole number"),
    (b'{"ask": {"a": 1}, "id": "first"}', "ask: expected an id that no pending ask has"),
    (b'{"ask": {"a": 1}, "label": "ham"}', "expected no 'label' with ask, got one"),
    (b'{"ask": {"a": 1}, "learn": {"a": 1}}', "expected one of ask, tell"),
    (b"{}", "expected one of ask, tell"),
    (b'{"tell": "second", "label": "ham"}', "tell: expected the id of a pending ask"),
    (b'{"tell": null, "label": "ham"}', "expected the id of an ask, got null"),
    (b'{"tell": "first"}', "expected a label in 'label', got null"),
    (b'{"tell": "first", "label": "eggs"}', "expected labels ham and spam, got 'eggs'"),
    (b'{"tell": "first", "label": ["ham"]}', "expected a label in 'label'"),
    (b'{"tell": "first", "label": 1e300}', "expected a number within"),
    (b'{"tell": "first", "label": "ham", "weight": "x"}', "expected a number in 'weight'"),
    (b'{"tell": "first", "label": "ham", "weight": 2}', "expected a largest weight"),
    (b'{"learn": {"a": 1}}', "expected a label in 'label', got null"),
    (b'{"forget": "second"}', "forget: expected the id of a pending ask"),
    (b'{"save": true}', "save: expected --save MODEL"),
]


def test_bad_lines_are_answered_and_change_nothing(tmp_path: Path) -> None:
    with talking(tmp_path, *BLENDED, "--json") as talk:
        talk(learn={"a": 1.0}, label="ham")
        talk(ask={"a": 1.0}, id="first")
        before = talk(status=True)
        talk.send(b"\n  \n")  # empty lines are no requests
        for number, (line, said) in enumerate(BAD, 6):
            talk.send(line + b"\n")
            answer = talk.answer()
            assert said in answer["error"], line
            assert answer["line"] == number
        assert talk(status=True) == before | {"bad": len(BAD)}
        assert talk(tell="first", label="ham")["rounds"] == 2
        code, out, _ = talk.end()
    assert code == 0
    assert json.loads(out)["skipped"] == len(BAD)


def test_a_killed_process_resumes_from_its_last_save(tmp_path: Path) -> None:
    rounds = _rounds(12)
    run = nv.Run(nv.AdaptiveGradient(), labels=("ham", "spam"))
    with talking(tmp_path, *BLENDED, "--save", "m") as talk:
        for x, y in rounds[:6]:
            talk(learn=x, label=y)
            run.learn(_flat(x), y)
        talk(ask=rounds[6][0], id="late")
        assert talk(save=True) == {"saved": "m", "rounds": 6}
        talk(ask=rounds[7][0], id="lost")
        talk(learn=rounds[7][0], label="ham")
        talk.process.kill()
        talk.process.wait()
    with talking(tmp_path, "--resume", "m", "--save", "m") as talk:
        assert talk(status=True)["pending"] == 1
        assert "error" in talk(tell="lost", label="ham")
        assert talk(tell="late", label="spam")["rounds"] == 7
        code, out, err = talk.end()
    assert (code, out) == (0, "")
    assert err.splitlines()[1:] == ["served: 0 mistakes in 1 ask; 0 asks pending", "model: m"]
    run.learn(_flat(rounds[6][0]), "spam")
    saved = nv.Run.load(tmp_path / "m")
    assert saved.ledger.loss == run.ledger.loss
    assert (saved.ledger.rounds, saved.ledger.served) == (7, 1)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_saves_and_says_how_to_go_on(tmp_path: Path, call: Call, number: int) -> None:
    with talking(tmp_path, *BLENDED, "--save", "m") as talk:
        talk(ask={"a": 1.0}, id="late")
        talk.send(b'{"ask": {"a"')  # half a request
        time.sleep(0.1)
        talk.process.send_signal(number)
        assert talk.process.wait() == 130
        assert (
            talk.error.read() == b"novikoff: interrupted after 0 rounds; go on with --resume m.\n"
        )
    assert list(nv.Run.load(tmp_path / "m").pending) == ["late"]
    found = call(f"inspect {tmp_path}/m")
    assert "1 ask without a label: go on with learn - --stdio --resume\n" in found.out
    assert call(f"inspect {tmp_path}/m --json").json["pending"] == 1


def test_a_slow_client_gets_every_answer_at_once(tmp_path: Path) -> None:
    """A line that comes in pieces is answered when it ends; the last one needs no end."""
    with talking(tmp_path, *BLENDED) as talk:
        for piece in (b'{"learn": {"a"', b": 1.0}, ", b'"label": "ham"}\n{"pre'):
            talk.send(piece)
            time.sleep(0.05)
        assert talk.answer() == {"label": "spam", "rounds": 1}
        talk.send(b'dict": {"a": 1.0}}')
        code, out, _ = talk.end()
    assert code == 0
    assert json.loads(out)["label"] == "ham"


def test_a_client_that_leaves_loses_no_round(tmp_path: Path) -> None:
    with talking(tmp_path, *BLENDED, "--save", "m") as talk:
        talk(learn={"a": 1.0}, label="ham")
        talk.output.close()
        talk.send(b'{"learn": {"a": 1.0}, "label": "ham"}\n' * 3)
        talk.input.close()
        assert talk.process.wait() == 0
    assert nv.Run.load(tmp_path / "m").ledger.rounds == 2


def test_arrays_and_texts_are_read_as_files_are(tmp_path: Path, call: Call) -> None:
    """A model of a file and one of a conversation with the same rows are the same."""
    words = ["--text", "text", "--words", "2", "--labels", "ham,spam"]
    with talking(tmp_path, *words, "--save", "talked") as talk:
        for t, line in enumerate(Path("mail.jsonl").read_text().splitlines()):
            mail = json.loads(line)
            x = mail["text"] if t % 2 else {"text": mail["text"], "other": [1]}
            talk(learn=x, label=mail["label"])
        assert talk(learn=3, label="ham")["error"].startswith("expected text in 'text'")
        talk.end()
    call(f"learn mail.jsonl --save read {' '.join(words)}")
    one, two = nv.Run.load("talked"), nv.Run.load("read")
    assert one.ledger.mistake_rounds.tolist() == two.ledger.mistake_rounds.tolist()
    assert one.hypothesis().weights() == two.hypothesis().weights()  # type: ignore[attr-defined]
    assert call("predict talked mail.jsonl").out == call("predict read mail.jsonl").out
    for options in (["--labels=-1,1"], ["--learner", "perceptron"]):
        with talking(tmp_path, *options, "--save", "m") as talk:
            talk(learn=[1, 2.5], label=1)
            assert talk(predict=[1, 2.5])["label"] == 1
            assert "expected 2 features, got 3" in talk(learn=[1, 2, 3], label=1)["error"]
            talk.end()
        assert nv.Run.load("m").learner.named is False


def test_a_line_that_is_too_long_is_answered_too(monkeypatch: pytest.MonkeyPatch) -> None:
    from novikoff.cli import asking

    monkeypatch.setattr(asking, "LONGEST_LINE", 8)
    read, write = os.pipe()
    os.write(write, b"12345678\n123456789\n" + b"x" * 40 + b"\n\nlast")
    os.close(write)
    with open(read, encoding="utf-8") as source:
        monkeypatch.setattr(sys, "stdin", source)
        assert list(asking._lines()) == [b"12345678\n", None, None, b"\n", b"last"]


def test_it_saves_now_and_then(tmp_path: Path) -> None:
    with talking(tmp_path, *BLENDED, "--save", "m", "--save-every", "0") as talk:
        talk(learn={"a": 1.0}, label="ham")
        assert nv.Run.load(tmp_path / "m").ledger.rounds == 1
        os.remove(tmp_path / "m")
        talk(status=True)
        assert (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("a.svm --stdio", "--stdio: expected - as the only input, got a.svm"),
        ("- --stdio --format svmlight", "--format: expected none with --stdio"),
        ("- --stdio --label y", "--label: expected none with --stdio"),
        ("- --stdio --weight w", "--weight: expected none with --stdio"),
        ("- --stdio --passes 2", "--passes: expected none with --stdio"),
        ("- --stdio --until-clean", "--until-clean: expected none with --stdio"),
        ("- --stdio --learner adaptive-gradient", "--labels: expected all labels with --stdio"),
        (
            "- --stdio --learner adaptive-gradient --labels open",
            "--labels: expected all labels with --stdio",
        ),
        ("- --stdio --resume m --positive x", "--positive: expected none with --resume"),
    ],
)
def test_what_a_conversation_has_no_use_for_is_refused(call: Call, options: str, said: str) -> None:
    found = call(f"learn {options}")
    assert found.code == 2
    assert said in found.err


def test_receipts_need_a_file(call: Call) -> None:
    assert "standard input: expected a file for a receipt" in call("learn - --stdio --bounds").err


ODD: st.SearchStrategy[Any] = st.sampled_from(
    [
        10**400,
        -(10**400),
        2**53 + 1,
        1,
        0,
        1.5,
        -1,
        math.nan,
        None,
        True,
        "ham",
        "first",
        "\x00",
        [],
    ]
)
ROWS = (
    st.dictionaries(st.sampled_from(["a", "b", "a=x"]), ODD | st.just({"c": 1}), max_size=3)
    | st.lists(ODD, max_size=3)
    | ODD
)
REQUESTS = (
    st.fixed_dictionaries({"ask": ROWS}, optional={"id": ODD})
    | st.fixed_dictionaries({"tell": ODD, "label": ODD}, optional={"weight": ODD})
    | st.fixed_dictionaries({"learn": ROWS}, optional={"label": ODD, "weight": ODD})
    | st.fixed_dictionaries({"predict": ROWS})
    | st.fixed_dictionaries({"forget": ODD})
    | st.dictionaries(st.sampled_from(["save", "status", "id", "other"]), ODD)
)


LINES = REQUESTS.map(lambda request: json.dumps(request).encode()) | st.binary(max_size=9)


@given(
    lines=st.lists(LINES, max_size=30),
    learner=st.sampled_from([nv.AdaptiveGradient, nv.Perceptron, nv.MulticlassPerceptron]),
)
def test_no_line_ends_a_conversation(lines: list[bytes], learner: Any) -> None:
    """Whatever is sent is answered, and what is answered with an error has changed nothing."""
    run: nv.Run = nv.Run(learner())
    talk = Conversation(run, PLAN)
    for number, line in enumerate(lines, 1):
        before = (run.ledger.rounds, dict(run.pending), run.learner.rounds)
        reply = talk.answer(number, line)
        if reply is not None and "error" in reply:
            assert (run.ledger.rounds, dict(run.pending), run.learner.rounds) == before
        json_line(reply)
