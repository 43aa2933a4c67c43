"""Online learning in the mistake-bound model, with a receipt for every run."""

from novikoff.certificates import Certificate, Verdict, verify
from novikoff.comparators import Margin, margin
from novikoff.conversion import (
    controlled_testing,
    error_bound,
    leave_one_out,
    random_stopping,
)
from novikoff.errors import (
    BusyError,
    HypothesisError,
    InputError,
    NovikoffError,
    ParameterError,
    UnrealizableError,
    VerificationError,
)
from novikoff.hypotheses import Chain, Halfspace, Hypothesis, Multiclass, Tree, Vote
from novikoff.learners import (
    AveragedPerceptron,
    BalancedMinnow,
    Learner,
    Minnow,
    ModifiedPerceptron,
    MulticlassPerceptron,
    Perceptron,
    StructuredPerceptron,
    VotedPerceptron,
)
from novikoff.ledger import Ledger
from novikoff.loop import Run, play
from novikoff.progress import Progress
from novikoff.receipts import bounds, certify
from novikoff.registry import Bound, Theorem, theorems
from novikoff.reports import report
from novikoff.selection import best_pass
from novikoff.streams import FileStream, Hashing, Stream, Words, cache, read, stream
from novikoff.structures import Chains, Classes, Problem, Trees, span_scores

__version__: str

__all__ = [
    "AveragedPerceptron",
    "BalancedMinnow",
    "Bound",
    "BusyError",
    "Certificate",
    "Chain",
    "Chains",
    "Classes",
    "FileStream",
    "Halfspace",
    "Hashing",
    "Hypothesis",
    "HypothesisError",
    "InputError",
    "Learner",
    "Ledger",
    "Margin",
    "Minnow",
    "ModifiedPerceptron",
    "Multiclass",
    "MulticlassPerceptron",
    "NovikoffError",
    "ParameterError",
    "Perceptron",
    "Problem",
    "Progress",
    "Run",
    "Stream",
    "StructuredPerceptron",
    "Theorem",
    "Tree",
    "Trees",
    "UnrealizableError",
    "Verdict",
    "VerificationError",
    "Vote",
    "VotedPerceptron",
    "Words",
    "best_pass",
    "bounds",
    "cache",
    "certify",
    "controlled_testing",
    "error_bound",
    "leave_one_out",
    "margin",
    "play",
    "random_stopping",
    "read",
    "report",
    "span_scores",
    "stream",
    "theorems",
    "verify",
]
