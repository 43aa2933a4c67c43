"""The live page: the figures as HTML, which a browser with JavaScript then keeps up to date."""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path

from starlette.responses import HTMLResponse

from novikoff.service.live_figures import LiveFigures, Row

_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath "
    "d='M1 3c3 8 6 10 14 10' fill='none' stroke='%232f6fab' stroke-width='2'/%3E%3C/svg%3E"
)
_NUMBERS = (
    ("error_recent", "Error lately", "latest"),
    ("error", "Error over all", "mistakes"),
    ("error_bound", "Error bound", "bound_note"),
    ("baseline", "Baseline", "baseline_note"),
    ("loss_recent", "Log loss lately", "loss_latest"),
    ("loss", "Log loss", "loss_note"),
    ("learn_rate", "Learning", "learn_note"),
    ("predict_rate", "Predicting", "predict_note"),
    ("features", "Features", "features_note"),
    ("pending", "Asks pending", "asks_note"),
)
_TABLES = {
    "alarms": ("Alarms", ("Round", "Mistakes", "Allowed")),
    "labels": ("Mistakes by label", ("Label", "Rounds", "Mistakes", "Error")),
    "mistakes": ("Latest mistakes", ("Round", "Label", "Predicted", "Features")),
    "calibration": ("Calibration", ("Probability", "Rounds", "Mean given", "Came true")),
}
_CHARTS = {
    "error": "Error by round",
    "loss": "Log loss by round",
    "calibration": "Probability given, and how often it came true",
    "rates": "Examples per second since the start, at most five minutes",
}


@cache
def _part(*names: str) -> str:
    folder = Path(__file__).with_name("browser")
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in names)


def _style() -> str:
    return _part("uplot.min.css", "live.css")


def _script() -> str:
    return _part("uplot.min.js", "live.js")


def _allowed(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


@cache
def _policy(scripted: bool) -> str:
    """Return what the browser may do: run our own script, show our own style, ask us."""
    script = f"script-src {_allowed(_script())}; connect-src 'self'; " if scripted else ""
    return (
        f"default-src 'none'; {script}style-src {_allowed(_style())}; img-src data:; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _page(title: str, body: str, script: str = "", status: int = 200) -> HTMLResponse:
    again = '<noscript><meta http-equiv="refresh" content="10"></noscript>' if script else ""
    text = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="color-scheme" content="light dark"><link rel="icon" href="{_ICON}">{again}'
        f"<style>{_style()}</style></head><body>{body}{script}</body></html>"
    )
    headers = _HEADERS | {"Content-Security-Policy": _policy(bool(script))}
    return HTMLResponse(text, status, headers)


def sign_in_page(problem: str = "") -> HTMLResponse:
    """Return the form that asks for a token."""
    said = f'<p class="alarm" role="alert">{escape(problem)}</p>' if problem else ""
    body = (
        f"<main class='door'><p class='kind'>novikoff serve</p><h1>What is being learned</h1>{said}"
        '<form method="post" action="session"><label for="token">Token of this service</label>'
        '<input name="user" value="novikoff" autocomplete="username" hidden>'
        '<input id="token" name="token" type="password" autocomplete="current-password" required '
        'autofocus spellcheck="false"><button>Sign in</button></form>'
        "<p class='note'>A read token is enough. The browser may then look, and change nothing."
        "</p></main>"
    )
    return _page("Sign in – novikoff", body, status=401 if problem else 200)


def live_page(figures: LiveFigures) -> HTMLResponse:
    """Return the page with the figures of now."""
    tables = "".join(_table(name, figures) for name in _TABLES)
    hidden = "" if figures.alarm else " hidden"
    body = (
        '<main><header><p class="kind">novikoff serve</p>'
        f'<h1 data-title>{escape(figures.title)}</h1><p class="note"><span id="state">As of now'
        '</span> · <span data-figure="mistakes">'
        f"{escape(figures.texts['mistakes'])}</span></p>"
        '<form method="post" action="session/end"><button>Sign out</button></form></header>'
        f'<p id="alarm" class="alarm" role="status"{hidden}>{escape(figures.alarm)}</p>'
        f'<dl class="numbers">{"".join(_number(one, figures) for one in _NUMBERS)}</dl>'
        f'<div class="charts">{"".join(_chart(name) for name in _CHARTS)}</div>{tables}</main>'
    )
    return _page("What is being learned – novikoff", body, f"<script>{_script()}</script>")


def _number(one: tuple[str, str, str], figures: LiveFigures) -> str:
    key, name, note = one
    return (
        f'<div><dt>{name}</dt><dd data-figure="{key}">{escape(figures.texts[key])}</dd>'
        f'<dd class="note" data-figure="{note}">{escape(figures.texts[note])}</dd></div>'
    )


def _chart(name: str) -> str:
    note = ' <small data-figure="window"></small>' if name in ("error", "loss") else ""
    caption = f"<figcaption>{_CHARTS[name]}{note}</figcaption>"
    return f'<figure data-chart="{name}" hidden>{caption}</figure>'


def _table(name: str, figures: LiveFigures) -> str:
    title, head = _TABLES[name]
    rows = figures.tables[name]
    heads = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    note = escape(figures.texts.get(f"{name}_note", ""))
    hidden = "" if rows else " hidden"
    return (
        f'<section data-table="{name}"{hidden}><h2>{title}</h2>'
        f'<p class="note" data-figure="{name}_note">{note}</p>'
        f'<div class="scroll"><table><thead><tr>{heads}</tr></thead>'
        f"<tbody>{''.join(map(_line, rows))}</tbody></table></div></section>"
    )


def _line(row: Row) -> str:
    first, *rest = (f"<bdi>{escape(cell)}</bdi>" for cell in row)
    return f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>'
