"""Online learning in the mistake-bound model, with a receipt for every run."""

from novikoff.adversaries import DisjunctionAdversary, LittlestoneAdversary, OrthonormalAdversary
from novikoff.certificates import Certificate, Verdict, verify
from novikoff.classes import (
    FiniteClass,
    GridHalfspaces,
    LittlestoneTree,
    conjunctions,
    decision_lists,
    disjunctions,
    grid_halfspaces,
    halfspaces,
    littlestone_dimension,
    littlestone_tree,
    parities,
    shattered_set,
    singletons,
    thresholds,
    vc_dimension,
)
from novikoff.comparators import Margin, margin
from novikoff.conversion import controlled_testing, error_bound, leave_one_out, random_stopping
from novikoff.errors import (
    BusyError,
    HypothesisError,
    InputError,
    NovikoffError,
    ParameterError,
    UnrealizableError,
    VerificationError,
)
from novikoff.games import worst_case
from novikoff.hypotheses import Halfspace, Hypothesis, Member, Multiclass, Vote
from novikoff.learners import (
    AveragedPerceptron,
    BalancedMinnow,
    Consistent,
    Elimination,
    Halving,
    IteratedHalving,
    Learner,
    Minnow,
    ModifiedPerceptron,
    MulticlassPerceptron,
    Perceptron,
    StandardOptimal,
    VotedPerceptron,
)
from novikoff.ledger import Ledger
from novikoff.loop import Run, play
from novikoff.progress import Progress
from novikoff.receipts import bounds, certify
from novikoff.registry import Bound, Theorem, theorems
from novikoff.replays import WorstCase
from novikoff.reports import report
from novikoff.streams import FileStream, Hashing, Stream, Words, cache, read, stream

__version__: str

__all__ = [
    "AveragedPerceptron",
    "BalancedMinnow",
    "Bound",
    "BusyError",
    "Certificate",
    "Consistent",
    "DisjunctionAdversary",
    "Elimination",
    "FileStream",
    "FiniteClass",
    "GridHalfspaces",
    "Halfspace",
    "Halving",
    "Hashing",
    "Hypothesis",
    "HypothesisError",
    "InputError",
    "IteratedHalving",
    "Learner",
    "Ledger",
    "LittlestoneAdversary",
    "LittlestoneTree",
    "Margin",
    "Member",
    "Minnow",
    "ModifiedPerceptron",
    "Multiclass",
    "MulticlassPerceptron",
    "NovikoffError",
    "OrthonormalAdversary",
    "ParameterError",
    "Perceptron",
    "Progress",
    "Run",
    "StandardOptimal",
    "Stream",
    "Theorem",
    "UnrealizableError",
    "Verdict",
    "VerificationError",
    "Vote",
    "VotedPerceptron",
    "Words",
    "WorstCase",
    "bounds",
    "cache",
    "certify",
    "conjunctions",
    "controlled_testing",
    "decision_lists",
    "disjunctions",
    "error_bound",
    "grid_halfspaces",
    "halfspaces",
    "leave_one_out",
    "littlestone_dimension",
    "littlestone_tree",
    "margin",
    "parities",
    "play",
    "random_stopping",
    "read",
    "report",
    "shattered_set",
    "singletons",
    "stream",
    "theorems",
    "thresholds",
    "vc_dimension",
    "verify",
    "worst_case",
]
