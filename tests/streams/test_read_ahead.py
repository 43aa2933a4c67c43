"""Reading ahead: the same items, the same errors, and no thread is left."""

import threading
import time
from collections.abc import Generator
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nv
from novikoff.streams.files.read_ahead import one_ahead


def _items(count: int, fails: bool = False) -> Generator[int, None, None]:
    yield from range(count)
    if fails:
        raise ValueError("the item after the last")


def _readers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "read-ahead"]


@pytest.mark.parametrize("count", [0, 1, 2, 50])
def test_the_items_are_the_same(count: int) -> None:
    assert list(one_ahead(_items(count))) == list(range(count))
    assert not _readers()


def test_an_error_comes_after_the_items_before_it() -> None:
    ahead = one_ahead(_items(3, fails=True))
    assert [next(ahead) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="after the last"):
        next(ahead)
    assert not _readers()


def test_stopping_early_ends_the_thread_and_closes_the_items() -> None:
    closed = []

    def items() -> Generator[int, None, None]:
        try:
            yield from range(100)
        finally:
            closed.append(True)

    ahead = one_ahead(items())
    assert next(iter(ahead)) == 0
    assert len(_readers()) == 1
    del ahead
    assert closed == [True]
    assert not _readers()


def test_the_next_item_is_made_while_the_caller_works() -> None:
    """Two items are made side by side with two of the caller's: 1 waits for 2 if they are not."""
    second = threading.Event()

    def items() -> Generator[int, None, None]:
        yield 1
        second.set()
        yield 2

    for item in one_ahead(items()):
        if item == 1:
            assert second.wait(timeout=60)


def test_a_cache_of_many_batches_plays_as_its_stream_does(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    X = sp.random_array((6000, 500), density=0.2, rng=rng, format="csr")
    y = np.where(np.asarray(X.sum(axis=1)) > 50, 1, -1)
    stream = nv.stream(X, y)
    cached = nv.cache(stream, tmp_path / "rows.arrow")
    assert sum(1 for _ in cached.blocks()) > 1  # or nothing is read ahead
    expected = nv.play(nv.Perceptron(), stream)
    for threads in (1, 2, None):
        run = nv.play(nv.Perceptron(), nv.read(tmp_path / "rows.arrow", threads=threads))
        assert run.ledger.rounds == 6000
        assert np.array_equal(run.ledger.mistake_rounds, expected.ledger.mistake_rounds)
        assert run.learner.hypothesis().weights() == expected.learner.hypothesis().weights()


def test_a_cache_that_is_cut_names_its_file_and_leaves_no_thread(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    X = sp.random_array((6000, 500), density=0.2, rng=rng, format="csr")
    path = tmp_path / "rows.arrow"
    nv.cache(nv.stream(X, np.where(np.arange(6000) % 3, 1, -1)), path)
    data = bytearray(path.read_bytes())
    middle = data.rindex(b"\xff\xff\xff\xff", 0, len(data) * 3 // 4)  # the head of a later batch
    data[middle + 8 : middle + 400] = bytes(392)
    path.write_bytes(data)
    with pytest.raises(nv.InputError, match=r"rows.arrow: expected a whole cache"):
        nv.play(nv.Perceptron(), nv.read(path))
    deadline = time.monotonic() + 60
    while _readers() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not _readers()
