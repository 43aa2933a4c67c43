"""What ``learn`` and ``predict`` say about real labels, where nothing is just right or wrong."""

from novikoff.cli.escapes import visible
from novikoff.playing.ledger import counted
from novikoff.playing.run import Run


def squared_error(mean_loss: float, mean: float, without: float) -> str:
    """Return the mean squared error in words, next to that of always guessing the mean.

    >>> squared_error(0.125, 3.1, 0.5)
    'mean squared error 0.125; always guessing the mean 3.1: 0.5'
    >>> squared_error(0.75, 3.1, 0.5)
    'mean squared error 0.75, no better than always guessing the mean 3.1: 0.5'
    """
    better = mean_loss < without
    between = "; always guessing" if better else ", no better than always guessing"
    return f"mean squared error {mean_loss:.4g}{between} the mean {mean:.4g}: {without:.4g}"


def show_regression(run: Run, name: str, form: str, seconds: float, resumed: bool = False) -> None:
    """Print what a run with real labels did, with the rounds before it was resumed."""
    ledger = run.ledger
    without = ledger.baseline_loss / max(ledger.rounds, 1)
    print(squared_error(ledger.mean_loss, ledger.mean_label, without))
    print(
        f"{ledger.learner} on {visible(name)} ({form}){', so far' * resumed}: "
        f"{counted(ledger.rounds, 'round')}, "
        f"{counted(run.learner.dimension, 'feature')}, {seconds:.2f} s"
    )
