"""The largest weight of a stream's rounds, found before its first round."""

import numpy as np

from novikoff.streams.labels.label_maps import label_array
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
        weights = label_array(rounds.weights)
        if weights.dtype.kind not in "biuf":
            continue
        if k == 0 and bool((weights == 1).all()):
            return 1.0
        most = max(most, float(weights[np.isfinite(weights)].max(initial=1.0)))
    return most
