"""Comparators: the w* of a theorem, with its proof."""

from novikoff.comparators.farkas import Witness
from novikoff.comparators.fixed_weights import best_weights
from novikoff.comparators.hard_margin import Margin, margin
from novikoff.comparators.penalised import Comparator

__all__ = ["Comparator", "Margin", "Witness", "best_weights", "margin"]
