"""How Sphinx builds the pages (``make docs``), without a network."""

import re
import sys
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from docutils import nodes
from mathml import mathml

project = "novikoff"
copyright = "the contributors of novikoff"
version = release = version_of("novikoff")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
exclude_patterns = ["_build"]
nitpicky = False

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
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
html_static_path = ["static"]
html_css_files = ["pages.css"]
html_math_renderer = "mathml"
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}


_BESIDE = {"../CHANGELOG.md": "changelog.md", "../benchmarks/RESULTS.md": "results.md"}
"""Pages that lie beside docs/: those that are included here, by their page."""


def _nearby(app: Any, page: str, text: list[str]) -> None:
    """Lead links to Markdown beside docs/ to its page, or else to the file as it is."""
    text[0] = re.sub(
        r"\]\((\.\./[^)#]+\.md)\)", lambda m: f"]({_BESIDE.get(m[1], 'path:' + m[1])})", text[0]
    )


def _without_source(app: Any) -> list[Any]:
    """Leave modules without Python source, such as the core, out of the list of sources."""
    modules = getattr(app.env, "_viewcode_modules", {})
    for name in [name for name, found in modules.items() if not found]:
        del modules[name]
    return []


def _plain(*event: Any) -> None:
    """Escape bars: docstrings are plain text, so a bar is an absolute value, not a substitution."""
    lines: list[str] = event[-1]
    for number, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            lines[number] = line.replace("|", r"\|")


def _inline(writer: Any, node: Any) -> None:
    """Set a formula in a line of text."""
    writer.body.append(f'<span class="formula">{mathml(node.astext())}</span>')
    raise nodes.SkipNode


def _block(writer: Any, node: Any) -> None:
    """Set a formula in the middle of a line of its own."""
    writer.body.append(f'<div class="formula">{mathml(node.astext(), display=True)}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> None:
    """Set formulas as MathML, and have docstrings read as they are written."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.connect("autodoc-process-docstring", _plain)
    app.connect("source-read", _nearby)
    app.connect("html-collect-pages", _without_source, priority=100)
