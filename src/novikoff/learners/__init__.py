"""Learners: what predicts, is told, and updates."""

from novikoff.learners.averaged import AveragedPerceptron
from novikoff.learners.bandits import Exp3, Exp3IX, Exp3P, Ticket
from novikoff.learners.budget import Budget
from novikoff.learners.centroid import CentroidHalving
from novikoff.learners.cutting import CuttingLearner
from novikoff.learners.elimination import Elimination
from novikoff.learners.ellipsoid import EllipsoidHalving
from novikoff.learners.experts import Hedge, RandomizedWeightedMajority, WeightedMajority
from novikoff.learners.finite import (
    Consistent,
    FiniteLearner,
    Halving,
    IteratedHalving,
    StandardOptimal,
)
from novikoff.learners.kernel import KernelPerceptron
from novikoff.learners.kernel_classes import (
    MulticlassKernelPerceptron,
    OneVsRestKernelPerceptron,
)
from novikoff.learners.kernel_learner import KernelLearner
from novikoff.learners.learner import Learner
from novikoff.learners.minnow import BalancedMinnow, Minnow
from novikoff.learners.modified import ModifiedPerceptron
from novikoff.learners.multiclass import MulticlassPerceptron
from novikoff.learners.native import NativeLearner
from novikoff.learners.perceptron import Perceptron
from novikoff.learners.regret import RegretLearner
from novikoff.learners.structured import StructuredPerceptron
from novikoff.learners.voted import VotedPerceptron

__all__ = [
    "AveragedPerceptron",
    "BalancedMinnow",
    "Budget",
    "CentroidHalving",
    "Consistent",
    "CuttingLearner",
    "Elimination",
    "EllipsoidHalving",
    "Exp3",
    "Exp3IX",
    "Exp3P",
    "FiniteLearner",
    "Halving",
    "Hedge",
    "IteratedHalving",
    "KernelLearner",
    "KernelPerceptron",
    "Learner",
    "Minnow",
    "ModifiedPerceptron",
    "MulticlassKernelPerceptron",
    "MulticlassPerceptron",
    "NativeLearner",
    "OneVsRestKernelPerceptron",
    "Perceptron",
    "RandomizedWeightedMajority",
    "RegretLearner",
    "StandardOptimal",
    "StructuredPerceptron",
    "Ticket",
    "VotedPerceptron",
    "WeightedMajority",
]
