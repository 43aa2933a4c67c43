"""The tree keeps its shape: what is public is named, documented and up to date."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tokenize
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from token import NAME

import pytest

import novikoff as nv
from novikoff.extras import EXTRAS

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "novikoff"
SOURCES = sorted(PACKAGE.rglob("*.py"))
MODULES = [path for path in SOURCES if not path.name.startswith("__")]
MOST_ANY = 220
"""How often the sources may say ``Any``, imports included; lower it when there are fewer."""
BANNED = {"coding", "drafts", "replays", "wagers"}
PLAIN_WORDS = {
    "batch", "beginning", "canvas", "certifying", "conversion", "demo", "figures", "geometry",
    "guarantees", "hand", "hard", "labelled", "linear", "listings", "objectives", "output",
    "parser", "reread", "selection", "separation", "shrinking", "simplex", "sklearn", "soft",
    "stories",
}  # fmt: skip
"""Words of modules' names that need no explanation."""

AT_THE_ROOT = {
    "ARCHITECTURE.md", "CHANGELOG.md", "CITATION.cff", "CMakeLists.txt", "CONTRIBUTING.md",
    "LICENSE", "Makefile", "README.md", "SECURITY.md", "pyproject.toml", "references.bib",
}  # fmt: skip


def test_no_test_or_command_leaves_a_file_at_the_root() -> None:
    """A test that writes models or certificates by default names has to change its folder first."""
    found = {path.name for path in ROOT.iterdir() if path.is_file()}
    assert {name for name in found if not name.startswith(".")} == AT_THE_ROOT


def test_public_names_are_sorted_documented_and_there() -> None:
    assert nv.__all__ == sorted(nv.__all__)
    for name in nv.__all__:
        assert getattr(nv, name).__doc__, f"novikoff.{name} has no docstring"


def test_help_begins_in_words() -> None:
    """What a thing does comes first; its formula, if it has one, comes below."""
    texts = {f"novikoff.{name}": str(getattr(nv, name).__doc__) for name in nv.__all__}
    for adapter in ("sklearn", "river"):
        tree = ast.parse((PACKAGE / f"{adapter}.py").read_text())
        kinds = [one for one in tree.body if isinstance(one, ast.ClassDef)]
        texts |= {f"novikoff.{adapter}.{kind.name}": str(ast.get_docstring(kind)) for kind in kinds}
    for name, text in texts.items():
        first = text.partition("\n\n")[0]
        assert not re.search("[=←∝≤≥√‖Σ]", first), f"{name}: say it in words: {first}"


def test_help_on_what_newcomers_meet_has_an_example() -> None:
    names = (
        "AveragedPerceptron Blend Cross Exp3 Exp3IX Hashing Hedge Perceptron Run Scale Words "
        "bounds certify compare error_bound margin play read report stream test verify"
    )
    for name in names.split():
        assert ">>> " in (getattr(nv, name).__doc__ or ""), f"novikoff.{name}: show how it is used"


def test_public_names_are_the_same_for_type_checkers() -> None:
    stub = ast.parse((ROOT / "src" / "novikoff" / "__init__.pyi").read_text())
    found = {
        alias.name: str(node.module)
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert found == {name: f"novikoff.{home}" for name, home in nv._HOMES.items()}  # type: ignore[attr-defined]


def test_only_the_core_is_imported_from_the_package_itself() -> None:
    for path in SOURCES:
        for names in re.findall(r"^from novikoff import (.+)$", path.read_text(), re.MULTILINE):
            assert set(names.split(", ")) <= {"_core", "verifier"}, path


def test_every_citation_is_in_the_references() -> None:
    known = set(
        re.findall(
            r"^@\w+\{(\w+),", (ROOT / "references.bib").read_text(encoding="utf-8"), re.MULTILINE
        )
    )
    core = [p for p in (ROOT / "core").rglob("*") if p.suffix in (".hpp", ".cpp", ".inc")]
    cited = set()
    for path in [*SOURCES, *core]:
        cited |= set(re.findall(r"\b([a-z]+(?:19|20)\d\d)\b", path.read_text()))
    assert cited <= known, f"add to references.bib: {', '.join(sorted(cited - known))}"
    assert known <= cited, f"nobody cites: {', '.join(sorted(known - cited))}"


def test_the_stub_is_the_one_the_core_has(tmp_path: Path) -> None:
    stub = tmp_path / "_core.pyi"
    generate = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "novikoff._core", "-o"]
    subprocess.run([*generate, str(stub)], check=True)
    ruff = [sys.executable, "-m", "ruff"]
    configured = ["--config", str(ROOT / "pyproject.toml"), str(stub)]
    subprocess.run([*ruff, "check", "-q", "--fix", "--select", "I", *configured], check=True)
    subprocess.run([*ruff, "format", "-q", *configured], check=True)
    committed = (ROOT / "src" / "novikoff" / "_core.pyi").read_text()
    assert stub.read_text() == committed, "run: make stub"


