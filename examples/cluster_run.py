"""One model from many shards: python examples/cluster_run.py [none|local|ADDRESS]

Each shard learns from its own rows; after every epoch all go on from the mean of their weights.
"none" plays the shards one after another in this process, "local" starts Ray on this machine, and
an address joins a cluster. What is learned is the same to the last bit.
"""

import sys

import numpy as np

import novikoff as nv
from novikoff import cluster


def main(arguments: list[str]) -> None:
    """Play four shards for three epochs, and certify the whole run."""
    where = arguments[0] if arguments else "none"
    rng = np.random.default_rng(7)
    X = rng.integers(-30, 31, (8000, 10)) / 10
    y = np.where(X[:, 0] - 2 * X[:, 1] + X[:, 2] + rng.standard_normal(8000) > 0, 1, -1)
    data = nv.stream(X, y)
    run = cluster.play(
        nv.Perceptron(), data, shards=4, epochs=3, address=None if where == "none" else where
    )
    for epoch, counts in enumerate(cluster.mistakes_by_shard(run).tolist(), 1):
        print(f"epoch {epoch}: mistakes in each shard: {', '.join(map(str, counts))}")
    alone = nv.play(nv.Perceptron(), data, passes=3)
    print(f"mistakes of all shards: {run.mistakes:,}")
    print(f"mistakes of one learner that sees all rows: {alone.mistakes:,}")
    certificate = nv.certify(run)
    verdict = nv.verify(certificate, data)
    print(f"the theorem {certificate.theorem} allows the shards {certificate.bound:,.0f}")
    print(f"certificate verified: {verdict.verified}")


if __name__ == "__main__":
    main(sys.argv[1:])
