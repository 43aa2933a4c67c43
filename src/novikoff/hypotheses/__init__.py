"""Hypotheses: what has been learned, frozen."""

from novikoff.hypotheses.chain import Chain
from novikoff.hypotheses.expansion import KernelExpansion, KernelVote
from novikoff.hypotheses.halfspace import Halfspace
from novikoff.hypotheses.hypothesis import Hypothesis
from novikoff.hypotheses.member import Member
from novikoff.hypotheses.multiclass import Multiclass
from novikoff.hypotheses.structured import Tree, Weighted
from novikoff.hypotheses.vote import Vote

__all__ = [
    "Chain",
    "Halfspace",
    "Hypothesis",
    "KernelExpansion",
    "KernelVote",
    "Member",
    "Multiclass",
    "Tree",
    "Vote",
    "Weighted",
]
