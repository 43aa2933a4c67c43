"""Learners: what predicts, is told, and updates."""

from novikoff.learners.averaged import AveragedPerceptron
from novikoff.learners.learner import Learner
from novikoff.learners.multiclass import MulticlassPerceptron
from novikoff.learners.native import NativeLearner
from novikoff.learners.perceptron import Perceptron
from novikoff.learners.voted import VotedPerceptron

__all__ = [
    "AveragedPerceptron",
    "Learner",
    "MulticlassPerceptron",
    "NativeLearner",
    "Perceptron",
    "VotedPerceptron",
]
