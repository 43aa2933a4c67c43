"""
The native core: blocks of rounds, the round loop, and the rules that play it.
"""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray

def cpu() -> str:
    """The level of CPU the kernels were chosen for."""

MAX_DIMENSION: int = 2147483647

FRONT: int = 8

class Block:
    """A run of rounds in memory, without a copy."""

    @overload
    @staticmethod
    def dense(
        values: Annotated[
            NDArray[numpy.float32], dict(shape=(None, None), device="cpu", writable=False)
        ],
    ) -> Block: ...
    @overload
    @staticmethod
    def dense(
        values: Annotated[
            NDArray[numpy.float64], dict(shape=(None, None), device="cpu", writable=False)
        ],
    ) -> Block: ...
    @overload
    @staticmethod
    def sparse(
        starts: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        indices: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        values: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        columns: int,
    ) -> Block: ...
    @overload
    @staticmethod
    def sparse(
        starts: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        indices: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        values: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        columns: int,
    ) -> Block: ...
    @overload
    @staticmethod
    def sparse(
        starts: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        indices: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        values: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        columns: int,
    ) -> Block: ...
    @overload
    @staticmethod
    def sparse(
        starts: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        indices: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        values: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        columns: int,
    ) -> Block: ...
    @property
    def rows(self) -> int: ...
    @property
    def columns(self) -> int: ...
    def sound(self, row: int) -> bool:
        """Would play take this row?"""

    @overload
    def encode(
        self,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
    ) -> bytes:
        """The bytes of these rounds that the digest covers."""

    @overload
    def encode(
        self,
        labels: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
    ) -> bytes: ...

def number_labels(
    labels: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    low: int,
    range: int,
) -> tuple:
    """
    (the number of each label by first appearance, the labels in that order)
    """

@overload
def sign_labels(
    labels: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> tuple:
    """(±1 labels, met −1, met 0, first bad row or −1)"""

@overload
def sign_labels(
    labels: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> tuple: ...
@overload
def sign_labels(
    labels: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> tuple: ...
@overload
def sign_labels(
    labels: Annotated[
        NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> tuple: ...
@overload
def sign_labels(
    labels: Annotated[
        NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> tuple: ...
@overload
def sign_labels(
    labels: Annotated[
        NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> tuple: ...

class Tally:
    """What rounds did: the counts behind a ledger."""

    def __init__(self) -> None: ...
    @property
    def rounds(self) -> int: ...
    @property
    def abstentions(self) -> int: ...
    @abstentions.setter
    def abstentions(self, arg: int, /) -> None: ...
    @property
    def mistakes(self) -> int: ...
    @property
    def mistake_rounds(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def rounds_by_label(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def mistakes_by_label(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def radius(self) -> float: ...
    @property
    def radius_inf(self) -> float: ...
    @property
    def energy(self) -> float: ...
    @property
    def second_steps(self) -> int: ...
    @property
    def exact_steps(self) -> int: ...
    def round(self, block: Block, row: int, label: int, mistaken: bool) -> None: ...
    def state(self) -> dict: ...
    def restore(
        self,
        mistake_rounds: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        rounds_by_label: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        mistakes_by_label: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        counts: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        measures: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...

class Perceptron:
    def __init__(self, arg: float, /) -> None: ...
    def play(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
    ) -> int: ...
    def learn_row(self, block: Block, row: int, label: int, tally: Tally) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def state(self) -> dict: ...
    def restore(
        self,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        remainder_slots: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        remainder_parts: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        counts: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        energy: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def halfspace(self) -> tuple: ...
    def scores(self, block: Block) -> tuple: ...

class Averaged:
    def __init__(self, arg: float, /) -> None: ...
    def play(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
    ) -> int: ...
    def learn_row(self, block: Block, row: int, label: int, tally: Tally) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def state(self) -> dict: ...
    def restore(
        self,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        remainder_slots: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        remainder_parts: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        counts: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        energy: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def halfspace(self) -> tuple: ...
    def moments(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    @property
    def moment_bytes(self) -> int: ...
    def restore_moments(
        self,
        arg: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        /,
    ) -> None: ...

class Voted:
    def __init__(self, arg0: float, arg1: int, /) -> None: ...
    def play(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
    ) -> int: ...
    def learn_row(self, block: Block, row: int, label: int, tally: Tally) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def state(self) -> dict: ...
    def restore(
        self,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        remainder_slots: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        remainder_parts: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        counts: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        energy: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def base(self) -> tuple: ...
    def voters(self) -> dict: ...
    def base_state(self) -> dict: ...
    def restore_voters(
        self,
        arg0: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        arg1: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        arg2: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        arg3: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        arg4: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        arg5: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        arg6: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        arg7: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        /,
    ) -> None: ...
    @property
    def forgotten(self) -> int: ...
    @property
    def voter_bytes(self) -> int: ...

class StrictPerceptron:
    def __init__(self, arg: float, /) -> None: ...
    def play(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
    ) -> int: ...
    def learn_row(self, block: Block, row: int, label: int, tally: Tally) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def state(self) -> dict: ...
    def restore(
        self,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        remainder_slots: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        remainder_parts: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        counts: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        energy: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def halfspace(self) -> tuple: ...
    def scores(self, block: Block) -> tuple: ...

class StrictAveraged:
    def __init__(self, arg: float, /) -> None: ...
    def play(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
    ) -> int: ...
    def learn_row(self, block: Block, row: int, label: int, tally: Tally) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def state(self) -> dict: ...
    def restore(
        self,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        remainder_slots: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        remainder_parts: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        counts: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        energy: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def halfspace(self) -> tuple: ...
    def moments(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    @property
    def moment_bytes(self) -> int: ...
    def restore_moments(
        self,
        arg: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        /,
    ) -> None: ...

class StrictVoted:
    def __init__(self, arg0: float, arg1: int, /) -> None: ...
    def play(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
    ) -> int: ...
    def learn_row(self, block: Block, row: int, label: int, tally: Tally) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def state(self) -> dict: ...
    def restore(
        self,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        remainder_slots: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        remainder_parts: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        counts: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        energy: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def base(self) -> tuple: ...
    def voters(self) -> dict: ...
    def base_state(self) -> dict: ...
    def restore_voters(
        self,
        arg0: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        arg1: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        arg2: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        arg3: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        arg4: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        arg5: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        arg6: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        arg7: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        /,
    ) -> None: ...
    @property
    def forgotten(self) -> int: ...
    @property
    def voter_bytes(self) -> int: ...

class Multiclass:
    def __init__(self, arg: float, /) -> None: ...
    def play(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
    ) -> int: ...
    def learn_row(self, block: Block, row: int, label: int, tally: Tally) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def state(self) -> dict: ...
    def restore(
        self,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        remainder_slots: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        remainder_parts: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        counts: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        energy: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    @property
    def classes(self) -> int: ...
    def restore_classes(self, arg: int, /) -> None: ...
    def scores(self, block: Block) -> tuple: ...

class Electorate:
    def votes(self, block: Block, start: int, stop: int) -> tuple: ...

def halfspace(
    bias: float,
    bias_weight: float,
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> Perceptron:
    """A rule that only predicts, with these weights."""

def multiclass(
    bias: float,
    bias_weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
) -> Multiclass:
    """A rule that only predicts, with these weights, one column a class."""

def electorate(
    bias: float,
    base_bias: float,
    base: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    starts: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    indices: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    values: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    counts: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> Electorate: ...
def exact_dot(
    a: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    b: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> float:
    """The dot product, rounded once."""
