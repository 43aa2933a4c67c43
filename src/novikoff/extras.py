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
}


def extra(module: str, purpose: str) -> Any:  # a third party's module has no type of ours
    """Import a module of an extra's package, or say how to install it."""
    try:
        return import_module(module)
    except ImportError:
        raise _missing(module, purpose) from None


def require_extra(package: str, purpose: str) -> None:
    """Say how to install an extra's package if it is missing, without importing it."""
    if find_spec(package) is None:
        raise _missing(package, purpose)


def _missing(module: str, purpose: str) -> ImportError:
    package = module.partition(".")[0].replace("_", "-")
    name = next(name for name, packages in EXTRAS.items() if package in packages)
    return ImportError(
        f"{purpose}: expected the package {package}, got none. Install it: "
        f"pip install {' '.join(EXTRAS[name])} (the extra novikoff[{name}])."
    )
