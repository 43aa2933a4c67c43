"""The extras: packages that only a part of the library needs, imported when they are used."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

EXTRAS = {
    "report": ("matplotlib",),
    "margin": ("highspy", "piqp", "scipy"),
    "files": ("pyarrow",),
    "gpu": ("torch",),
    "cluster": ("ray", "fsspec"),
    "service": (
        "starlette",
        "uvicorn",
        "uvloop",
        "httptools",
        "msgspec",
        "prometheus-client",
        "google-crc32c",
    ),
    "kafka": ("confluent-kafka",),
    "sklearn": ("scikit-learn",),
    "river": ("river",),
}
_PACKAGES = {"sklearn": "scikit-learn"}
"""The packages whose modules have other names."""


def extra(module: str, purpose: str) -> Any:  # a third party's module has no type of ours
    """Import a module of an extra's package, or say how to install it."""
    try:
        return import_module(module)
    except ImportError:
        raise missing(module, purpose) from None


def require_extra(package: str, purpose: str) -> None:
    """Say how to install an extra's package if it is missing, without importing it."""
    if find_spec(package) is None:
        raise missing(package, purpose)


def missing(module: str, purpose: str) -> ModuleNotFoundError:
    """Return the error that says how to install the package of a module."""
    top = module.partition(".")[0]
    package = _PACKAGES.get(top, top.replace("_", "-"))
    name = next(name for name, packages in EXTRAS.items() if package in packages)
    return ModuleNotFoundError(
        f"{purpose}: expected the package {package}, got none. Install it: "
        f"pip install {' '.join(EXTRAS[name])} (the extra novikoff[{name}])."
    )
