"""Learners: what predicts, is told, and updates."""

from novikoff.learners.averaged import AveragedPerceptron
from novikoff.learners.elimination import Elimination
from novikoff.learners.finite import (
    Consistent,
    FiniteLearner,
    Halving,
    IteratedHalving,
    StandardOptimal,
)
from novikoff.learners.learner import Learner
from novikoff.learners.minnow import BalancedMinnow, Minnow
from novikoff.learners.modified import ModifiedPerceptron
from novikoff.learners.multiclass import MulticlassPerceptron
from novikoff.learners.native import NativeLearner
from novikoff.learners.perceptron import Perceptron
from novikoff.learners.voted import VotedPerceptron

__all__ = [
    "AveragedPerceptron",
    "BalancedMinnow",
    "Consistent",
    "Elimination",
    "FiniteLearner",
    "Halving",
    "IteratedHalving",
    "Learner",
    "Minnow",
    "ModifiedPerceptron",
    "MulticlassPerceptron",
    "NativeLearner",
    "Perceptron",
    "StandardOptimal",
    "VotedPerceptron",
]
