"""The address of a service, ``http://HOST:PORT`` or ``https://HOST/PATH``, and whole answers."""

import http.client
import re
from ipaddress import IPv6Address

from novikoff.errors import ParameterError, parameter

_IPV6 = r"[0-9a-f:.]+(?:%[a-z0-9._~-]+)?"
_PATH = r"/[a-z0-9._~!$&'()*+,;=:@%/-]*"
_ADDRESS = re.compile(
    rf"(https?)://(?:\[({_IPV6})\]|([^\[\]/?#@:]+))(?::([0-9]{{1,5}})?)?({_PATH})?",
    re.IGNORECASE | re.ASCII,
)
_NAME = re.compile(r"[a-z0-9._-]{1,253}")


def connected(url: str, name: str, timeout: float) -> tuple[http.client.HTTPConnection, str]:
    """Return a connection to a URL, the value of a parameter, and what its paths begin with.

    Whatever no request could be sent to is refused here, not when the first one is sent.
    """
    parts = _ADDRESS.fullmatch(str(url))
    if parts is None:
        raise _no_address(name, url)
    scheme, bracketed, named, port, path = parts.groups()
    kind = http.client.HTTPSConnection if scheme.lower() == "https" else http.client.HTTPConnection
    number = int(port or kind.default_port)
    try:
        host = _host_of(named) if bracketed is None else str(IPv6Address(bracketed))
    except ValueError:
        raise _no_address(name, url) from None
    if not 1 <= number <= 65_535:
        raise _no_address(name, url)
    return kind(host, number, timeout=timeout), (path or "").rstrip("/")


def response_of(connection: http.client.HTTPConnection) -> http.client.HTTPResponse:
    """Return the response to a request, once its head is whole.

    ``http.client`` takes the end of a connection for the end of a head. Every answer of a service
    says how long it is, so one that does not was cut off within its head, and failed on the way.
    """
    found = connection.getresponse()
    if found.length is None and not found.chunked:
        raise ConnectionError(
            "expected an answer that says how long it is, got one that may be cut off. Check the "
            "connection, and any proxy."
        )
    return found


def _no_address(name: str, url: str) -> ParameterError:
    return parameter(name, "http://HOST:PORT or https://HOST", url)


def _host_of(named: str) -> str:
    """Return a name as it is looked up; a ValueError says that no host can have it."""
    found = named.lower().encode("idna").decode()
    if _NAME.fullmatch(found) is None:
        raise ValueError("a sign that no name has")
    return found
