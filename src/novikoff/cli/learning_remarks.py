"""What ``novikoff learn`` says of labels and of models besides what a run says of itself."""

from novikoff.cli.parser import UsageError
from novikoff.playing.ledger import Ledger
from novikoff.streams import Stream


def check_positive(ledger: Ledger, stream: Stream) -> None:
    """Refuse a positive label that no row has, where the rows have several others."""
    positive = stream.positive
    if positive is None or ledger.rounds_by_label.get(positive) or len(ledger.labels) != 2:
        return
    if ledger.labels[0] == f"not {positive}":
        raise UsageError(
            f"--positive: expected a label of {stream.name}, got {positive!r}, which no row has. "
            "Write it as the file does: capitals and blanks count."
        )


def about_before(again: bool) -> list[str]:
    """Return a remark where a file was learned from before."""
    if not again:
        return []
    return [
        "the run has played a file that it had learned from before: unless the file was another by "
        "then, its rounds are not fresh, and there is no bound of the error to come."
    ]
