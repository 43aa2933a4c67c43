"""What only a later release knows in a log is refused by name, by everybody who reads it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from services import new_model, running, wishes

import novikoff as nv
from novikoff.errors import InputError
from novikoff.saving.versions import LIBRARY
from novikoff.service.append_log import AppendLog
from novikoff.service.endpoints import ENDPOINTS
from novikoff.service.intake import BadMessage, KeptBadMessage
from novikoff.service.replica import KeptLearned, KeptServed, Learned, Served
from novikoff.service.replica_snapshots import Page, unsealed
from novikoff.service.schema_page import page as schema_page
from novikoff.service.watch import KeptRaised, Raised
from novikoff.streams.log.log_stream import records_of
from novikoff.streams.log.receipt_links import NAME, links_of
from novikoff.streams.log.records import Begin, Learn, encoded
from novikoff.streams.log.snapshot_files import page_path, snapshots_of

LATER = rf"A later version wrote it\. Update novikoff, which is {LIBRARY} here\."
BEGIN = Begin(1, "Blend", {}, ("ham", "spam"), 0, "00", 0.0)


def log_of(folder: Path, *records: dict[str, object]) -> Path:
    """Write a log with these records, whatever they say."""
    log = AppendLog(str(folder))
    assert not list(log.recover())
    log.commit([json.dumps(record).encode() for record in records])
    log.close()
    return folder


def plain(record: Begin | Learn, **more: object) -> dict[str, object]:
    found: dict[str, object] = json.loads(encoded(record))
    return found | more


def recovered(folder: Path) -> object:
    log = AppendLog(str(folder))
    try:
        return list(log.recover())
    finally:
        log.close()


READERS: list[Callable[[Path], object]] = [
    recovered,
    lambda folder: list(records_of(str(folder))),
    lambda folder: nv.play(nv.Perceptron(), nv.read(folder)),
]


@pytest.mark.parametrize("read", READERS, ids=["service", "records", "stream"])
@pytest.mark.parametrize("more", [{}, {"places": 3}], ids=["readable", "unreadable"])
def test_a_first_record_of_a_later_version_is_refused(
    read: Callable[[Path], object], more: dict[str, object], tmp_path: Path
) -> None:
    folder = log_of(tmp_path / "mail.log", plain(BEGIN, format=2, **more))
    with pytest.raises(InputError, match=r"record 1: .*log/1, got log/2, a later version\. Update"):
        read(folder)


@pytest.mark.parametrize("read", READERS, ids=["service", "records", "stream"])
def test_a_version_that_never_was_is_refused(
    read: Callable[[Path], object], tmp_path: Path
) -> None:
    folder = log_of(tmp_path / "mail.log", plain(BEGIN, format=0))
    with pytest.raises(InputError, match=r"record 1: expected log/1, got 'log/0'"):
        read(folder)


@pytest.mark.parametrize("read", READERS, ids=["service", "records", "stream"])
@pytest.mark.parametrize(
    ("second", "named"),
    [
        (plain(Learn({"a": 1.0}, "spam"), decay=0.5), "unknown field `decay`"),
        ({"kind": "unlearn", "sequence": 1}, "'unlearn'"),
    ],
    ids=["field", "kind"],
)
def test_what_we_do_not_know_is_named(
    read: Callable[[Path], object], second: dict[str, object], named: str, tmp_path: Path
) -> None:
    folder = log_of(tmp_path / "mail.log", plain(BEGIN), second)
    with pytest.raises(InputError, match=f"record 2: .*got another: .*{named}.*{LATER}"):
        read(folder)


@pytest.mark.parametrize(
    "second",
    [
        {"kind": "learn", "features": {}},
        {"kind": "learn", "features": {}, "label": []},
        {"features": {}},
        {"kind": 7},
        {"kind": None},
        [],
    ],
)
def test_a_record_without_anything_new_is_not_called_a_later_one(
    second: Any, tmp_path: Path
) -> None:
    folder = log_of(tmp_path / "mail.log", plain(BEGIN), second)
    said = r"got another: .*\. Read the log with the release that wrote it\.$"
    with pytest.raises(InputError, match=said):
        list(records_of(str(folder)))


def test_a_long_name_in_a_record_is_cut(tmp_path: Path) -> None:
    second = plain(Learn({"a": 1.0}, "spam"), **{"x" * 100_000: 1})
    folder = log_of(tmp_path / "mail.log", plain(BEGIN), second)
    with pytest.raises(InputError, match=LATER) as caught:
        list(records_of(str(folder)))
    assert len(str(caught.value)) < 1000


def test_a_follower_says_which_record_it_does_not_know(tmp_path: Path) -> None:
    model = new_model(tmp_path / "model")
    with running(tmp_path / "log", model) as engine:
        before = engine.log.durable
        with pytest.raises(InputError, match=rf"leader, record {before + 2}: .*`decay`"):
            engine.follow([
                encoded(Learn({"a": 1.0}, "spam")),
                json.dumps(plain(Learn({"a": 1.0}, "spam"), decay=0.5)).encode(),
            ])  # fmt: skip
        assert engine.log.durable == before, "all records of a group, or none"
        engine.follow([encoded(Learn({"a": 1.0}, "spam"))])
        assert engine.log.durable == before + 1


def places_of(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return where there are objects whose names are ours."""
    if isinstance(value, list):
        return [place for k, one in enumerate(value) for place in places_of(one, (*path, k))]
    if not isinstance(value, dict):
        return []
    own = [] if path and path[-1] in ("features", "parameters", "sources", "offsets") else [path]
    return own + [p for name, one in value.items() for p in places_of(one, (*path, name))]


