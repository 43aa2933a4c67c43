"""Golden folders: runs by key, runs in shards, and the log of a service."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import novikoff as nv
from golden.facts import Facts, facts_of, plain
from golden.recipes import FURTHER, SIGNS, TEXTS, X, signs

KEYS = ["anna", "ben", 7, "carl", "dora"] * 2


def write_keyed(folder: Path) -> Facts:
    """Keep runs by key in a folder, in two archives."""
    return keyed_facts(play_keyed(folder))


def play_keyed(folder: Path) -> Any:
    """Play by key, in a folder."""
    from novikoff import cluster

    return cluster.play_by(KEYS, nv.Perceptron(), signs(), folder=folder / "keyed", partitions=2)


def keyed_facts(runs: Any) -> Facts:
    """Return what is kept of each key."""
    return {
        "keys": sorted(map(str, runs)),
        "mistakes": {str(key): runs[key].mistakes for key in runs},
        "predicted": {str(key): plain(runs[key].predict(X)) for key in runs},
        "worst": [row.plain for row in runs.worst()],
    }


def write_mixed(folder: Path) -> Facts:
    """Keep the epochs of a run in shards, which another epoch follows."""
    found = facts_of(play_mixed(folder, 2), X)
    with TemporaryDirectory() as other:
        return found | {"again": facts_of(play_mixed(Path(other), 3), X)}


def play_mixed(folder: Path, epochs: int) -> Any:
    """Play in two shards, in a folder."""
    from novikoff import cluster

    rounds = nv.stream(X, SIGNS)
    return cluster.play(nv.Perceptron(), rounds, shards=2, epochs=epochs, folder=folder / "mixed")


def write_blended(folder: Path) -> Facts:
    """Keep the models of shards, of which there is a mixture."""
    return facts_of(play_blended(folder), X)


def play_blended(folder: Path) -> Any:
    """Learn a model on each of two shards, in a folder, and mix them."""
    from novikoff import cluster

    rounds = nv.stream(X, SIGNS)
    return cluster.play(nv.Blend(), rounds, shards=2, held_out=4, folder=folder / "blended")


def served() -> Any:
    """Return the run that the service begins with."""
    return nv.Run(nv.Blend(), labels=("ham", "spam"), max_weight=2.0)


def groups_of_records() -> list[list[Any]]:
    """Return records of every kind but the first, which are written group after group."""
    from novikoff.streams.log import records as log

    row: dict[str, bool | float | str] = {**FURTHER[0][0]}
    learned = [log.Learn({**x}, y, key=f"k{t}") for t, (x, y) in enumerate(TEXTS)]
    asked = [log.Asked(id, row, 1e9) for id in (1, "late", "never", "open")]
    told = [log.Tell(1, row, "spam"), log.Tell("late", row, "ham", 0.5)]
    messages = [log.Consumed("mail", ((0, 5, 1),)), log.Learn({**TEXTS[0][0]}, "spam")]
    passed = log.Passed("mail", 0, 6, "bad", "no label")
    return [learned, asked, [*told, log.Forget(("never",), True)], [*messages, passed]]


def write_log(folder: Path) -> Facts:
    """Write the log of a service: a snapshot in its middle, and records after it."""
    from novikoff.service.append_log import AppendLog
    from novikoff.service.limits import Limits
    from novikoff.service.opening_log import opened
    from novikoff.service.replica_snapshots import page_of, write_snapshot
    from novikoff.streams.log.records import encoded

    model = folder / "service.run"
    served().save(model)
    log = AppendLog(str(folder / "service.log"))
    replica = opened(log, str(model), Limits())
    for number, records in enumerate(groups_of_records()):
        first = log.durable + 1
        log.commit([encoded(record) for record in records])
        for sequence, record in enumerate(records, first):
            replica.apply(sequence, record)
        if number == 1:
            write_snapshot(log.folder, replica.run, page_of(replica))
    log.close()
    return log_facts(replica)


def log_facts(replica: Any) -> Facts:
    """Return what a log has made of a service."""
    import msgspec

    waiting = {str(id): one.served for id, one in replica.waiting.items()}
    found = facts_of(replica.run, None) | {
        "scores": [plain(replica.run.probability(row)) for row, _ in FURTHER],
        "counts": replica.counts, "keys": replica.keys, "waiting": waiting,
        "intake": replica.intake.state,
    }  # fmt: skip
    told: Facts = msgspec.json.decode(msgspec.json.encode(found))
    return told
