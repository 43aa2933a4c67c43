"""Processes that are killed, or told to end, at any moment: no model is lost, every run goes on.

Each process learns into a model, or goes on with the one that is there, and is stopped by SIGKILL,
SIGTERM or Ctrl-C. What it leaves is readable, and no older than what was there; when a chain of
such processes reaches the end, ledger and weights are those of a run that nobody stopped.
"""

import json
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import novikoff as nv
from novikoff import cli
from novikoff.saving import storage

SMALL = 14
_REAL = 7  # one process in so many is begun from nothing, the others by a fork
_SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
_LONGEST = 0.8  # seconds that a process is waited for, whatever the machine
_LETTERS = "abcdefghijklmnopqrst"


class Kind(NamedTuple):
    """What is learned: a file, and the options of the verb."""

    verb: str
    file: str
    options: tuple[str, ...] = ()
    learner: tuple[str, ...] = ()
    """Options that are saved with the run."""


KINDS = {
    "text": Kind("learn", "mail.txt", ("--positive", "spam", "--words", "2")),
    "names": Kind("learn", "rows.vw"),
    "objects": Kind("learn", "rows.jsonl", (), ("--learner", "averaged")),
    "classes": Kind("learn", "many.csv", ("--label", "kind"), ("--learner", "multiclass")),
    "passes": Kind("learn", "rows.vw", ("--passes", "4")),
    "until clean": Kind("learn", "few.txt", ("--positive", "spam", "--until-clean")),
    "sentences": Kind("tag", "tagged.conll", ("--learn", "--passes", "6")),
}


def write_files(folder: Path) -> None:
    """Write a file for each kind, that takes some tenths of a second to learn from."""
    rng = random.Random(11)
    words = [a + b + c for a in _LETTERS for b in _LETTERS[:10] for c in _LETTERS[:10]]
    spam = {word: rng.random() - 0.5 for word in words}

    def message() -> tuple[bool, list[str]]:
        chosen = rng.choices(words, k=8)
        return sum(spam[word] for word in chosen) + rng.gauss(0, 0.2) > 0, chosen

    mails = [message() for _ in range(12_000)]
    lines = [f"{'spam' if bad else 'ham'}\t{' '.join(text)}\n" for bad, text in mails]
    (folder / "mail.txt").write_text("".join(lines))
    clean = [f"{'spam' if text[0] < 'k' else 'ham'}\t{text[0]} {text[1]}\n" for _, text in mails]
    (folder / "few.txt").write_text("".join(clean[:6000]))
    rows = [f"{1 if bad else -1} |w {' '.join(text)}\n" for bad, text in mails]
    (folder / "rows.vw").write_text("".join(rows))
    objects = [{"label": 1 if bad else -1, **dict.fromkeys(text, 1)} for bad, text in mails]
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in objects[:6000]))
    cells = [f"{text[0][0]},{text[1][0]},{len(set(text))},{text[0][1]}\n" for _, text in mails]
    (folder / "many.csv").write_text("a,b,c,kind\n" + "".join(cells))
    sentences = ["".join(f"{w}\t{w[0].upper()}\n" for w in text) + "\n" for _, text in mails[:400]]
    (folder / "tagged.conll").write_text("".join(sentences))


