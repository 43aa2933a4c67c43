"""What is public stays: names, parameters, options and keys; what goes warns first."""

import difflib
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import novikoff as nv
from novikoff.deprecations import NAMES
from novikoff.saving.versions import LIBRARY

LISTING = Path(__file__).parents[1] / "docs" / "api.txt"


def difference(committed: str, found: str) -> str:
    """Return which lines went and came, each below the heading or class it belongs to."""
    lines = difflib.unified_diff(
        committed.splitlines(), found.splitlines(), "docs/api.txt", "the code", n=2, lineterm=""
    )
    return "\n".join(lines)


def test_what_is_public_is_what_is_listed() -> None:
    import api

    changed = difference(LISTING.read_text(encoding="utf-8"), api.listing())
    assert not changed, (
        f"what is public has changed:\n{changed}\n"
        "A line with − may break programs of users: deprecate the name first "
        "(src/novikoff/deprecations.py). If the change is meant, run: make api"
    )


def test_a_difference_names_the_line() -> None:
    text = LISTING.read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith("play("))
    found = difference(text, text.replace(line, line.replace("passes=1", "passes=2")))
    assert f"-{line}" in found
    assert "passes=2" in found
    assert difference(text, text) == ""


def test_the_listing_has_every_public_name_once() -> None:
    listed = LISTING.read_text(encoding="utf-8").partition("# novikoff\n")[2].partition("\n# ")[0]
    names = [line.partition("(")[0].strip() for line in listed.splitlines() if line[:1].strip()]
    assert names == nv.__all__


@pytest.mark.parametrize("name", NAMES)
def test_a_deprecated_name_works_and_warns_until_it_goes(name: str) -> None:
    about = NAMES[name]
    said = (
        rf"novikoff\.{name} is deprecated since {about.since} and goes in {about.until}\. "
        rf"Use novikoff\.{about.instead}\."
    )
    with pytest.warns(DeprecationWarning, match=said) as told:
        found = getattr(nv, name)
    assert told[0].filename == __file__
    assert found is getattr(nv, about.instead)
    assert name not in nv.__all__
    now, until = (tuple(map(int, text.split("."))) for text in (LIBRARY, about.until))
    assert now < until, f"{name} was promised to go in {about.until}: take it out"


def test_other_names_do_not_warn_and_unknown_ones_are_not_there() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert nv.Run is not None
        assert not hasattr(nv, "RegretRuns")


def test_importing_a_deprecated_name_shows_the_warning_to_the_user() -> None:
    program = "from novikoff import RegretRun"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "DeprecationWarning: novikoff.RegretRun is deprecated" in done.stderr
