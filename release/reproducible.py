"""Build everything twice, in different folders, and compare the bytes.

``python -m release.reproducible`` copies the committed files to two folders with names of different
lengths, builds the archive and the wheel in each, and names every file inside them that differs.
"""

import io
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

from release.steps import BUILD, ROOT, carry_out, checksum, commit_time
from release.wheels import build_archive, build_wheel

PLACES = ("one", "another-place")


def main() -> int:
    """Return 0 if both builds gave the same bytes."""
    made = [_built(place) for place in PLACES]
    status = 0
    for one, another in zip(*made, strict=True):
        same = one.name == another.name and checksum(one) == checksum(another)
        print(f"{one.name}: {'the same bytes twice' if same else 'differs'}, {checksum(one)}")
        if not same:
            status = 1
            print("\n".join(f"  {name}" for name in differing(one, another)))
    return status


def differing(one: Path, another: Path) -> list[str]:
    """Return the files inside two archives that differ; nothing if only their order or dates do."""
    a, b = _members(one), _members(another)
    return sorted(name for name in a.keys() | b.keys() if a.get(name) != b.get(name))


def _built(place: str) -> list[Path]:
    folder = BUILD / "reproducible" / place
    shutil.rmtree(folder, ignore_errors=True)
    tree, into = folder / "tree", folder / "dist"
    tree.mkdir(parents=True)
    carry_out(["git", "archive", "--format=tar", f"--output={folder / 'tree.tar'}", "HEAD"], ROOT)
    with tarfile.open(folder / "tree.tar") as files:
        files.extractall(tree, filter="data")
    archive = build_archive(tree, into, commit_time())
    return [archive, build_wheel(sys.executable, archive, into, folder)]


def _members(path: Path) -> dict[str, bytes]:
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as files:
            return {name: files.read(name) for name in files.namelist()}
    with tarfile.open(fileobj=io.BytesIO(path.read_bytes())) as archive:
        found = ((member.name, archive.extractfile(member)) for member in archive)
        return {name: file.read() for name, file in found if file is not None}


if __name__ == "__main__":
    sys.exit(main())
