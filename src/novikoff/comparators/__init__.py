"""Comparators: the w* that theorems speak of, with what proves it."""

from novikoff.comparators.farkas import Witness
from novikoff.comparators.hard_margin import Margin, margin

__all__ = ["Margin", "Witness", "margin"]
