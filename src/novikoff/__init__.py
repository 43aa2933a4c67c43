"""Online learning in the mistake-bound model, with a receipt for every run."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# What is public, by the module that holds it. The same in __init__.pyi, for type checkers.
_NAMES = {
    "certificates": "Certificate Verdict verify",
    "comparators": "Margin margin",
    "conversion": "controlled_testing error_bound leave_one_out random_stopping",
    "errors": "BusyError HypothesisError InputError NovikoffError ParameterError "
    "UnrealizableError VerificationError",
    "hypotheses": "Chain Halfspace Hypothesis Multiclass Tree Vote",
    "learners": "AveragedPerceptron BalancedMinnow Learner Minnow ModifiedPerceptron "
    "MulticlassPerceptron Perceptron StructuredPerceptron VotedPerceptron",
    "ledger": "Ledger",
    "loop": "Run play",
    "progress": "Progress",
    "receipts": "bounds certify",
    "registry": "Bound Theorem theorems",
    "reports": "report",
    "selection": "best_pass",
    "streams": "FileStream Hashing Stream Words cache read stream",
    "structures": "Chains Classes Problem Trees span_scores",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}
__all__ = [*sorted(_HOMES)]  # noqa: PLE0604 — they are strings


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for, so that ``novikoff --help`` needs no NumPy."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*globals(), *__all__]
