"""The listing of bounds that ``novikoff learn`` prints, and of the files that it wrote."""

import shutil
import sys
from collections.abc import Mapping
from textwrap import wrap

from novikoff.cli.escapes import visible
from novikoff.cli.learned import BoundAnswer, ReceiptsAnswer
from novikoff.playing.ledger import counted

_NARROWEST = 40


def show_receipts(found: ReceiptsAnswer, rounds: int, parameters: Mapping[str, object]) -> None:
    """Print what the run did beside each bound, and the files that were written."""
    for one in found["bounds"]:
        print(listed(one["theorem"], _allowed(one, rounds, parameters)))
        if one["theorem"] == "run":
            print(listed("", "knows the run's mistakes; certified only with --theorem run"))
        if one["least"]:
            print(listed("", best_possible(one["least"])))
    read = f" ({read_so_often(found['readings'])})"
    files = {kind: found[kind] for kind in ("model", "certificate", "report")}
    for kind, path in files.items():
        if path:
            print(f"{kind}: {visible(path)}{read if kind == 'certificate' else ''}")


def listed(name: str, text: str) -> str:
    """Return a line of a listing; at a terminal that is too narrow, lines below one another."""
    line = f"  {name:<16} {text}"
    if sys.stdout is None or not sys.stdout.isatty():
        return line
    width = max(shutil.get_terminal_size().columns, _NARROWEST)
    return "\n".join(wrap(line, width, subsequent_indent=" " * 19, break_on_hyphens=False))


def read_so_often(readings: int) -> str:
    """Say how often the data were read."""
    words = {1: "once", 2: "twice"}
    return f"read the data {words.get(readings, f'{readings} times')}"


def best_possible(least: float) -> str:
    """Say in words what no fixed weights can do better than."""
    from novikoff.receipts.remarks import shown_below

    value = shown_below(least)
    return f"no fixed weights u have a loss plus penalty, L(u) + ½ Σ λ u², below {value}"


def _allowed(bound: BoundAnswer, rounds: int, parameters: Mapping[str, object]) -> str:
    """Say what the run did, what the theorem allows, and whether that says nothing."""
    from novikoff.receipts.remarks import guess_of, says_nothing, shown
    from novikoff.theory import named

    of_loss = named(bound["theorem"]).of == "loss"
    least = says_nothing(bound["theorem"], rounds, parameters) if of_loss else rounds
    empty = bound["value"] >= least
    guess = guess_of(parameters)[0].removeprefix("a probability of ")
    why = f"always giving {guess} costs no more" if of_loss else "there were no more rounds"
    most, observed = f"at most {shown(bound['value'])}", bound["observed"]
    if observed is None:
        said = f"{most} {'in loss' if of_loss else 'mistakes'}"
    else:
        did = f"losses add up to {observed:.6g}" if of_loss else counted(int(observed), "mistake")
        said = f"{did}; the theorem allows {most}"
    return said + f" (says nothing: {why})" * empty
