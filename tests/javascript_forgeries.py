"""False certificates: wrong in one place, most of them with the right digest of their own."""

import hashlib
import math
import sys
from collections.abc import Callable, Iterator
from typing import Any

from exact_claims import STATEMENTS, canonical, claim, sealed
from javascript_cases import PLAIN, ROWS, SEPARATING, Case

Change = Callable[[Any], object]


def put(*path: Any) -> Change:
    """Set what is at the path to its last item."""

    def change(content: Any) -> None:
        *steps, last, value = path
        for step in steps:
            content = content[step]
        content[last] = value

    return change


def drop(*path: Any) -> Change:
    def change(content: Any) -> None:
        for step in path[:-1]:
            content = content[step]
        del content[path[-1]]

    return change


TRUE = claim(ROWS, "hinge", SEPARATING)
BOUND = TRUE["bound"]
assert TRUE["mistakes"] == {"count": 2, "rounds": "AgM="}
OWN = ("learner", "parameters")
FALSE: dict[str, tuple[Change, str]] = {
    "statement": (put("statement", STATEMENTS["run"]), "the statement of another theorem"),
    "assumptions": (put("assumptions", ["it rains"]), "hinge assumes nothing"),
    "assumptions-object": (put("assumptions", {}), "assumptions are a list"),
    "format": (put("format", "novikoff-certificate/3"), "another format"),
    "theorem-number": (put("theorem", 1), "a theorem has a name"),
    "field-more": (put("note", "hello"), "a field that no certificate has"),
    "field-less": (drop("assumptions"), "a field is missing"),
    "digest": (put("data", "digest", "0" * 64), "the digest of other data"),
    "digest-list": (
        lambda content: put("data", "digest", [content["data"]["digest"]])(content),
        "a digest is text",
    ),
    "dimension": (put("data", "dimension", 6), "one feature more than there are"),
    "nonzeros": (put("data", "nonzeros", 8), "one value more than there are"),
    "rows": (put("data", "rows", 5), "one row more than there are"),
    "rows-float": (put("data", "rows", 4.0), "a count is whole"),
    "data-more": (put("data", "name", "toy"), "a field that data do not have"),
    "data-less": (drop("data", "nonzeros"), "a field is missing"),
    "passes-half": (put("data", "passes", 0.5), "passes are whole"),
    "passes-float": (put("data", "passes", 2.0), "passes are whole"),
    "passes-null": (put("data", "passes", None), "a run has passes"),
    "passes-0": (put("data", "passes", 0), "a run has passes"),
    "passes-negative": (put("data", "passes", -1), "a run has passes"),
    "passes-true": (put("data", "passes", True), "passes are a number"),
    "passes-3": (put("data", "passes", 3), "another pass has another loss"),
    "positive-null": (put("data", "labels", "positive", None), "null is no label"),
    "positive-list": (put("data", "labels", "positive", [1]), "a list is no label"),
    "positive-other": (put("data", "labels", "positive", -1), "the other label"),
    "labels-more": (put("data", "labels", "negative", -1), "a field that labels do not have"),
    "labels-classes": (put("data", "labels", {"classes": [1, -1]}), "it has two labels"),
    "labels-null": (put("data", "labels", None), "labels are an object"),
    "learner-null": (put("learner", None), "a run has a learner"),
    "learner-number": (put("learner", "name", 3), "a learner has a name"),
    "learner-more": (put("learner", "seed", 3), "a field that a learner does not have"),
    "parameter-more": (put(*OWN, "max_voters", 5), "a parameter of another learner"),
    "parameter-less": (drop(*OWN, "hashing"), "a parameter is missing"),
    "ties": (put(*OWN, "ties", "negative"), "no rule for ties"),
    "ties-other": (put(*OWN, "ties", "mistake"), "with this rule other rounds are mistakes"),
    "bias-whole": (put(*OWN, "bias", 1), "a constant feature is a float"),
    "bias-true": (put(*OWN, "bias", True), "a constant feature is a float"),
    "bias-text": (put(*OWN, "bias", "1.0"), "a constant feature is a float"),
    "bias-other": (put(*OWN, "bias", 1.0), "with it the run is another"),
    "hashing-0": (put(*OWN, "hashing", {"bits": 0, "signed": True}), "bits are at least 1"),
    "hashing-31": (put(*OWN, "hashing", {"bits": 31, "signed": True}), "bits are at most 30"),
    "hashing-float": (put(*OWN, "hashing", {"bits": 3.0, "signed": True}), "bits are whole"),
    "hashing-signed": (put(*OWN, "hashing", {"bits": 3, "signed": 1}), "signed is true or false"),
    "hashing-less": (put(*OWN, "hashing", {"bits": 3}), "a field is missing"),
    "hashing-more": (
        put(*OWN, "hashing", {"bits": 3, "signed": True, "seed": 0}), "a field too many",
    ),
    "hashing-small": (put(*OWN, "hashing", {"bits": 2, "signed": True}), "5 features are too many"),
    "mistakes-null": (put("mistakes", None), "a run has mistakes, even if none"),
    "mistakes-more": (put("mistakes", "loss", 2), "a field that mistakes do not have"),
    "count": (put("mistakes", "count", 3), "one mistake more than there are"),
    "count-float": (put("mistakes", "count", 2.0), "a count is whole"),
    "rounds-list": (put("mistakes", "rounds", [2, 3]), "rounds are text"),
    "rounds-fewer": (put("mistakes", {"count": 1, "rounds": "Ag=="}), "a mistake is missing"),
    "rounds-more": (put("mistakes", {"count": 3, "rounds": "AgMB"}), "a mistake too many"),
    "rounds-junk": (put("mistakes", "rounds", "A!gM="), "what is not of base 64"),
    "rounds-blank": (put("mistakes", "rounds", "AgM=\n"), "what is not of base 64"),
    "rounds-padding": (put("mistakes", "rounds", "AgM"), "base 64 without its padding"),
    "rounds-after": (put("mistakes", "rounds", "AgM=AgM="), "text after the padding"),
    "rounds-open": (put("mistakes", "rounds", "AgOA"), "a gap that does not end"),
    "rounds-endless": (put("mistakes", "rounds", "gICAgICAgICAgICAgAE="), "a gap without end"),
    "evidence-more": (put("evidence", "gamma", 1.0), "a field that this evidence does not have"),
    "evidence-less": (drop("evidence", "w"), "no comparator"),
    "w-null": (put("evidence", "w", None), "no comparator"),
    "w-whole": (put("evidence", "w", 0, 1, 1), "a weight is a float"),
    "w-true": (put("evidence", "w", 0, 1, True), "a weight is a float"),
    "w-text": (put("evidence", "w", 0, 1, "1.0"), "a weight is a float"),
    "w-other": (put("evidence", "w", 0, 1, 0.5), "with this weight the bound is another"),
    "w-short": (put("evidence", "w", 0, [0]), "a weight is missing"),
    "w-long": (put("evidence", "w", 0, [0, 1.0, 1.0]), "two weights of one feature"),
    "w-number": (put("evidence", "w", 0, 1.0), "a weight has an index"),
    "w-twice": (put("evidence", "w", [*map(list, SEPARATING), [0, 1.0]]), "a feature twice"),
    "w-index": (put("evidence", "w", 0, 0, -2), "an index below that of the constant feature"),
    "w-index-float": (put("evidence", "w", 0, 0, 0.0), "an index is whole"),
    "w-index-true": (put("evidence", "w", 0, 0, True), "an index is a number"),
    "bound-up": (put("bound", math.nextafter(BOUND, math.inf)), "a float above the least one"),
    "bound-down": (put("bound", math.nextafter(BOUND, 0.0)), "a float below the bound"),
    "bound-negative": (put("bound", -BOUND), "a bound below 0"),
    "bound-whole": (put("bound", math.ceil(BOUND)), "a bound is a float"),
    "bound-null": (put("bound", None), "a run has a bound"),
    "bound-text": (put("bound", str(BOUND)), "a bound is a number"),
    "remarks-null": (put("remarks", None), "remarks are an object"),
    "remarks-list": (put("remarks", []), "remarks are an object"),
    "remarks-other": (put("remarks", {"author": "me"}), "a remark that is not known"),
    "remarks-reading": (put("remarks", {"reading": "svmlight"}), "reading is an object"),
}  # fmt: skip


