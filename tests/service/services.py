"""Services for the tests: a log, a replica and an engine in a folder."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec.structs import replace

import novikoff as nv
from novikoff.saving.storage import digest_of
from novikoff.service.append_log import AppendLog
from novikoff.service.disk import Disk
from novikoff.service.limits import Limits
from novikoff.service.opening_log import opened
from novikoff.service.service_engine import Engine
from novikoff.service.wishes import Answer, Example, Part, Question
from novikoff.streams.log.records import Features

LABELS = ("ham", "spam")


def new_model(path: Path) -> str:
    nv.Run(nv.Blend(), labels=LABELS).save(path)
    return str(path)


def features(rng: random.Random) -> Features:
    words: Features = {f"w{rng.randrange(50)}": rng.choice([1.0, 0.5, -2.0]) for _ in range(5)}
    if rng.random() < 0.3:
        words["kind"] = rng.choice(["a", "b"])
    return words


def wishes(count: int, seed: int = 0) -> list[list[Part]]:
    """Return examples, questions and answers as clients send them."""
    rng, open_ids = random.Random(seed), list[str]()
    found: list[list[Part]] = []
    for number in range(count):
        choice = rng.random()
        if choice < 0.6:
            key = f"k{number}" if rng.random() < 0.3 else None
            found.append([Example(features(rng), rng.choice(LABELS), key=key)])
        elif choice < 0.8 or not open_ids:
            open_ids.append(f"a{number}")
            found.append([Question(features(rng), open_ids[-1])])
        else:
            id = open_ids.pop(rng.randrange(len(open_ids)))
            found.append([Answer(id, rng.choice(LABELS))])
    return found


@contextmanager
def running(
    folder: Path, model: str | None = None, limits: Limits | None = None, disk: Disk | None = None
) -> Iterator[Engine]:
    """Run an engine on a folder, and stop it as SIGTERM does."""
    log = AppendLog(str(folder), disk)
    try:
        engine = Engine(log, opened(log, model, limits or Limits()), limits or Limits())
    except BaseException:
        log.close()
        raise
    engine.start()
    try:
        yield engine
    finally:
        engine.stop()


def state_of(engine: Engine, path: Path) -> tuple[str, object]:
    """Return the digest of ledger and model, and all else that the log determines."""
    replica = engine.replica
    with replica.lock:
        replica.run.save(path)
        counts = replace(replica.counts, time=0.0)  # a twin was asked at another time
        served = {id: (one.asked.features, one.served) for id, one in replica.waiting.items()}
        watch = msgspec.to_builtins(replica.watch.state)
        intake = msgspec.to_builtins(replica.intake.sources)
        rest = (dict(replica.keys), served, replica.sequence, watch, intake)
        return digest_of(path), (counts, *rest)
