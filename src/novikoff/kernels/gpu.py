"""Scores on a GPU or another device, by PyTorch: ``device="cuda"``.

The supports live on the device, in float64, and only scores come back. Their error has the same
bound as on the processor, which settles near ties.
"""

from types import ModuleType
from typing import Any

import numpy as np

from novikoff.errors import parameter
from novikoff.kernels.kernel import Polynomial, RadialBasis
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
            "Install it: pip install torch (the extra novikoff[gpu]).",
        ) from None  # fmt: skip
    try:
        device = torch.device("cpu" if name == "torch" else name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise parameter("device", "a device that PyTorch has", name, f"It says: {reason}") from None
    return _Torch(torch, device)


class _Torch:
    """A copy of the supports on a device, updated as they change, and of the rows in question."""

    def __init__(self, torch: ModuleType, device: Tensor) -> None:
        self.torch, self.device = torch, device
        self.matrix: Tensor = None
        self.squares: Tensor = None
        self.held = 0  # slots copied
        self.version = 0
        self.of: Supports | None = None
        self._shown: tuple[Points, Tensor, Tensor] | None = None
        self._staging: Tensor = None
        self._received: Tensor = None

    def weighted(
        self, supports: Supports, x: Points, slots: IntArray | None, a: FloatArray
    ) -> FloatArray:
        """Return one row of scores for every x, over these supports or all of them."""
        if not x.narrow or supports.dense() is None:
            return supports.tiled(x, slots, a)  # wide rows stay sparse
        self._refresh(supports)
        torch = self.torch
        rows, squares = self._rows(x)
        weights = self._moved(a)
        shared = min(rows.shape[1], self.matrix.shape[1])
        total = torch.zeros((len(x), a.shape[1]), dtype=torch.float64, device=self.device)
        chosen = None if slots is None else self._moved(slots)
        for start in range(0, len(a), _TILE):
            stop = min(start + _TILE, len(a))
            part = slice(start, stop) if chosen is None else chosen[start:stop]
            products = rows[:, :shared] @ self.matrix[part][:, :shared].T
            values = self._mapped(supports, products, squares, self.squares[part])
            total += values @ weights[start:stop]
        found: FloatArray = total.cpu().numpy()
        return found

    def gram(self, supports: Supports, x: Points) -> FloatArray:
        """Return K(x, z) for all x and z of these rows; it may be overwritten by the next one."""
        rows, squares = self._rows(x)
        values = self._mapped(supports, rows @ rows.T, squares, squares)
        if self.device.type != "cuda":
            return np.asarray(values.numpy())
        self._received = self._locked(self._received, values.numel() * 8)
        place = self._received[: values.numel() * 8].view(self.torch.float64).view(values.shape)
        place.copy_(values)
        return np.asarray(place.numpy())

    def _rows(self, x: Points) -> tuple[Tensor, Tensor]:
        """Return the rows of x and their ‖x‖² on the device, which keeps those shown last."""
        if self._shown is None or self._shown[0] is not x:
            assert isinstance(x.given, np.ndarray)
            self._shown = x, self._sent(x.given), self._moved(x.squares)
        return self._shown[1:]

    def _sent(self, rows: AnyArray) -> Tensor:
        """Return many rows as float64 on the device."""
        torch = self.torch
        if self.device.type != "cuda" or rows.dtype not in (np.float32, np.float64):
            return self._moved(rows.astype(np.float64))
        self._staging = self._locked(self._staging, rows.nbytes)
        form = torch.float32 if rows.dtype == np.float32 else torch.float64
        place = self._staging[: rows.nbytes].view(form).view(rows.shape)
        place.numpy()[...] = rows
        return place.to(self.device).to(torch.float64)  # waits: the place may be used again

    def _locked(self, before: Tensor, size: int) -> Tensor:
        """Return page-locked memory of so many bytes, which the device reads directly."""
        if before is not None and before.numel() >= size:
            return before
        return self.torch.empty(size, dtype=self.torch.uint8, pin_memory=True)

    def _mapped(
        self, supports: Supports, products: Tensor, rows: Tensor, columns: Tensor
    ) -> Tensor:
        """Return K from the products x·z without the constant feature, and the ‖x‖² of both."""
        kernel = supports.kernel
        products += supports.bias**2
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
