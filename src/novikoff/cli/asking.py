"""``novikoff learn - --stdio``: asks and tells as JSON lines on standard input and output.

Every line is one request and gets one line as its answer. A request that cannot be used is answered
with what is wrong, changes nothing, and the conversation goes on.
"""

import io
import select
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TextIO

from novikoff.cli.answers import print_json, tell
from novikoff.cli.escapes import as_line, json_line
from novikoff.cli.learned import Judged, Read, decided_words, run_answer
from novikoff.cli.learning import error_bound_if_any
from novikoff.cli.outlets import UnreadError, product
from novikoff.cli.outputs import Written
from novikoff.cli.plans.learn_plan import LearnPlan
from novikoff.cli.regular_saves import RegularSaves
from novikoff.cli.remedies import about_file, in_options
from novikoff.cli.resuming import begun
from novikoff.errors import InputError, NovikoffError, as_float
from novikoff.interrupts import listening, stoppable, waiting
from novikoff.learners.protocols import is_probable
from novikoff.playing.asks import Id, Probability
from novikoff.playing.ledger import counted
from novikoff.playing.run import Run
from novikoff.receipts.baselines import about_baseline, baseline_of
from novikoff.receipts.remarks import about_run
from novikoff.streams.files.json_lines import BadLine, object_of, row_by_columns, row_of
from novikoff.streams.files.opening import LONGEST_LINE
from novikoff.types import EXACT, Fields, Label, Plain

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Reply = Mapping[str, object]


class _Verb(NamedTuple):
    """What answers a request, and the members that it takes besides its own name."""

    answer: Callable[["Conversation", Fields], Reply]
    members: tuple[str, ...] = ()


def converse(plan: LearnPlan) -> int:
    """Answer requests until the input ends; then save the model and say what the run did."""
    run, plan = begun(plan)
    before = {"format": "jsonl", "input": [], "again": False} | (run.reading or {})
    kept = {name: before[name] for name in ("format", "input", "again")}
    run.reading = plan.reading.decisive | kept
    began = time.perf_counter()
    talk = Conversation(run, plan)
    with Written() as written, stoppable(), waiting():
        try:
            with listening():
                talk.go_on(_lines(talk.wait), product())
        except UnreadError:  # nobody reads the answers any more
            talk.save(written)
            raise
        except KeyboardInterrupt:
            raise KeyboardInterrupt(talk.stopped(written)) from None
        talk.save(written)
        _summarise(talk, time.perf_counter() - began)
    return 0


class _Patient(io.FileIO):
    """A file that is waited for; if it does not block, "nothing yet" would look like its end."""

    def __init__(self, number: int, wait: Callable[[int], object]) -> None:
        super().__init__(number, closefd=False)
        self._wait = wait

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        """Read what comes next; 0 bytes at the end."""
        found: int | None = None
        while found is None:
            self._wait(self.fileno())
            found = super().readinto(buffer)
        return found


def _wait(number: int, seconds: float | None = None) -> bool:
    """Wait until there is something to read, or the end; say whether it came in time."""
    return bool(select.select([number], [], [], seconds)[0])


def _lines(wait: Callable[[int], object] = _wait) -> Iterator[bytes | None]:
    """Yield the lines of standard input as they come; None for one that is too long."""
    if sys.stdin is None:
        raise InputError("standard input: expected requests, got a closed one. Open it.")
    with io.BufferedReader(_Patient(sys.stdin.fileno(), wait)) as source:
        while line := source.readline(LONGEST_LINE + 1):
            whole = len(line) <= LONGEST_LINE or line.endswith(b"\n")
            yield line if whole else None
            while not whole and line and not line.endswith(b"\n"):
                line = source.readline(LONGEST_LINE)


