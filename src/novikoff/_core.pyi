"""
The native core: blocks of rounds, the round loop, and the rules that play it.
"""

from collections.abc import Sequence
from typing import Annotated, Any, overload

import numpy
from numpy.typing import NDArray

def cpu() -> str:
    """The level of CPU the kernels were chosen for."""

def compiler() -> str:
    """The compiler that built the core."""

MAX_DIMENSION: int = 2147483647

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

    def extents(self, start: int, stop: int) -> tuple:
        """
        (‖x‖², ‖x‖_∞ of the rows up to the first that play would refuse, which that is)
        """

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
    @overload
    def encode(
        self,
        labels: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
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

def sign_order(
    signs: Annotated[
        NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    before: int | None,
) -> tuple:
    """
    (how many signs are +1, how often a sign differs from the one before it, the last)
    """

@overload
def are_finite(
    values: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
) -> bool:
    """Whether a matrix has only finite values."""

@overload
def are_finite(
    values: Annotated[
        NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
) -> bool: ...
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

class Transforms:
    """The transforms of a model, with their state."""

    def __init__(self) -> None: ...
    def add_scale(self) -> None: ...
    def add_normalize(self) -> None: ...
    def add_presence(self) -> None: ...
    def add_group(self, name: str, ranges: Sequence[tuple[int, int]]) -> int: ...
    def add_cross(self, pairs: Sequence[tuple[int, int]], bits: int) -> None: ...
    def place(self, group: int, ranges: Sequence[tuple[int, int]]) -> None: ...
    @property
    def placed(self) -> bool: ...
    def ranges(self, group: int) -> list[tuple[int, int]]: ...
    @property
    def crosses(self) -> bool: ...
    @property
    def columns(self) -> int: ...
    @property
    def raw_columns(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    def widen(self, columns: int) -> None: ...
    def origins(self) -> tuple: ...
    def members(self, features: Features, group: int) -> list[int]: ...
    def made(self, block: Block) -> tuple:
        """
        (starts, indices, values) of the rows before the first refused; changes nothing.
        """

    def learned(self, block: Block) -> tuple:
        """The same, and learn from each row."""

    def made_named(self, features: Features, rows: list) -> tuple: ...
    def learned_named(self, features: Features, rows: list) -> tuple: ...
    def state(self) -> dict: ...
    def restore(self, state: dict) -> None:
        """Take over what state() returned."""

class Features:
    """Names of features and their ids."""

    def __init__(self, bits: int = 0, alternate_sign: bool = True) -> None: ...
    def __len__(self) -> int: ...
    @property
    def bits(self) -> int: ...
    @property
    def alternate_sign(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    def names(self, count: int) -> list: ...
    def restore(self, names: list) -> None: ...
    def truncate(self, size: int) -> None: ...
    def sound(self, x: dict) -> bool:
        """Would play take this dict?"""

    def encode(self, rows: list, start: int, stop: int, adopt: bool) -> tuple:
        """(starts, indices, values) of the rows before the first refused."""

def murmur3(text: bytes) -> int:
    """MurmurHash3, 32 bits, seed 0."""

class Frame:
    """The rows of a table, from the capsule of its Arrow stream."""

    def __init__(self, capsule: object | None) -> None: ...
    @property
    def columns(self) -> list[str]: ...
    def rows(self, limit: int) -> list[dict[str, object]]:
        """
        The next rows, at most so many: {column: value} each. None are left after [].
        """

class Digest:
    """An unfinished SHA-256 that can be saved."""

    def __init__(self, native: bool = True) -> None: ...
    def update(self, data: bytes) -> None:
        """Add bytes."""

    def hexdigest(self) -> str:
        """The digest of the bytes so far."""

    def copy(self) -> Digest:
        """An independent copy."""

    def state(self) -> str:
        """All of it as text, to be saved."""

    @staticmethod
    def restored(state: str) -> Digest:
        """The digest with this state."""

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
    def label_changes(self) -> int: ...
    @property
    def follows_labels(self) -> bool: ...
    @property
    def calibrated(self) -> bool: ...
    @property
    def confused(self) -> bool: ...
    @property
    def weighted(self) -> bool: ...
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
    def judged(
        self,
        labels: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        mistaken: Annotated[
            NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        squares: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        largest: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None:
        """Count rounds that were judged elsewhere."""

    def count_effort(self, exact: int) -> None:
        """Count rounds that only exact arithmetic could decide."""

    def structured_round(self, mistaken: bool, norm2: float) -> None: ...
    @property
    def checkpoint(self) -> int: ...
    @checkpoint.setter
    def checkpoint(self, arg: int, /) -> None: ...
    @property
    def threshold(self) -> float: ...
    @threshold.setter
    def threshold(self, arg: float, /) -> None: ...
    @property
    def false_positives(self) -> int: ...
    @false_positives.setter
    def false_positives(self, arg: int, /) -> None: ...
    @property
    def false_negatives(self) -> int: ...
    @false_negatives.setter
    def false_negatives(self, arg: int, /) -> None: ...
    @property
    def decides(self) -> bool: ...
    def decide(self, chance: float, positive: bool) -> None:
        """Count what the threshold decides in a round that was judged elsewhere."""

    def calibrate(self, chance: float, came: bool) -> None:
        """Count whether a probability given elsewhere came true."""

    def confuse(self, label: int, predicted: int) -> None:
        """Count which label was predicted in a mistake that was made elsewhere."""

    @property
    def declared(self) -> list[tuple[str, str]]: ...
    def declare(self, measures: Sequence[tuple[str, str]]) -> None:
        """Make room for measures without a rule."""

    def add(self, name: str, term: float) -> None:
        """Add to a measure that was declared."""

    def state(self) -> dict: ...
    def measures(self) -> dict[str, float]:
        """Return every measure by name, those of the rule included."""

    def restore(self, state: dict) -> None:
        """Take over what state() returned."""

def is_plain(label: object | None) -> bool:
    """Do the label's hash and equality run no code of the user?"""

class Alone:
    """Refuses a play inside a play."""

    def __init__(self) -> None: ...
    @property
    def taken(self) -> bool: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *args: object) -> None: ...

class Rounds:
    """What a run stands on: the quick way of a round with a dict."""

    def __init__(self) -> None: ...
    @overload
    def learn(self, x: object, y: object) -> Any:
        """
        Play one round; return the prediction made before y was shown.

        x is a vector, a pair (indices, values) or a dict of named features; the weight
        scales the update.
        """

    @overload
    def learn(self, x: object, y: object, weight: float) -> Any: ...
    def slow_down(self) -> None: ...
    @property
    def is_quick(self) -> bool: ...

class Vectors:
    """Rows of an array, filled from lists of numbers."""

    def __init__(
        self,
        values: Annotated[
            NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu")
        ],
    ) -> None: ...
    def put(self, row: int, x: object) -> bool:
        """
        Write a list or a tuple of floats and whole numbers to a row; say whether it is one.
        """

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
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_row(
        self,
        block: Block,
        label: int,
        tally: Tally,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def play_named(
        self,
        features: Features,
        rows: list,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def play_chunk(
        self,
        features: Features,
        chunk: Chunk,
        first: int,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_named(
        self,
        features: Features,
        x: dict,
        label: int,
        tally: Tally | None,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def declare(self, tally: Tally) -> None:
        """Make room in a tally for the measures of this rule."""

    def grow(self, dimension: int) -> None: ...
    def quicken(
        self,
        rounds: Rounds,
        features: object,
        tally: object,
        codes: dict,
        names: list,
        weights: dict,
        transforms: object | None = None,
    ) -> None: ...
    def predict_named(self, features: Features, x: dict) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def predict_vector(
        self,
        x: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int | None: ...
    def predict_numbers(self, x: object) -> int | None: ...
    def state(self) -> dict: ...
    def restore(self, state: dict) -> None:
        """Take over what state() returned."""

    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def halfspace(self) -> tuple: ...

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
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_row(
        self,
        block: Block,
        label: int,
        tally: Tally,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def play_named(
        self,
        features: Features,
        rows: list,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def play_chunk(
        self,
        features: Features,
        chunk: Chunk,
        first: int,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_named(
        self,
        features: Features,
        x: dict,
        label: int,
        tally: Tally | None,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def declare(self, tally: Tally) -> None:
        """Make room in a tally for the measures of this rule."""

    def grow(self, dimension: int) -> None: ...
    def quicken(
        self,
        rounds: Rounds,
        features: object,
        tally: object,
        codes: dict,
        names: list,
        weights: dict,
        transforms: object | None = None,
    ) -> None: ...
    def predict_named(self, features: Features, x: dict) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def predict_vector(
        self,
        x: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int | None: ...
    def predict_numbers(self, x: object) -> int | None: ...
    def state(self) -> dict: ...
    def restore(self, state: dict) -> None:
        """Take over what state() returned."""

    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def halfspace(self) -> tuple: ...

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
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_row(
        self,
        block: Block,
        label: int,
        tally: Tally,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def play_named(
        self,
        features: Features,
        rows: list,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def play_chunk(
        self,
        features: Features,
        chunk: Chunk,
        first: int,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_named(
        self,
        features: Features,
        x: dict,
        label: int,
        tally: Tally | None,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def declare(self, tally: Tally) -> None:
        """Make room in a tally for the measures of this rule."""

    def grow(self, dimension: int) -> None: ...
    def quicken(
        self,
        rounds: Rounds,
        features: object,
        tally: object,
        codes: dict,
        names: list,
        weights: dict,
        transforms: object | None = None,
    ) -> None: ...
    def predict_named(self, features: Features, x: dict) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def predict_vector(
        self,
        x: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int | None: ...
    def predict_numbers(self, x: object) -> int | None: ...
    def state(self) -> dict: ...
    def restore(self, state: dict) -> None:
        """Take over what state() returned."""

    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def halfspace(self) -> tuple: ...
    def predict_average(self, features: Features, x: dict) -> int | None: ...

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
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_row(
        self,
        block: Block,
        label: int,
        tally: Tally,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def play_named(
        self,
        features: Features,
        rows: list,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def play_chunk(
        self,
        features: Features,
        chunk: Chunk,
        first: int,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_named(
        self,
        features: Features,
        x: dict,
        label: int,
        tally: Tally | None,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def declare(self, tally: Tally) -> None:
        """Make room in a tally for the measures of this rule."""

    def grow(self, dimension: int) -> None: ...
    def quicken(
        self,
        rounds: Rounds,
        features: object,
        tally: object,
        codes: dict,
        names: list,
        weights: dict,
        transforms: object | None = None,
    ) -> None: ...
    def predict_named(self, features: Features, x: dict) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def predict_vector(
        self,
        x: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int | None: ...
    def predict_numbers(self, x: object) -> int | None: ...
    def state(self) -> dict: ...
    def restore(self, state: dict) -> None:
        """Take over what state() returned."""

    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def halfspace(self) -> tuple: ...
    def predict_average(self, features: Features, x: dict) -> int | None: ...

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
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_row(
        self,
        block: Block,
        label: int,
        tally: Tally,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def play_named(
        self,
        features: Features,
        rows: list,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def play_chunk(
        self,
        features: Features,
        chunk: Chunk,
        first: int,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_named(
        self,
        features: Features,
        x: dict,
        label: int,
        tally: Tally | None,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def declare(self, tally: Tally) -> None:
        """Make room in a tally for the measures of this rule."""

    def grow(self, dimension: int) -> None: ...
    def quicken(
        self,
        rounds: Rounds,
        features: object,
        tally: object,
        codes: dict,
        names: list,
        weights: dict,
        transforms: object | None = None,
    ) -> None: ...
    def predict_named(self, features: Features, x: dict) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def predict_vector(
        self,
        x: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int | None: ...
    def predict_numbers(self, x: object) -> int | None: ...
    def state(self) -> dict: ...
    def restore(self, state: dict) -> None:
        """Take over what state() returned."""

    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def base(self) -> tuple: ...
    def base_rest(self) -> tuple: ...
    def voters(self) -> tuple: ...
    @property
    def forgotten(self) -> int: ...

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
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_row(
        self,
        block: Block,
        label: int,
        tally: Tally,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def play_named(
        self,
        features: Features,
        rows: list,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def play_chunk(
        self,
        features: Features,
        chunk: Chunk,
        first: int,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_named(
        self,
        features: Features,
        x: dict,
        label: int,
        tally: Tally | None,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def declare(self, tally: Tally) -> None:
        """Make room in a tally for the measures of this rule."""

    def grow(self, dimension: int) -> None: ...
    def quicken(
        self,
        rounds: Rounds,
        features: object,
        tally: object,
        codes: dict,
        names: list,
        weights: dict,
        transforms: object | None = None,
    ) -> None: ...
    def predict_named(self, features: Features, x: dict) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def predict_vector(
        self,
        x: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int | None: ...
    def predict_numbers(self, x: object) -> int | None: ...
    def state(self) -> dict: ...
    def restore(self, state: dict) -> None:
        """Take over what state() returned."""

    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def base(self) -> tuple: ...
    def base_rest(self) -> tuple: ...
    def voters(self) -> tuple: ...
    @property
    def forgotten(self) -> int: ...

class Minnow:
    def __init__(self, arg0: float, arg1: float, /) -> None: ...
    def play(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_row(
        self,
        block: Block,
        label: int,
        tally: Tally,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def play_named(
        self,
        features: Features,
        rows: list,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def play_chunk(
        self,
        features: Features,
        chunk: Chunk,
        first: int,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_named(
        self,
        features: Features,
        x: dict,
        label: int,
        tally: Tally | None,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def declare(self, tally: Tally) -> None:
        """Make room in a tally for the measures of this rule."""

    def grow(self, dimension: int) -> None: ...
    def quicken(
        self,
        rounds: Rounds,
        features: object,
        tally: object,
        codes: dict,
        names: list,
        weights: dict,
        transforms: object | None = None,
    ) -> None: ...
    def predict_named(self, features: Features, x: dict) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def predict_vector(
        self,
        x: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int | None: ...
    def predict_numbers(self, x: object) -> int | None: ...
    def state(self) -> dict: ...
    def restore(self, state: dict) -> None:
        """Take over what state() returned."""

    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def normalized(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

class BalancedMinnow:
    def __init__(self, arg0: float, arg1: float, /) -> None: ...
    def play(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_row(
        self,
        block: Block,
        label: int,
        tally: Tally,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def play_named(
        self,
        features: Features,
        rows: list,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def play_chunk(
        self,
        features: Features,
        chunk: Chunk,
        first: int,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_named(
        self,
        features: Features,
        x: dict,
        label: int,
        tally: Tally | None,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def declare(self, tally: Tally) -> None:
        """Make room in a tally for the measures of this rule."""

    def grow(self, dimension: int) -> None: ...
    def quicken(
        self,
        rounds: Rounds,
        features: object,
        tally: object,
        codes: dict,
        names: list,
        weights: dict,
        transforms: object | None = None,
    ) -> None: ...
    def predict_named(self, features: Features, x: dict) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def predict_vector(
        self,
        x: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int | None: ...
    def predict_numbers(self, x: object) -> int | None: ...
    def state(self) -> dict: ...
    def restore(self, state: dict) -> None:
        """Take over what state() returned."""

    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def normalized(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

class Modified:
    def __init__(self, arg0: float, arg1: float, arg2: int, /) -> None: ...
    def play(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_row(
        self,
        block: Block,
        label: int,
        tally: Tally,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def play_named(
        self,
        features: Features,
        rows: list,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def play_chunk(
        self,
        features: Features,
        chunk: Chunk,
        first: int,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_named(
        self,
        features: Features,
        x: dict,
        label: int,
        tally: Tally | None,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def declare(self, tally: Tally) -> None:
        """Make room in a tally for the measures of this rule."""

    def grow(self, dimension: int) -> None: ...
    def quicken(
        self,
        rounds: Rounds,
        features: object,
        tally: object,
        codes: dict,
        names: list,
        weights: dict,
        transforms: object | None = None,
    ) -> None: ...
    def predict_named(self, features: Features, x: dict) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def predict_vector(
        self,
        x: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int | None: ...
    def predict_numbers(self, x: object) -> int | None: ...
    def state(self) -> dict: ...
    def restore(self, state: dict) -> None:
        """Take over what state() returned."""

    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def halfspace(self) -> tuple: ...
    @property
    def limit(self) -> int: ...
    @property
    def updates(self) -> int: ...
    @property
    def draws(self) -> int: ...

class FixedHalfspace:
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
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_row(
        self,
        block: Block,
        label: int,
        tally: Tally,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def play_named(
        self,
        features: Features,
        rows: list,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def play_chunk(
        self,
        features: Features,
        chunk: Chunk,
        first: int,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_named(
        self,
        features: Features,
        x: dict,
        label: int,
        tally: Tally | None,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def declare(self, tally: Tally) -> None:
        """Make room in a tally for the measures of this rule."""

    def grow(self, dimension: int) -> None: ...
    def quicken(
        self,
        rounds: Rounds,
        features: object,
        tally: object,
        codes: dict,
        names: list,
        weights: dict,
        transforms: object | None = None,
    ) -> None: ...
    def predict_named(self, features: Features, x: dict) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def predict_vector(
        self,
        x: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int | None: ...
    def predict_numbers(self, x: object) -> int | None: ...
    def state(self) -> dict: ...
    def restore(self, state: dict) -> None:
        """Take over what state() returned."""

    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def concede(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        round: int,
        tally: Tally,
    ) -> bool: ...
    def scores(self, block: Block) -> tuple: ...

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
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_row(
        self,
        block: Block,
        label: int,
        tally: Tally,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def play_named(
        self,
        features: Features,
        rows: list,
        labels: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def play_chunk(
        self,
        features: Features,
        chunk: Chunk,
        first: int,
        labels: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_named(
        self,
        features: Features,
        x: dict,
        label: int,
        tally: Tally | None,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def declare(self, tally: Tally) -> None:
        """Make room in a tally for the measures of this rule."""

    def grow(self, dimension: int) -> None: ...
    def quicken(
        self,
        rounds: Rounds,
        features: object,
        tally: object,
        codes: dict,
        names: list,
        weights: dict,
        transforms: object | None = None,
    ) -> None: ...
    def predict_named(self, features: Features, x: dict) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def predict_vector(
        self,
        x: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int | None: ...
    def predict_numbers(self, x: object) -> int | None: ...
    def state(self) -> dict: ...
    def restore(self, state: dict) -> None:
        """Take over what state() returned."""

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
    def weights(self) -> tuple: ...
    def listed_weights(self) -> tuple | None: ...
    @property
    def is_listed(self) -> bool: ...
    def scores(self, block: Block) -> tuple: ...

def list_weights_from(weights: int, columns: int) -> tuple:
    """
    List weights from so many weights and columns on; return the limits before.
    """

class AveragedClasses:
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
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_row(
        self,
        block: Block,
        label: int,
        tally: Tally,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def play_named(
        self,
        features: Features,
        rows: list,
        labels: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def play_chunk(
        self,
        features: Features,
        chunk: Chunk,
        first: int,
        labels: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_named(
        self,
        features: Features,
        x: dict,
        label: int,
        tally: Tally | None,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def declare(self, tally: Tally) -> None:
        """Make room in a tally for the measures of this rule."""

    def grow(self, dimension: int) -> None: ...
    def quicken(
        self,
        rounds: Rounds,
        features: object,
        tally: object,
        codes: dict,
        names: list,
        weights: dict,
        transforms: object | None = None,
    ) -> None: ...
    def predict_named(self, features: Features, x: dict) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def predict_vector(
        self,
        x: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int | None: ...
    def predict_numbers(self, x: object) -> int | None: ...
    def state(self) -> dict: ...
    def restore(self, state: dict) -> None:
        """Take over what state() returned."""

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
    def weights(self) -> tuple: ...
    def listed_weights(self) -> tuple | None: ...
    @property
    def is_listed(self) -> bool: ...
    def predict_average(self, features: Features, x: dict) -> int | None: ...

class AdaptiveGradient:
    def __init__(self, arg0: float, arg1: float, /) -> None: ...
    def play(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_row(
        self,
        block: Block,
        label: int,
        tally: Tally,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def play_named(
        self,
        features: Features,
        rows: list,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def play_chunk(
        self,
        features: Features,
        chunk: Chunk,
        first: int,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_named(
        self,
        features: Features,
        x: dict,
        label: int,
        tally: Tally | None,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def declare(self, tally: Tally) -> None:
        """Make room in a tally for the measures of this rule."""

    def grow(self, dimension: int) -> None: ...
    def quicken(
        self,
        rounds: Rounds,
        features: object,
        tally: object,
        codes: dict,
        names: list,
        weights: dict,
        transforms: object | None = None,
    ) -> None: ...
    def predict_named(self, features: Features, x: dict) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def predict_vector(
        self,
        x: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int | None: ...
    def predict_numbers(self, x: object) -> int | None: ...
    def state(self) -> dict: ...
    def restore(self, state: dict) -> None:
        """Take over what state() returned."""

    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def halfspace(self) -> tuple: ...
    def score_named(self, features: Features, x: dict) -> float | None: ...
    def scores(self, block: Block) -> tuple: ...

def program_probabilities(
    scores: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """The probability of +1 at each score, as docs/programs.md defines it."""

def program_exp(
    x: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """e^x of each x, as docs/programs.md defines it."""

def program_log1p(
    x: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """ln(1 + x) of each x ≥ 0, as docs/programs.md defines it."""

def linear_scores(
    block: Block,
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    bias_weight: float,
    bias: float,
) -> tuple:
    """(w·x of every row, the first row refused or the number of rows)."""

def program_sum(
    terms: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> float:
    """The float nearest to the exact sum of the terms."""

class LogisticRegression:
    def __init__(
        self,
        lambdas: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        bias_lambda: float,
        bias: float,
    ) -> None: ...
    def add(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int: ...
    def descend(self, tolerance: float, seconds: float, passes: int) -> bool: ...
    def w(self) -> tuple: ...
    def alphas(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    @property
    def passes(self) -> int: ...

class LogisticMeasures:
    def __init__(
        self,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        bias_weight: float,
        lambdas: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        bias_lambda: float,
        bias: float,
        rows: int,
    ) -> None: ...
    def add(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        alphas: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None = None,
    ) -> None: ...
    @property
    def loss(self) -> float: ...
    @property
    def penalty(self) -> float: ...
    @property
    def least(self) -> float: ...
    @property
    def gap(self) -> float: ...

class HingeRegression:
    def __init__(
        self,
        lambdas: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        bias_lambda: float,
        bias: float,
    ) -> None: ...
    def add(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int: ...
    def descend(self, tolerance: float, seconds: float, passes: int) -> bool: ...
    def w(self) -> tuple: ...
    def alphas(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    @property
    def passes(self) -> int: ...

class HingeMeasures:
    def __init__(
        self,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        bias_weight: float,
        lambdas: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        bias_lambda: float,
        bias: float,
        rows: int,
    ) -> None: ...
    def add(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        alphas: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None = None,
    ) -> None: ...
    @property
    def loss(self) -> float: ...
    @property
    def penalty(self) -> float: ...
    @property
    def least(self) -> float: ...
    @property
    def gap(self) -> float: ...

class SquaredRegression:
    def __init__(
        self,
        lambdas: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        bias_lambda: float,
        bias: float,
    ) -> None: ...
    def add(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int: ...
    def descend(self, tolerance: float, seconds: float, passes: int) -> bool: ...
    def w(self) -> tuple: ...
    def alphas(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    @property
    def passes(self) -> int: ...

class SquaredMeasures:
    def __init__(
        self,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        bias_weight: float,
        lambdas: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        bias_lambda: float,
        bias: float,
        rows: int,
    ) -> None: ...
    def add(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        alphas: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None = None,
    ) -> None: ...
    @property
    def loss(self) -> float: ...
    @property
    def penalty(self) -> float: ...
    @property
    def least(self) -> float: ...
    @property
    def gap(self) -> float: ...

class AbsoluteRegression:
    def __init__(
        self,
        lambdas: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        bias_lambda: float,
        bias: float,
    ) -> None: ...
    def add(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int: ...
    def descend(self, tolerance: float, seconds: float, passes: int) -> bool: ...
    def w(self) -> tuple: ...
    def alphas(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    @property
    def passes(self) -> int: ...

class AbsoluteMeasures:
    def __init__(
        self,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        bias_weight: float,
        lambdas: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        bias_lambda: float,
        bias: float,
        rows: int,
    ) -> None: ...
    def add(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        alphas: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None = None,
    ) -> None: ...
    @property
    def loss(self) -> float: ...
    @property
    def penalty(self) -> float: ...
    @property
    def least(self) -> float: ...
    @property
    def gap(self) -> float: ...

def plain_scores(
    block: Block,
    bias: float,
    v: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """x_t·v of every row in plain floats, the constant feature first in v."""

def add_pull(
    block: Block,
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    bias: float,
    sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
) -> None:
    """Add Σ_t a_t x_t, the constant feature first."""

def add_squares(
    block: Block,
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    bias: float,
    sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
) -> None:
    """Add Σ_t a_t x_ti² of every feature i."""

def add_curvature(
    block: Block,
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    bias: float,
    v: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
) -> None:
    """Add Σ_t a_t (x_t·v) x_t."""

class Blend:
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
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_row(
        self,
        block: Block,
        label: int,
        tally: Tally,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def play_named(
        self,
        features: Features,
        rows: list,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def play_chunk(
        self,
        features: Features,
        chunk: Chunk,
        first: int,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_named(
        self,
        features: Features,
        x: dict,
        label: int,
        tally: Tally | None,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def declare(self, tally: Tally) -> None:
        """Make room in a tally for the measures of this rule."""

    def grow(self, dimension: int) -> None: ...
    def quicken(
        self,
        rounds: Rounds,
        features: object,
        tally: object,
        codes: dict,
        names: list,
        weights: dict,
        transforms: object | None = None,
    ) -> None: ...
    def predict_named(self, features: Features, x: dict) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def predict_vector(
        self,
        x: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int | None: ...
    def predict_numbers(self, x: object) -> int | None: ...
    def state(self) -> dict: ...
    def restore(self, state: dict) -> None:
        """Take over what state() returned."""

    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def halfspace(self) -> tuple: ...
    def probability_named(self, features: Features, x: dict) -> float | None: ...
    def probabilities(self, block: Block) -> tuple: ...
    def member_scores(self, block: Block) -> tuple: ...
    def freeze(self) -> None:
        """Predict from now on with the mean of the mixture's weights."""

class CoinBetting:
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
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_row(
        self,
        block: Block,
        label: int,
        tally: Tally,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def play_named(
        self,
        features: Features,
        rows: list,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def play_chunk(
        self,
        features: Features,
        chunk: Chunk,
        first: int,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_named(
        self,
        features: Features,
        x: dict,
        label: int,
        tally: Tally | None,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def declare(self, tally: Tally) -> None:
        """Make room in a tally for the measures of this rule."""

    def grow(self, dimension: int) -> None: ...
    def quicken(
        self,
        rounds: Rounds,
        features: object,
        tally: object,
        codes: dict,
        names: list,
        weights: dict,
        transforms: object | None = None,
    ) -> None: ...
    def predict_named(self, features: Features, x: dict) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def predict_vector(
        self,
        x: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int | None: ...
    def predict_numbers(self, x: object) -> int | None: ...
    def state(self) -> dict: ...
    def restore(self, state: dict) -> None:
        """Take over what state() returned."""

    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def halfspace(self) -> tuple: ...
    def score_named(self, features: Features, x: dict) -> float | None: ...
    def scores(self, block: Block) -> tuple: ...

class NormalizedGradient:
    def __init__(self, arg0: float, arg1: float, /) -> None: ...
    def play(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_row(
        self,
        block: Block,
        label: int,
        tally: Tally,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def play_named(
        self,
        features: Features,
        rows: list,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def play_chunk(
        self,
        features: Features,
        chunk: Chunk,
        first: int,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_named(
        self,
        features: Features,
        x: dict,
        label: int,
        tally: Tally | None,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def declare(self, tally: Tally) -> None:
        """Make room in a tally for the measures of this rule."""

    def grow(self, dimension: int) -> None: ...
    def quicken(
        self,
        rounds: Rounds,
        features: object,
        tally: object,
        codes: dict,
        names: list,
        weights: dict,
        transforms: object | None = None,
    ) -> None: ...
    def predict_named(self, features: Features, x: dict) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def predict_vector(
        self,
        x: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int | None: ...
    def predict_numbers(self, x: object) -> int | None: ...
    def state(self) -> dict: ...
    def restore(self, state: dict) -> None:
        """Take over what state() returned."""

    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def halfspace(self) -> tuple: ...
    def score_named(self, features: Features, x: dict) -> float | None: ...
    def scores(self, block: Block) -> tuple: ...

class Arow:
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
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_row(
        self,
        block: Block,
        label: int,
        tally: Tally,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def play_named(
        self,
        features: Features,
        rows: list,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def play_chunk(
        self,
        features: Features,
        chunk: Chunk,
        first: int,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_named(
        self,
        features: Features,
        x: dict,
        label: int,
        tally: Tally | None,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def declare(self, tally: Tally) -> None:
        """Make room in a tally for the measures of this rule."""

    def grow(self, dimension: int) -> None: ...
    def quicken(
        self,
        rounds: Rounds,
        features: object,
        tally: object,
        codes: dict,
        names: list,
        weights: dict,
        transforms: object | None = None,
    ) -> None: ...
    def predict_named(self, features: Features, x: dict) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def predict_vector(
        self,
        x: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int | None: ...
    def predict_numbers(self, x: object) -> int | None: ...
    def state(self) -> dict: ...
    def restore(self, state: dict) -> None:
        """Take over what state() returned."""

    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def halfspace(self) -> tuple: ...
    def score_named(self, features: Features, x: dict) -> float | None: ...
    def scores(self, block: Block) -> tuple: ...

class BaseRate:
    def __init__(self, arg0: float, arg1: float, /) -> None: ...
    def play(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_row(
        self,
        block: Block,
        label: int,
        tally: Tally,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def play_named(
        self,
        features: Features,
        rows: list,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def play_chunk(
        self,
        features: Features,
        chunk: Chunk,
        first: int,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_named(
        self,
        features: Features,
        x: dict,
        label: int,
        tally: Tally | None,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def declare(self, tally: Tally) -> None:
        """Make room in a tally for the measures of this rule."""

    def grow(self, dimension: int) -> None: ...
    def quicken(
        self,
        rounds: Rounds,
        features: object,
        tally: object,
        codes: dict,
        names: list,
        weights: dict,
        transforms: object | None = None,
    ) -> None: ...
    def predict_named(self, features: Features, x: dict) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def predict_vector(
        self,
        x: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int | None: ...
    def predict_numbers(self, x: object) -> int | None: ...
    def state(self) -> dict: ...
    def restore(self, state: dict) -> None:
        """Take over what state() returned."""

    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def halfspace(self) -> tuple: ...
    def score_named(self, features: Features, x: dict) -> float | None: ...
    def scores(self, block: Block) -> tuple: ...

class OnlineNewton:
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
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_row(
        self,
        block: Block,
        label: int,
        tally: Tally,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def play_named(
        self,
        features: Features,
        rows: list,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def play_chunk(
        self,
        features: Features,
        chunk: Chunk,
        first: int,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_named(
        self,
        features: Features,
        x: dict,
        label: int,
        tally: Tally | None,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def declare(self, tally: Tally) -> None:
        """Make room in a tally for the measures of this rule."""

    def grow(self, dimension: int) -> None: ...
    def quicken(
        self,
        rounds: Rounds,
        features: object,
        tally: object,
        codes: dict,
        names: list,
        weights: dict,
        transforms: object | None = None,
    ) -> None: ...
    def predict_named(self, features: Features, x: dict) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def predict_vector(
        self,
        x: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int | None: ...
    def predict_numbers(self, x: object) -> int | None: ...
    def state(self) -> dict: ...
    def restore(self, state: dict) -> None:
        """Take over what state() returned."""

    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def halfspace(self) -> tuple: ...
    def score_named(self, features: Features, x: dict) -> float | None: ...
    def scores(self, block: Block) -> tuple: ...

class LogisticDescent:
    def __init__(self, arg0: float, arg1: float, /) -> None: ...
    def play(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_row(
        self,
        block: Block,
        label: int,
        tally: Tally,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def play_named(
        self,
        features: Features,
        rows: list,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def play_chunk(
        self,
        features: Features,
        chunk: Chunk,
        first: int,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_named(
        self,
        features: Features,
        x: dict,
        label: int,
        tally: Tally | None,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def declare(self, tally: Tally) -> None:
        """Make room in a tally for the measures of this rule."""

    def grow(self, dimension: int) -> None: ...
    def quicken(
        self,
        rounds: Rounds,
        features: object,
        tally: object,
        codes: dict,
        names: list,
        weights: dict,
        transforms: object | None = None,
    ) -> None: ...
    def predict_named(self, features: Features, x: dict) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def predict_vector(
        self,
        x: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int | None: ...
    def predict_numbers(self, x: object) -> int | None: ...
    def state(self) -> dict: ...
    def restore(self, state: dict) -> None:
        """Take over what state() returned."""

    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def halfspace(self) -> tuple: ...
    def score_named(self, features: Features, x: dict) -> float | None: ...
    def scores(self, block: Block) -> tuple: ...

class HingeDescent:
    def __init__(self, arg0: float, arg1: float, /) -> None: ...
    def play(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_row(
        self,
        block: Block,
        label: int,
        tally: Tally,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def play_named(
        self,
        features: Features,
        rows: list,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def play_chunk(
        self,
        features: Features,
        chunk: Chunk,
        first: int,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_named(
        self,
        features: Features,
        x: dict,
        label: int,
        tally: Tally | None,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def declare(self, tally: Tally) -> None:
        """Make room in a tally for the measures of this rule."""

    def grow(self, dimension: int) -> None: ...
    def quicken(
        self,
        rounds: Rounds,
        features: object,
        tally: object,
        codes: dict,
        names: list,
        weights: dict,
        transforms: object | None = None,
    ) -> None: ...
    def predict_named(self, features: Features, x: dict) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def predict_vector(
        self,
        x: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int | None: ...
    def predict_numbers(self, x: object) -> int | None: ...
    def state(self) -> dict: ...
    def restore(self, state: dict) -> None:
        """Take over what state() returned."""

    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def halfspace(self) -> tuple: ...
    def score_named(self, features: Features, x: dict) -> float | None: ...
    def scores(self, block: Block) -> tuple: ...

class SquaredDescent:
    def __init__(self, arg0: float, arg1: float, /) -> None: ...
    def play(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_row(
        self,
        block: Block,
        label: int,
        tally: Tally,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def play_named(
        self,
        features: Features,
        rows: list,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def play_chunk(
        self,
        features: Features,
        chunk: Chunk,
        first: int,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_named(
        self,
        features: Features,
        x: dict,
        label: int,
        tally: Tally | None,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def declare(self, tally: Tally) -> None:
        """Make room in a tally for the measures of this rule."""

    def grow(self, dimension: int) -> None: ...
    def quicken(
        self,
        rounds: Rounds,
        features: object,
        tally: object,
        codes: dict,
        names: list,
        weights: dict,
        transforms: object | None = None,
    ) -> None: ...
    def predict_named(self, features: Features, x: dict) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def predict_vector(
        self,
        x: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int | None: ...
    def predict_numbers(self, x: object) -> int | None: ...
    def state(self) -> dict: ...
    def restore(self, state: dict) -> None:
        """Take over what state() returned."""

    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def halfspace(self) -> tuple: ...
    def score_named(self, features: Features, x: dict) -> float | None: ...
    def scores(self, block: Block) -> tuple: ...

class AbsoluteDescent:
    def __init__(self, arg0: float, arg1: float, /) -> None: ...
    def play(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_row(
        self,
        block: Block,
        label: int,
        tally: Tally,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def play_named(
        self,
        features: Features,
        rows: list,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def play_chunk(
        self,
        features: Features,
        chunk: Chunk,
        first: int,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_named(
        self,
        features: Features,
        x: dict,
        label: int,
        tally: Tally | None,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def declare(self, tally: Tally) -> None:
        """Make room in a tally for the measures of this rule."""

    def grow(self, dimension: int) -> None: ...
    def quicken(
        self,
        rounds: Rounds,
        features: object,
        tally: object,
        codes: dict,
        names: list,
        weights: dict,
        transforms: object | None = None,
    ) -> None: ...
    def predict_named(self, features: Features, x: dict) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def predict_vector(
        self,
        x: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int | None: ...
    def predict_numbers(self, x: object) -> int | None: ...
    def state(self) -> dict: ...
    def restore(self, state: dict) -> None:
        """Take over what state() returned."""

    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def halfspace(self) -> tuple: ...
    def score_named(self, features: Features, x: dict) -> float | None: ...
    def scores(self, block: Block) -> tuple: ...

class ForwardRegression:
    def __init__(self, arg0: float, arg1: float, /) -> None: ...
    def play(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_row(
        self,
        block: Block,
        label: float,
        tally: Tally,
        weight: float,
        transforms: Transforms | None = None,
    ) -> float | None: ...
    def play_named(
        self,
        features: Features,
        rows: list,
        labels: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def play_chunk(
        self,
        features: Features,
        chunk: Chunk,
        first: int,
        labels: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_named(
        self,
        features: Features,
        x: dict,
        label: float,
        tally: Tally | None,
        weight: float,
        transforms: Transforms | None = None,
    ) -> float | None: ...
    def declare(self, tally: Tally) -> None:
        """Make room in a tally for the measures of this rule."""

    def grow(self, dimension: int) -> None: ...
    def quicken(
        self,
        rounds: Rounds,
        features: object,
        tally: object,
        codes: dict,
        names: list,
        weights: dict,
        transforms: object | None = None,
    ) -> None: ...
    def predict_named(self, features: Features, x: dict) -> float | None: ...
    def predict(self, block: Block) -> tuple: ...
    def predict_vector(
        self,
        x: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> float | None: ...
    def predict_numbers(self, x: object) -> float | None: ...
    def state(self) -> dict: ...
    def restore(self, state: dict) -> None:
        """Take over what state() returned."""

    def norm(self) -> float: ...
    def saturated(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    def halfspace(self) -> tuple: ...
    def score_named(self, features: Features, x: dict) -> float | None: ...
    def scores(self, block: Block) -> tuple: ...
    @property
    def features(self) -> int: ...

class ClassBlend:
    def __init__(self, arg0: float, arg1: int, /) -> None: ...
    def play(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_row(
        self,
        block: Block,
        label: int,
        tally: Tally,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def play_named(
        self,
        features: Features,
        rows: list,
        labels: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def play_chunk(
        self,
        features: Features,
        chunk: Chunk,
        first: int,
        labels: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: Tally,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        transforms: Transforms | None = None,
    ) -> int: ...
    def learn_named(
        self,
        features: Features,
        x: dict,
        label: int,
        tally: Tally | None,
        weight: float,
        transforms: Transforms | None = None,
    ) -> int | None: ...
    def declare(self, tally: Tally) -> None:
        """Make room in a tally for the measures of this rule."""

    def grow(self, dimension: int) -> None: ...
    def quicken(
        self,
        rounds: Rounds,
        features: object,
        tally: object,
        codes: dict,
        names: list,
        weights: dict,
        transforms: object | None = None,
    ) -> None: ...
    def predict_named(self, features: Features, x: dict) -> int | None: ...
    def predict(self, block: Block) -> tuple: ...
    def predict_vector(
        self,
        x: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int | None: ...
    def predict_numbers(self, x: object) -> int | None: ...
    def state(self) -> dict: ...
    def restore(self, state: dict) -> None:
        """Take over what state() returned."""

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
    def probabilities(self, block: Block) -> tuple: ...
    def probabilities_named(
        self, features: Features, x: dict
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))] | None: ...

def program_softmax(
    scores: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
) -> tuple:
    """
    The softmax of each row and its logarithms, as docs/programs_classes.md defines them.
    """

class Electorate:
    def votes(self, block: Block, start: int, stop: int) -> tuple: ...

def halfspace(
    bias: float,
    bias_weight: float,
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> FixedHalfspace:
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

def listed_multiclass(
    bias: float,
    dimension: int,
    ends: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    features: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> Multiclass:
    """The same with only the weights that are not 0, class by class."""

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

class SoftMargin:
    def __init__(self, cost: float, squared: bool, bias: float) -> None: ...
    def add(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int: ...
    def descend(
        self, tolerance: float, seconds: float = float("inf"), passes: int = -1
    ) -> bool: ...
    def certify(self, seconds: float = float("inf")) -> bool: ...
    def set_cost(self, cost: float) -> None: ...
    def alphas(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    @property
    def cost(self) -> float: ...
    @property
    def squared(self) -> bool: ...
    @property
    def rows(self) -> int: ...
    @property
    def active(self) -> int: ...
    @property
    def passes(self) -> int: ...
    @property
    def known(self) -> bool: ...
    @property
    def settled(self) -> bool: ...
    @property
    def primal(self) -> float: ...
    @property
    def dual(self) -> float: ...
    @property
    def gap(self) -> float: ...
    @property
    def norm2(self) -> float: ...
    @property
    def hinge(self) -> float: ...
    @property
    def hinge_square(self) -> float: ...
    def w(self) -> tuple: ...

class Measures:
    def __init__(
        self,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        bias_weight: float,
        bias: float,
    ) -> None: ...
    def add(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
    ) -> None: ...
    def add_rows(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        rows: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    @property
    def hinge(self) -> float: ...
    @property
    def hinge_square(self) -> float: ...
    @property
    def margin(self) -> float: ...
    @property
    def radius_square(self) -> float: ...
    @property
    def energy(self) -> float: ...

def measure(
    block: Block,
    labels: Annotated[
        NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    bias_weight: float,
    bias: float,
) -> tuple:
    """
    (Σ hinge, Σ hinge², min y w·x, max ‖x‖²): no smaller, the margin no larger, than exact.
    """

def norm2(
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    bias_weight: float,
) -> float:
    """‖w‖², no smaller than exact."""

class Chunk:
    """Rows out of a piece of a file."""

    @staticmethod
    def of(
        starts: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        indices: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        values: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        names: Sequence[str],
    ) -> Chunk: ...
    @property
    def rows(self) -> int: ...
    @property
    def columns(self) -> int: ...
    @property
    def width(self) -> int: ...
    @property
    def line_count(self) -> int: ...
    @property
    def fault_count(self) -> int: ...
    @property
    def faults(self) -> list:
        """(rows before it, lines before it, what is wrong), …"""

    @property
    def starts(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...
    @property
    def indices(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...
    @property
    def values(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...
    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...
    @property
    def lines(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]: ...
    @property
    def labels(self) -> object: ...
    @property
    def names(self) -> list: ...
    def row(self, row: int) -> dict:
        """A row of named features as a dict."""

    def number(self, features: Features, start: int, stop: int, adopt: bool) -> tuple:
        """(starts, indices, values) of the rows before the first refused."""

class Svmlight:
    def __init__(self, zero_based: bool) -> None: ...

class VowpalWabbit:
    def __init__(self) -> None: ...

class Csv:
    def __init__(
        self,
        columns: Sequence[str],
        label: int,
        weight: int,
        categorical: Sequence[bool],
        ignored: Sequence[bool],
        named: bool,
        delimiter: str,
        missing: str = "refuse",
        numbers: Sequence[int] = [],
    ) -> None: ...

class Words:
    def __init__(
        self,
        words: int,
        characters_from: int,
        characters_to: int,
        presence: bool,
        with_empty: bool = False,
    ) -> None: ...
    def texts(self, texts: Sequence[bytes]) -> Chunk:
        """The features of texts, a row each."""

def csv_cells(record: bytes, delimiter: str) -> tuple:
    """(the cells of a record, what is wrong with it)"""

class Reader:
    """Chunks of a file in its order, parsed by several threads."""

    def __init__(
        self,
        descriptor: int,
        head: bytes,
        parser: Svmlight | Csv | VowpalWabbit | Words,
        patient: bool,
        threads: int,
        longest_line: int,
    ) -> None: ...
    def next(self) -> Chunk | None: ...
    @property
    def bytes_read(self) -> int: ...
    def stop(self) -> None: ...

class Simplex:
    def __init__(self, eta: float, balanced: bool, passes: float, bias: float) -> None: ...
    def add(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int: ...
    def descend(self, tolerance: float, seconds: float = float("inf")) -> bool: ...
    def demand_separation(self, limit: float) -> None: ...
    def w(self) -> tuple:
        """(The constant feature's weight, the others): the best found."""

    @property
    def radius(self) -> float: ...
    @property
    def features(self) -> int: ...
    @property
    def shift(self) -> float: ...
    @property
    def sweeps(self) -> int: ...
    @property
    def value(self) -> float: ...
    @property
    def dual(self) -> float: ...

class ClassMargin:
    def __init__(self, cost: float, squared: bool, bias: float, classes: int) -> None: ...
    def add(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int: ...
    def descend(
        self, tolerance: float, seconds: float = float("inf"), passes: int = -1
    ) -> bool: ...
    def certify(self, seconds: float = float("inf")) -> bool: ...
    def set_cost(self, cost: float) -> None: ...
    def alphas(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    @property
    def cost(self) -> float: ...
    @property
    def squared(self) -> bool: ...
    @property
    def rows(self) -> int: ...
    @property
    def active(self) -> int: ...
    @property
    def passes(self) -> int: ...
    @property
    def known(self) -> bool: ...
    @property
    def settled(self) -> bool: ...
    @property
    def primal(self) -> float: ...
    @property
    def dual(self) -> float: ...
    @property
    def gap(self) -> float: ...
    @property
    def norm2(self) -> float: ...
    @property
    def hinge(self) -> float: ...
    @property
    def hinge_square(self) -> float: ...
    def w(self) -> tuple: ...
    def shares(self) -> tuple: ...

class ClassMeasures:
    def __init__(
        self,
        weights: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ],
        bias_weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        bias: float,
    ) -> None: ...
    def add(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
    ) -> None: ...
    def add_rows(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        rows: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    @property
    def hinge(self) -> float: ...
    @property
    def hinge_square(self) -> float: ...
    @property
    def margin(self) -> float: ...
    @property
    def radius_square(self) -> float: ...
    @property
    def energy(self) -> float: ...
    @property
    def norm2(self) -> float: ...

class SoftmaxRegression:
    def __init__(
        self,
        lambdas: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        bias_lambda: float,
        bias: float,
        classes: int,
    ) -> None: ...
    def add(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int: ...
    def descend(self, tolerance: float, seconds: float, passes: int) -> bool: ...
    def w(self) -> tuple: ...
    def leads(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    @property
    def stuck(self) -> bool: ...
    @property
    def passes(self) -> int: ...

class SoftmaxMeasures:
    def __init__(
        self,
        weights: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ],
        bias_weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        lambdas: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        bias_lambda: float,
        bias: float,
        rows: int,
    ) -> None: ...
    def add(
        self,
        block: Block,
        labels: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    @property
    def loss(self) -> float: ...
    @property
    def penalty(self) -> float: ...
    @property
    def gap(self) -> float: ...

@overload
def packed_rows(
    rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device="cpu", writable=False)],
    chosen: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> list: ...
@overload
def packed_rows(
    rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device="cpu", writable=False)],
    chosen: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> list:
    """
    These rows without their zeros, each as bytes: places as int64, then values as float64.
    """

def play_chunk(
    rule: str,
    scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu")],
    error: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
    columns: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    places: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    step_error: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    labels: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    start: int,
    stop: int,
    most_steps: int,
    mistaken: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu")],
) -> tuple:
    """
    Play the rows of a chunk that its scores decide; return where it stopped, and the steps (row, class, value).
    """

def whole_products(
    a: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device="cpu", writable=False)],
    b: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device="cpu", writable=False)],
) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))] | None:
    """
    a bᵀ, if all are whole numbers that 16 bits hold and 32 bits hold the sums; else None.
    """

def checksum(
    bytes: Annotated[
        NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> int:
    """A number that differs, nearly always, if the bytes do."""

class VersionSpace:
    def __init__(self, size: int) -> None: ...
    def positives(
        self,
        column: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int:
        """How many of V are +1 in a column, one bit a hypothesis."""

    def prune(
        self,
        column: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        positive: bool,
    ) -> None:
        """Keep those of V that have this sign in a column."""

    def first(self) -> int:
        """The first of V; the size of the class if there is none."""

    def words(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
        """V, one bit a hypothesis."""

    def restore(
        self,
        words: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def reset(self) -> None:
        """All hypotheses are consistent again."""

    @property
    def count(self) -> int: ...

class RegretTally:
    def __init__(self) -> None: ...
    def restore(
        self,
        sums: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        losses: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        mistake_rounds: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        rounds: int,
    ) -> None: ...
    @property
    def rounds(self) -> int: ...
    @property
    def loss(self) -> float: ...
    @property
    def expected(self) -> float: ...
    @property
    def pseudo(self) -> float: ...
    @property
    def losses(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    @property
    def mistake_rounds(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

class Bernoulli:
    def __init__(
        self,
        means: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ],
        period: int,
        cyclic: bool,
        seed: int,
    ) -> None: ...
    def rows(self, start: int, stop: int) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """Their losses, one after the other."""

    def mean(self, t: int, arm: int) -> float: ...

class Hedge:
    def __init__(self, experts: int, eta: float, anytime: bool, seed: int) -> None: ...
    @overload
    def play(
        self,
        losses: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ],
        start: int,
        stop: int,
        tally: RegretTally,
    ) -> int: ...
    @overload
    def play(
        self,
        losses: Annotated[
            NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: RegretTally,
    ) -> int: ...
    @overload
    def play(self, losses: Bernoulli, start: int, stop: int, tally: RegretTally) -> int: ...
    @property
    def size(self) -> int: ...
    def draw(self) -> int: ...
    def join(self, loss: float) -> None: ...
    def restore(
        self,
        losses: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        rounds: int,
    ) -> None: ...
    @property
    def rounds(self) -> int: ...
    @property
    def losses(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

class Majority:
    def __init__(self, experts: int, beta: float) -> None: ...
    def play(
        self,
        advice: Annotated[
            NDArray[numpy.int8], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
        outcomes: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: RegretTally,
    ) -> int: ...
    def predict(
        self,
        advice: Annotated[
            NDArray[numpy.int8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> int: ...
    def join(self, mistakes: int) -> None: ...
    def restore(
        self,
        mistakes: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        rounds: int,
    ) -> None: ...
    @property
    def size(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    @property
    def mistakes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

class Exp3:
    def __init__(self, arms: int, eta: float, anytime: bool, share: float, seed: int) -> None: ...
    @overload
    def play(
        self,
        losses: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ],
        start: int,
        stop: int,
        tally: RegretTally,
    ) -> int: ...
    @overload
    def play(
        self,
        losses: Annotated[
            NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: RegretTally,
    ) -> int: ...
    @overload
    def play(self, losses: Bernoulli, start: int, stop: int, tally: RegretTally) -> int: ...
    def choose(self, draws: int) -> int: ...
    def probability(self, arm: int) -> float: ...
    def probabilities(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def learn(self, arm: int, probability: float, loss: float) -> None: ...
    def join(self, estimate: float) -> None: ...
    def restore(
        self,
        estimates: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        base: float,
        rounds: int,
    ) -> None: ...
    @property
    def estimates(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    @property
    def base(self) -> float: ...
    @property
    def rounds(self) -> int: ...
    @property
    def size(self) -> int: ...

class Exp3P:
    def __init__(self, arms: int, delta: float, horizon: int, seed: int) -> None: ...
    @overload
    def play(
        self,
        losses: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ],
        start: int,
        stop: int,
        tally: RegretTally,
    ) -> int: ...
    @overload
    def play(
        self,
        losses: Annotated[
            NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
        start: int,
        stop: int,
        tally: RegretTally,
    ) -> int: ...
    @overload
    def play(self, losses: Bernoulli, start: int, stop: int, tally: RegretTally) -> int: ...
    def choose(self, draws: int) -> int: ...
    def probability(self, arm: int) -> float: ...
    def probabilities(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def learn(self, arm: int, probability: float, loss: float) -> None: ...
    def join(self, estimate: float) -> None: ...
    def restore(
        self,
        estimates: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        base: float,
        rounds: int,
    ) -> None: ...
    @property
    def estimates(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    @property
    def base(self) -> float: ...
    @property
    def rounds(self) -> int: ...
    @property
    def size(self) -> int: ...

class Sentences:
    """Sentences as numbers."""

    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    @property
    def tags(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    @property
    def starts(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    def positions(self, sentence: int) -> list: ...
    def digest_bytes(self, start: int, stop: int) -> bytes: ...

class ChainNames:
    """The names of features and of tags."""

    def __init__(
        self, templates: str, columns: Sequence[str], tags: Sequence[str], open: bool
    ) -> None: ...
    @property
    def features(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    def feature_names(self) -> list[str]: ...
    def tag_names(self) -> list[str]: ...
    def add_features(self, names: Sequence[str]) -> None: ...
    def add_tags(self, names: Sequence[str]) -> None: ...
    def encode(
        self, sentences: list, outputs: object | None, out: Sentences, limit: int | None = None
    ) -> int: ...

NO_OTHER: int = 9223372036854775807

class ChainWeights:
    """Weights of a chain, in whole numbers."""

    def __init__(
        self,
        tags: int,
        features: int,
        moves: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        emissions: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    @property
    def tags(self) -> int: ...
    @property
    def features(self) -> int: ...
    @property
    def moves(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def emissions(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    def predict(
        self, sentences: Sentences
    ) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    def best(self, sentences: Sentences, count: int) -> list: ...
    def margins(self, sentences: Sentences) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """
        score(x, y) − max_{z ≠ y} score(x, z) of each; 2^63 − 1 if there is no other z.
        """

class ChainRule:
    """w ← w + Φ(x, y) − Φ(x, ŷ) on a mistake, of a chain."""

    def __init__(self, averaged: bool, unit: int = 1) -> None: ...
    @property
    def unit(self) -> int: ...
    @property
    def rounds(self) -> int: ...
    @property
    def norm2(self) -> int: ...
    @property
    def tags(self) -> int: ...
    @property
    def features(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    def expect(self, names: ChainNames) -> None:
        """Makes room for all that has a name."""

    def play(
        self, sentences: Sentences, start: int, stop: int, names: ChainNames, tally: Tally
    ) -> None: ...
    def predict(
        self, sentences: Sentences
    ) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    def hypothesis(self, last: bool) -> ChainWeights: ...
    def state(self) -> dict: ...
    def restore(
        self,
        counts: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        moves: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        emissions: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        delayed_moves: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        delayed_emissions: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...

def shard_mean(
    weights: Sequence[
        Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
    ],
    slots: Sequence[
        Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
    ],
    parts: Sequence[
        Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
    ],
) -> tuple:
    """
    (The mean of the shards' weights, each rounded once; whether it was rounded; the slots whose mean is in doubt, which is still to be found).
    """

class TreeNames:
    """The numbers of words and tags."""

    def __init__(self) -> None: ...
    def words(self) -> list[str]: ...
    def tags(self) -> list[str]: ...
    def add(self, words: Sequence[str], tags: Sequence[str]) -> None: ...

class ArcWeights:
    """Weights of the features of arcs, in whole numbers."""

    def __init__(
        self,
        keys: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        values: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def __len__(self) -> int: ...
    def entries(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.uint64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    ]: ...
    def best(
        self, names: TreeNames, tokens: Sequence[tuple[str, str]]
    ) -> tuple[int, list[int]]: ...
    def margin(
        self, names: TreeNames, tokens: Sequence[tuple[str, str]], heads: Sequence[int]
    ) -> int: ...

class TreeRule:
    """w ← w + Φ(x, y) − Φ(x, ŷ) on a mistake, of trees."""

    def __init__(self, averaged: bool) -> None: ...
    @property
    def rounds(self) -> int: ...
    @property
    def norm2(self) -> int: ...
    @property
    def features(self) -> int: ...
    def play(
        self,
        names: TreeNames,
        tokens: Sequence[tuple[str, str]],
        heads: Sequence[int],
        tally: Tally,
    ) -> None: ...
    def predict(self, names: TreeNames, tokens: Sequence[tuple[str, str]]) -> list[int]: ...
    def hypothesis(self, last: bool) -> ArcWeights: ...
    def state(
        self,
    ) -> tuple[
        tuple[
            Annotated[NDArray[numpy.uint64], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        ],
        tuple[
            Annotated[NDArray[numpy.uint64], dict(shape=(None,))],
            Annotated[NDArray[numpy.int64], dict(shape=(None,))],
        ],
    ]: ...
    def restore(
        self,
        rounds: int,
        keys: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        values: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        late_keys: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        late_values: Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...

def exact_dot(
    a: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    b: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> float:
    """The dot product, rounded once."""

def ordered_product(
    a: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    b: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """The matrix product, every sum in ascending order."""

def exponential(a: float) -> float: ...
def small_sinh(a: float) -> float: ...
def logarithm(v: float) -> float: ...
def sign_of_exponential_sum(
    coefficients: Sequence[float], exponents: Sequence[Sequence[float]], eta: float
) -> int:
    """The sign of Σ c e^{ηa}, each a a sum of doubles of falling size."""

def philox(counter: Sequence[int], key: Sequence[int]) -> list[int]: ...
def draw_unit(seed: int, series: int, place: int) -> float: ...
def draw_normal(seed: int, series: int, place: int) -> float: ...
def draw_normals(
    seed: int, series: int, first: int, count: int
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """The standard normal numbers of these places."""

def draw_uniforms(
    seed: int, series: int, first: int, count: int
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """The uniform numbers of these places, in [0, 1)."""
