"""Comparators: the w* of a theorem, with its proof."""

from novikoff.comparators.farkas import Witness
from novikoff.comparators.hard_margin import Margin, margin

__all__ = ["Margin", "Witness", "margin"]