class Conversation:
    """A run, and what it answers to requests."""

    def __init__(self, run: Run, plan: LearnPlan) -> None:
        self.run, self.plan = run, plan
        self.options = plan.reading.options()
        if (run.reading or {}).get("format") == "text":
            self.options = replace(self.options, text="text")
        self.bad = 0
        """How many lines could not be used."""
        self._saves = RegularSaves(partial(_save_if_possible, run, plan.save), plan.save_every)

    def go_on(self, lines: Iterator[bytes | None], out: TextIO) -> None:
        """Answer every line, at once."""
        for number, line in enumerate(lines, 1):
            with waiting():
                reply = self.answer(number, line)
            if reply is not None:
                out.write(json_line(reply) + "\n")
                out.flush()

    def answer(self, number: int, line: bytes | None) -> Reply | None:
        """Return the answer to a line; None to an empty one."""
        if line is not None and not line.strip():
            return None
        request: Fields = {}
        try:
            if line is None:
                raise BadLine(f"expected at most {LONGEST_LINE:,} bytes in a line, got more")
            request = object_of(line)
            reply = self._carried_out(request)
        except BadLine as bad:
            text = str(bad.args[0])
        except NovikoffError as error:
            text = in_options(error)
        except OSError as error:
            text = about_file(error)
        else:
            self._saves.changed()
            return reply
        self.bad += 1
        about = {name: request[name] for name in ("id", "tell", "forget") if _is_id(request, name)}
        return {"id": next(iter(about.values()), None), "error": text, "line": number}

    def _carried_out(self, request: Fields) -> Reply:
        named = [name for name in request if name in _VERBS]
        if len(named) != 1:
            raise BadLine(f"expected one of {', '.join(_VERBS)}, got {', '.join(named) or 'none'}")
        verb = _VERBS[named[0]]
        strange = [name for name in request if name not in (named[0], *verb.members)]
        if strange:
            raise BadLine(f"expected no {strange[0]!r} with {named[0]}, got one")
        return verb.answer(self, request)

    def _row(self, value: Plain) -> object:
        """Return the x of a request; a model of a table takes objects by the table's columns."""
        table = self.run.table
        columns = self.run.columns or (None if table is None else table.features)
        if columns is not None and isinstance(value, dict):
            return row_by_columns(value, columns, table, self.options)
        return row_of(value, self.options)

    def ask(self, request: Fields) -> Reply:
        """Predict now; the label comes later."""
        found = self.run.ask(self._row(request["ask"]), _id(request.get("id")))
        return {"id": found.id, **_prediction(found.prediction, found.probability)}

    def tell(self, request: Fields) -> Reply:
        """Play the round of an ask."""
        id, label = _known_id(request["tell"]), _label(request)
        served = self.run.pending.get(id)
        self.run.tell(id, label, _weight(request))
        shown = None if served is None else served.prediction
        return {"id": id, "served": shown, "rounds": self.run.ledger.rounds}

    def learn(self, request: Fields) -> Reply:
        """Play a round whose label is there already."""
        x, label = self._row(request["learn"]), _label(request)
        prediction = self.run.learn(x, label, _weight(request))
        return {"label": prediction, "rounds": self.run.ledger.rounds}

    def predict(self, request: Fields) -> Reply:
        """Predict, and keep nothing."""
        x, run = self._row(request["predict"]), self.run
        probable = is_probable(run.learner)
        return _prediction(run.predict_one(x), run.probability(x) if probable else None)

    def forget(self, request: Fields) -> Reply:
        """Drop an ask."""
        id = _known_id(request["forget"])
        self.run.forget(id)
        return {"id": id, "pending": len(self.run.pending)}

    def write(self, request: Fields) -> Reply:
        """Save the model."""
        if self.plan.save is None:
            raise InputError(
                "save: expected --save MODEL on the command line, got none. Start with it."
            )
        self.run.save(self.plan.save)
        return {"saved": self.plan.save, "rounds": self.run.ledger.rounds}

    def status(self, request: Fields) -> Reply:
        """Say what the run has done so far."""
        ledger = self.run.ledger
        names = ("loss", "mean_loss", "served", "served_mistakes", "served_loss", "decided_errors")
        counts = {"rounds": ledger.rounds, "mistakes": ledger.mistakes, "bad": self.bad}
        measures = {name: getattr(ledger, name, None) for name in names}
        return counts | measures | {"pending": len(self.run.pending)}

    def save(self, written: Written) -> None:
        """Save the model, if it has a name."""
        if self.plan.save is not None:
            self.run.save(self.plan.save)
            written.add(self.plan.save)

    def stopped(self, written: Written) -> str:
        """Save the model when a signal stops the conversation, and say how to go on."""
        after = f"after {counted(self.run.ledger.rounds, 'round')}"
        if self.plan.save is None:
            return f"{after}; nothing is saved without --save."
        self.save(written)
        written.files.clear()  # the one file that was written is named here
        return f"{after}; go on with --resume {self.plan.save}."

    def wait(self, number: int) -> None:
        """Wait for requests; save what is due meanwhile."""
        while not _wait(number, self._saves.left):
            self._saves.save()


