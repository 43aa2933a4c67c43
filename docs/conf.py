"""How Sphinx builds the pages (``make docs``), without a network."""

from importlib.metadata import version as version_of
from typing import Any

project = "novikoff"
copyright = "the contributors of novikoff"
version = release = version_of("novikoff")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
exclude_patterns = ["_build"]
nitpicky = False

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
suppress_warnings = ["myst.xref_missing"]  # files beside docs/; tests/test_docs.py follows them

_FOREIGN = "object,Exception,BaseException,tuple,Generic,Protocol,Mapping"
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_default_options = {
    "members": True,
    "inherited-members": _FOREIGN,
    "show-inheritance": True,
    "exclude-members": "is_quick,slow_down",  # between the core and the loop
}

html_theme = "furo"
html_title = "novikoff"
html_static_path: list[str] = []
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}


def _plain(*event: Any) -> None:
    """Escape bars: docstrings are plain text, so a bar is an absolute value, not a substitution."""
    lines: list[str] = event[-1]
    for number, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            lines[number] = line.replace("|", r"\|")


def setup(app: Any) -> None:
    """Have docstrings read as they are written."""
    app.connect("autodoc-process-docstring", _plain)
