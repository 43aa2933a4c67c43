"""Online learning in the mistake-bound model, with a receipt for every run."""

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
    Learner,
    Minnow,
    ModifiedPerceptron,
    MulticlassPerceptron,
    Perceptron,
    VotedPerceptron,
)
from novikoff.ledger import Ledger
from novikoff.loop import Run, play
from novikoff.progress import Progress
from novikoff.streams import Hashing, Stream, stream

__version__ = "0.1.0"

__all__ = [
    "AveragedPerceptron",
    "BalancedMinnow",
    "BusyError",
    "Halfspace",
    "Hashing",
    "Hypothesis",
    "HypothesisError",
    "InputError",
    "Learner",
    "Ledger",
    "Minnow",
    "ModifiedPerceptron",
    "Multiclass",
    "MulticlassPerceptron",
    "NovikoffError",
    "ParameterError",
    "Perceptron",
    "Progress",
    "Run",
    "Stream",
    "UnrealizableError",
    "VerificationError",
    "Vote",
    "VotedPerceptron",
    "play",
    "stream",
]
