"""The pictures of report.md: ``python docs/report.py`` makes them anew, in Chromium.

It needs scikit-learn, whose bundled data it plays, and what ``make test-browser`` installs.
"""

import os
import tempfile
from pathlib import Path
from typing import Any

import novikoff as nv
from novikoff.receipts.stumps import best_feature

DOCS = Path(__file__).parent
VIEWS = {
    "receipt-light": (900, None, "Errors over time"),
    "receipt-dark": (900, None, "Errors over time"),
    "report-light": (900, None, "Loss over time"),
    "report-dark": (900, "Calibration", "Certificate"),
    "report-phone": (390, None, "Errors over time"),
}
"""The width of the window, and the first and last section that are shown; None: from the top."""
_EDGE = """([title, edge]) => [...document.querySelectorAll('section')]
    .find(part => part.querySelector('h2').textContent === title)
    .getBoundingClientRect()[edge] + scrollY"""


def tumours() -> tuple[list[dict[str, float]], list[str]]:
    """569 tumours, 30 measures of each; the label is what a biopsy said."""
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X.to_dict("records"), ["malignant" if v == 0 else "benign" for v in y]


def write(path: Path) -> None:
    """Play the first tumours once, test the model on the others, and write the report."""
    rows, labels = tumours()
    first = nv.stream(rows[:400], labels[:400], positive="malignant")
    run = nv.Run(nv.Blend(), positive="malignant", digest=True).play(first)
    tested = nv.test(run, nv.stream(rows[400:], labels[400:]))
    found = best_feature(run, first)
    about: Any = {"title": "Tumours, one pass", "tested": tested, "best_feature": found}
    nv.report(run, path, nv.bounds(run), nv.certify(run), **about)


def main() -> None:
    """Take the pictures."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    arguments = ["--no-sandbox"] if os.getuid() == 0 else []
    chromium = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = Path(folder) / "report.html"
        write(page)
        browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
        for name, (width, first, last) in VIEWS.items():
            scheme: Any = "dark" if name.endswith("dark") else "light"
            view = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
            view.goto(page.as_uri())
            picture = DOCS / f"{name}.png"
            top = 0 if first is None else view.evaluate(_EDGE, [first, "top"])
            bottom = view.evaluate(_EDGE, [last, "bottom"]) + 30
            part: Any = {"x": 0, "y": top, "width": width, "height": bottom - top}
            view.screenshot(path=picture, full_page=True, clip=part)
            with Image.open(picture) as image:  # few colours: a third of the bytes
                image.convert("RGB").quantize(128).save(picture, optimize=True)
        browser.close()


if __name__ == "__main__":
    main()
