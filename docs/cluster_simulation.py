"""The table and the picture of cluster_simulation.md: ``python docs/cluster_simulation.py``.

It simulates epochs on clusters that we do not have, from the parts of an epoch as they were
measured on one machine (``python -m benchmarks.cluster_parts``).
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

NONZEROS, WORKERS, WEIGHTS = (10**9, 10**12), (1, 10, 100, 1000), (2**17, 2**22)
_EPOCHS, _SEED = 2001, 0


@dataclass(frozen=True)
class Parts:
    """What an epoch is made of, in seconds."""

    nonzero: float
    """A nonzero that is read from svmlight and played."""
    spread: float
    """The standard deviation of the logarithms of the times of equal shards."""
    task: float
    """A task of Ray, from the driver to a worker and back."""
    copied: float
    """A weight that is copied to a worker's memory and back."""
    mixed: float
    """A weight of one shard that is mixed."""
    bandwidth: float = 1.25e9
    """Bytes per second of a machine's network: 10 Gbit/s, an assumption."""


MEASURED = Parts(nonzero=1.61e-8, spread=0.41, task=3.9e-3, copied=1.05e-8, mixed=2.04e-8)
"""On 2 cores of an AMD EPYC with other work on them, 2026-11-17."""


def slowest(workers: int, spread: float) -> float:
    """Return the mean, over epochs, of the slowest shard's time over a shard's mean time."""
    if workers == 1:
        return 1.0
    draw = np.random.default_rng(_SEED)
    logs = [draw.normal(-(spread**2) / 2, spread, workers).max() for _ in range(_EPOCHS)]
    return float(np.exp(logs).mean())


def epoch(parts: Parts, nonzeros: int, workers: int, weights: int) -> dict[str, float]:
    """Return the seconds of each part of an epoch with one shard for each worker."""
    size = 8 * weights / parts.bandwidth
    apart = workers > 1  # one worker is on the driver's machine
    return {
        "play": nonzeros / workers * parts.nonzero,
        "wait": nonzeros / workers * parts.nonzero * (slowest(workers, parts.spread) - 1),
        "send": size * np.ceil(np.log2(workers + 1)) * apart,  # machines pass it on
        "gather": workers * (size * apart + weights * parts.copied),
        "mix": workers * (weights * parts.mixed + parts.task),
    }


def clock(seconds: float) -> str:
    """Return a time that people read."""
    if seconds < 100:
        return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def line(nonzeros: int, weights: int, workers: int) -> str:
    """Return one line of the table."""
    found = epoch(MEASURED, nonzeros, workers, weights)
    total = sum(found.values())
    alone = sum(epoch(MEASURED, nonzeros, 1, weights).values())
    cells = [clock(found["play"] + found["wait"]), clock(found["send"] + found["gather"])]
    cells += [clock(found["mix"]), clock(total), f"{alone / total:.3g}"]
    power = f"10{'⁹' if nonzeros == 10**9 else '¹²'}"
    return f"| {power} | {8 * weights / 2**20:.0f} MB | {workers:,} | {' | '.join(cells)} |"


def best(nonzeros: int, weights: int) -> int:
    """Return the number of workers with the shortest epoch."""
    tried = [1 << k for k in range(15)]
    return min(tried, key=lambda w: sum(epoch(MEASURED, nonzeros, w, weights).values()))


def draw(path: Path) -> None:
    """Draw the time of an epoch over the number of workers."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "novikoff"
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(8.0, 3.6), layout="constrained")
    workers = [2**k for k in range(11)]
    for axes, nonzeros in zip(panels, NONZEROS, strict=True):
        for weights, style in zip(WEIGHTS, ("o-", "s-"), strict=True):
            times = [sum(epoch(MEASURED, nonzeros, w, weights).values()) for w in workers]
            axes.loglog(
                workers, times, style, ms=4, label=f"{8 * weights / 2**20:.0f} MB of weights"
            )
        ideal = [nonzeros / w * MEASURED.nonzero for w in workers]
        axes.loglog(workers, ideal, ":", color="grey", label="play alone, divided by workers")
        axes.set_xlabel("workers, one machine each")
        axes.set_title(f"{nonzeros:.0e} nonzeros".replace("e+", "e"), fontsize="medium")
        axes.grid(alpha=0.3)
        axes.legend(frameon=False, fontsize="small")
    panels[0].set_ylabel("seconds of an epoch")
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Print the table and draw the picture beside this file."""
    for nonzeros in NONZEROS:
        for weights in WEIGHTS:
            print("\n".join(line(nonzeros, weights, workers) for workers in WORKERS))
    for nonzeros in NONZEROS:
        for weights in WEIGHTS:
            print(f"{nonzeros:.0e}, {weights} weights: shortest with {best(nonzeros, weights)}")
    draw(Path(__file__).with_suffix(".svg"))


if __name__ == "__main__":
    main()
