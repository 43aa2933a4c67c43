"""Pictures: one drawing for a file and for a page, whose style has variables for colours."""

import html
import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from novikoff.extras import extra

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER = "#fcfbf8"
COLOURS = {
    "ink": "#20242a",
    "quiet": "#5c636d",
    "rule": "#dedbd3",
    "curve": "#1d5c94",
    "bound": "#9c4a17",
    "wrong": "#b4402b",
    "slack": "#c98f22",
    "right": "#3f7f60",
}
"""The colours by their names in the page's style; the values are for light paper."""
FONT = "DejaVu Sans"  # comes with matplotlib, and is wide, so text in other fonts fits too


@dataclass(frozen=True)
class Form:
    """A size in pixels of a page; text keeps its size in every form."""

    name: str
    width: int
    height: int
    text: float


WIDE = Form("wide", 760, 400, 12.5)
NARROW = Form("narrow", 358, 420, 12.5)
Drawing = Callable[["Figure", Form], None]


@contextmanager
def _plain_settings(salt: str) -> Iterator[None]:
    """Use matplotlib's own defaults, whatever the user has set, and ids that stay the same."""
    mpl = extra("matplotlib", "report")
    with mpl.rc_context():
        mpl.rcdefaults()
        own: dict[str, object] = {"svg.hashsalt": salt, "svg.fonttype": "none", "font.family": FONT}
        own |= {"text.color": COLOURS["ink"], "text.parse_math": False}
        mpl.rcParams.update(own)
        yield


def _figure(draw: Drawing, form: Form, paper: str) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(form.width / 72, form.height / 72), dpi=72, facecolor=paper)
    draw(figure, form)
    return figure


def svg(draw: Drawing, form: Form, title: str, paper: str = PAPER) -> str:
    """Return the drawing as an SVG file."""
    with _plain_settings(form.name):
        from matplotlib.backends.backend_svg import FigureCanvasSVG

        file = io.StringIO()
        about = {"Title": title, "Date": None, "Creator": None, "Format": None, "Type": None}
        canvas: Any = FigureCanvasSVG(_figure(draw, form, paper))
        canvas.print_svg(file, metadata=about)
    return file.getvalue()


def png(draw: Drawing, form: Form, title: str) -> bytes:
    """Return the drawing as a PNG file, at twice the resolution."""
    with _plain_settings(form.name):
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        file = io.BytesIO()
        figure = _figure(draw, form, PAPER)
        figure.set_dpi(144)
        canvas: Any = FigureCanvasAgg(figure)
        canvas.print_png(file, metadata={"Title": title, "Software": None})
    return file.getvalue()


def inline(draw: Drawing, form: Form, name: str, described: str) -> str:
    """Return the drawing as a part of a page."""
    whole = svg(draw, form, "", paper="none")
    body = whole[whole.index("<g id=") : whole.rindex("</svg>")]
    own = f"{name}-{form.name}-"  # ids must be unique on the whole page
    body = re.sub(r'( id="|href="#|url\(#)', rf"\g<1>{own}", body)
    for role, colour in COLOURS.items():
        body = body.replace(colour, f"var(--{role})")
    head = f'viewBox="0 0 {form.width} {form.height}" role="img"'
    return f'<svg class="{form.name}" {head} aria-label="{html.escape(described)}">\n{body}</svg>'
