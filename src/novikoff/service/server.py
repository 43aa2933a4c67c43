"""The server: uvicorn around the application, signals, and logs in JSON."""

import asyncio
import json
import logging
import resource
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import uvicorn
import uvloop
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

from novikoff.errors import NovikoffError
from novikoff.service.append_log import AppendLog
from novikoff.service.application import Application
from novikoff.service.direct_protocol import DirectProtocol
from novikoff.service.following import Following, LeaderConnection, begin_copy
from novikoff.service.kafka_address import KafkaAddress
from novikoff.service.limits import Limits
from novikoff.service.opening_log import opened
from novikoff.service.owners import LoopOwner
from novikoff.service.service_engine import Engine
from novikoff.service.tokens import Tokens
from novikoff.service.watch import AlarmTest

if TYPE_CHECKING:
    from novikoff.service.kafka_consuming import Consuming

_log = logging.getLogger("novikoff.service")
_SWITCH = 0.0005  # seconds that the writer waits at most, after a sync, to say that it is done
_FILES = 64  # open files that the log, its snapshots and certificates may need
_PLAIN = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "color_message", "taskName"}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to serve a model."""

    model: str | None
    log: str
    token_file: str
    host: str = "127.0.0.1"
    port: int = 8080
    limits: Limits = field(default_factory=Limits)
    snapshot_every: int = 100_000
    keep_log: bool = True
    follow: str | None = None
    """The URL of the leader to follow."""
    leader_token: str = ""
    test: AlarmTest = field(default_factory=AlarmTest)
    source: KafkaAddress | None = None
    """The topic whose messages it learns from."""


class JsonLines(logging.Formatter):
    """One JSON object per line: time, level, what happened, and its details."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        found: dict[str, object] = {
            "time": round(record.created, 3),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        found |= {name: value for name, value in vars(record).items() if name not in _PLAIN}
        if record.exc_info:
            found["traceback"] = self.formatException(record.exc_info)
        return json.dumps(found, default=str)


def log_to_stderr() -> None:
    """Write the events of the service to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("novikoff.service", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.INFO)


class Service:
    """A log and its engine, served until a signal comes."""

    def __init__(self, settings: Settings) -> None:
        self.settings, self.tokens = settings, Tokens(settings.token_file)
        log = AppendLog(settings.log)
        leader = None
        try:
            if settings.follow is not None:
                leader = LeaderConnection(settings.follow, settings.leader_token)
                begin_copy(log, leader)
            replica = opened(log, settings.model, settings.limits, settings.test)
        except BaseException:
            log.close()
            raise
        if log.torn:
            _log.warning("a torn end of the log was cut off", extra={"bytes": log.torn})
        self.loop = uvloop.new_event_loop()
        self.engine = Engine(log, replica, settings.limits, LoopOwner(self.loop))
        self.engine.snapshot_every = settings.snapshot_every
        self.engine.keep_log = settings.keep_log
        self.following = None if leader is None else Following(self.engine, leader)
        self.consuming = self._consumer()
        self.application = Application(self.engine, self.tokens)
        self._life = Starlette(lifespan=self._living)

    def _consumer(self) -> "Consuming | None":
        """Return the reader of the source, if there is one."""
        if self.settings.source is None:
            return None
        from novikoff.service.kafka_consuming import Consuming

        try:
            return Consuming(self.engine, self.settings.source)
        except BaseException:
            self.engine.log.close()
            raise

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or begin and end with the server."""
        application = self._life if scope["type"] == "lifespan" else self.application
        await application(scope, receive, send)

    @asynccontextmanager
    async def _living(self, _: Starlette) -> AsyncIterator[None]:
        """Run the engine while the server runs; stopping drains it and takes a snapshot."""
        loop = asyncio.get_running_loop()
        self.engine.start()
        if self.following is not None:
            self.following.start()
        if self.consuming is not None:
            self.consuming.start()
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(signal.SIGHUP, self._rotate)
        replica = self.engine.replica
        said = {"rounds": replica.run.ledger.rounds, "alarms": replica.watch.count}
        _log.info("ready", extra={**said, "port": self.settings.port})
        live = loop.create_task(self.application.live.run())
        try:
            yield
        finally:
            live.cancel()
            self.application.jobs.stop()
            if self.following is not None:
                await asyncio.to_thread(self.following.stop)
            if self.consuming is not None:
                await asyncio.to_thread(self.consuming.stop)
            await asyncio.to_thread(self.engine.stop)
            _log.info("stopped", extra={"rounds": self.engine.replica.run.ledger.rounds})

    def leave(self) -> None:
        """Let those go who wait for a long answer, or listen to a stream that has no end."""
        self.engine.leaving = True
        self.application.live.end()

    def _rotate(self) -> None:
        try:
            self.tokens.reload()
            _log.info("tokens were read again")
        except (NovikoffError, OSError) as error:
            _log.error("the tokens stay as they were", extra={"error": str(error)})


class _Quiet(uvicorn.Server):
    """A server that ends with 0 when it is told to end; uvicorn would die of the signal."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to the loop."""
        yield

    def leave(self) -> None:
        """Finish what has begun, and end; at the second time, end without waiting."""
        self.force_exit, self.should_exit = self.should_exit, True


def serve(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT."""
    log_to_stderr()
    most = _allow_connections()
    sys.setswitchinterval(_SWITCH)
    service = Service(settings)
    config = uvicorn.Config(
        service,
        host=settings.host,
        port=settings.port,
        http=_protocol(service.application, most),
        ws="none",
        proxy_headers=False,
        lifespan="on",
        access_log=False,
        log_config=None,
        server_header=False,
        date_header=False,
        backlog=4096,
        timeout_graceful_shutdown=30,
    )
    server = _Quiet(config)

    def leave() -> None:
        service.leave()
        server.leave()

    for number in (signal.SIGTERM, signal.SIGINT):
        service.loop.add_signal_handler(number, leave)
    try:
        service.loop.run_until_complete(server.serve())
    finally:
        service.loop.close()
        service.engine.replica.close()


def _protocol(application: Application, most: int) -> type[DirectProtocol]:
    """Return the protocol of so many connections to an application."""
    own = {"application": application, "heads": {}, "most": most}
    return type("Protocol", (DirectProtocol,), own)


def _allow_connections() -> int:
    """Allow as many open files as the system lets us have; return how many may be connections."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 2**31 if soft == resource.RLIM_INFINITY else max(soft - _FILES, soft // 2)
