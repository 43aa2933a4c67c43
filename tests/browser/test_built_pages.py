"""All pages of docs as readers get them: links, pictures, formulas, code and search."""

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[2]
BUILT = ROOT / "build" / "docs"
_CUT = """() => [...document.querySelectorAll('article pre')]
    .filter(block => block.scrollWidth > block.clientWidth + 1)
    .map(block => block.innerText.slice(0, 80))"""
_WIDE = """() => [...document.querySelectorAll('article .formula math')]
    .filter(formula => formula.getBoundingClientRect().right
        > formula.closest('article, .table-wrapper').getBoundingClientRect().right + 2)
    .map(formula => formula.textContent)"""


class _Reader(HTMLParser):
    """Notes the ids, links, pictures and scripts of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.pictures: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.ids.add(found.get("id", ""))
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag == "img":
            self.pictures.append(found.get("alt", ""))
        if tag in ("img", "script") and found.get("src"):
            self.loaded.append(found["src"])
        if tag == "link" and found.get("rel") == "stylesheet":
            self.loaded.append(found["href"])


@pytest.fixture(scope="module")
def pages() -> list[Path]:
    """Build all of docs."""
    build = ["-m", "sphinx", "-W", "--keep-going", "-q", str(ROOT / "docs"), str(BUILT)]
    subprocess.run([sys.executable, *build], check=True)
    return sorted(BUILT.glob("*.html"))


@cache
def _read(page: Path) -> _Reader:
    reader = _Reader()
    reader.feed(page.read_text(encoding="utf-8"))
    return reader


@pytest.fixture(scope="module")
def view() -> Iterator[Page]:
    with sync_playwright() as playwright:
        path = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser.new_page(viewport={"width": 1280, "height": 900})
        browser.close()


def test_every_link_leads_to_a_page_and_a_place_on_it(pages: list[Path]) -> None:
    broken = []
    for page in pages:
        for link in _read(page).links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            known = target.exists()
            if known and parts.fragment and target.suffix == ".html":
                known = unquote(parts.fragment) in _read(target).ids
            if not known:
                broken.append(f"{page.name}: {link}")
    assert broken == []


def test_nothing_is_loaded_from_elsewhere(pages: list[Path]) -> None:
    for page in pages:
        assert [path for path in _read(page).loaded if "//" in path] == [], page.name


def test_every_picture_can_be_read_aloud(pages: list[Path]) -> None:
    for page in pages:
        assert all(len(text.split()) >= 4 for text in _read(page).pictures), page.name


def test_no_code_and_no_formula_is_cut_off(pages: list[Path], view: Page) -> None:
    cut = []
    for page in pages:
        view.goto(page.as_uri())
        cut += [f"{page.name}: {line}" for line in view.evaluate(_CUT) + view.evaluate(_WIDE)]
    assert cut == []


def test_formulas_are_set_as_mathematics(pages: list[Path], view: Page) -> None:
    view.goto((BUILT / "theorems_linear.html").as_uri())
    height = "selector => document.querySelector(selector).getBoundingClientRect().height"
    assert view.evaluate(height, "#novikoff mfrac") > view.evaluate(height, "#novikoff mfrac mi")
    assert "$" not in view.inner_text("#novikoff")


def test_the_search_works_without_a_network(pages: list[Path], view: Page) -> None:
    view.goto((BUILT / "search.html").as_uri() + "?q=perceptron")
    view.locator("#search-results li a").nth(5).wait_for()  # they come one after the other


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_follow_the_readers_scheme(pages: list[Path], view: Page, scheme: str) -> None:
    view.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    view.goto((BUILT / "index.html").as_uri())
    colour = view.evaluate("() => getComputedStyle(document.body).backgroundColor")
    bright = sum(int(part) for part in colour.strip("rgba()").split(",")[:3])
    assert (bright > 384) == (scheme == "light")