def test_without_a_compiler_the_build_says_what_to_install(tmp_path: Path) -> None:
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    cmake, ninja = shutil.which("cmake", path=tools), shutil.which("ninja", path=tools)
    configure = [str(cmake), "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}", "-S", str(ROOT), "-B"]
    environment = {"PATH": str(tmp_path), "HOME": str(tmp_path)}
    done = subprocess.run(
        [*configure, str(tmp_path / "build")],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    said = " ".join(done.stderr.split())
    assert "needs a C++20 compiler to build its core and found none" in said
    assert "apt-get install g++" in said


def test_the_extras_are_those_of_the_project() -> None:
    """An error names packages of the extra it names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for name, packages in EXTRAS.items():
        declared = [re.split("[><=]", need)[0] for need in project["optional-dependencies"][name]]
        assert tuple(declared) == packages


def test_no_file_name_occurs_twice() -> None:
    """A file is found by its name alone."""
    counts = Counter(path.name for path in MODULES)
    twice = [str(path.relative_to(ROOT)) for path in MODULES if counts[path.name] > 1]
    assert not twice, f"one name, several files: {', '.join(twice)}"


def test_the_core_has_no_file_twice_and_none_outside_its_folders() -> None:
    files = [path for path in (ROOT / "core").rglob("*") if path.is_file()]
    counts = Counter(path.name for path in files)
    twice = [str(path.relative_to(ROOT)) for path in files if counts[path.name] > 1]
    assert not twice, f"one name, several files: {', '.join(twice)}"
    loose = [path.name for path in files if path.parent == ROOT / "core"]
    assert not loose, f"put into a folder of core/: {', '.join(loose)}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_is_named_after_what_is_in_it(path: Path) -> None:
    """Its words are in the glossary, its folder, its first line, or what it defines."""
    tree = ast.parse(path.read_text())
    first_line = str(ast.get_docstring(tree)).split("\n", 1)[0]
    made = [one.name for one in tree.body if isinstance(one, (ast.ClassDef, ast.FunctionDef))]
    said = _roots(" ".join([first_line, *path.relative_to(PACKAGE).parts[:-1], *made]))
    words = [word for word in path.stem.split("_") if word not in PLAIN_WORDS]
    strange = [word for word in words if _root(word) not in said | _glossary()]
    assert not strange, f"say what {strange[0]!r} is in the first line, or use the glossary's word"
    assert not BANNED.intersection(path.stem.split("_"))


@cache
def _glossary() -> set[str]:
    words = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("## Words")[2]
    return _roots(words.partition("\n## ")[0]) | _roots((ROOT / "docs/glossary.md").read_text())


def _roots(text: str) -> set[str]:
    """Return the words of a text, and those that names such as LabelMap are made of."""
    return {_root(word) for word in re.findall("[A-Z]?[a-z]+|[A-Z]+(?![a-z])", text)}


def _root(word: str) -> str:
    """Return a word without its ending: "playing", "played" and "plays" have one root."""
    found = word.lower()
    for ending in ("ing", "ed", "ies", "es", "s", "y", "e"):
        if found.endswith(ending) and len(found) - len(ending) >= 3:
            return found.removesuffix(ending)
    return found


def _words(path: Path) -> list[str]:
    """Return the names in the code of a module; docstrings and comments have none."""
    with open(path, "rb") as file:
        return [part.string for part in tokenize.tokenize(file.readline) if part.type == NAME]


def test_any_is_for_what_really_can_be_anything() -> None:
    """Between our own modules types are real."""
    said = {path: _words(path).count("Any") for path in SOURCES}
    most = sorted(said, key=lambda path: -said[path])[:5]
    shown = ", ".join(f"{said[path]} in {path.relative_to(PACKAGE)}" for path in most)
    assert sum(said.values()) <= MOST_ANY, f"say object, or the type that it is ({shown})"
