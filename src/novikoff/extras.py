"""The extras: packages that only a part of the library needs, imported where they are used."""

from importlib import import_module
from typing import Any

EXTRAS = {
    "report": ("matplotlib",),
    "margin": ("highspy", "piqp", "scipy"),
    "files": ("pyarrow",),
    "gpu": ("torch",),
}


def extra(module: str, purpose: str) -> Any:
    """Import a module of an extra's package, or say how to install it."""
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        name = next(name for name, packages in EXTRAS.items() if package in packages)
        raise ImportError(
            f"{purpose}: expected the package {package}, got none. Install it: "
            f"pip install {' '.join(EXTRAS[name])} (the extra novikoff[{name}])."
        ) from None
