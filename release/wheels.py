"""The source archive, and from it one wheel per Python: ``python -m release.wheels PYTHON …``.

They are left in ``dist/``. A wheel is built from the archive, never from the tree, so an archive
that lacks a file fails here. On Linux auditwheel gives it the manylinux tag that its symbols allow.
"""

import shutil
import sys
from pathlib import Path

from release.steps import BUILD, DIST, ROOT, TOOLS, carry_out, checksum, commit_time, tag_of


def main(pythons: list[str]) -> None:
    """Build everything anew and say what came out."""
    shutil.rmtree(DIST, ignore_errors=True)
    archive = build_archive(ROOT, DIST, commit_time())
    for python in pythons or [sys.executable]:
        build_wheel(python, archive, DIST, BUILD / "wheels")
    for path in sorted(DIST.iterdir()):
        print(f"{path.name}: {path.stat().st_size:,} bytes, sha256 {checksum(path)}")


def build_archive(tree: Path, into: Path, time: str) -> Path:
    """Return the source archive of a tree."""
    into.mkdir(parents=True, exist_ok=True)
    command: list[str | Path] = [
        sys.executable,
        "-m",
        "build",
        "--sdist",
        "--no-isolation",
        "--outdir",
        into,
        tree,
    ]
    carry_out(command, more={"SOURCE_DATE_EPOCH": time})
    (archive,) = into.glob("*.tar.gz")
    return archive


def build_wheel(python: str, archive: Path, into: Path, workshop: Path) -> Path:
    """Return the wheel of an interpreter, built from a source archive in a workshop of its own."""
    place = workshop / tag_of(python)
    shutil.rmtree(place, ignore_errors=True)
    carry_out([python, "-m", "venv", place / "venv"])
    raw = place / "raw"
    versions = str(ROOT / "requirements" / "build.txt")
    carry_out(
        [place / "venv/bin/python", "-m", "pip", "wheel", "--no-deps", "--wheel-dir", raw, archive],
        place,
        {
            "SOURCE_DATE_EPOCH": commit_time(),
            "PIP_CONSTRAINT": versions,
            "PIP_BUILD_CONSTRAINT": versions,
            "PATH": f"{TOOLS}:/usr/local/bin:/usr/bin:/bin",
        },
    )
    (wheel,) = raw.glob("*.whl")
    return _repaired(wheel, into)


def _repaired(wheel: Path, into: Path) -> Path:
    before = set(into.glob("*.whl"))
    if sys.platform == "linux":
        command: list[str | Path] = [
            sys.executable,
            "-m",
            "auditwheel",
            "repair",
            "--wheel-dir",
            into,
            wheel,
        ]
        more = {"PATH": f"{TOOLS}:/usr/bin:/bin", "SOURCE_DATE_EPOCH": commit_time()}
        carry_out(command, more=more)
    else:
        shutil.copy(wheel, into)
    (made,) = set(into.glob("*.whl")) - before
    return made


if __name__ == "__main__":
    main(sys.argv[1:])
