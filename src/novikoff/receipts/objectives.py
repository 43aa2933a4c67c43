"""The bounds of the perceptron's theorems in floats, for the search for a comparator.

a is R²‖w‖²; the losses are Σ hinge, or Σ hinge², over all passes.
"""

import math


def hinge(a: float, loss: float) -> float:
    """R²‖w‖² + 2L."""
    return a + 2 * loss


def hinge_tight(a: float, loss: float) -> float:
    """((R‖w‖ + √(R²‖w‖² + 4L))/2)²."""
    return ((math.sqrt(a) + math.sqrt(a + 4 * loss)) / 2) ** 2


def freund_schapire(a: float, squares: float) -> float:
    """(R‖w‖ + √Q)²."""
    return (math.sqrt(a) + math.sqrt(squares)) ** 2
