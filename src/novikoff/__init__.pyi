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
from novikoff.hypotheses import (
    Halfspace,
    Hypothesis,
    KernelExpansion,
    KernelVote,
    Multiclass,
    Vote,
)
from novikoff.kernels import IllegalKernelError, Kernel, check_kernel, linear, polynomial, rbf
from novikoff.learners import (
    AveragedPerceptron,
    BalancedMinnow,
    Budget,
    CentroidHalving,
    EllipsoidHalving,
    KernelPerceptron,
    Learner,
    Minnow,
    ModifiedPerceptron,
    MulticlassKernelPerceptron,
    MulticlassPerceptron,
    OneVsRestKernelPerceptron,
    Perceptron,
    VotedPerceptron,
)
from novikoff.ledger import Ledger
from novikoff.loop import Run, play
from novikoff.progress import Progress
from novikoff.receipts import bounds, certify
from novikoff.registry import Bound, Theorem, theorems
from novikoff.reports import report
from novikoff.streams import FileStream, Hashing, Stream, Words, cache, read, stream

__version__: str

__all__ = [
    "AveragedPerceptron",
    "BalancedMinnow",
    "Bound",
    "Budget",
    "BusyError",
    "CentroidHalving",
    "Certificate",
    "EllipsoidHalving",
    "FileStream",
    "Halfspace",
    "Hashing",
    "Hypothesis",
    "HypothesisError",
    "IllegalKernelError",
    "InputError",
    "Kernel",
    "KernelExpansion",
    "KernelPerceptron",
    "KernelVote",
    "Learner",
    "Ledger",
    "Margin",
    "Minnow",
    "ModifiedPerceptron",
    "Multiclass",
    "MulticlassKernelPerceptron",
    "MulticlassPerceptron",
    "NovikoffError",
    "OneVsRestKernelPerceptron",
    "ParameterError",
    "Perceptron",
    "Progress",
    "Run",
    "Stream",
    "Theorem",
    "UnrealizableError",
    "Verdict",
    "VerificationError",
    "Vote",
    "VotedPerceptron",
    "Words",
    "bounds",
    "cache",
    "certify",
    "check_kernel",
    "controlled_testing",
    "error_bound",
    "leave_one_out",
    "linear",
    "margin",
    "play",
    "polynomial",
    "random_stopping",
    "rbf",
    "read",
    "report",
    "stream",
    "theorems",
    "verify",
]
