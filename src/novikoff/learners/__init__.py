"""Learners: what predicts, is told, and updates."""

from novikoff.learners.averaged import AveragedPerceptron
from novikoff.learners.learner import Learner
from novikoff.learners.minnow import BalancedMinnow, Minnow
from novikoff.learners.modified import ModifiedPerceptron
from novikoff.learners.multiclass import MulticlassPerceptron
from novikoff.learners.native import NativeLearner
from novikoff.learners.perceptron import Perceptron
from novikoff.learners.structured import StructuredPerceptron
from novikoff.learners.voted import VotedPerceptron

__all__ = [
    "AveragedPerceptron",
    "BalancedMinnow",
    "Learner",
    "Minnow",
    "ModifiedPerceptron",
    "MulticlassPerceptron",
    "NativeLearner",
    "Perceptron",
    "StructuredPerceptron",
    "VotedPerceptron",
]
