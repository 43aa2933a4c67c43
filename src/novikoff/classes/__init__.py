"""Finite classes of hypotheses: tables of signs, and what is known about their games."""

from novikoff.classes.cubes import (
    conjunctions,
    decision_lists,
    disjunctions,
    halfspaces,
    parities,
)
from novikoff.classes.dimensions import littlestone_dimension, shattered_set, vc_dimension
from novikoff.classes.finite_class import FiniteClass
from novikoff.classes.grids import AnyClass, GridHalfspaces, as_class, grid_halfspaces
from novikoff.classes.littlestone_trees import LittlestoneTree, littlestone_tree
from novikoff.classes.thresholds import singletons, thresholds

__all__ = [
    "AnyClass",
    "FiniteClass",
    "GridHalfspaces",
    "LittlestoneTree",
    "as_class",
    "conjunctions",
    "decision_lists",
    "disjunctions",
    "grid_halfspaces",
    "halfspaces",
    "littlestone_dimension",
    "littlestone_tree",
    "parities",
    "shattered_set",
    "singletons",
    "thresholds",
    "vc_dimension",
]
