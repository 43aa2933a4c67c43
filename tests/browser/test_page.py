"""The page of a report in a real browser, light and dark, wide and on a phone."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

import novikoff as nv

SIZES = {"desktop": (1280, 900), "tablet": (700, 900), "phone": (390, 844), "small": (320, 640)}
VIEWS = [*(("light", size) for size in SIZES), ("dark", "desktop"), ("dark", "phone")]
_NAMES = ["<script>alert(1)</script>", "עברית", "w" * 300, "plain", "naïve", "a b", "x" * 30]


def _linear(rounds: int, noise: float, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rounds, 12))
    return X, np.where(X[:, 0] - 2 * X[:, 1] + noise * rng.standard_normal(rounds) >= 0, 1, -1)


def _noisy() -> nv.Run:
    return nv.play(nv.Perceptron(bias=1.0), nv.stream(*_linear(20_000, 0.4)))


def _separable() -> nv.Run:
    X, y = _linear(2000, 0.0)
    far = np.abs(X[:, 0] - 2 * X[:, 1]) > 0.3
    return nv.play(nv.Perceptron(), nv.stream(X[far], y[far]), until_clean=True)


def _one_round() -> nv.Run:
    return nv.play(nv.Perceptron(), nv.stream([[1.0, 2.0]], [-1]))


def _no_mistake() -> nv.Run:
    return nv.play(nv.Perceptron(), nv.stream(np.abs(_linear(500, 0.0)[0]), [1] * 500))


def _named() -> nv.Run:
    X, y = _linear(400, 0.5)
    rows = [dict(zip(_NAMES, row[: len(_NAMES)].tolist(), strict=True)) for row in X]
    labels = ["<b>yes</b>" * 9 if sign > 0 else "n" * 200 for sign in y]
    return nv.play(nv.Perceptron(bias=1.0), nv.stream(rows, labels, positive=labels[y.argmax()]))


def _classes() -> nv.Run:
    X, _ = _linear(1000, 0.0)
    return nv.play(nv.MulticlassPerceptron(bias=1.0), nv.stream(X, X.argmax(axis=1)))


def _minnow() -> nv.Run:
    return nv.play(nv.BalancedMinnow(0.01), nv.stream(*_linear(1000, 0.2)))


def _abstaining() -> nv.Run:
    return nv.play(nv.ModifiedPerceptron(sigma=0.2), nv.stream(*_linear(1000, 0.0)))


def _blended() -> nv.Run:
    return nv.play(nv.Blend(), nv.stream(*_linear(3000, 1.0)))


def _many_blended() -> nv.Run:
    X, _ = _linear(1000, 0.0)
    names = np.array(["<b>" + "w" * 60, "עברית", *"cdefghijkl"])
    return nv.play(nv.Blend(), nv.stream(X, names[X.argmax(axis=1)]))


def _unbeaten() -> nv.Run:
    """Worse than guessing: the rows say nothing."""
    rng = np.random.default_rng(5)
    X, y = rng.standard_normal((400, 3)), np.where(rng.random(400) < 0.2, "rare", "usual")
    return nv.play(nv.Perceptron(), nv.stream(X, y, positive="rare"))


def _file() -> nv.Run:
    """Sorted by label, with a line that is none, and a name that the shell would take apart."""
    file = Path(tempfile.mkdtemp()) / f"{'a long name; ' * 12}.svm"
    file.write_text("1 1:1 2:0.5\n" * 40 + "1x 1:1\n" + "-1 1:-1 3:1\n" * 40)
    return nv.play(nv.Perceptron(), nv.read(file, on_bad="skip"))


RUNS = [
    _noisy, _separable, _one_round, _no_mistake, _named, _classes, _minnow, _abstaining, _file,
    _blended, _many_blended, _unbeaten,
]  # fmt: skip


@pytest.fixture(scope="module", params=RUNS, ids=lambda make: make.__name__.strip("_"))
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = request.param()
    path = tmp_path_factory.mktemp("reports") / "report.html"
    if run.ledger.learner in ("ModifiedPerceptron", "ClassBlend"):  # these have no certificate
        nv.report(run, path)
    else:
        nv.report(run, path, nv.bounds(run), nv.certify(run))
    return path


@dataclass
class Seen:
    """A page as it was opened, what the console said and what was asked of the network."""

    page: Page
    scheme: str
    address: str
    said: list[str]
    asked: list[str]

    def ask(self, script: str) -> Any:
        """Evaluate a script in the page."""
        return self.page.evaluate(script)


@pytest.fixture(scope="module", params=VIEWS, ids="-".join)
def seen(request: pytest.FixtureRequest, browser: Browser, report: Path) -> Iterator[Seen]:
    """The page in one scheme and size, its details unfolded."""
    scheme, size = request.param
    width, height = SIZES[size]
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, offline=True
    )
    opened = Seen(context.new_page(), scheme, report.as_uri(), [], [])
    opened.page.on("console", lambda message: opened.said.append(message.text))
    opened.page.on("pageerror", lambda error: opened.said.append(str(error)))
    opened.page.on("request", lambda asked: opened.asked.append(asked.url))
    opened.page.goto(opened.address)
    opened.ask("document.querySelectorAll('details').forEach(d => d.open = true)")
    yield opened
    context.close()


_CONTRASTS = """() => {
  const parse = text => text.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const light = rgb => rgb.map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const paper = light(parse(getComputedStyle(document.body).backgroundColor));
  const found = [];
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some(n => n.nodeType === 3 && n.data.trim());
    if (!own || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const ink = light(parse(element.closest('svg') ? style.fill : style.color));
    const ratio = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    found.push([element.textContent.trim().slice(0, 40), ratio]);
  }
  return found;
}"""

_FIGURES = """() => [...document.querySelectorAll('figure')].map(figure => {
  const shown = [...figure.querySelectorAll('svg')].filter(s => s.checkVisibility());
  return shown.map(svg => {
    const box = e => {
      const r = e.getBoundingClientRect();
      return [r.left, r.top, r.right, r.bottom];
    };
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    const texts = [...svg.querySelectorAll('text')];
    return {
      box: box(svg),
      parts: [...svg.querySelectorAll('path, use')].filter(e => !e.closest('defs')).map(box),
      texts: texts.map(e => [e.textContent, box(e)]),
      size: Math.min(...texts.map(e => scale * parseFloat(getComputedStyle(e).fontSize))),
    };
  });
})"""


def test_the_page_loads_nothing_and_complains_of_nothing(seen: Seen) -> None:
    assert seen.said == []
    assert seen.asked == [seen.address]


def test_nothing_is_wider_than_the_screen(seen: Seen) -> None:
    width, room = seen.ask(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert width <= room


def test_text_stands_out_from_the_paper(seen: Seen) -> None:
    found = seen.ask(_CONTRASTS)
    assert len(found) > 30
    assert [line for line in found if line[1] < 4.5] == []
    dark = seen.ask("parseInt(getComputedStyle(document.body).backgroundColor.slice(4)) < 128")
    assert dark == (seen.scheme == "dark")


def test_each_figure_is_seen_once_and_can_be_read(seen: Seen) -> None:
    figures = seen.ask(_FIGURES)
    assert 1 <= len(figures) <= 6
    room = seen.ask("document.documentElement.clientWidth")
    for (shown,) in figures:
        left, top, right, bottom = shown["box"]
        assert right - left >= min(0.85 * room, 450)
        assert bottom - top > 250
        assert shown["size"] >= (9.5 if room < 390 else 11)


def test_nothing_leaves_the_picture(seen: Seen) -> None:
    for (shown,) in seen.ask(_FIGURES):
        left, top, right, bottom = shown["box"]
        for part in [*shown["parts"], *(box for _, box in shown["texts"])]:
            assert left - 1 <= part[0] <= part[2] <= right + 1
            assert top - 1 <= part[1] <= part[3] <= bottom + 1


def test_no_text_in_a_picture_hides_another(seen: Seen) -> None:
    for (shown,) in seen.ask(_FIGURES):
        texts = [(name, box) for name, box in shown["texts"] if name]
        for i, (name, a) in enumerate(texts):
            for other, b in texts[i + 1 :]:
                across = min(a[2], b[2]) - max(a[0], b[0])
                down = min(a[3], b[3]) - max(a[1], b[1])
                # The boxes have the height of lines, not of letters.
                assert across <= 0 or down <= 0.3 * (a[3] - a[1]), f"{name} and {other}"


def test_the_policy_holds(browser: Browser, tmp_path: Path) -> None:
    """Scripts and requests are refused even where somebody puts them into the page."""
    path = tmp_path / "report.html"
    nv.report(_one_round(), path)
    intruder = "<script>document.title = 'changed'</script><img src='x.png'></main>"
    path.write_text(path.read_text(encoding="utf-8").replace("</main>", intruder), encoding="utf-8")
    context = browser.new_context()
    opened = context.new_page()
    refused: list[str] = []
    opened.on("console", lambda message: refused.append(message.text))
    opened.goto(path.as_uri())
    assert opened.title() != "changed"
    assert len(refused) == 2
    assert all("Content Security Policy" in line for line in refused)
    context.close()
