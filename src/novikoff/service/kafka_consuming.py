"""Consuming: a thread that reads the messages of a Kafka topic and has the engine learn them.

It reads all partitions of the topic, each from the offset in our log on. What brokers remember of
us is never read: the log alone says which messages have counted.
"""

import logging
import threading
import time
from collections.abc import Callable

import msgspec
from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, TopicPartition
from confluent_kafka import Message as Received

from novikoff.errors import InputError, NovikoffError
from novikoff.service.http import malformed
from novikoff.service.intake import BadMessage
from novikoff.service.kafka_address import KafkaAddress
from novikoff.service.refusals import Malformed, TooLarge
from novikoff.service.service_engine import Engine
from novikoff.service.source_status import SourceStatus
from novikoff.service.wishes import Example, Message, Messages, Rejected
from novikoff.streams.log.records import Passed

_log = logging.getLogger("novikoff.service")
_BATCH = 100  # messages of a wish: the event loop plans and applies them in one go
_POLL = 0.2  # seconds
_LOOK = 5.0  # seconds between looks at the topic, and for its answer
_PAUSES = (0.1, 5.0)  # seconds before trying again: at first, and at most
_DECODER = msgspec.json.Decoder(Example)


class Halt(InputError):  # noqa: N818 — what happens
    """Something that only a person can mend: no more messages are read."""


def client_of(address: KafkaAddress, trouble: Callable[[KafkaError], None]) -> Consumer:
    """Return a client of Kafka, which connects when it is used."""
    client = logging.getLogger("novikoff.service.kafka")
    client.setLevel(logging.WARNING)
    settings: dict[str, object] = {
        **address.settings,
        "bootstrap.servers": address.servers,
        "group.id": address.group or "novikoff",  # it wants one, though it joins none
        "enable.auto.commit": False,
        "enable.auto.offset.store": False,
        "auto.offset.reset": "error",
        "allow.auto.create.topics": False,
        "enable.partition.eof": False,
        "max.poll.interval.ms": 86_400_000,
        "log.connection.close": False,
        "error_cb": trouble,
        "on_commit": lambda error, _: None,  # it is only for those who watch
    }
    try:
        return Consumer(settings, logger=client)
    except KafkaException as error:
        raise InputError(
            f"--from: expected settings that librdkafka takes, got {_words(error)}. Correct the "
            "file of --source-config."
        ) from None


