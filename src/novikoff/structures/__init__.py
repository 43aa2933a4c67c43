"""Structures: what the outputs of a structured perceptron are, and their features."""

from novikoff.structures.chains import Chains
from novikoff.structures.spans import SpanScores, span_scores
from novikoff.structures.templates import TEMPLATES

__all__ = ["TEMPLATES", "Chains", "SpanScores", "span_scores"]
