"""``novikoff --version --verbose``: the facts that a bug report needs, without names or paths."""

import platform
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import TypedDict

from novikoff.cli.answers import print_json
from novikoff.extras import EXTRAS
from novikoff.saving.versions import LIBRARY, Listed, formats

NEEDED = ("numpy", "safetensors", "rich")


class Facts(TypedDict):
    """What a bug report needs."""

    novikoff: str
    python: str
    system: str
    cpu: str
    compiler: str
    blas: str
    packages: Mapping[str, str | None]
    extras: Mapping[str, Mapping[str, str | None]]
    formats: Mapping[str, str]


def facts() -> Facts:
    """Return the facts; nothing in them says whose computer it is."""
    from novikoff import _core

    built = f"{platform.python_implementation()} {platform.python_version()}"
    return {
        "novikoff": LIBRARY,
        "python": f"{built}, {'64' if sys.maxsize > 2**32 else '32'} bits",
        "system": f"{platform.system()} {platform.machine()}".strip(),
        "cpu": _core.cpu(),
        "compiler": _core.compiler(),
        "blas": _blas(),
        "packages": {name: _installed(name) for name in NEEDED},
        "extras": {
            extra: {name: _installed(name) for name in packages}
            for extra, packages in sorted(EXTRAS.items())
        },
        "formats": {what: _versions(listed) for what, listed in formats().items()},
    }


def tell_version(verbose: bool, json: bool) -> None:
    """Print the version, or all that a bug report needs."""
    if not verbose:
        print_json({"novikoff": LIBRARY}) if json else print(LIBRARY)
        return
    found = facts()
    print_json(found) if json else _show(found)


def _versions(listed: Listed) -> str:
    """Return the versions that are written, and those that are only read."""
    others = [one for one in listed.read if one not in listed.written]
    written = ", ".join(listed.written)
    return f"{written} (and reads {', '.join(others)})" if others else written


def _show(found: Facts) -> None:
    for name, value in found.items():
        print(f"{name}: {_line(value)}")


def _line(value: object) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{name} {_line(one)}" for name, one in value.items())
    return "none" if value is None else str(value)


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _blas() -> str:
    """Return the library of linear algebra that NumPy was built with."""
    import numpy as np

    built = np.show_config(mode="dicts") or {}
    blas = built.get("Build Dependencies", {}).get("blas", {})
    return f"{blas.get('name', 'unknown')} {blas.get('version', '')}".strip()