def test_unknown_fields_of_a_page_are_refused_wherever_they_stand(tmp_path: Path) -> None:
    with running(tmp_path / "log", new_model(tmp_path / "model")) as engine:
        for parts in wishes(40):
            engine.wish(parts)
    folder = str(tmp_path / "log")
    line = Path(page_path(folder, snapshots_of(folder)[-1])).read_bytes().partition(b"\n")[0]
    plain_page = {**json.loads(line), "version": 1}  # which has no SHA-256
    assert unsealed("page", json.dumps(plain_page).encode()).version == 1
    places = places_of(plain_page)
    assert len(places) > 8
    for place in places:
        changed = json.loads(json.dumps(plain_page))
        inner = changed
        for name in place:
            inner = inner[name]
        inner["later"] = 1
        with pytest.raises(InputError, match="unknown field `later`"):
            unsealed("page", json.dumps(changed).encode())


def structs_in(found: object) -> set[type[msgspec.Struct]]:
    """Return the structs that a type is made of, as ``msgspec.inspect`` shows them."""
    if isinstance(found, tuple):
        return {kind for one in found for kind in structs_in(one)}
    if not isinstance(found, msgspec.Struct):
        return set()
    own = {found.cls} if isinstance(found, msgspec.inspect.StructType) else set()
    return own | structs_in(tuple(getattr(found, name) for name in found.__struct_fields__))


def test_every_part_of_a_page_refuses_unknown_fields() -> None:
    """Also those that few pages have: alarms, bad messages."""
    kinds = structs_in(msgspec.inspect.type_info(Page))
    assert {Page, KeptLearned, KeptServed, KeptRaised, KeptBadMessage} <= kinds
    assert [kind for kind in kinds if not kind.__struct_config__.forbid_unknown_fields] == []


def test_no_part_of_an_answer_refuses_unknown_fields() -> None:
    given = tuple(kind for one in ENDPOINTS for kind in one.gives)
    kinds = structs_in(tuple(msgspec.inspect.multi_type_info(given)))
    assert {Learned, Served, Raised, BadMessage} <= kinds
    assert [kind for kind in kinds if kind.__struct_config__.forbid_unknown_fields] == []


def test_unknown_fields_of_a_receipt_are_refused(tmp_path: Path) -> None:
    link = {
        "sequence": 3, "rounds": 2, "mistakes": 1, "loss": None, "model": "00",
        "labels": ["ham", "spam"], "before": None,
    }  # fmt: skip
    (tmp_path / NAME).write_text(json.dumps(link) + "\n")
    assert links_of(str(tmp_path))[0].rounds == 2
    (tmp_path / NAME).write_text(json.dumps(link | {"later": 1}) + "\n")
    with pytest.raises(InputError, match="unknown field `later`"):
        links_of(str(tmp_path))


def test_answers_may_have_further_fields_one_day() -> None:
    """Only what the service takes refuses them."""
    schemas = msgspec.json.decode(schema_page(("ham", "spam"), (0.5, 1.0)))["components"]["schemas"]
    strict = {name for name, one in schemas.items() if one.get("additionalProperties") is False}
    assert strict == {
        "Answer", "Answers", "Certify", "Example", "Examples", "Question", "Questions", "Row",
        "Rows",
    }  # fmt: skip