def changed(change: Change) -> bytes:
    """A certificate whose content was changed, sealed again."""
    content = claim(ROWS, "hinge", SEPARATING)
    change(content)
    return canonical(sealed(content))


def restated(content: dict[str, Any], theorem: str, bound: float) -> bytes:
    """The same run with another theorem and a bound."""
    stated = {"theorem": theorem, "statement": STATEMENTS[theorem], "bound": bound}
    return canonical(sealed(content | stated))


def false_claims() -> Iterator[Case]:
    """What the digest does not show."""
    for name, (change, why) in FALSE.items():
        yield Case(f"false-{name}", changed(change), PLAIN, "refused", why)
    empty = claim([])
    for name, text, data, why in (
        ("w-separates-nothing", restated(claim(ROWS, w=((0, -1.0),)), "novikoff", 1.0), PLAIN,
            "w does not separate the data"),
        ("w-on-the-border", restated(claim(ROWS, w=((4, -1.0),)), "novikoff", 1.0), PLAIN,
            "a margin of 0 does not separate"),
        ("no-rows-to-separate", restated(empty, "novikoff", 0.0), b"", "γ is that of no row"),
        ("bound-0-whole", restated(empty, "hinge", 0), b"", "a bound is a float"),
        ("bound-minus-0", restated(empty, "hinge", -0.0), b"", "the least float is 0.0"),
        ("bound-tiny", restated(empty, "hinge", 5e-324), b"", "the least float is 0.0"),
        ("bound-beyond", beyond(), b"1 1:1e200\n", "no float is as large as the bound"),
        ("rounds-bits", changed(put("mistakes", "rounds", "AgN=")), PLAIN,
            "base 64 has one form: bits that are left are 0"),
        ("rounds-digits", changed(put("mistakes", "rounds", "ggAD")), PLAIN,
            "a gap has as few digits as it takes"),
        ("w-object", restated(claim(ROWS, w=()) | {"evidence": {"w": {}}}, "hinge",
            claim(ROWS, w=())["bound"]), PLAIN, "w is a list"),
        ("other-data", canonical(claim(ROWS)), PLAIN.replace(b"0.7", b"0.8"), "other data"),
        ("other-order", canonical(claim(ROWS)), PLAIN[15:] + PLAIN[:15], "rows in another order"),
    ):  # fmt: skip
        yield Case(f"false-{name}", text, data, "refused", why)


