"""Kernels: K(x, z) = φ(x)·φ(z), expansions Σ a_i K(x_i, ·) and their exact signs."""

from novikoff.kernels.kernel import Custom, Kernel, as_kernel, linear, polynomial, rbf
from novikoff.kernels.kernel_points import Points, points
from novikoff.kernels.legality import IllegalKernelError, check_kernel
from novikoff.kernels.supports import Supports

__all__ = [
    "Custom",
    "IllegalKernelError",
    "Kernel",
    "Points",
    "Supports",
    "as_kernel",
    "check_kernel",
    "linear",
    "points",
    "polynomial",
    "rbf",
]
