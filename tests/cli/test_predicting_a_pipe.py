"""``predict MODEL -``: each row is answered before the next one is there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from commands import Call
from oracle.limits import little_time

_LINES = {
    "perceptron": ["1 1:1.25 2:0.5\n", "-1 1:-1.25 3:0.5\n", "1 1:2.25 2:1\n"],
    "forward-regression": ["0.5 1:1.25 2:0.5\n", "0.25 1:-1.25 3:1\n", "1.5 1:2.25\n"],
}


@pytest.mark.parametrize("learner", _LINES)
def test_a_row_is_answered_before_the_next_one(call: Call, learner: str) -> None:
    lines = _LINES[learner]
    Path("rows").write_text("".join(lines))
    call(f"learn rows --format svmlight --learner {learner} --save m")
    expected = call("predict m rows --format svmlight").out.splitlines()
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    command = [sys.executable, "-m", "novikoff", "predict", "m", "-", "--format", "svmlight"]
    with (
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=usual
        ) as process,
        little_time(),
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        for line, answer in zip(lines, expected, strict=False):
            process.stdin.write(line)
            process.stdin.flush()
            assert process.stdout.readline().rstrip("\n") == answer
        process.stdin.close()
        assert process.wait(20) == 0
