"""Where services are, as clients and followers are told, and what is refused."""

from collections.abc import Callable

import pytest

from novikoff.errors import ParameterError
from novikoff.service import Client
from novikoff.service.following import LeaderConnection
from novikoff.service.service_address import connected

_WRONG = [
    "", "host", "host:1", "ftp://host:1", "http://", "http://:1", "http://[::1",
    "http://host:65536", "http://host:-1", "http://host:http", "http://[host]:1",
]  # fmt: skip


@pytest.mark.parametrize("url", _WRONG)
@pytest.mark.parametrize(
    ("name", "opened"), [("url", Client), ("--follow", LeaderConnection)], ids=["client", "leader"]
)
def test_a_wrong_address_is_refused(
    url: str, name: str, opened: Callable[[str, str], object]
) -> None:
    with pytest.raises(ParameterError, match=f"{name}.* expected http://HOST:PORT or https://HOST"):
        opened(url, "a token")


def test_an_address_has_a_host_a_port_and_what_paths_begin_with() -> None:
    found, prefix = connected("http://[::1]:8080/learning/", "url", 1.0)
    assert (found.host, found.port, prefix) == ("::1", 8080, "/learning")
    found, prefix = connected("https://mails.example", "url", 1.0)
    assert (found.host, found.port, prefix) == ("mails.example", 443, "")
