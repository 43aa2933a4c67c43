"""Chains of certificates: each run goes on from where the one before it ended.

What was observed adds up, and so do the bounds: every certificate has a comparator of its own, so
the sum of the bounds is one for the sum of the runs.
"""

import json
import sys
from collections.abc import Sequence
from fractions import Fraction
from math import isfinite
from typing import NamedTuple

from verifier.core.certificate import (
    TRANSFORMS,
    BadData,
    Json,
    Object,
    Refused,
    TooLarge,
    canonical,
    certificate_in,
    read_certificate,
    require,
    stated_states,
)
from verifier.core.check import (
    MALFORMED,
    VERBS,
    Beginning,
    check_parts,
    check_words,
    concluded,
    part,
    read,
    replayed_on,
    started,
    stated_learner,
)
from verifier.core.exact import least_float
from verifier.core.files import Rows
from verifier.core.learner import RUN_THEOREMS, AnyLearner, is_integer

NOT_CHECKED = 4  # the exit status if the certificates are linked and no data were looked at
ALIKE = ("learner", "program", TRANSFORMS)  # what all certificates of a chain have in common


class Linked(NamedTuple):
    """What the verifier says of a chain: its sums, if every certificate follows the one before.

    ``linked`` says that they do. ``verified`` says that they are also true of their data; it is
    None if the data were not given.
    """

    verified: bool | None
    certificates: int
    rounds: int | None
    observed: float | None
    bound: float | None
    reason: str
    linked: bool


class Link(NamedTuple):
    """What a certificate says that a chain needs."""

    content: Object
    rounds: int
    observed: Fraction
    bound: Fraction
    end: str | None  # the hash of the state in which it ended, if it says so


def measure(value: Json, what: str) -> Fraction:
    """Return a number that must be finite and not below 0."""
    if not (isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)):
        raise Refused(f"its {what} is no number")
    require(value >= 0, f"its {what} is below 0")
    return Fraction(value)


def link(text: bytes) -> Link:
    """Return what a certificate says; nothing is played."""
    content = read_certificate(text)
    check_words(content)
    check_parts(content)
    require(content["learner"] is not None, "it is about data alone")
    learner, _ = stated_learner(content)
    require(content["theorem"] not in RUN_THEOREMS, "the bounds of its theorem do not add up")
    about = part(content, "data")
    rows, passes = about.get("rows"), about.get("passes")
    if not (is_integer(rows) and is_integer(passes) and rows > 0 and passes > 0):
        raise Refused("its rounds are no number")
    ends = stated_states(content.get("states", []))
    seen = learner.stated(part(content, "mistakes"), part(content, "evidence"))
    return Link(
        content, rows * passes, measure(seen, "observation"), measure(content["bound"], "bound"),
        ends.get(rows * passes),
    )  # fmt: skip


def check_follows(link: Link, before: Link, again: bool) -> None:
    """Require that a run went on from where the one before it ended, as the same learner.

    If both are played again, that shows in which state the one before it ended.
    """
    start, content = started(link.content), link.content
    for name in ALIKE:
        same = canonical(content.get(name)) == canonical(before.content.get(name))
        require(same, f"its {name} is not that of the one before it")
    names = [part(one, "data").get("labels") for one in (content, before.content)]
    require(canonical(names[0]) == canonical(names[1]), "its labels are others")
    if start is None:
        raise Refused("its run began anew")
    unstated = "the one before it does not say in which state it ended"
    require(before.end or again, unstated)
    same = before.end in (None, start.state)
    require(same, "it does not begin where the one before it ended")


def replay(link: Link, rows: Rows, begin: Beginning) -> AnyLearner:
    """Play the run of a certificate on its data; return it as it ended."""
    content = link.content
    learner, parameters = stated_learner(content)
    data = read(content, learner, parameters, rows, begin)
    ended = replayed_on(content, learner, parameters, data, begin)
    bound = concluded(content, ended).bound
    require(canonical(content["bound"]) == canonical(bound), f"its bound is not {bound}")
    return ended


def verify_chain(
    texts: Sequence[bytes], rows: Sequence[Rows] = (), begin: Beginning = None
) -> Linked:
    """Verify that certificates follow each other; with their data, that they are true."""
    links: list[Link] = []
    count, at, linked = len(texts), 0, False
    try:
        require(len(rows) in (0, count), "there are other data than certificates")
        for at, text in enumerate(texts, 1):
            links.append(link(text))
            if at > 1:
                check_follows(links[-1], links[-2], bool(rows))
        at, last, linked = 0, begin, True
        for one, source in zip(links, rows, strict=False):
            at += 1
            last = replay(one, source, last)
    except Refused as refusal:
        return Linked(False, count, None, None, None, f"certificate {at}: {refusal}", linked)
    except MALFORMED as error:
        reason = f"certificate {at} is not made as one is: {type(error).__name__} {error}"
        return Linked(False, count, None, None, None, reason[:200], linked)
    except MemoryError:
        raise TooLarge("the chain: it takes more memory than there is") from None
    rounds = sum(one.rounds for one in links)
    seen = least_float(sum((one.observed for one in links), Fraction(0)))
    bound = least_float(sum((one.bound for one in links), Fraction(0)))
    reason = "each begins where the one before it ended"
    return Linked(True if rows else None, count, rounds, seen, bound, reason, linked)


def chain_main(arguments: list[str]) -> int:
    """Verify that the certificates of these files follow each other."""
    try:
        found = verify_chain([certificate_in(path) for path in arguments])
    except (BadData, OSError) as error:
        print(error, file=sys.stderr)
        return 3
    print(json.dumps(found._asdict()))
    return NOT_CHECKED if found.linked else 1


VERBS |= {"--chain": chain_main}
