"""Writing certificates: their canonical bytes, their own digest, their transcripts."""

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable
from typing import Any

from oracle.reals import UntrueError, require


def canonical(content: Any) -> bytes:
    """Return the bytes that are hashed: keys sorted, no spaces, ASCII."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def digest_of(content: dict[str, Any]) -> str:
    """Return the digest of all fields but its own."""
    others = {name: value for name, value in content.items() if name != "sha256"}
    return hashlib.sha256(canonical(others)).hexdigest()


def sealed_text(content: dict[str, Any]) -> bytes:
    """Return a content as a certificate, with the digest of its own bytes."""
    return canonical(content | {"sha256": digest_of(content)})


def parsed(text: bytes) -> dict[str, Any]:
    """Return the content of a certificate; every key once, no NaN, no number beyond float64."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        require(len(dict(pairs)) == len(pairs), "a key appears twice")
        return dict(pairs)

    try:
        content = json.loads(text, object_pairs_hook=once, parse_constant=_no_number)
        require(isinstance(content, dict), "not an object")
        require(content.get("sha256") == digest_of(content), "its digest is another")
    except (ValueError, RecursionError) as error:
        raise UntrueError(f"no JSON: {error}") from None
    assert isinstance(content, dict)
    return content


def _no_number(name: str) -> Any:
    raise UntrueError(f"{name} is no number of JSON")


def transcript(rounds: Iterable[int]) -> str:
    """Return rounds as gaps, each in base 128 with its low digits first, all in base 64."""
    digits, last = [], 0
    for t in rounds:
        gap, last = t - last, t
        while gap >= 128:
            digits.append(128 + gap % 128)
            gap //= 128
        digits.append(gap)
    return base64.b64encode(bytes(digits)).decode()


def rounds_in(text: Any) -> list[int]:
    """Return the rounds that a transcript lists."""
    require(isinstance(text, str), "the transcript is no text")
    try:
        digits = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise UntrueError("the transcript is not in base 64") from None
    rounds: list[int] = []
    gap, scale, last = 0, 1, 0
    for digit in digits:
        gap += (digit % 128) * scale
        scale *= 128
        if digit < 128:
            last += gap
            rounds.append(last)
            gap, scale = 0, 1
    require(transcript(rounds) == text, "the transcript is not written in its one form")
    return rounds
