"""``novikoff --version --verbose`` has what a bug report needs, and nothing private."""

import getpass
import os
import platform
import tomllib
from pathlib import Path

import numpy as np
import pytest

import novikoff as nv
from commands import Call
from novikoff import _core
from novikoff.cli.bug_facts import NEEDED
from novikoff.extras import EXTRAS

ROOT = Path(__file__).parents[2]


def test_the_version_alone_is_one_line(call: Call) -> None:
    assert call("--version").out == f"{nv.__version__}\n"
    assert call("--version --json").json == {"novikoff": nv.__version__, "remarks": []}


def test_verbose_has_what_a_bug_report_needs(call: Call) -> None:
    found = call("--version --verbose --json").json
    assert found["novikoff"] == nv.__version__
    assert platform.python_version() in found["python"]
    assert found["cpu"] == _core.cpu()
    assert found["compiler"].split()[0] in ("gcc", "clang")
    assert found["packages"]["numpy"] == np.__version__
    assert found["formats"]["models"] == "novikoff/2 (and reads novikoff/1)"
    assert all(found["extras"]["sklearn"].values())
    text = call("--version --verbose").out
    assert text.startswith(f"novikoff: {nv.__version__}\npython: ")
    assert [line.partition(":")[0] for line in text.splitlines()] == [*found][:-1]


def test_it_names_every_package_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    bare = {need.partition(">")[0] for need in project["dependencies"]}
    assert bare <= {*NEEDED}
    assert project["optional-dependencies"].keys() == EXTRAS.keys()


def test_nothing_in_it_says_whose_computer_it_is(call: Call) -> None:
    said = call("--version --verbose").out
    for private in (platform.node(), os.getcwd(), str(ROOT), os.path.expanduser("~")):
        assert private not in said
    assert getpass.getuser() not in said.split()


@pytest.mark.parametrize(
    "command", ["--verbose", "--json", "--json learn a.svm", "--verbose game parities:2"]
)
def test_its_options_belong_to_it(call: Call, command: str) -> None:
    found = call(command)
    assert found.code == 2
    assert "--version" in found.err
