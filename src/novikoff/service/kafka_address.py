"""Kafka addresses: ``kafka://HOST:PORT[,HOST:PORT…]/TOPIC[?group=NAME]``, and further settings."""

import re
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from novikoff.errors import InputError, parameter

_SERVER = r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:]+\]):[0-9]{1,5}"
_TOPIC = r"[A-Za-z0-9._-]{1,249}"
_ADDRESS = re.compile(rf"kafka://({_SERVER}(?:,{_SERVER})*)/({_TOPIC})(?:\?([^#\s]*))?")
_SHAPE = "kafka://HOST:PORT[,HOST:PORT…]/TOPIC[?group=NAME]"
OURS = frozenset(
    {
        "bootstrap.servers",
        "group.id",
        "enable.auto.commit",
        "enable.auto.offset.store",
        "auto.offset.reset",
        "allow.auto.create.topics",
        "enable.partition.eof",
        "max.poll.interval.ms",
        "log.connection.close",
    }
)
"""Settings of librdkafka that nobody else may set, because the count of messages relies on them."""


@dataclass(frozen=True)
class KafkaAddress:
    """A topic, and how to read it."""

    servers: str
    topic: str
    group: str | None = None
    """The group under which brokers are told how far we are; None if they are not."""
    skip_bad: bool = False
    skip_lost: bool = False
    settings: dict[str, str] = field(default_factory=dict)
    """Further settings of librdkafka, for TLS and passwords."""


def address_of(url: str) -> KafkaAddress:
    """Return the topic that a URL names."""
    parts = _ADDRESS.fullmatch(url)
    if parts is None or parts[2] in (".", ".."):
        raise parameter("--from", _SHAPE, url)
    query = dict(parse_qsl(parts[3] or "", True))
    if query.keys() - {"group"} or query.get("group") == "":
        raise parameter("--from", _SHAPE, url)
    return KafkaAddress(parts[1], parts[2], query.get("group"))


def settings_of(path: str) -> dict[str, str]:
    """Return the settings in a file: lines of ``name=value``, as librdkafka names them."""
    found: dict[str, str] = {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            text = line.strip()
            if not text or text.startswith("#"):
                continue
            name, equals, value = (part.strip() for part in text.partition("="))
            if not name or not equals or name in OURS or name in found:
                raise InputError(
                    f"{path}:{number}: expected name=value, once for each name, and none of "
                    f"{', '.join(sorted(OURS))}, got {name}. Correct the line."
                )
            found[name] = value
    return found
