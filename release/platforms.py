"""The same bits from every compiler and CPU that we can try: ``python -m release.platforms``.

The build of this environment, on this CPU and on its baseline; clang's; and GCC's for aarch64, with
Debian's Python and PyPI's NumPy of that architecture under qemu-user. Each prints the digests of
``release.bits``, and must print those of the first; on another architecture, those of numbers that
NumPy computes may differ, and are counted. With ``--contracts`` each also plays the tests
of tests/learners/test_contracts.py. What is missing is named, and left out.
"""

import json
import os
import shutil
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from release import arm
from release.bits import by_numpy
from release.steps import BUILD, ROOT, TOOLS, StepError, carry_out

BASELINE, V3 = {"NOVIKOFF_CPU": "baseline"}, {"NOVIKOFF_CPU": "x86-64-v3"}
CONTRACTS = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/learners/test_contracts.py"]


@dataclass(frozen=True)
class Platform:
    """A build, and how to start a Python that imports it."""

    python: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    other_numpy: bool = False
    """Whether its NumPy was compiled for another architecture."""


def main(arguments: list[str]) -> int:
    """Return 0 if all platforms that could be tried agree."""
    status, first = 0, None
    for name, (prepare, needs) in PLATFORMS.items():
        lacking = [tool for tool in needs if shutil.which(tool) is None]
        if lacking:
            print(f"{name}: left out, because there is no {', '.join(lacking)}")
            continue
        platform = prepare()
        found = json.loads(_said(platform, ["-m", "release.bits"]))
        digests = found["digests"]
        first = first or digests
        other = [case for case in first if digests.get(case) != first[case]]
        wrong = [case for case in other if not (platform.other_numpy and by_numpy(case))]
        status |= bool(wrong) or digests.keys() != first.keys()
        print(
            f"{name}: CPU level {found['cpu']}, {len(digests)} digests, {len(wrong)} differ", end=""
        )
        excused = len(other) - len(wrong)
        print(f", and {excused} of NumPy's numbers" if excused else "", flush=True)
        print("".join(f"  {case}\n" for case in wrong), end="", flush=True)
        if "--contracts" in arguments:
            print("  " + _said(platform, CONTRACTS).strip().splitlines()[-1], flush=True)
    return status


def _said(platform: Platform, words: list[str]) -> str:
    return carry_out([*platform.python, *words], more=platform.environment)


def _clang() -> Platform:
    place = BUILD / "clang"
    site = compiled(place, ["-DCMAKE_CXX_COMPILER=clang++"])
    carry_out([sys.executable, "-m", "venv", "--without-pip", place / "venv"])
    (folder,) = (place / "venv").glob("lib/python3*/site-packages")
    # A list of folders, whose own .pth files, such as that of an editable install, are not read.
    development = {
        sysconfig.get_path("purelib"),
        *(path for path in sys.path if "-packages" in path),
    }
    (folder / "development.pth").write_text("\n".join([str(site), *sorted(development)]))
    return Platform([str(place / "venv/bin/python")])


def _aarch64() -> Platform:
    place = BUILD / "aarch64"
    root = arm.fetched(place / "root")
    site = compiled(place, arm.definitions(root))
    packages = arm.installed(place / "packages")
    return Platform(arm.python(root, [ROOT, ROOT / "tests", site, packages]), other_numpy=True)


def compiled(place: Path, definitions: list[str]) -> Path:
    """Return a folder with the package and its core, compiled with these CMake definitions."""
    nanobind = carry_out([sys.executable, "-m", "nanobind", "--cmake_dir"]).strip()
    common = [f"-DPython_EXECUTABLE={sys.executable}", f"-Dnanobind_DIR={nanobind}"]
    path = {"PATH": f"{TOOLS}{os.pathsep}{os.environ['PATH']}"}
    carry_out(
        ["cmake", "-S", ROOT, "-B", place, "-G", "Ninja", *common, *definitions],
        more=path,
    )
    carry_out(["ninja", "-C", place], more=path)
    site = place / "site"
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(ROOT / "src", site, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    (core,) = place.glob("_core*.so")
    shutil.copy(core, site / "novikoff")
    return site


PLATFORMS: dict[str, tuple[Callable[[], Platform], list[str]]] = {
    "this build": (lambda: Platform([sys.executable]), []),
    "this build, without AVX-512": (lambda: Platform([sys.executable], V3), []),
    "this build, without AVX2": (lambda: Platform([sys.executable], BASELINE), []),
    "clang": (_clang, ["clang++"]),
    "GCC for aarch64, in qemu-user": (
        _aarch64,
        ["aarch64-linux-gnu-g++", "qemu-aarch64", "apt-get", "dpkg-deb"],
    ),
}


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except StepError as error:
        sys.exit(f"platforms: {error}")
