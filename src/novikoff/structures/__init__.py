"""Structures: what the outputs of a structured perceptron are, and their features."""

from novikoff.structures.chains import Chains
from novikoff.structures.many_classes import Classes
from novikoff.structures.problem import Problem
from novikoff.structures.spans import SpanScores, span_scores
from novikoff.structures.templates import TEMPLATES
from novikoff.structures.trees import Trees

__all__ = [
    "TEMPLATES",
    "Chains",
    "Classes",
    "Problem",
    "SpanScores",
    "Trees",
    "span_scores",
]
