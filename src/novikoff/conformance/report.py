"""Run every check on a learner, shrink the violations, and report them."""

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from novikoff.conformance.contracts import CONTRACTS, Check
from novikoff.conformance.guarantees import GUARANTEES
from novikoff.conformance.players import NotApplicableError, RefusedError
from novikoff.conformance.shrinking import shrunk
from novikoff.conformance.subject import Subject, quietly
from novikoff.conformance.tapes import PlainTape, Tape
from novikoff.errors import InputError

Verdict = Literal["holds", "violated", "not applicable"]
CHECKS = {check.name: check for check in [*GUARANTEES, *CONTRACTS]}


@dataclass(frozen=True)
class Row:
    """One check's verdict; ``stream`` is the smallest found on which it is violated."""

    name: str
    verdict: Verdict
    detail: str
    stream: PlainTape | None = None
    claimed: bool = True
    """Whether the learner claims to be of the kind that the check is about."""


@dataclass(frozen=True)
class Report:
    """What every check found on one learner."""

    target: str
    version: str
    arguments: dict[str, object]
    seed: int
    rows: list[Row]

    @property
    def violated(self) -> list[Row]:
        """The violated rows about something that the learner claims."""
        return [row for row in self.rows if row.verdict == "violated" and row.claimed]

    def __str__(self) -> str:
        from rich.box import SIMPLE
        from rich.console import Console
        from rich.markup import escape
        from rich.table import Table

        title = f"{self.target} {self.version}".strip()
        table = Table("check", "verdict", "detail", title=title, box=SIMPLE, title_justify="left")
        for row in self.rows:
            verdict = row.verdict + ("" if row.claimed else ", not claimed")
            table.add_row(row.name, verdict, escape(row.detail))
        text = io.StringIO()
        Console(file=text, width=110).print(table)
        return text.getvalue()

    def to_json(self) -> dict[str, object]:
        """Return the report as plain data."""
        return {**asdict(self), "violated": [row.name for row in self.violated]}

    def save(self, folder: str | Path) -> list[Path]:
        """Write one file per violation, which ``replay`` plays again; return their paths."""
        Path(folder).mkdir(parents=True, exist_ok=True)
        written = []
        for row in self.rows:
            if row.stream is not None:
                path = Path(folder) / f"{self.target.replace(':', '.')}.{row.name}.json"
                head = {"target": self.target, "arguments": self.arguments, "seed": self.seed}
                text = json.dumps({**head, "check": row.name, **asdict(row)}, indent=1)
                path.write_text(text, encoding="utf-8")
                written.append(path)
        return written


def check(
    target: str | type, arguments: Mapping[str, object] | None = None, seed: int = 0
) -> Report:
    """Run every check on a learner, ``module:Class``, made with these arguments."""
    subject = Subject(target, arguments)
    with quietly(seed):
        rows = [_row(each, subject, seed) for each in CHECKS.values()]
    return Report(subject.target, subject.version, subject.arguments, seed, rows)


def replay(path: str | Path) -> Row:
    """Play a saved stream again; return what its check finds now."""
    try:
        saved = json.loads(Path(path).read_text(encoding="utf-8"))
        found, tape = CHECKS[saved["check"]], Tape.of(saved["stream"])
        target, arguments, seed = saved["target"], saved["arguments"], int(saved["seed"])
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise InputError(
            f"{path}: expected a stream that a report saved, got another file ({error!r}). "
            "Save one with Report.save."
        ) from None
    subject = Subject(target, arguments)
    with quietly(seed):
        return _judged(found, subject, [tape], seed, smaller=False)


def _row(each: Check, subject: Subject, seed: int) -> Row:
    try:
        tapes = each.tapes(subject, seed)
    except RefusedError as error:
        return Row(each.name, "violated", f"raises {error}", None, each.claimed(subject))
    return _judged(each, subject, tapes, seed)


def _judged(
    each: Check, subject: Subject, tapes: Sequence[Tape], seed: int, smaller: bool = True
) -> Row:
    """Return the verdict over these tapes, with the first violation shrunk."""

    def found(tape: Tape) -> str | None:
        with quietly(seed):  # so that a learner that draws fails again
            try:
                return each.violation(subject, tape)
            except RefusedError as error:
                return f"raises {error}"

    claimed = each.claimed(subject)
    try:
        for tape in tapes:
            if found(tape):
                shrinks = smaller and claimed  # nobody promised this, so only report it
                small = shrunk(tape, lambda other: bool(found(other))) if shrinks else tape
                detail = f"{found(small)} ({small.name}, {len(small)} × {small.features})"
                return Row(each.name, "violated", detail, small.plain(), claimed)
    except NotApplicableError as error:
        return Row(each.name, "not applicable", str(error), None, claimed)
    return Row(each.name, "holds", f"{len(tapes)} streams", None, claimed)
