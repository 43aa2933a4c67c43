"""Sums of floats in a stated order, so that every CPU gets the same bits.

NumPy adds in an order of its own, which depends on the width of the CPU's registers, and may fuse a
product with a sum. Here each sum begins with its first term and adds the others one by one, in
ascending order; a product is rounded before it is added.
"""

import math

import numpy as np

from novikoff import _core
from novikoff.types import FloatArray


def sums(terms: FloatArray) -> FloatArray:
    """Return Σ_i terms_i over the first axis: ((terms_0 + terms_1) + terms_2) + …"""
    flat = terms.reshape(len(terms), math.prod(terms.shape[1:]))
    return product(np.ones((1, len(terms))), flat).reshape(terms.shape[1:])


def row_sums(terms: FloatArray) -> FloatArray:
    """Return Σ_j terms_ij for each row i."""
    return product(terms, np.ones((terms.shape[1], 1)))[:, 0]


def product(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return a b: Σ_j a_ij b_jk for each row i of a and each column k of b."""
    return _core.ordered_product(np.ascontiguousarray(a), np.ascontiguousarray(b))
