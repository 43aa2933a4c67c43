"""From what the user has to blocks."""

from collections.abc import Mapping

import numpy as np

from novikoff.errors import InputError
from novikoff.streams.blocks.block import (
    Block,
    DenseBlock,
    SparseBlock,
    as_floats,
    check_columns,
    from_scipy,
    is_pair,
    is_sparse,
    sparse_rows,
)
from novikoff.streams.blocks.named import NamedBlock, as_dict
from novikoff.streams.blocks.points import PointBlock, is_point
from novikoff.streams.frames import frame_rows, framed, is_frame
from novikoff.streams.stream import Stream


def as_block(X: object, where: str = "X") -> Block:
    """Take a matrix, dense or scipy-sparse, a list of dicts or a frame.

    An array is not copied if its form allows that.
    """
    found = None if isinstance(X, np.ndarray) else _other_block(X, where)
    if found is not None:
        return found
    values = as_floats(X, where)
    if values.ndim != 2:
        raise InputError(
            f"{where}: expected two dimensions, rows and features, got {values.ndim}. "
            "Reshape a single example to one row."
        )
    check_columns(values.shape[1], where)
    (along, across), size = values.strides, values.itemsize
    if along % size or (across != size and values.shape[1] > 1):
        values = np.ascontiguousarray(values)
    return DenseBlock(values)


def _other_block(X: object, where: str) -> Block | None:
    """Take anything but an array."""
    if isinstance(X, Block):
        return X
    if is_sparse(X):
        return from_scipy(X, where)
    if is_frame(X):
        return framed(frame_rows(X, where))
    if isinstance(X, Stream):
        raise InputError(
            f"{where}: expected rows without labels, got a stream ({X.name}). Pass an array, dicts "
            "or a frame, such as pandas.read_csv(path); novikoff predict MODEL FILE predicts a "
            "file, and nv.test(run, stream) tests on rows with labels."
        )
    if isinstance(X, Mapping):
        raise InputError(
            f"{where}: expected rows, got one {type(X).__name__}. Put a single example in a list."
        )
    if isinstance(X, (list, tuple, range)) and len(X) and all(map(is_point, X)):
        return PointBlock(list(X))
    if isinstance(X, (list, tuple)) and X and isinstance(X[0], Mapping):
        return NamedBlock([as_dict(x) if isinstance(x, Mapping) else x for x in X])
    return None


OneRow = DenseBlock | SparseBlock | NamedBlock | PointBlock
"""A block of a single row."""


def one_row(x: object, where: str = "x") -> OneRow:
    """Take a single x: a dense vector, a pair (indices, values), a dict, or a point of a class."""
    if isinstance(x, np.ndarray):
        return _dense_row(x, where)
    if isinstance(x, Mapping):
        return NamedBlock([as_dict(x)])
    if is_sparse(x):
        row = from_scipy(x.reshape(1, -1) if x.ndim == 1 else x, where)
        if len(row) != 1:
            raise InputError(
                f"{where}: expected one row, got {len(row)}. Pass one example at a time."
            )
        return row
    if is_pair(x):
        return sparse_rows([x], where)
    if is_point(x):
        return PointBlock([x])
    if is_frame(x) and getattr(x, "ndim", 2) == 2:
        raise InputError(
            f"{where}: expected one row, got a frame. Learn many rows with "
            "run.play(nv.stream(X, y)), and predict them with run.predict(X)."
        )
    return _dense_row(x, where)


def _dense_row(x: object, where: str) -> DenseBlock:
    values = as_floats(x, where)
    if values.ndim != 1:
        raise InputError(
            f"{where}: expected one dimension, got {values.ndim}. Pass one example at a time."
        )
    return DenseBlock(np.ascontiguousarray(values).reshape(1, -1))
