"""What a run per key costs: time, memory and room on disk.

    python -m reproductions.many_keys KEYS LEARNER

KEYS customers with ten rows of eight features each, in a random order; LEARNER is a class, such as
Perceptron or Blend. CPU time includes gathering the rows, playing, summing up and writing.
"""

import os
import resource
import sys
import tempfile
import time

import numpy as np

import novikoff as nv
from novikoff import cluster

ROWS, FEATURES = 10, 8


def main() -> None:
    """Play, and print what it took."""
    count, learner = int(sys.argv[1]), nv.Learner.kinds[sys.argv[2]]
    rng = np.random.default_rng(0)
    owner = rng.permutation(np.repeat(np.arange(count), ROWS))
    X = rng.normal(size=(count * ROWS, FEATURES)).astype(np.float32)
    w = rng.normal(size=(count, FEATURES))
    y = np.where((X * w[owner]).sum(axis=1) > 0, 1, -1)
    keys = [f"customer {k}" for k in owner.tolist()]
    with tempfile.TemporaryDirectory() as folder:
        began, worked = time.perf_counter(), time.process_time()
        cluster.play_by(keys, learner(), nv.stream(X, y), folder=folder)
        seconds, work = time.perf_counter() - began, time.process_time() - worked
        size = sum(os.path.getsize(entry.path) for entry in os.scandir(folder))
        began = time.perf_counter()
        runs = cluster.KeyedRuns(folder)
        runs.worst()
        listed = time.perf_counter() - began
        began = time.perf_counter()
        runs[keys[0]]
        loaded = time.perf_counter() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"{count:,} keys, {sys.argv[2]}: {1e6 * work / count:.0f} µs of CPU and {size / count:.0f} "
        f"bytes on disk a key; {seconds:.0f} s in all, {memory:.2f} GB at most; all summaries in "
        f"{listed:.1f} s, one run in {1e3 * loaded:.0f} ms"
    )


if __name__ == "__main__":
    main()
