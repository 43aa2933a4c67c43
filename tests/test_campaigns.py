"""Every campaign at its small size; `make campaign` runs them at any."""

import importlib
import pkgutil

import pytest

import campaigns
from reproductions.sets import data_folder

NAMES = sorted(
    found.name for found in pkgutil.iter_modules(campaigns.__path__) if found.name != "__main__"
)


@pytest.mark.parametrize("name", NAMES)
def test_a_small_campaign_finds_nothing(name: str) -> None:
    module = importlib.import_module(f"campaigns.{name}")
    if getattr(module, "REAL", False) and not data_folder().is_dir():
        pytest.skip("no real datasets: set NOVIKOFF_DATA to their folder")
    counts = module.campaign(module.SMALL, 0)
    assert sum(counts.values()) > 0