class Consuming:
    """Reads messages until it is stopped; whatever mends itself is tried again."""

    def __init__(self, engine: Engine, address: KafkaAddress) -> None:
        self._engine, self._address = engine, address
        self.status = engine.source = SourceStatus(f"kafka://{address.servers}/{address.topic}")
        self._partitions: list[int] = []
        self._next_look = self._next_report = 0.0
        self._pause = _PAUSES[0]
        self._reported: dict[int, int] = {}
        self._stopped = threading.Event()
        self._client = client_of(address, self._told)
        self._thread = threading.Thread(target=self._run, name="consuming", daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def stop(self) -> None:
        """Read no more. Nothing is being learned when this returns."""
        self._stopped.set()
        if self._thread.ident is not None:
            self._thread.join()
        self._client.close()

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                if time.monotonic() >= self._next_look:
                    self._look()
                self._read()
            except Halt as error:
                self._halt(str(error))
                return
            except (KafkaException, NovikoffError) as error:
                self._fail(_words(error))
            except BaseException as error:
                _log.critical("the consumer has stopped", exc_info=error)
                self._halt("a fault of ours. Restart the service, and report it, please")
                return

    def _halt(self, why: str) -> None:
        self.status.stopped = why
        _log.error("no more messages are read", extra={"error": why})

    def _told(self, error: KafkaError) -> None:
        """Note an error of the client, which tries again by itself."""
        if error.code() == KafkaError._ALL_BROKERS_DOWN or error.fatal():
            self._note(error.str())

    def _fail(self, why: str) -> None:
        """Note what went wrong, wait, look at the topic again, and read on where the log says.

        The client may have handed out messages that were not learned, or stopped to fetch some.
        """
        self._note(why)
        self._partitions = []
        self._stopped.wait(self._pause)
        self._pause = min(2 * self._pause, _PAUSES[1])
        self._next_look = 0.0

    def _note(self, why: str) -> None:
        if why != self.status.trouble:
            _log.warning("the source does not answer as it should", extra={"error": why})
        self.status.connected, self.status.trouble = False, why

    def _look(self) -> None:
        """See whether the topic is there, and which partitions it has."""
        topic, status = self._address.topic, self.status
        found = self._client.list_topics(topic, timeout=_LOOK)
        about = found.topics.get(topic)
        if about is None or about.error is not None or not about.partitions:
            got = "none" if about is None or about.error is None else about.error.str()
            raise InputError(
                f"{status.address}: expected a topic that can be read, got {got}. Create it, or "
                "name another; we go on trying."
            )
        name = f"kafka:{found.cluster_id or ''}/{topic}"
        if status.name and name != status.name:
            raise Halt(
                f"{status.address}: expected the cluster of {status.name}, got that of {name}. "
                "Name brokers of one cluster, and restart."
            )
        partitions = sorted(about.partitions)
        if not status.connected:
            _log.info("reading messages", extra={"source": name, "partitions": len(partitions)})
        status.name, status.connected, status.trouble = name, True, ""
        status.current = time.monotonic()
        if partitions != self._partitions:
            self._assign(partitions)
        self._next_look = time.monotonic() + _LOOK

    def _assign(self, partitions: list[int]) -> None:
        """Read these partitions, each from where the log says; a new one from its beginning."""
        topic, offsets = self._address.topic, self._offsets()
        gone = offsets.keys() - set(partitions)
        if gone:
            raise Halt(
                f"{self.status.address}: expected the partitions {sorted(offsets)}, which were "
                f"read before, got none of {sorted(gone)}. The topic was created anew: give it "
                "another name, and read that."
            )
        self._client.assign(
            [TopicPartition(topic, one, offsets.get(one, OFFSET_BEGINNING)) for one in partitions]
        )
        self._partitions = partitions

    def _offsets(self) -> dict[int, int]:
        with self._engine.replica.lock:
            return self._engine.replica.intake.offsets(self.status.name)

    def _read(self) -> None:
        """Learn the next messages."""
        messages = list[Message]()
        for one in self._client.consume(_BATCH, _POLL):
            error = one.error()
            if error is None:
                messages.append(self._message(one))
            elif error.code() == KafkaError._AUTO_OFFSET_RESET:
                self._learn(messages)
                self._find(one.partition() or 0)
                return
            else:
                self._learn(messages)
                raise KafkaException(error)
        self._learn(messages)
        if messages:
            self._pause = _PAUSES[0]
        self._report()
        if self.status.connected:
            self.status.current = time.monotonic()

    def _message(self, one: Received) -> Message:
        partition, offset = one.partition(), one.offset()
        assert partition is not None
        assert offset is not None
        return Message(partition, offset, self._content(one.value()))

    def _content(self, value: bytes | None) -> Example | NovikoffError:
        """Return the example of a message, or why it is none."""
        most = self._engine.limits.body
        if value is None:
            return Malformed(where="message", expected="an example in JSON", got="no value")
        if len(value) > most:
            return TooLarge(
                where="message", expected=f"at most {most:,} bytes", got=f"{len(value):,}"
            )
        try:
            return _DECODER.decode(value)
        except msgspec.DecodeError as error:
            return malformed(error)
        except (UnicodeDecodeError, RecursionError) as error:
            return malformed(msgspec.DecodeError(str(error)))

    def _learn(self, messages: list[Message]) -> None:
        """Have messages learned, each of them once, whatever becomes of a wish."""
        pause, bad = _PAUSES[0], self._bad()[0]
        while messages and not self._stopped.is_set():
            before = len(messages)
            try:
                wish = Messages(self.status.name, messages, self._address.skip_bad)
                self._engine.wish([wish])
            except Rejected as error:
                raise Halt(f"{error} Restart with --on-bad-message skip to pass over it.") from None
            except NovikoffError as error:
                if self._engine.crashed:
                    raise Halt(str(error)) from None
            offsets = self._offsets()
            messages = [one for one in messages if one.offset >= offsets.get(one.partition, 0)]
            if len(messages) == before:  # the disk fails, or too many wishes wait
                self._stopped.wait(pause)
                pause = min(2 * pause, _PAUSES[1])
        count, latest = self._bad()
        for one in latest[len(latest) - (count - bad) :]:
            about = {"partition": one.partition, "offset": one.offset, "error": one.error}
            _log.warning("a bad message was passed over", extra=about)

    def _bad(self) -> tuple[int, list[BadMessage]]:
        """Return how many messages were bad, and the latest of them."""
        with self._engine.replica.lock:
            found = self._engine.replica.intake.sources.get(self.status.name)
            return (0, []) if found is None else (found.bad, list(found.latest))

    def _find(self, partition: int) -> None:
        """Go on in a partition that does not have the offset of the log."""
        found = self._client.get_watermark_offsets(
            TopicPartition(self._address.topic, partition), timeout=_LOOK
        )
        low, high = found or (0, 0)
        offset = self._offsets().get(partition)
        where = f"{self.status.address}, partition {partition}"
        if offset is not None and offset > high:
            raise Halt(
                f"{where}: expected offset {offset:,}, which comes next, got a partition that "
                f"ends at {high:,}. It lost messages or was created anew: give the topic another "
                "name, and read that."
            )
        if offset is not None and offset < low:
            lost = f"{low - offset:,} messages from offset {offset:,} on are gone"
            if not self._address.skip_lost:
                raise Halt(
                    f"{where}: expected offset {offset:,}, which comes next, got {low:,} as the "
                    "first. Restart with --on-lost-messages skip to go on there."
                )
            cause = Passed(self.status.name, partition, offset, "lost", lost, low - offset)
            self._engine.wish([cause])
            _log.warning("messages were lost", extra={"partition": partition, "error": lost})
        self._assign(self._partitions)

    def _report(self) -> None:
        """Note how far we are; once in a while, tell the brokers, for those who watch them."""
        now = time.monotonic()
        if now < self._next_report:
            return
        self._next_report = now + 1
        offsets, lag = self._offsets(), dict[int, int]()
        for partition in self._partitions:
            place = TopicPartition(self._address.topic, partition)
            low, high = self._client.get_watermark_offsets(place, cached=True) or (-1, -1)
            if high >= 0:
                lag[partition] = max(high - max(offsets.get(partition, 0), low), 0)
        self.status.lag = lag
        if self._address.group is not None and offsets and offsets != self._reported:
            self._reported = offsets
            places = [TopicPartition(self._address.topic, *one) for one in offsets.items()]
            self._client.commit(offsets=places, asynchronous=True)


def _words(error: Exception) -> str:
    """Return what went wrong, as people say it."""
    first = error.args[0] if isinstance(error, KafkaException) and error.args else None
    return first.str() if isinstance(first, KafkaError) else str(error)
