"""``learn - --stdio --resume``: a model of any file takes requests."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from commands import Call

FILES = [
    ("csv", "a,b,label\n", "{a},{b},{y}\n", lambda a, b: {"b": b, "a": a}),
    ("csv", "a,b,label\n", "{a},t{b},{y}\n", lambda a, b: {"b": f"t{b}", "a": a}),
    ("svm", "", "{y} 1:{a} 2:{b}\n", lambda a, b: [a, b]),
    ("txt", "", "{y}\tt{a} u{b}\n", lambda a, b: f"t{a} u{b}"),
]


def _answers(requests: list[dict[str, Any]], *options: str) -> list[dict[str, Any]]:
    found = subprocess.run(
        [sys.executable, "-m", "novikoff", "learn", "-", "--stdio", *options],
        input="".join(json.dumps(request) + "\n" for request in requests),
        capture_output=True,
        text=True,
        check=True,
    )
    return [dict(json.loads(line)) for line in found.stdout.splitlines()]


@pytest.mark.parametrize(("kind", "head", "line", "row"), FILES)
def test_requests_count_as_rows_of_the_file(
    call: Call, kind: str, head: str, line: str, row: Any
) -> None:
    rng = np.random.default_rng(5)
    rounds = [(int(a), int(b), -1 if a < b else 1) for a, b in rng.integers(0, 5, (12, 2))]
    lines = [line.format(a=a, b=b, y=y) for a, b, y in rounds]
    for name, rest in (("half", lines[:6]), ("whole", lines)):
        Path(f"{name}.{kind}").write_text(head + "".join(rest))
        assert call(f"learn {name}.{kind} --save {name}").code == 0
    requests = [{"learn": row(a, b), "label": y} for a, b, y in rounds[6:]]
    answers = _answers(requests, "--resume", "half", "--save", "m")
    assert [answer.get("rounds") for answer in answers] == [7, 8, 9, 10, 11, 12]
    m, whole = nv.Run.load("m"), nv.Run.load("whole")
    assert m.ledger.loss == whole.ledger.loss
    for run in (m, whole):
        assert (run.reading or {}).get("format") == {"svm": "svmlight", "txt": "text"}.get(
            kind, kind
        )


def test_requests_that_are_no_rows_of_the_table(call: Call) -> None:
    Path("half.csv").write_text("a,b,label\n1,x,1\n2,y,-1\n")
    assert call("learn half.csv --save half").code == 0
    rows = [{"a": 1}, {"a": 1, "b": "x", "c": 2}, {"a": "1", "b": "x"}, {"a": None, "b": "x"}]
    answers = _answers([{"predict": row} for row in rows], "--resume", "half")
    assert [answer["error"].partition(". ")[0] for answer in answers] == [
        "x: expected column 'b', as learned from, got none",
        "x: expected the columns learned from, got 'c' too",
        "expected a number in 'a', got \"1\"",
        "expected a value in 'a', got null",
    ]
