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
from novikoff.hypotheses import Halfspace, Hypothesis, Multiclass, Vote
from novikoff.learners import (
    AveragedPerceptron,
    BalancedMinnow,
    Exp3,
    Exp3IX,
    Exp3P,
    Hedge,
    Learner,
    Minnow,
    ModifiedPerceptron,
    MulticlassPerceptron,
    Perceptron,
    RandomizedWeightedMajority,
    RegretLearner,
    Ticket,
    VotedPerceptron,
    WeightedMajority,
)
from novikoff.ledger import Ledger
from novikoff.loop import Run, play
from novikoff.progress import Progress
from novikoff.receipts import bounds, certify
from novikoff.registry import Bound, Theorem, theorems
from novikoff.regrets import RegretLedger
from novikoff.reports import report
from novikoff.simulation import Simulation, simulate
from novikoff.streams import FileStream, Hashing, Stream, Words, cache, read, stream
from novikoff.streams.environments import (
    Environment,
    Replay,
    Stochastic,
    lower_bound,
    switching,
)
from novikoff.wagers import RegretRun

__version__: str

__all__ = [
    "AveragedPerceptron",
    "BalancedMinnow",
    "Bound",
    "BusyError",
    "Certificate",
    "Environment",
    "Exp3",
    "Exp3IX",
    "Exp3P",
    "FileStream",
    "Halfspace",
    "Hashing",
    "Hedge",
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
    "Progress",
    "RandomizedWeightedMajority",
    "RegretLearner",
    "RegretLedger",
    "RegretRun",
    "Replay",
    "Run",
    "Simulation",
    "Stochastic",
    "Stream",
    "Theorem",
    "Ticket",
    "UnrealizableError",
    "Verdict",
    "VerificationError",
    "Vote",
    "VotedPerceptron",
    "WeightedMajority",
    "Words",
    "bounds",
    "cache",
    "certify",
    "controlled_testing",
    "error_bound",
    "leave_one_out",
    "lower_bound",
    "margin",
    "play",
    "random_stopping",
    "read",
    "report",
    "simulate",
    "stream",
    "switching",
    "theorems",
    "verify",
]