def _save_if_possible(run: Run, path: str | None) -> None:
    """Save the model now and then; what was answered stays true, even if this fails."""
    try:
        if path is not None:
            run.save(path)
    except (NovikoffError, OSError) as error:
        tell([f"{path} is not saved: {error}"])


_VERBS = {
    "ask": _Verb(Conversation.ask, ("id",)),
    "tell": _Verb(Conversation.tell, ("label", "weight")),
    "learn": _Verb(Conversation.learn, ("label", "weight")),
    "predict": _Verb(Conversation.predict),
    "forget": _Verb(Conversation.forget),
    "save": _Verb(Conversation.write),
    "status": _Verb(Conversation.status),
}


def _summarise(talk: Conversation, seconds: float) -> None:
    """Say what the run did: as the last line of JSON, or on standard error."""
    run = talk.run
    error = error_bound_if_any(run, talk.plan.delta)
    judged = Judged(error, baseline_of(run))
    found = run_answer(run, Read("jsonl", talk.bad), seconds, judged)
    said = about_baseline(run.ledger, judged.baseline, first=talk.plan.json)
    remarks = [*said, *about_run(run, (), error)]
    if talk.plan.json:
        print_json({**found, "model": talk.plan.save}, remarks)
        tell(remarks)
        return
    served = found["served"]
    worse = "does not beat its baseline: " * (found["beats_baseline"] is False)
    told = f"{found['learner']} on standard input: {run.ledger.headline}, {seconds:.2f} s"
    lines = [worse + told]
    if served is not None:
        wrong, asks = served["mistakes"], counted(served["rounds"], "ask")
        pending = counted(served["pending"], "ask")
        lines.append(f"served: {counted(wrong, 'mistake')} in {asks}; {pending} pending")
    if found["decided"] is not None:
        lines.append(decided_words(found["decided"]))
    lines += [f"model: {as_line(talk.plan.save)}"] if talk.plan.save else []
    print(*lines, sep="\n", file=sys.stderr)
    tell(remarks)


def _prediction(label: Label | None, probability: Probability | None) -> Reply:
    """Return a prediction as JSON holds it; with many classes, a probability for each name."""
    if isinstance(probability, Mapping):
        return {"label": label, "probability": {str(k): p for k, p in probability.items()}}
    return {"label": label, "probability": probability}


def _is_id(request: Fields, name: str) -> bool:
    found = request.get(name)
    return isinstance(found, (str, int)) and not isinstance(found, bool)


def _id(value: Plain) -> Id | None:
    if value is None or (isinstance(value, (str, int)) and not isinstance(value, bool)):
        return value
    raise BadLine(f"expected an id that is a string or a whole number, got {json_line(value)}")


def _known_id(value: Plain) -> Id:
    id = _id(value)
    if id is None:
        raise BadLine("expected the id of an ask, got null")
    return id


def _label(request: Fields) -> Label:
    label = request.get("label")
    if label is None or not isinstance(label, (str, bool, int, float)):
        raise BadLine(f"expected a label in 'label', got {json_line(label)}")
    if isinstance(label, (int, float)) and abs(label) > EXACT:
        raise BadLine(f"expected a number within ±2^53 in 'label', got {as_float(label):g}")
    return label


def _weight(request: Fields) -> float:
    weight = request.get("weight", 1.0)
    if isinstance(weight, (int, float)) and not isinstance(weight, bool):
        return as_float(weight)
    raise BadLine(f"expected a number in 'weight', got {json_line(weight)}")
