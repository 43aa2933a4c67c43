"""The parts of reports: words, labels beside a figure, bars."""

import html
import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from novikoff.comparators.histogram import histogram
from novikoff.reports.axes import spread
from novikoff.reports.page_words import allowed, text


@given(st.text(), st.integers(2, 80))
def test_any_text_is_escaped_printable_and_short(word: str, limit: int) -> None:
    found = text(word, limit)
    assert not set(found) & set("<>\"'")
    plain = html.unescape(found)
    assert len(plain) <= limit
    plain.encode()
    kept = word.replace("\u200c", "").replace("\u200d", "")
    if kept.isprintable() and len(word) <= limit:
        assert plain == word


@given(st.floats(0, 1e300), st.integers(2, 8))
def test_a_bound_is_shown_no_smaller_than_it_is(value: float, digits: int) -> None:
    shown = float(allowed(value, digits).replace(",", ""))
    assert shown >= value * (1 - 1e-11)
    assert shown <= max(value * (1 + 1.01 * 10.0 ** (1 - digits)), 1e-300)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_labels_keep_their_order_and_their_room(places: list[float]) -> None:
    found = spread(places, 0.1, 0.0, 1.0)
    order = np.argsort(places, kind="stable")
    assert np.all(np.diff(np.array(found)[order]) >= 0.1 - 1e-9)
    assert min(found) >= 0
    assert max(found) <= 1 + 1e-9


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=300))
def test_a_histogram_leaves_nothing_out(values: list[float]) -> None:
    found = histogram(np.array(values))
    assert found is not None
    assert len(found.counts) == 64
    assert sum(found.counts) == len(values)
    assert found.low < found.high
    assert found.below == sum(value < found.low for value in values)
    assert found.above == sum(value > found.high for value in values)
    assert found.below <= found.counts[0]
    assert found.above <= found.counts[-1]
    assert json.loads(json.dumps(found._asdict()))["counts"] == list(found.counts)


def test_a_histogram_of_values_that_are_almost_one() -> None:
    """Too near for 64 edges between them, on either side of a power of two."""
    for middle in (1.0, 2.0, -8.0):
        for steps in range(0, 700, 7):
            ends = middle + steps * np.array([-1, 1]) * np.spacing(abs(middle))
            found = histogram(ends)
            assert found is not None
            assert sum(found.counts) == 2
            assert found.low < found.high


def test_a_histogram_of_nothing_or_of_infinities_is_none() -> None:
    for values in ([], [1.0, np.inf], [np.nan]):
        assert histogram(np.array(values)) is None
