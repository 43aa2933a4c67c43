"""Where services are, as clients and followers are told, and what is refused."""

from collections.abc import Callable

import pytest

from novikoff.errors import ParameterError
from novikoff.service import Client
from novikoff.service.following import LeaderConnection
from novikoff.service.service_address import connected

_WRONG = [
    "", "host", "host:1", "ftp://host:1", "http://", "http://:1", "http://[::1",
    "http://host:65536", "http://host:-1", "http://host:http", "http://[host]:1", "http://host:0",
    "http://[::1]x", "http://x[::1]:80", "http://[fe80::abcd", "http://[1.2.3.4]", "http://[::1%\n]",
    "http://a b:80", "http://a\0b:80", "http://a\\b", " http://host", "http://ho\nst", "http://host\n",
    "http://\u00a0a", "http://ü..:80", "http://a..b", "http://.", "http://\udc80",
    f"http://{'a' * 70}", f"http://{'ü' * 70}", f"http://{'a.' * 200}",
    "http://host/a b", "http://host/a\x01", "http://host/a\n", "http://host/ü", "http://host/\\",
    "http://host?", "http://host/?a=1", "http://host#", "http://host/#a", "http://me:word@host",
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
    found, prefix = connected("https://Mails.example:/a/b%20c", "url", 1.0)
    assert (found.host, found.port, prefix) == ("mails.example", 443, "/a/b%20c")


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("http://[::1]", "::1", 80),
        ("https://[2001:db8::1]/a", "2001:db8::1", 443),
        ("http://[fe80::1%eth0]/", "fe80::1%eth0", 80),
        ("http://bücher.example", "xn--bcher-kva.example", 80),
        ("http://mail_1.", "mail_1.", 80),
    ],
)
def test_a_host_without_a_port_is_not_split(url: str, host: str, port: int) -> None:
    """Of an IPv6 address the last group was taken for the port."""
    found, _ = connected(url, "url", 1.0)
    assert (found.host, found.port) == (host, port)