def beyond() -> bytes:
    content = claim([(1, {0: 1e200})], w=())
    content["evidence"] = {"w": [[0, -1e200]]}
    return restated(content, "hinge", sys.float_info.max)


DIGEST = TRUE["sha256"].encode()
REPLACED = {
    "same-twice": (b'"positive":1', b'"positive":1,"positive":1', "a key appears twice"),
    "sha256": (DIGEST, b"0" * 64, "the digest is another"),
    "sha256-upper": (DIGEST, DIGEST.upper(), "a digest is in lower case"),
    "bound-changed": (b'"bound":', b'"bound":1', "the digest covers the bound"),
    "one-is-true": (b'"positive":1', b'"positive":true', "the digest is another"),
    "one-is-float": (b'"positive":1', b'"positive":1.0', "the digest is another"),
    "one-is-1e0": (b'"positive":1', b'"positive":1E0', "1E0 is a float"),
    "leading-zero": (b'"positive":1', b'"positive":01', "01 is not JSON"),
    "plus": (b'"positive":1', b'"positive":+1', "+1 is not JSON"),
    "quotes": (b'"positive":', b"'positive':", "quotes are double"),
    "control": (b'"positive":', b'"posi\ttive":', "a tab in a string is not JSON"),
    "escape": (b'"positive":', b'"\\positive":', "an escape that is none"),
    "no-break-space": (b'"positive":', '"positive":\xa0'.encode(), "no blank of JSON"),
    "w-infinite": (b"[0,1.0]", b"[0,1e999]", "a weight beyond every float"),
    "w-infinity": (b"[0,1.0]", b"[0,Infinity]", "Infinity is not JSON"),
    "bound-nan": (b'"bound":%r' % BOUND, b'"bound":NaN', "NaN is not JSON"),
}


