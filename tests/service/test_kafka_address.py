"""Where messages come from: addresses, settings and options, and what is refused."""

from pathlib import Path

import pytest
from services import new_model, running

from novikoff import cli
from novikoff.errors import InputError, ParameterError
from novikoff.service.kafka_address import KafkaAddress, address_of, settings_of
from novikoff.service.kafka_consuming import Consuming


@pytest.mark.parametrize(
    "url",
    ["kafka://", "kafka://h/t", "kafka://h:1/", "kafka://h:1/t/u", "http://h:1/t", "kafka://h:1/t?x=1",
     "kafka://h:1/t?group=", "kafka://h:1/a b", "kafka://u:p@h:1/t", "kafka://h:1/..", "kafka://h:1/t#f",
     "kafka://h:1,/t", "kafka://[::1/t", "kafka://[::1]:1]/t", "kafka://h:1/t\n", "kafka://h:1/t?group"],
)  # fmt: skip
def test_a_wrong_address_is_refused(url: str) -> None:
    with pytest.raises(ParameterError, match=r"--from.* expected kafka://HOST:PORT"):
        address_of(url)


def test_an_address_has_servers_a_topic_and_a_group() -> None:
    found = address_of("kafka://a:1,[::1]:2/mail-s_.x?group=g%201")
    assert found == KafkaAddress("a:1,[::1]:2", "mail-s_.x", "g 1")


def test_settings_of_the_client_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "kafka"
    file.write_text("# ours\n\nsecurity.protocol = ssl\nsasl.password=a=b\n")
    assert settings_of(str(file)) == {"security.protocol": "ssl", "sasl.password": "a=b"}
    for line in ("group.id=x", "nothing", "=x", "a=1\na=2", "auto.offset.reset=latest"):
        file.write_text(line)
        with pytest.raises(InputError, match=r"kafka:\d: expected name=value"):
            settings_of(str(file))


def test_settings_that_the_client_refuses_are_named(tmp_path: Path) -> None:
    with running(tmp_path / "log", new_model(tmp_path / "m")) as engine:
        wrong = KafkaAddress("h:1", "t", settings={"no.such": "x"})
        with pytest.raises(InputError, match="--from: expected settings that librdkafka takes"):
            Consuming(engine, wrong)


@pytest.mark.parametrize(
    "words",
    [["--follow", "http://h:1", "--leader-token-file", "f", "--from", "kafka://h:1/t"],
     ["model", "--on-bad-message", "skip"], ["model", "--source-config", "f"],
     ["model", "--from", "kafka://h/t"]],
)  # fmt: skip
def test_wrong_options_are_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["serve", "--log", "l", "--token-file", "t", *words]) == 2
    assert "expected" in capsys.readouterr().err
