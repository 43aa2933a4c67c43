"""Scores on a GPU or another device, by PyTorch: ``device="cuda"``.

The supports live on the device, in float64, and only scores come back. Their error has the same
bound as on the processor, which settles near ties.
"""

from types import ModuleType
from typing import Any

import numpy as np

from novikoff.errors import parameter
from novikoff.kernels.kernel import Kernel, Polynomial, RadialBasis
from novikoff.kernels.kernel_points import Points
from novikoff.kernels.supports import Device, Supports
from novikoff.types import AnyArray, FloatArray, IntArray

_TILE = 2**14  # supports at a time
Tensor = Any
"""What PyTorch makes. PyTorch is optional, so its types cannot be named here."""


def as_device(name: str) -> Device | None:
    """Take "cpu", or a device of PyTorch: "cuda", "cuda:1", …; "torch" is PyTorch on the CPU."""
    if name == "cpu":
        return None
    if not isinstance(name, str):
        raise parameter("device", "'cpu' or a device of PyTorch such as 'cuda'", name)
    try:
        import torch
    except ImportError:
        raise parameter(
            "device", "'cpu', because PyTorch is not installed", name,
            "pip install torch.",
        ) from None  # fmt: skip
    try:
        device = torch.device("cpu" if name == "torch" else name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise parameter("device", "a device that PyTorch has", name, f"It says: {reason}") from None
    return _Torch(torch, device)


class _Torch:
    """A copy of the supports on a device, updated as they change."""

    def __init__(self, torch: ModuleType, device: Tensor) -> None:
        self.torch, self.device = torch, device
        self.matrix: Tensor = None
        self.squares: Tensor = None
        self.held = 0  # slots copied
        self.version = 0
        self.of: Supports | None = None

    def weighted(
        self, supports: Supports, x: Points, slots: IntArray | None, a: FloatArray
    ) -> FloatArray:
        """Return one row of scores for every x, over these supports or all of them."""
        if not isinstance(x.rows, np.ndarray) or supports.dense() is None:
            return supports.tiled(x, slots, a)  # wide rows stay sparse
        self._refresh(supports)
        torch = self.torch
        rows = self._moved(x.rows)
        squares, weights = self._moved(x.squares), self._moved(a)
        shared = min(rows.shape[1], self.matrix.shape[1])
        total = torch.zeros((len(x), a.shape[1]), dtype=torch.float64, device=self.device)
        chosen = None if slots is None else self._moved(slots)
        for start in range(0, len(a), _TILE):
            stop = min(start + _TILE, len(a))
            part = slice(start, stop) if chosen is None else chosen[start:stop]
            products = rows[:, :shared] @ self.matrix[part][:, :shared].T + supports.bias**2
            values = self._mapped(supports.kernel, products, squares, self.squares[part])
            total += values @ weights[start:stop]
        found: FloatArray = total.cpu().numpy()
        return found

    def _mapped(self, kernel: Kernel, products: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
        if isinstance(kernel, RadialBasis):
            exponent = kernel.gamma * (2 * products - rows[:, None] - columns)
            return exponent.clamp_(max=0).exp_()
        assert isinstance(kernel, Polynomial)
        base, result, degree = products + kernel.c, None, kernel.degree
        while degree:
            if degree & 1:
                result = base if result is None else result * base
            degree >>= 1
            base = base * base if degree else base
        return result

    def _moved(self, array: AnyArray) -> Tensor:
        array = np.ascontiguousarray(array)
        if not array.flags.writeable:  # PyTorch warns about read-only arrays
            array = array.copy()
        return self.torch.from_numpy(array).to(self.device)

    def _refresh(self, supports: Supports) -> None:
        """Copy what changed: append new slots, or copy everything again."""
        found = supports.dense()
        assert found is not None
        (matrix, squares), count = found, len(supports)
        appended = self.of is supports and supports.changed - self.version == count - self.held
        fits = self.matrix is not None and self.matrix.shape[1] == matrix.shape[1]
        if not (appended and fits and count <= len(self.matrix)):
            room = max(2 * count, 1024)
            size = (room, matrix.shape[1])
            self.matrix = self.torch.zeros(size, dtype=self.torch.float64, device=self.device)
            self.squares = self.torch.zeros(room, dtype=self.torch.float64, device=self.device)
            self.held = 0
        if count > self.held:
            self.matrix[self.held : count] = self._moved(matrix[self.held : count])
            self.squares[self.held : count] = self._moved(squares[self.held : count])
        self.of, self.held, self.version = supports, count, supports.changed