def false_texts() -> Iterator[Case]:
    """Changes of the text of a true certificate that make it false, or no certificate."""
    text, noted = canonical(TRUE), canonical(sealed(TRUE | NOTED))
    for name, (old, new, why) in REPLACED.items():
        assert text.count(old) == 1
        yield Case(f"text-{name}", text.replace(old, new), PLAIN, "refused", why)
    for name, found, why in (
        ("empty", b"", "nothing at all"),
        ("truncated", text[:-1], "the end is missing"),
        ("goes-on", text + b"{}", "more than one value"),
        ("list", b"[" + text + b"]", "a list is no certificate"),
        ("number", b"1", "a number is no certificate"),
        ("comma", text[:-1] + b",}", "a comma before the end"),
        ("key-twice", text[:-1] + b',"bound":1.0}', "a key appears twice"),
        ("key-twice-escaped", text[:-1] + b',"boun\\u0064":1.0}', "a key appears twice"),
        ("remark-twice", noted.replace(b'"a":1', b'"a":1,"a":1'), "a key appears twice"),
        ("remark-changed", noted.replace(b'"a":1', b'"a":2'), "the digest covers remarks"),
        ("w-minus-0", with_w([[0, 1.0], [0, 1.0]]).replace(b"[[0,", b"[[-0,"), "-0 is 0: twice"),
        ("digits-4301", with_digits(4301), "a whole number has at most 4300 digits"),
    ):
        yield Case(f"text-{name}", found, PLAIN, "refused", why)


def true_texts() -> Iterator[Case]:
    """Texts that say the same in another form."""
    once = with_w([[0, 1.0], [4, -0.5]])
    for name, found, why in (
        ("minus-0", once.replace(b"[[0,", b"[[-0,"), "-0 is 0 where numbers are whole"),
        ("float-forms", once.replace(b"[0,1.0]", b"[0, 0.10E+1 ]"), "0.10E+1 is the float 1.0"),
        ("digits-4300", with_digits(4300), "a whole number has at most 4300 digits"),
    ):
        assert found != once
        yield Case(f"text-{name}", found, PLAIN, "verified", why)


NOTED: dict[str, Any] = {"remarks": {"reading": {"a": 1}}}


def with_digits(digits: int) -> bytes:
    """A true certificate with a long number in its remarks; json.dumps may refuse to write it."""
    content = claim(ROWS) | NOTED
    del content["sha256"]
    covered = canonical(content).replace(b'"a":1', b'"a":' + b"7" * digits)
    return covered[:-1] + b',"sha256":"%s"}' % hashlib.sha256(covered).hexdigest().encode()


def with_w(w: list[list[Any]]) -> bytes:
    """A certificate for the bound of w = (1, 0, 0, 0, −1/2)."""
    return canonical(sealed(claim(ROWS, w=((0, 1.0), (4, -0.5))) | {"evidence": {"w": w}}))


def others() -> Iterator[Case]:
    """Certificates that the verifier in JavaScript does not judge."""
    content = claim(ROWS, "hinge", SEPARATING)
    averaged = content | {"learner": content["learner"] | {"name": "AveragedPerceptron"}}
    about: dict[str, Any] = {"theorem": "separable", "statement": "y_t w·x_t > 0 for every t"}
    about |= {"learner": None, "mistakes": None, "bound": None}
    about |= {"data": content["data"] | {"passes": None}}
    about |= {"evidence": {"w": content["evidence"]["w"], "bias": None}}
    for name, found, verdict, why in (
        ("averaged", averaged, "verified", "another learner makes the same mistakes"),
        ("separable", content | about, "verified", "a claim about data"),
        ("learner", content | {"learner": {"name": "?", "parameters": {}}}, "refused",
            "a learner that nobody knows"),
        ("theorem", content | {"theorem": "?"}, "refused", "a theorem that nobody knows"),
    ):  # fmt: skip
        yield Case(f"other-{name}", canonical(sealed(found)), PLAIN, verdict, why)
