"""Limits: how much one request, and all of them together, may ask of the service."""

import msgspec

LARGEST_ID = 2**53 - 1
"""The largest number that a client may choose for an ask; every reader of JSON has it exactly."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What is refused with 413 (too large) or 429 (too many for now)."""

    body: int = 2**20
    """Bytes of a request."""
    batch: int = 1000
    """Examples of a request."""
    features: int = 10_000
    """Features of an example."""
    names: int = 2**22
    """Features that the model may come to know."""
    name: int = 1000
    """Characters of a feature's name, a text value, an id or a key."""
    pending: int = 100_000
    """Asks that wait for their labels."""
    waiting: int = 10_000
    """Requests that wait for the disk."""
    keys: int = 100_000
    """Idempotency keys that are remembered, the latest ones."""
    expiry: float = 7 * 86400.0
    """Seconds after which an ask without a label is dropped."""
