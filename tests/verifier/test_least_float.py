"""The least float above value + √root, also if they cancel; and no part takes a name twice."""

import ast
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import verifier
from oracle.limits import little_time

FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@given(FLOATS, st.floats(0, 1e300))
def test_it_is_the_least_one(value: float, root: float) -> None:
    found = verifier.least_float(Fraction(value), Fraction(root))
    below = math.nextafter(found, -math.inf)

    def enough(f: float) -> bool:
        return f == math.inf or (
            f >= value and (Fraction(f) - Fraction(value)) ** 2 >= Fraction(root)
        )

    assert enough(found)
    assert not enough(below)


@pytest.mark.parametrize("bits", [20, 60, 81, 300, 900, 1073, 1100])
def test_it_takes_no_time_if_value_and_root_cancel(bits: int) -> None:
    """value + √root is 2^−bits, or next to it: once this was climbed float by float from 0."""
    tiny, big = Fraction(1, 1 << bits), Fraction(1 << 40)
    with little_time():
        found = verifier.least_float(-big, (big + tiny) ** 2)
    assert found == max(math.ulp(0.0), float(tiny))


@given(FLOATS)
def test_places_are_in_the_order_of_floats(value: float) -> None:
    place = verifier.place_of(value)
    assert verifier.float_at(place) == value
    assert verifier.float_at(place + 1) == math.nextafter(value, math.inf)


def test_no_name_is_taken_twice() -> None:
    """The parts are one file: what a later one calls the same would change an earlier one."""
    tree = ast.parse(Path(verifier.__file__).read_text(encoding="utf-8"))
    names: Counter[str] = Counter()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names[node.name] += 1
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets += [node.target] if isinstance(node, ast.AnnAssign) and node.value else []
        for target in targets:
            names.update(t.id for t in ast.walk(target) if isinstance(t, ast.Name))
    assert [name for name, times in names.items() if times > 1] == []


def test_lines_in_quotes_take_time_in_proportion(tmp_path: Path) -> None:
    data = tmp_path / "d.csv"
    data.write_bytes(b'y,x\n1,"' + b"\n" * 400_000 + b'"\n')
    with little_time():
        found = list(verifier.records(str(data), quoted=True))
    assert len(found) == 3
