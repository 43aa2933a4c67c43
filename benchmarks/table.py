"""The table of results: rows as lines of RESULTS.md, read back, compared and replaced."""

import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path

RESULTS = Path(__file__).parent / "RESULTS.md"
HEADING = (
    "| work | peer | novikoff | ratio | middle half | turns | goal | note | day |\n"
    "|---|---|---|---|---|---|---|---|---|"
)


@dataclass(frozen=True)
class Row:
    """One line of the table: medians over the turns, and where the middle half of them lies."""

    work: str
    peer: float
    ours: float
    ratio: float
    low: float
    high: float
    turns: int
    goal: float | None = None
    note: str = ""
    day: str = ""

    def line(self) -> str:
        """Write the row as a line of the table."""
        goal = "" if self.goal is None else f"≥ {self.goal:g}×"
        times = f"{_time(self.peer)} | {_time(self.ours)}"
        return (
            f"| {self.work} | {times} | **{_ratio(self.ratio)}×** | "
            f"{_ratio(self.low)}–{_ratio(self.high)} | {self.turns} | {goal} | {self.note} | "
            f"{self.day or date.today()} |"
        )

    def moved(self, before: "Row") -> bool:
        """Say whether the ratio moved by more than both spreads: the middle halves do not meet."""
        return self.low > before.high or self.high < before.low


def committed(text: str) -> dict[str, Row]:
    """Read the rows of a table, by their work."""
    found = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| ") and len(cells) == 9 and cells[3].startswith("**"):
            row = _read(cells)
            found[row.work] = row
    return found


def said(row: Row, before: Row | None) -> str:
    """Say what moved; nothing if nothing did."""
    if before is None:
        return f"new: {row.work}"
    row = committed(row.line())[row.work]  # in as many digits as the table has
    if not row.moved(before):
        return ""
    word = "slower" if row.ratio < before.ratio else "faster"
    return f"{word}: {row.work}: {_span(before)}, {before.day} → {_span(row)}"


def replaced(text: str, rows: list[Row]) -> str:
    """Return the text with these rows in place of those of the same work; new ones at the end."""
    lines, new = text.split("\n"), {row.work: row for row in rows}
    known = committed(text)
    last = lines.index(HEADING.split("\n")[1])
    for number, line in enumerate(lines):
        work = line[2:].split(" | ")[0].strip()
        if line.startswith("| ") and work in known:
            last = number
            if work in new:
                lines[number] = new.pop(work).line()
    lines[last + 1 : last + 1] = [row.line() for row in new.values()]
    return "\n".join(lines)


def _read(cells: list[str]) -> Row:
    work, peer, ours, ratio, middle, turns, goal, note, day = cells
    low, high = (float(end) for end in middle.split("–"))
    wanted = float(goal.strip("≥ ×")) if goal else None
    number = float(ratio.strip("*×"))
    return Row(
        work, _seconds(peer), _seconds(ours), number, low, high, int(turns), wanted, note, day
    )


def _span(row: Row) -> str:
    return f"{_ratio(row.ratio)}× ({_ratio(row.low)}–{_ratio(row.high)})"


def _ratio(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio >= 1 else f"{ratio:.3f}"


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} µs"


def _seconds(time: str) -> float:
    found = re.fullmatch(r"([\d.]+) (ms|µs)", time)
    if not found:
        raise ValueError(f"expected a time in ms or µs, got {time!r}")
    return float(found[1]) / {"ms": 1e3, "µs": 1e6}[found[2]]
