"""The largest weight of a stream's rounds, found before its first round."""

import math
from numbers import Real

from novikoff.streams.stream import Stream


def largest_weight(stream: Stream) -> float | None:
    """Return the largest weight of a stream that can be read again, 1 or more.

    It is None for a stream without weights. If all weights of the first block are 1, nothing more
    is read. Weights that are not finite numbers do not count: their round will be refused.
    """
    most = 1.0
    for k, rounds in enumerate(stream.blocks()):
        if rounds.weights is None:
            return None
        if k == 0 and all(weight == 1 for weight in rounds.weights):
            return 1.0
        numbers = (float(w) for w in rounds.weights if isinstance(w, Real) and math.isfinite(w))
        most = max(most, max(numbers, default=1.0))
    return most