class Chain:
    """Processes of one kind, one after the other, into one model."""

    def __init__(self, name: str, folder: Path, rng: random.Random) -> None:
        self.name, self.kind, self.folder, self.random = name, KINDS[name], folder, rng
        self.model = folder / f"{name.replace(' ', '-')}.model"
        self.whole = folder / f"{self.model.name}.whole"
        self.seen: Counter[str] = Counter()
        self.rounds = 0
        began = time.monotonic()
        code = self._ended(_forked(self._command(self.whole), folder))
        assert code == 0, f"{name}: {_last_words(folder)}"
        self.seconds = min(time.monotonic() - began, _LONGEST)
        if self.kind.verb == "tag":
            self._begin_again()

    def _command(self, model: Path, every: str | None = None) -> list[str]:
        verb, file, options, _ = self.kind
        place = str(self.folder / file)
        if verb == "tag":
            return [verb, str(model), place, *options]
        found = [verb, place, *options, "--save", str(model)]
        if every is not None:
            found += ["--save-every", every]
        if model.exists():
            found += ["--resume", str(model)]
        else:
            found += self.kind.learner
        return found

    def stop_one(self, real: bool, said: str) -> None:
        """Begin a process, on the model where there is one, and stop it."""
        number = self.random.choice(_SIGNALS)
        kills = number == signal.SIGKILL
        every = "0.01" if kills or self.random.random() < 0.5 else None
        begun = _begun if real else _forked
        process = begun(self._command(self.model, every), self.folder)
        # A process that begins from nothing is at work after some tenths of a second.
        time.sleep(self.random.random() * (self.seconds * 1.1 + (0.5 if real else 0)))
        code = self._ended(process, number)
        where = f"{said}: {self.name}, {number.name}"
        expected = (0, -number) if kills else (0, -number, cli.INTERRUPTED, *([1] if real else []))
        assert code in expected, f"{where}: exit code {code}, {_last_words(self.folder)}"
        self.seen["finished first" if code == 0 else number.name] += 1
        for draft in self.folder.glob(f".{self.model.name}.*"):
            self.seen["drafts left"] += 1
            draft.unlink()
        self._check(code, where)

    def _check(self, code: int, where: str) -> None:
        """What is there is whole and no older; at the end it is that of the unstopped run."""
        if self.kind.verb == "tag":
            nv.Hypothesis.load(self.model)
            if code != 0 and self.model.read_bytes() == self.before:
                self.seen["as it was"] += 1
            else:
                _assert_same(self.model, self.whole, where)
            self._begin_again()
            return
        if not self.model.exists():
            assert self.rounds == 0, f"{where}: the model is gone"
            assert code != 0, f"{where}: no model was written"
            return
        run = nv.Run.load(self.model)
        assert run.ledger.rounds >= self.rounds, f"{where}: an older model"
        self.rounds = run.ledger.rounds
        assert (run.unfinished is None) >= (code == 0), f"{where}: it is not finished"
        if run.unfinished is None:
            _assert_same(self.model, self.whole, where)
            self.seen["resumed to the end"] += 1
            self._begin_again()

    def _begin_again(self) -> None:
        self.rounds = 0
        self.model.unlink(missing_ok=True)
        if self.kind.verb == "tag":  # over a model that is another
            nv.play(nv.StructuredPerceptron(nv.Chains("w[0]")), [(["a"], ["A"])]).hypothesis().save(
                self.model
            )
            self.before = self.model.read_bytes()

    def _ended(self, process: int, number: signal.Signals | None = None) -> int:
        if number is not None:
            os.kill(process, number)
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def _forked(command: list[str], folder: Path) -> int:
    """Run a command in a copy of this process, which has the library in memory."""
    process = os.fork()
    if process:
        return process
    code = 70
    try:
        _quiet(folder)
        code = cli.main(command)
    except KeyboardInterrupt:  # before the verb began, or after it
        code = cli.INTERRUPTED
    except BaseException:
        traceback.print_exc()  # the assertion shows it
        sys.stderr.flush()
    finally:
        os._exit(code)


def _quiet(folder: Path) -> None:
    said = os.open(folder / "said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(said, 2)


def _begun(command: list[str], folder: Path) -> int:
    """Run a command as a process of its own."""
    words = [sys.executable, "-m", "novikoff", *command]
    out = (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
    said = (os.POSIX_SPAWN_OPEN, 2, str(folder / "said"), os.O_WRONLY | os.O_CREAT, 0o600)
    return os.posix_spawn(sys.executable, words, os.environ, file_actions=[out, said])


def _last_words(folder: Path) -> str:
    said = folder / "said"
    return said.read_text(errors="replace")[-2000:] if said.exists() else ""


def _assert_same(one: Path, other: Path, where: str) -> None:
    """Two saved runs are the same to the last bit: ledger, labels, names and weights."""
    (_, about, arrays), (_, others_about, others) = (
        storage.read(path, ("Run", "Chain")) for path in (one, other)
    )
    assert about == others_about, f"{where}: {about}, not {others_about}"
    assert arrays.keys() == others.keys(), where
    for name, array in arrays.items():
        assert array.tobytes() == others[name].tobytes(), f"{where}: other {name}"


@contextmanager
def _as_in_a_new_process() -> Iterator[None]:
    """SIGTERM ends a process in here. Ray, for one, leaves a handler that calls ``sys.exit``."""
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def campaign(size: int, seed: int) -> dict[str, int]:
    """Stop ``size`` processes, the kinds in turn."""
    rng, seen = random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory() as made, _as_in_a_new_process():
        folder = Path(made)
        write_files(folder)
        chains = [Chain(name, folder, rng) for name in KINDS]
        for k in range(size):
            said = f"python -m campaigns kills --size {k + 1} --seed {seed}"
            chains[k % len(chains)].stop_one(k % _REAL == _REAL - 1 - k // _REAL % _REAL, said)
        for chain in chains:
            seen.update(chain.seen)
    return dict(seen)
