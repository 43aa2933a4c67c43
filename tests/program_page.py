"""The Python of docs/programs.md, which defines the float programs."""

import re
from functools import cache
from pathlib import Path
from types import ModuleType

PAGE = Path(__file__).parents[1] / "docs" / "programs.md"


@cache
def program_page() -> ModuleType:
    """Return the page's code blocks as one module."""
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    module = ModuleType("programs_page")
    exec(compile("\n".join(blocks), str(PAGE), "exec"), module.__dict__)
    return module
