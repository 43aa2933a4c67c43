"""Seals: what an archive says of itself, so that another one in its place is noticed.

``seal.json`` names the partition, how many there are, the hash of the folder's plan, and the
SHA-256 of every other entry. Each of these is compared with the folder or with the entry itself,
so a seal needs no seal of its own. Whoever wants one run checks only the entries that it is in.
"""

import json
from collections.abc import Collection, Mapping
from hashlib import sha256

from novikoff.cluster.archive_places import PLAN, ArchivePlace
from novikoff.errors import InputError
from novikoff.saving.contents import check_fields, check_known, is_count, is_digest

SEAL = "seal.json"
MEND = (
    "Put back the folder's own copy, or remove this file and play again with the same folder: "
    "only the keys of this file are then played"
)
Digests = Mapping[str, str]


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of an entry."""
    return sha256(data).hexdigest()


def sealed(place: ArchivePlace, digests: Digests) -> bytes:
    """Return the seal of the archive of a place."""
    found = {
        "partition": place.number, "partitions": place.partitions, "plan": place.plan,
        "sha256": {name: digests[name] for name in sorted(digests)},
    }  # fmt: skip
    return json.dumps(found).encode()


def unsealed(data: bytes, place: ArchivePlace, names: Collection[str]) -> Digests:
    """Return the digests in a seal, if it is that of this place and of entries of these names."""
    found = json.loads(data)
    if not isinstance(found, dict):
        raise InputError(f"expected an object in {SEAL}")
    check_known("field", found, _FORMS)
    check_fields(found, _FORMS)
    got, count = found["partition"], found["partitions"]
    if (got, count) != (place.number, place.partitions):
        raise _another(
            place,
            f"partition {place.number} of {place.partitions} (counted from 0), as {PLAN} says",
            f"partition {got} of {count}",
        )
    if found["plan"] != place.plan:
        raise _another(place, f"the play that {PLAN} describes", "another play")
    for name in names:
        if name not in found["sha256"]:
            raise InputError(f"an entry {name} that is not sealed")
    for name in found["sha256"]:
        if name not in names:
            raise InputError(f"no entry {name}")
    return dict(found["sha256"])


def _another(place: ArchivePlace, expected: str, got: str) -> InputError:
    return InputError(
        where=place.path,
        expected=f"the runs of {expected}",
        got=f"those of {got}",
        remedy=f"{MEND}. If somebody changed {PLAN}, put that back.",
    )


def _are_digests(value: object) -> bool:
    return isinstance(value, dict) and all(map(is_digest, value.values()))


_FORMS = {
    "partition": is_count, "partitions": is_count, "plan": is_digest, "sha256": _are_digests,
}  # fmt: skip
