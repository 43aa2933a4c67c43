"""Python for aarch64 from Debian's archive, unpacked into a folder: nothing is installed.

apt gets a state of its own that knows no other architecture, so neither the packages nor the
settings of this machine change, and nobody needs to be root.
"""

import re
import sys
from pathlib import Path

from release.steps import ROOT, StepError, carry_out

SUITE, VERSION, PACKAGES = "bookworm", "3.11", ("minimal", "stdlib", "dev")
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
TESTED = re.compile(
    r"(numpy|scipy|safetensors|rich|markdown-it-py|mdurl|Pygments|pytest|iniconfig|pluggy|packaging"
    r"|hypothesis|sortedcontainers|mpmath)=="
)


def fetched(root: Path) -> Path:
    """Return a folder that holds Python and its libraries, as Debian lays them out."""
    if (root / "usr/bin" / f"python{VERSION}").exists():
        return root
    state = root.parent / "apt"
    for folder in ("state/lists/partial", "cache/archives/partial", "etc/apt.conf.d"):
        (state / folder).mkdir(parents=True, exist_ok=True)
    (state / "status").touch()
    source = f"deb [signed-by={KEYS}] {_archive()} {SUITE} main\n"
    (state / "etc/sources.list").write_text(source)
    options = {
        "Dir::State": state / "state",
        "Dir::State::status": state / "status",
        "Dir::Cache": state / "cache",
        "Dir::Etc": state / "etc",
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "APT::Install-Recommends": "false",
        "Debug::NoLocking": "true",
    }
    apt = ["apt-get", "-q", "-y", *(f"-o{name}={value}" for name, value in options.items())]
    carry_out([*apt, "update"])
    wanted = [f"libpython{VERSION}-{part}" for part in PACKAGES] + [f"python{VERSION}-minimal"]
    carry_out([*apt, "install", "--download-only", *wanted, "libstdc++6"])
    for package in sorted((state / "cache/archives").glob("*.deb")):
        carry_out(["dpkg-deb", "-x", package, root])
    return root


def _archive() -> str:
    """Return the address from which this machine takes Debian's packages."""
    sites = carry_out(["apt-get", "indextargets", "--format", "$(SITE)", "Codename: " + SUITE])
    if not sites.strip():
        raise StepError(
            f"aarch64: expected a source of Debian's {SUITE} among those of apt, got none. Add one "
            "to /etc/apt/sources.list.d, and call apt-get update as root."
        )
    return sites.split()[0]


def definitions(root: Path) -> list[str]:
    """Return what CMake needs to know to compile for that Python."""
    return [
        f"-DCMAKE_TOOLCHAIN_FILE={ROOT / 'release/aarch64.cmake'}",
        f"-DROOT={root}",
        f"-DPython_INCLUDE_DIR={root}/usr/include/python{VERSION}",
        f"-DSKBUILD_SOABI=cpython-{VERSION.replace('.', '')}-aarch64-linux-gnu",
    ]


def installed(folder: Path) -> Path:
    """Return a folder with PyPI's wheels of what the digests and the contracts import."""
    if folder.exists():
        return folder
    lines = [
        line
        for file in ("build.txt", "dev.txt")
        for line in (ROOT / "requirements" / file).read_text().splitlines()
        if TESTED.match(line)
    ]
    levels = ("manylinux_2_28", "manylinux_2_27", "manylinux_2_17", "manylinux2014")
    carry_out(
        [
            *(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", folder),
            *(f"--platform={level}_aarch64" for level in levels),
            *("--implementation=cp", f"--python-version={VERSION}", "--only-binary=:all:"),
            *("--abi=cp311", "--abi=abi3", "--abi=none"),
            *lines,
        ]
    )
    return folder


def python(root: Path, path: list[Path]) -> list[str]:
    """Return the command that starts it; a path of its own, because it has no environment."""
    found = ":".join(str(folder) for folder in path)
    qemu = ["qemu-aarch64", "-L", str(root), "-E", f"PYTHONPATH={found}"]
    return [*qemu, str(root / "usr/bin" / f"python{VERSION}")]
