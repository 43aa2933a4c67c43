"""Learners: what predicts, is told, and updates."""

from novikoff.learners.averaged import AveragedPerceptron
from novikoff.learners.bandits import Exp3, Exp3IX, Exp3P, Ticket
from novikoff.learners.experts import Hedge, RandomizedWeightedMajority, WeightedMajority
from novikoff.learners.learner import Learner
from novikoff.learners.minnow import BalancedMinnow, Minnow
from novikoff.learners.modified import ModifiedPerceptron
from novikoff.learners.multiclass import MulticlassPerceptron
from novikoff.learners.native import NativeLearner
from novikoff.learners.perceptron import Perceptron
from novikoff.learners.regret import RegretLearner
from novikoff.learners.voted import VotedPerceptron

__all__ = [
    "AveragedPerceptron",
    "BalancedMinnow",
    "Exp3",
    "Exp3IX",
    "Exp3P",
    "Hedge",
    "Learner",
    "Minnow",
    "ModifiedPerceptron",
    "MulticlassPerceptron",
    "NativeLearner",
    "Perceptron",
    "RandomizedWeightedMajority",
    "RegretLearner",
    "Ticket",
    "VotedPerceptron",
    "WeightedMajority",
]
