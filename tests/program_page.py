"""The Python of docs/programs.md and its second page, which define the float programs."""

import re
from functools import cache
from pathlib import Path
from types import ModuleType

DOCS = Path(__file__).parents[1] / "docs"
PAGES = [DOCS / "programs.md", DOCS / "programs_classes.md"]


@cache
def program_page() -> ModuleType:
    """Return the code blocks of the pages as one module."""
    text = "\n".join(page.read_text() for page in PAGES)
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    module = ModuleType("programs_page")
    exec(compile("\n".join(blocks), str(PAGES[0]), "exec"), module.__dict__)
    return module
