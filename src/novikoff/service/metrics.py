"""Metrics for Prometheus: plain counts, read when somebody asks for them."""

import resource
import time
from bisect import bisect_left
from collections.abc import Iterator

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import CollectorRegistry

from novikoff.service.intake import Intake, SourceState
from novikoff.service.service_engine import Engine
from novikoff.service.source_status import SourceStatus

BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)


class Latencies:
    """How long requests took, in buckets."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BUCKETS) + 1)
        self.seconds = 0.0

    def add(self, seconds: float) -> None:
        """Count a request."""
        self.counts[bisect_left(BUCKETS, seconds)] += 1
        self.seconds += seconds


class Metrics:
    """What the service counts. Only the event loop's thread changes it."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.began = engine, time.time()
        self.began_steadily = time.monotonic()
        self.answers: dict[tuple[str, int], int] = {}
        self.latencies: dict[str, Latencies] = {}
        self.examples: dict[str, int] = {}
        self._registry = CollectorRegistry()
        self._registry.register(self)

    def answered(self, path: str, status: int, seconds: float, examples: int = 0) -> None:
        """Count a request."""
        self.answers[path, status] = self.answers.get((path, status), 0) + 1
        if path not in self.latencies:
            self.latencies[path] = Latencies()
        self.latencies[path].add(seconds)
        if examples:
            self.examples[path] = self.examples.get(path, 0) + examples

    def page(self) -> bytes:
        """Return all of it as Prometheus reads it."""
        return generate_latest(self._registry)

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics, for prometheus_client."""
        answers = CounterMetricFamily(
            "novikoff_requests", "Requests answered", labels=("path", "status")
        )
        for (path, status), count in list(self.answers.items()):
            answers.add_metric((path, str(status)), count)
        examples = CounterMetricFamily(
            "novikoff_examples", "Examples in requests answered with 200", labels=("path",)
        )
        for path, count in list(self.examples.items()):
            examples.add_metric((path,), count)
        seconds = HistogramMetricFamily(
            "novikoff_request_seconds", "How long requests took", labels=("path",)
        )
        for path, found in list(self.latencies.items()):
            total, buckets = 0, []
            for most, count in zip((*BUCKETS, "+Inf"), found.counts, strict=True):
                total += count
                buckets.append((str(most), float(total)))
            seconds.add_metric((path,), buckets, found.seconds)
        yield from (answers, examples, seconds, *self._of_engine())

    def _of_engine(self) -> Iterator[Metric]:
        engine, replica = self.engine, self.engine.replica
        ledger, counts, watch = replica.run.ledger, replica.counts, replica.watch
        wrong, latest = watch.recent
        counted = {
            "rounds": (ledger.rounds, "Rounds played"),
            "mistakes": (ledger.mistakes, "Mistakes made"),
            "commits": (engine.commits, "Syncs of the log"),
            "asks": (counts.asked, "Asks"),
            "asks_told": (counts.told, "Asks whose label came"),
            "asks_expired": (counts.expired, "Asks that expired"),
            "records_refused": (
                counts.refused,
                "Records that the learner refused",
            ),
            "alarms": (watch.count, "Alarms: more mistakes than the past allows"),
        }
        for name, (value, text) in counted.items():
            yield CounterMetricFamily(f"novikoff_{name}", text, value=value)
        used = float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
        gauges: dict[str, tuple[float, str]] = {
            "alarm": (watch.sounding, "1 from an alarm until its window of rounds has passed"),
            "alarm_round": (watch.last_alarm, "The round of the last alarm, 0 if there was none"),
            "recent_error": (wrong / max(latest, 1), "Mistakes per round, of the last 1,000"),
            "asks_pending": (len(replica.waiting), "Asks without a label"),
            "features": (replica.names, "Features that the model knows"),
            "backlog": (engine.backlog, "Requests that wait for the disk"),
            "log_bytes": (engine.log.size, "Bytes of the log"),
            "log_sequence": (replica.sequence, "The last record"),
            "snapshot_sequence": (engine.snapshot_sequence, "The last record in a snapshot"),
            "disk_failing": (engine.failure is not None, "1 if the last write failed"),
            "resident_bytes_most": (used, "The most memory used so far"),
            "start_seconds": (self.began, "When the service started, since 1970"),
        }
        if engine.leader is not None:
            lag = engine.leader.lag(replica.sequence)
            gauges["follower_lag_records"] = (lag.records, "Records of the leader not applied yet")
            gauges["follower_lag_seconds"] = (lag.seconds, "Since it had all that the leader had")
            gauges["follower_connected"] = (lag.connected, "1 if the leader answered last time")
        for name, (size, text) in gauges.items():
            yield GaugeMetricFamily(f"novikoff_{name}", text, value=float(size))
        if engine.source is not None:
            yield from _of_source(engine.source, replica.intake)


def _of_source(status: SourceStatus, intake: Intake) -> Iterator[Metric]:
    found = intake.sources.get(status.name) or SourceState()
    counted = {
        "learned": (found.learned, "Messages that made a round"),
        "bad": (found.bad, "Bad messages that were passed over"),
        "repeated": (found.repeated, "Messages whose key had been used before"),
        "lost": (found.lost, "Messages that the topic no longer had"),
    }
    for name, (value, text) in counted.items():
        yield CounterMetricFamily(f"novikoff_messages_{name}", text, value=value)
    yield GaugeMetricFamily(
        "novikoff_source_connected", "1 if the source answered last time", float(status.connected)
    )
    yield GaugeMetricFamily(
        "novikoff_source_stopped", "1 if no more messages are read until somebody acts",
        float(status.stopped is not None),
    )  # fmt: skip
    lag = GaugeMetricFamily(
        "novikoff_source_lag", "Messages still to be read", labels=("partition",)
    )
    for partition, messages in sorted(status.lag.items()):
        lag.add_metric((str(partition),), messages)
    yield lag
