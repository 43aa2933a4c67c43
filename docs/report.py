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
VIEWS = {"light": (900, 0, 2590), "dark": (900, 2590, 4800), "phone": (390, 0, 1475)}
"""The width of the window, and the part of the page that is shown."""


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
    """Take the three pictures."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    arguments = ["--no-sandbox"] if os.getuid() == 0 else []
    chromium = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = Path(folder) / "report.html"
        write(page)
        browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
        for name, (width, top, bottom) in VIEWS.items():
            scheme: Any = "dark" if name == "dark" else "light"
            view = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
            view.goto(page.as_uri())
            picture = DOCS / f"report-{name}.png"
            part: Any = {"x": 0, "y": top, "width": width, "height": bottom - top}
            view.screenshot(path=picture, full_page=True, clip=part)
            with Image.open(picture) as image:  # few colours: a third of the bytes
                image.convert("RGB").quantize(128).save(picture, optimize=True)
        browser.close()


if __name__ == "__main__":
    main()
