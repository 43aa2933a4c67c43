"""A missing core: what to say if the compiled part of the package cannot be found."""

import os
import sysconfig


def missing_core(folder: str) -> ImportError:
    """Return the error about a folder of the package without a core for this Python."""
    wanted = "_core" + (sysconfig.get_config_var("EXT_SUFFIX") or "")
    inside = os.listdir(folder) if os.path.isdir(folder) else ()
    found = sorted(name for name in inside if name.startswith("_core.") and name[-1] != "i")
    got = ", ".join(found) or ("none" if inside else "no folder, and no archive can hold it")
    return ImportError(
        f"novikoff: expected its compiled core {wanted} in {folder}, got {got}. Install novikoff "
        "with pip and this Python."
    )
