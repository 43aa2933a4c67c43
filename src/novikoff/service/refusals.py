"""Refusals: why a request changes nothing, and the status that says so in HTTP."""

from novikoff.errors import NovikoffError


class Refusal(NovikoffError):  # noqa: N818 — what it is
    """A request that is refused; ``status`` is that of HTTP."""

    status = 422


class TooLarge(Refusal):
    """More than a limit allows: 413."""

    status = 413


class TooMany(Refusal):
    """More than can be done now: 429. Try again later."""

    status = 429


class Unknown(Refusal):
    """Something that is not there: 404."""

    status = 404


class Gone(Refusal):
    """Something that is no longer there: 410."""

    status = 410


class ReadOnly(Refusal):
    """A write to a follower: 403."""

    status = 403


class Conflict(Refusal):
    """What contradicts what was said before: 409."""

    status = 409


class Malformed(Refusal):
    """A body that is not the JSON that was expected: 400."""

    status = 400


class Forbidden(Refusal):
    """A token that may not do this, or none: 403 or 401."""

    status = 401


class Unavailable(Refusal):
    """A service that is stopping, or whose disk fails: 503, or 507 if it is full."""

    status = 503


class Unreadable(Refusal):
    """An answer that no service gives, seen by a client: 502, as a gateway would say."""

    status = 502
