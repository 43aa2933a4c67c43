"""``novikoff tag`` answers as sentences arrive."""

import subprocess
import sys
import threading
from pathlib import Path

from commands import Call

SENTENCES = "the\tD\ndog\tN\n\nruns\tV\n\n"


def test_sentences_from_a_pipe_are_tagged_before_more_are_waited_for(
    call: Call, tmp_path: Path
) -> None:
    """The second sentence is written only after the first one's tags were read."""
    (tmp_path / "s.conll").write_text(20 * SENTENCES)
    call("tag s.model s.conll --learn")
    tag = [sys.executable, "-m", "novikoff", "tag", "s.model", "-", "--format", "conll"]
    with subprocess.Popen(
        tag, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        guard = threading.Timer(20, program.kill)
        guard.start()
        for _ in range(2):
            program.stdin.write("the\tD\ndog\tN\n\n")
            program.stdin.flush()
            assert program.stdout.readline() == "the\tD\n"
            assert program.stdout.readline() == "dog\tN\n"
            assert program.stdout.readline() == "\n"
        program.stdin.close()
        assert program.wait() == 0
        guard.cancel()
