"""The plans of ``novikoff serve`` and ``log``."""

import os
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from novikoff.cli.output_kinds import keeps_others
from novikoff.cli.outputs import check_outputs
from novikoff.cli.parser import UsageError
from novikoff.cli.plans.learner_plan import LearnerPlan
from novikoff.cli.plans.plan import Plan
from novikoff.cli.plans.reading_plan import declared_labels
from novikoff.quick_records import record

if TYPE_CHECKING:
    from novikoff.playing.run import Run
    from novikoff.service.kafka_address import KafkaAddress
    from novikoff.service.server import Settings

_OUTPUTS = (".svm", ".jsonl", ".parquet")


@record(frozen=True, kw_only=True)
class ServePlan(Plan):
    """Serve a model."""

    home: ClassVar[str] = "serving"
    model: str | None = None
    log: str
    token_file: str
    host: str = "127.0.0.1"
    port: int = 8080
    create: bool = False
    learner: str | None = None
    labels: str | None = None
    max_weight: float | None = None
    follow: str | None = None
    leader_token_file: str | None = None
    source: str | None = None
    source_config: str | None = None
    on_bad_message: str = "stop"
    on_lost_messages: str = "stop"
    snapshot_every: int = 100_000
    drop_old: bool = False
    alarm_window: int = 1000
    false_alarms: float = 0.01
    max_body: int = 2**20
    max_batch: int = 1000
    max_features: int = 10_000
    max_names: int = 2**22
    max_pending: int = 100_000
    expire_after: int = 604_800

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise UsageError(f"--port: expected a number from 0 to 65535, got {self.port}.")
        self._check_follower()
        if not 0 <= self.false_alarms < 1:
            raise UsageError(
                f"--false-alarms: expected a probability below 1, got {self.false_alarms}. "
                "0 turns the alarm off."
            )
        if self.create and not self.labels:
            raise UsageError("--labels: expected all labels with --create, got none. Name them.")
        if not self.create and (self.labels or self.learner or self.max_weight):
            raise UsageError(
                "--learner, --labels, --max-weight: expected them only with --create, because "
                "a model knows its own."
            )

    def _check_follower(self) -> None:
        if (self.model is None) == (self.follow is None):
            raise UsageError(
                "MODEL, --follow: expected one of them, because a follower has the model of its "
                "leader."
            )
        if (self.follow is None) != (self.leader_token_file is None):
            raise UsageError("--follow: expected --leader-token-file with it, and only with it.")
        if self.follow is not None and self.source is not None:
            raise UsageError(
                "--from, --follow: expected one of them, because a follower learns only what its "
                "leader does."
            )
        skips = "skip" in (self.on_bad_message, self.on_lost_messages)
        if self.source is None and (self.source_config is not None or skips):
            raise UsageError(
                "--source-config, --on-bad-message, --on-lost-messages: expected them only with "
                "--from."
            )

    def check(self) -> None:
        """Refuse if the packages of the service are missing."""
        from novikoff.extras import EXTRAS, require_extra

        for package in EXTRAS["service"]:
            require_extra(package.replace("-", "_"), "novikoff serve")
        if self.source is not None:
            require_extra("confluent_kafka", "novikoff serve --from")
            self._address()

    def created(self) -> "Run":
        """Return the new run that is asked for."""
        from novikoff.playing.run import Run

        learner = LearnerPlan(learner=self.learner).made()
        return Run(learner, labels=declared_labels(self.labels), max_weight=self.max_weight)

    @property
    def settings(self) -> "Settings":
        """How the service is to run."""
        from novikoff.service.limits import Limits
        from novikoff.service.server import Settings
        from novikoff.service.watch import AlarmTest

        limits = Limits(
            body=self.max_body,
            batch=self.max_batch,
            features=self.max_features,
            names=self.max_names,
            pending=self.max_pending,
            expiry=float(self.expire_after),
        )
        return Settings(
            model=self.model,
            log=self.log,
            token_file=self.token_file,
            host=self.host,
            port=self.port,
            limits=limits,
            snapshot_every=self.snapshot_every,
            keep_log=not self.drop_old,
            follow=self.follow,
            leader_token=self._leader_token(),
            test=AlarmTest(self.alarm_window, self.false_alarms),
            source=self._address(),
        )

    def _address(self) -> "KafkaAddress | None":
        """Return the topic whose messages are learned; refuse one that cannot be."""
        from novikoff.service.kafka_address import address_of, settings_of

        if self.source is None:
            return None
        return replace(
            address_of(self.source),
            skip_bad=self.on_bad_message == "skip",
            skip_lost=self.on_lost_messages == "skip",
            settings={} if self.source_config is None else settings_of(self.source_config),
        )

    def _leader_token(self) -> str:
        if self.leader_token_file is None:
            return ""
        with open(self.leader_token_file, encoding="utf-8") as file:
            return file.read().strip()


@record(frozen=True, kw_only=True)
class LogPlan(Plan):
    """Write the rounds of a log in another format."""

    home: ClassVar[str] = "serving"
    action: str
    folder: str
    output: str

    def __post_init__(self) -> None:
        if os.path.splitext(self.output)[1] not in _OUTPUTS:
            raise UsageError(
                f"OUT: expected a name that ends with {', '.join(_OUTPUTS)}, got {self.output}."
            )

    def check(self) -> None:
        """Refuse an output that cannot be written, or that replaces a file of another kind."""
        check_outputs((), self.output)
        keeps_others("OUT", self.output)
