"""Records: frozen dataclasses without code of their own."""

import copy
import pickle
from dataclasses import FrozenInstanceError, asdict, field, fields, replace
from typing import ClassVar

import pytest

import novikoff as nv
from novikoff.quick_records import record


@record(frozen=True, kw_only=True)
class Trip:
    """A record with all kinds of fields."""

    kind: ClassVar[str] = "trip"
    start: str
    stops: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.start:
            raise ValueError("a start")


@record(frozen=True, kw_only=True)
class Return(Trip):
    """A record of a record."""

    days: int = 1


def test_a_record_is_a_frozen_dataclass() -> None:
    trip = Return(start="Bonn", days=3)
    assert [one.name for one in fields(trip)] == ["start", "stops", "notes", "days"]
    assert asdict(trip) == {"start": "Bonn", "stops": (), "notes": [], "days": 3}
    assert replace(trip, days=2) == Return(start="Bonn", days=2) != trip
    assert trip != Trip(start="Bonn")
    assert repr(trip) == "Return(start='Bonn', stops=(), notes=[], days=3)"
    assert trip.notes is not Return(start="Bonn").notes
    with pytest.raises(FrozenInstanceError):
        trip.days = 4  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del trip.days


def test_a_record_refuses_other_arguments() -> None:
    with pytest.raises(TypeError, match="expected start too"):
        Trip()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="expected none of end"):
        Trip(start="Bonn", end="Ulm")  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="a start"):
        replace(Trip(start="Bonn"), start="")


def test_a_theorem_can_be_copied_and_is_the_same_one() -> None:
    for one in nv.theorems():
        for twin in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one)):
            assert twin is one


@pytest.mark.parametrize("one", [nv.Hashing(18), nv.Words(2), nv.Scale(), nv.Cross("a", "b")])
def test_a_public_record_can_be_copied_compared_and_hashed(one: object) -> None:
    for twin in (pickle.loads(pickle.dumps(one)), copy.copy(one), eval(repr(one), vars(nv))):
        assert twin == one
        assert hash(twin) == hash(one)
    with pytest.raises(FrozenInstanceError):
        one.name = "other"  # type: ignore[attr-defined]
