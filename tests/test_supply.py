"""What novikoff is made of: pinned with hashes, with its licences, and tested at both ends."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import novikoff as nv
from release import sbom

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REQUIREMENTS = ROOT / "requirements"
PINNED = ["build", "dev", "browser", "mutation", "release"]
NOT_RUN = {"river", "torch", "ray"}
"""Packages of extras whose oldest version is not among those of ``make test-minimum``.

River's oldest needs a later NumPy than ours, and Ray's is the one with which all tests run. Nothing
has run with the oldest torch.
"""


def pins(path: Path) -> dict[str, str]:
    """Return {package: version} of a file of requirements, and of those it includes."""
    found: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("-r "):
            found |= pins(path.parent / line[3:])
        elif match := re.match(r"([\w.-]+)==([\w.]+)", line):
            found[sbom.normal(match[1])] = match[2]
    return found


@pytest.mark.parametrize("name", PINNED)
def test_every_pin_has_hashes_and_no_address(name: str) -> None:
    hashed = REQUIREMENTS / "hashed" / f"{name}.txt"
    text = hashed.read_text(encoding="utf-8")
    assert "://" not in text
    assert "--index-url" not in text
    entries = re.split(r"\n(?=\S)", text.strip())
    for entry in entries:
        assert re.fullmatch(r"\S+==\S+( ; [^\\]+)?( \\\n    --hash=sha256:[0-9a-f]{64})+", entry), (
            entry
        )
    wanted, found = pins(REQUIREMENTS / f"{name}.txt"), pins(hashed)
    assert {key: found.get(key) for key in wanted} == wanted, "run: make pins"


def test_two_files_never_pin_two_versions() -> None:
    versions: dict[str, set[str]] = {}
    for name in PINNED:
        for package, version in pins(REQUIREMENTS / "hashed" / f"{name}.txt").items():
            versions.setdefault(package, set()).add(version)
    assert not {package: some for package, some in versions.items() if len(some) > 1}


def test_the_oldest_packages_are_those_that_the_project_allows() -> None:
    extras = PROJECT["optional-dependencies"].values()
    needs = [*PROJECT["dependencies"], *(need for some in extras for need in some)]
    oldest = pins(REQUIREMENTS / "minimum.txt")
    for need in needs:
        package, version = need.split(">=")
        if package not in NOT_RUN:
            assert oldest[package].startswith(f"{version}."), need


def test_what_is_compiled_in_has_its_notice() -> None:
    assert PROJECT["license-files"] == ["LICENSE", "licenses/*.txt"]
    notices = {path.stem for path in (ROOT / "licenses").glob("*.txt")}
    assert notices == {*sbom.COMPILED}
    for name in notices:
        text = (ROOT / "licenses" / f"{name}.txt").read_text(encoding="utf-8")
        assert "Copyright (c)" in text
        assert "WITHOUT WARRANTY" in text or "ANY EXPRESS OR IMPLIED WARRANTIES" in text


def test_the_bill_of_materials_names_all_that_is_shipped_or_needed() -> None:
    found = sbom.sbom()
    components = {str(one["name"]): one for one in found["components"]}  # type: ignore[attr-defined]
    direct = {need.partition(">")[0] for need in PROJECT["dependencies"]}
    assert {*sbom.COMPILED} | direct <= components.keys()
    for name, one in components.items():
        assert one["licenses"], name
        assert "unknown" not in str(one["licenses"]), name
    references = {one["bom-ref"] for one in components.values()}
    for entry in found["dependencies"]:  # type: ignore[attr-defined]
        assert set(entry["dependsOn"]) <= references
    assert found["bomFormat"] == "CycloneDX"
    assert found == sbom.sbom()


def test_the_citation_is_valid_and_of_this_version() -> None:
    """What version 1.2.0 of the Citation File Format requires, and no field it does not know."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= cited.keys()
    assert cited.keys() <= {
        "cff-version", "message", "title", "authors", "type", "version", "license", "abstract",
        "keywords",
    }  # fmt: skip
    assert cited["cff-version"] == "1.2.0"
    assert cited["authors"] == [{"name": "The novikoff maintainers"}]
    assert cited["version"] == nv.__version__
    assert cited["license"] == PROJECT["license"]
    assert cited["type"] in ("software", "dataset")
    assert all(isinstance(word, str) for word in cited["keywords"])
    assert len(set(cited["keywords"])) == len(cited["keywords"])
