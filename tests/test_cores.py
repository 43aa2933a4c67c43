"""How many cores there are, on systems that say it and on those that do not."""

import os

import pytest

from novikoff.cores import core_count


def test_there_are_as_many_cores_as_this_process_may_use() -> None:
    assert core_count() == len(os.sched_getaffinity(0))


@pytest.mark.parametrize(("counted", "found"), [(6, 6), (None, 1)])
def test_a_system_without_affinity_has_all_of_its_cores(
    counted: int | None, found: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: counted)
    assert core_count() == found
