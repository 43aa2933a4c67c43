"""kill −9 at any moment: a model is whole or absent, and the run goes on as if nothing was."""

import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import novikoff as nv
from commands import assert_same_run
from novikoff import cli

KILLS, LINES, ACTIVE, GROUP = 20, 200_000, 10, 2000
ATTEMPTS = 20 * KILLS  # a fast machine finishes most runs before the signal arrives


def write_rows(path: Path) -> None:
    """Write some 25 MB of svmlight, neither separable nor all noise."""
    rng = np.random.default_rng(1)
    w = rng.normal(size=GROUP * ACTIVE)
    with open(path, "w") as file:
        for _ in range(LINES // 1000):
            columns = rng.integers(0, GROUP, (1000, ACTIVE)) + np.arange(ACTIVE) * GROUP
            values = np.round(rng.normal(size=(1000, ACTIVE)), 4)
            scores = (w[columns] * values).sum(axis=1) + 0.5 * rng.normal(size=1000)
            for score, row, x in zip(scores, columns.tolist(), values.tolist(), strict=True):
                pairs = " ".join(f"{j + 1}:{v}" for j, v in zip(row, x, strict=True))
                file.write(f"{1 if score > 0 else -1} {pairs}\n")


class Campaign:
    """Processes that learn from a file into one model, each killed somewhere, and what was left."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.file, self.model, self.again = folder / "rows.svm", folder / "M", folder / "M2"
        self.whole = folder / "whole"
        self.random = random.Random(seed)
        self.seen: Counter[str] = Counter()
        write_rows(self.file)
        assert cli.main(["learn", str(self.file), "--save", str(self.whole)]) == 0

    def kill_one(self) -> None:
        """Start a process, on the model where there is one, and kill it."""
        resume = ["--resume", str(self.model)] if self.model.exists() else []
        command = ["learn", str(self.file), "--save", str(self.model), "--save-every", "0.005"]
        process = subprocess.Popen(
            [sys.executable, "-m", "novikoff", *command, *resume],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
        self._wait(process, self.random.randrange(-1, 4))
        process.send_signal(signal.SIGKILL)
        _, said = process.communicate()
        assert said == b""
        killed = process.returncode == -signal.SIGKILL
        assert killed or process.returncode == 0
        self.seen["killed" if killed else "finished first"] += 1
        self.check()

    def _wait(self, process: subprocess.Popen[bytes], saves: int) -> None:
        """Wait for so many saves, whatever the machine's speed, and a moment more; −1: no save."""
        if saves < 0:
            time.sleep(self.random.random())
            return
        state = self._stamp()
        until = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < until:
            if self._stamp() != state:
                state, saves = self._stamp(), saves - 1
            if saves < 0:
                break
            time.sleep(0.001)
        time.sleep(0.03 * self.random.random())

    def _stamp(self) -> int:
        return self.model.stat().st_mtime_ns if self.model.exists() else 0

    def check(self) -> None:
        """What is there is whole, and leads to the end of the run that nobody killed."""
        drafts = [path for path in self.model.parent.iterdir() if path.name.startswith(".M")]
        self.seen["drafts left"] += len(drafts)
        for draft in drafts:
            assert re.fullmatch(r"\.M2?\.[0-9a-f]{16}", draft.name)
            draft.unlink()
        if not self.model.exists():
            self.seen["no model yet"] += 1
            return
        run = nv.Run.load(self.model)
        assert 0 < run.ledger.rounds <= LINES
        if run.unfinished is None:
            self.seen["complete"] += 1
            assert_same_run(self.model, self.whole)
            self.model.unlink()  # and from the start again
            return
        self.seen["unfinished"] += 1
        self.seen["rounds"] += run.ledger.rounds
        resumed = ["learn", str(self.file), "--resume", str(self.model), "--save", str(self.again)]
        assert cli.main(resumed) == 0
        assert_same_run(self.again, self.whole)


def test_a_process_that_is_killed_leaves_a_model_that_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rounds, mistakes, their rounds, radius and weights are those of the uninterrupted run."""
    campaign = Campaign(tmp_path, seed=0)
    for attempt in range(ATTEMPTS):
        if attempt >= KILLS and campaign.seen["unfinished"] >= KILLS // 4:
            break
        campaign.kill_one()
    print(dict(campaign.seen))
    assert campaign.seen["unfinished"] >= KILLS // 4
    ledger = nv.Run.load(campaign.whole).ledger
    assert (ledger.rounds, len(ledger.mistake_rounds)) == (LINES, ledger.mistakes)


if __name__ == "__main__":  # a longer campaign: python tests/playing/test_kill.py FOLDER KILLS SEED
    campaign = Campaign(Path(sys.argv[1]), int(sys.argv[3]))
    for _ in range(int(sys.argv[2])):
        campaign.kill_one()
    print(dict(campaign.seen))
