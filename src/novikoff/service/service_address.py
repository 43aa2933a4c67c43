"""The address of a service: ``http://HOST:PORT`` or ``https://HOST``, perhaps with a path."""

import http.client
from urllib.parse import urlsplit

from novikoff.errors import parameter


def connected(url: str, name: str, timeout: float) -> tuple[http.client.HTTPConnection, str]:
    """Return a connection to a URL, the value of a parameter, and what its paths begin with."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:  # brackets that do not match, a port beyond 65,535
        host = port = None
    if not host or parts.scheme not in ("http", "https"):
        raise parameter(name, "http://HOST:PORT or https://HOST", url)
    secure = parts.scheme == "https"
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    return kind(host, port, timeout=timeout), parts.path.rstrip("/")
