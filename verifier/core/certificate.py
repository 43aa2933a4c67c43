"""The form of a certificate, its own digest, the rounds of its mistakes."""

import base64
import hashlib
import json
import os
import re
from collections.abc import Iterator
from typing import NamedTuple

FORMAT = "novikoff-certificate/1"
FLOAT_FORMAT = "novikoff-certificate/2"  # of runs of float programs, docs/programs.md
FIELDS = [
    "assumptions", "bound", "data", "evidence", "format", "learner", "mistakes", "sha256",
    "statement", "theorem",
]  # fmt: skip
FLOAT_FIELDS = sorted([*FIELDS, "program", "start", "states"])
TRANSFORMS = "transforms"  # the field of a run whose learner sees other rows than the raw ones
REMARKS = ("reading", "model")  # what it may say besides: not checked, not needed

Names = tuple[str, ...]
Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Object = dict[str, Json]


class Refused(Exception):  # noqa: N818
    """Why a certificate is refused."""


class BadData(Exception):  # noqa: N818
    """Where data cannot be read, what was expected and what was got: no verdict."""


class TooLarge(BadData):
    """What would take more work than this verifier does: no verdict."""


class Verdict(NamedTuple):
    """What the verifier says."""

    verified: bool
    theorem: str | None
    observed: float | None
    bound: float | None
    reason: str


def require(condition: object, reason: str) -> None:
    """Refuse the certificate if something does not hold."""
    if not condition:
        raise Refused(reason)


def expect(condition: object, where: str, what: str, got: object) -> None:
    """Say where data are not what they should be."""
    if not condition:
        text = shown(got) if isinstance(got, bytes) else str(got)[:60]
        raise BadData(f"{where}: expected {what}, got {text}")


def shown(text: bytes) -> str:
    """Return some bytes in quotes."""
    return repr(text[:40].decode(errors="backslashreplace"))


def canonical(value: object) -> bytes:
    """Return the bytes of a value: those of 1, 1.0 and true differ, and NaN has none."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def read_certificate(text: bytes) -> Object:
    """Read a certificate whose fields and own digest are right."""

    def once(pairs: list[tuple[str, Json]]) -> Object:
        require(len(dict(pairs)) == len(pairs), "a key appears twice")
        return dict(pairs)

    content: Json = json.loads(text, object_pairs_hook=once)
    if not (isinstance(content, dict) and content.get("format") in (FORMAT, FLOAT_FORMAT)):
        raise Refused(strange(content))
    names = FIELDS if content["format"] == FORMAT else FLOAT_FIELDS
    same = sorted(content.keys() - {"remarks", TRANSFORMS}) == names
    require(same, f"its fields are not {', '.join(names)}")
    remarks = fields(content.get("remarks", {}), REMARKS, "remarks", REMARKS)
    require(all(isinstance(v, dict) for v in remarks.values()), "its remarks are others")
    covered = canonical({name: content[name] for name in content if name != "sha256"})
    require(hashlib.sha256(covered).hexdigest() == content["sha256"], "it has been changed")
    return dict(content)


def certificate_in(path: str) -> bytes:
    """Return the bytes of a certificate's file; a pipe would wait for its writer."""
    expect(os.path.isfile(path), path, "a regular file with a certificate", "none")
    with open(path, "rb") as file:
        return file.read()


def strange(content: Json) -> str:
    """Say what is wrong with a certificate that is in neither format."""
    found = content.get("format") if isinstance(content, dict) else None
    later = r"novikoff-certificate/([3-9]|[1-9][0-9]{1,8})"
    if isinstance(found, str) and re.fullmatch(later, found):
        return f"it is a {found}, and this verifier knows versions 1 and 2: take a later verifier"
    return f"it is no {FORMAT} and no {FLOAT_FORMAT}"


def fields(value: Json, names: Names, what: str, optional: Names = ()) -> Object:
    """Return an object that must have exactly these fields; optional ones may be left out."""
    needed = {*names} - {*optional}
    if not (isinstance(value, dict) and needed <= value.keys() <= {*names}):
        listed = ", ".join(f"perhaps {name}" if name in optional else name for name in names)
        form = f"the fields {listed}" if names else "no fields"
        raise Refused(f"its {what} must have {form}; this version knows no others")
    return value


def text_of(value: Json, what: str) -> str:
    """Return a value that must be a text."""
    if not isinstance(value, str):
        raise Refused(f"its {what} is no text")
    return value


def stated_states(value: Json) -> dict[int, str]:
    """Return {round: hash of the state after it} from a list of pairs in ascending order."""
    found: dict[int, str] = {}
    last = 0
    for pair in value if isinstance(value, list) else [None]:
        t, digest = pair if isinstance(pair, list) and len(pair) == 2 else (None, None)
        if not (type(t) is int and last < t and isinstance(digest, str)):
            raise Refused("its states are no list of rounds, each with a hash")
        found[t], last = digest, t
    return found


def unpacked(text: str) -> Iterator[int]:
    """Yield rounds from their gaps, each in base 128 with its low digits first, all in base 64.

    There is one way to write them: no gap has more digits than it takes.
    """
    digits = base64.b64decode(text.encode(), validate=True)
    require(base64.b64encode(digits) == text.encode(), "its mistakes are not written in base 64")
    last = gap = shift = 0
    for digit in digits:
        gap |= (digit & 127) << shift
        shift += 7
        require(shift < 70 and (digit or shift == 7), "its mistakes are no rounds")
        if digit < 128:
            last, gap, shift = last + gap, 0, 0
            yield last
    require(shift == 0, "its mistakes end in the middle of a round")
