"""Print what a wheel consists of and needs, as CycloneDX JSON: ``python -m release.sbom``.

It is written from the metadata of what is installed, without a network and without a date, so that
the same environment gives the same bytes.
"""

import json
import re
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
COMPILED = ("nanobind", "robin-map", "uplot")
"""What is part of the wheel, in the core or in a page; its notices are in ``licenses/``."""
CLASSIFIERS = {
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: BSD License": "BSD-3-Clause",
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
}
Component = dict[str, object]


def sbom() -> dict[str, object]:
    """Return the bill of materials of the wheel and of what it needs to run."""
    needed = run_time("novikoff")
    whole = {name: distribution(name) for name in sorted(needed)}
    nanobind = distribution("nanobind")
    components = [
        compiled("nanobind", nanobind.version, "BSD-3-Clause"),
        compiled(
            "robin-map",
            None,
            "MIT",
            f"compiled into novikoff/_core: the copy in nanobind {nanobind.version}",
        ),
        compiled("uplot", "1.6.32", "MIT", "inlined in the live page of the service"),
        *(described(found, "required") for found in whole.values()),
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": described(distribution("novikoff")) | {"type": "application"}},
        "components": components,
        "dependencies": [
            {"ref": reference(found), "dependsOn": sorted(map(reference, direct(found)))}
            for found in (distribution("novikoff"), *whole.values())
        ],
    }


def run_time(name: str) -> set[str]:
    """Return the names of all that a package needs here, also through others, without extras."""
    found: set[str] = set()
    waiting = [distribution(name)]
    while waiting:
        for one in direct(waiting.pop()):
            if normal(one.name) not in found:
                found.add(normal(one.name))
                waiting.append(one)
    return found


def direct(package: Distribution) -> list[Distribution]:
    """Return what a package itself needs here."""
    needs = map(Requirement, package.requires or ())
    wanted = [need for need in needs if need.marker is None or need.marker.evaluate({"extra": ""})]
    return [distribution(need.name) for need in wanted]


def described(package: Distribution, scope: str | None = None) -> Component:
    """Return a component for an installed package."""
    found: Component = {
        "type": "library",
        "bom-ref": reference(package),
        "name": normal(package.name),
        "version": package.version,
        "purl": reference(package),
        "licenses": licences(package),
    }
    return found | ({"scope": scope} if scope else {})


def compiled(name: str, version: str | None, licence: str, remark: str = "") -> Component:
    """Return a component that is part of the core, with its notice."""
    notice = (ROOT / "licenses" / f"{name}.txt").read_text(encoding="utf-8")
    found: Component = {
        "type": "library",
        "bom-ref": f"compiled:{name}",
        "name": name,
        "scope": "required",
        "description": remark or "compiled into novikoff/_core",
        "licenses": [{"license": {"id": licence, "text": {"content": notice}}}],
    }
    return found | ({"version": version} if version else {})


def licences(package: Distribution) -> list[object]:
    """Return what the metadata of a package say about its licence."""
    about = package.metadata
    if "License-Expression" in about:
        return [{"expression": about["License-Expression"]}]
    known = [CLASSIFIERS[c] for c in about.get_all("Classifier") or () if c in CLASSIFIERS]
    if known:
        return [{"license": {"id": known[0]}}]
    named = about["License"] if "License" in about else "unknown"  # noqa: SIM401 — no get
    return [{"license": {"name": named.partition("\n")[0]}}]


def reference(package: Distribution) -> str:
    """Return the package URL, which names a package and its version."""
    return f"pkg:pypi/{normal(package.name)}@{package.version}"


def normal(name: str) -> str:
    """Return a name as indexes write it."""
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    print(json.dumps(sbom(), indent=2, sort_keys=True))
