"""Reports: what was found is on the page, nothing leaves it, equal input gives equal files."""

import hashlib
import html
import re
import struct
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import novikoff as nv
from novikoff.comparators.histogram import histogram
from novikoff.receipts.fresh_certificates import certify_error, certify_loss, predicted
from novikoff.reports.facts import gathered
from novikoff.reports.page_words import allowed, amount, percent, percent_allowed

VOID = {"meta", "br"}


class Outline(HTMLParser):
    """The elements of a page, each closed where it should be."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.shown: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.shown.append(data)

    @property
    def text(self) -> str:
        """What a reader sees."""
        return " ".join(" ".join(self.shown).split())

    def tags(self, name: str) -> list[dict[str, str | None]]:
        """The attributes of every element of this name."""
        return [attributes for tag, attributes in self.found if tag == name]


def _noisy(rounds: int = 400, d: int = 5) -> Any:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rounds, d))
    y = np.where(X @ rng.standard_normal(d) + rng.standard_normal(rounds) >= 0, "spam", "ham")
    return nv.stream(X, y, positive="spam")


def _page(path: Path, run: nv.Run, **more: Any) -> tuple[str, Outline]:
    nv.report(run, path / "report.html", **more)
    page = (path / "report.html").read_text(encoding="utf-8")
    return page, Outline(page)


@pytest.fixture(scope="module")
def run() -> nv.Run:
    return nv.play(nv.Perceptron(bias=1.0), _noisy())


@pytest.fixture(scope="module")
def bounds(run: nv.Run) -> list[nv.Bound]:
    return nv.bounds(run)


@pytest.fixture(scope="module")
def certificate(run: nv.Run) -> nv.Certificate:
    return nv.certify(run)


def test_everything_is_there_in_order(
    tmp_path: Path, run: nv.Run, bounds: list[nv.Bound], certificate: nv.Certificate
) -> None:
    page, outline = _page(tmp_path, run, bounds=bounds, certificate=certificate, title="Mail")
    shown = outline.text
    parts = [
        "Mail", "rounds 400", f"mistakes {run.mistakes}", "Perceptron", "bias = 1.0", "ham",
        "Margins of the comparator", "1, the hinge point", "What the theorems allow",
        "What they say", "What weighs most", "feature", "The constant feature weighs",
        certificate.content["sha256"], 'certificate.save("certificate.json")',
        'nv.verify(nv.Certificate.load("certificate.json"), stream)',
    ]  # fmt: skip
    places = [shown.index(part) for part in parts]
    assert places == sorted(places)
    assert certificate.content["data"]["digest"] in shown
    assert "δ = 0.05" in shown
    assert "independent draws" in shown
    assert page.count("<svg") == 6
    for svg in outline.tags("svg"):
        assert svg["role"] == "img"
        assert svg["aria-label"]


def test_every_bound_is_there_with_what_it_says(
    tmp_path: Path, run: nv.Run, bounds: list[nv.Bound]
) -> None:
    page, outline = _page(tmp_path, run, bounds=bounds)
    exact = [data["value"] for data in outline.tags("data")]
    assert exact == [repr(bound.value) for bound in bounds]
    known = {theorem.id: theorem for theorem in nv.theorems()}
    for bound in bounds:
        assert allowed(bound.value) in outline.text
        assert known[bound.theorem].citation in outline.text
        # A line in both forms of the figure, labelled.
        assert len(re.findall(rf"<text[^>]*>{bound.theorem}(?![\w-])", page)) == 2
    # nothing is assumed by theorems that always hold
    assert "assumes</dt>" not in page


def test_what_a_theorem_assumes_is_told(tmp_path: Path, run: nv.Run) -> None:
    value = nv.Bound("progressive", 0.4)
    _, outline = _page(tmp_path, run, bounds=[value])
    assert "assumes the rounds are independent draws from one distribution" in outline.text
    assert "probable" in outline.text


def test_the_page_refers_to_nothing_outside(
    tmp_path: Path, run: nv.Run, bounds: list[nv.Bound], certificate: nv.Certificate
) -> None:
    page, outline = _page(tmp_path, run, bounds=bounds, certificate=certificate)
    tags = {tag for tag, _ in outline.found}
    assert not tags & {"script", "link", "iframe", "object", "embed", "img", "base", "form"}
    policies = [m["content"] for m in outline.tags("meta") if m.get("http-equiv")]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'; img-src data:"]
    assert "://" not in page
    assert "@import" not in page
    ids = [found["id"] for _, found in outline.found if "id" in found]
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', page)) <= set(ids)
    assert not re.findall(r"url\((?!#)", page)
    for _, attributes in outline.found:
        assert not [name for name in attributes if name.startswith("on") or name == "src"]


def test_colours_in_the_figures_are_the_style_s(
    tmp_path: Path, run: nv.Run, bounds: list[nv.Bound]
) -> None:
    page, _ = _page(tmp_path, run, bounds=bounds)
    for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        assert not re.findall(r"#[0-9a-f]{6}\b", svg)
        assert "var(--curve)" in svg or "var(--right)" in svg
    used = set(re.findall(r"var\((--\w+)\)", page))
    light, dark = (set(re.findall(r"(--\w+):", part)) for part in page.split("dark) {")[:2])
    assert used <= light
    assert light - dark <= {"--serif", "--sans", "--mono"}


def test_the_same_input_gives_the_same_bytes(
    tmp_path: Path, run: nv.Run, bounds: list[nv.Bound], certificate: nv.Certificate
) -> None:
    import matplotlib as mpl

    kept = []
    for size in (6.0, 30.0):
        with mpl.rc_context({"font.size": size, "svg.fonttype": "path", "axes.grid": True}):
            for kind in ("html", "svg", "png"):
                path = tmp_path / f"report.{kind}"
                nv.report(run, path, bounds, certificate)
                kept.append(hashlib.sha256(path.read_bytes()).hexdigest())
            assert mpl.rcParams["font.size"] == size
    assert kept[:3] == kept[3:]


def test_no_file_holds_a_date(tmp_path: Path, run: nv.Run) -> None:
    for kind in ("html", "svg", "png"):
        nv.report(run, tmp_path / f"r.{kind}")
        assert not re.search(rb"\b20[23]\d-\d\d-\d\d|:date>", (tmp_path / f"r.{kind}").read_bytes())


def test_figures_are_written_as_svg_and_png(
    tmp_path: Path, run: nv.Run, bounds: list[nv.Bound]
) -> None:
    nv.report(run, tmp_path / "r.svg", bounds, title="<&> $x$ 日本")
    tree = ElementTree.parse(tmp_path / "r.svg")
    texts = [element.text or "" for element in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert any(found.startswith("hinge-tight") for found in texts)
    title = tree.find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert title.text == "<&> $x$ 日本"
    nv.report(run, str(tmp_path / "R.PNG"), bounds, title="<&> $x$ 日本")
    data = (tmp_path / "R.PNG").read_bytes()
    assert data.startswith(b"\x89PNG")
    assert struct.unpack(">II", data[16:24]) == (1520, 800)


def test_without_bounds_and_certificate_their_parts_are_left_out(
    tmp_path: Path, run: nv.Run
) -> None:
    page, outline = _page(tmp_path, run)
    for part in ("Margins", "theorems", "What they say", "Certificate", "allowed"):
        assert part not in outline.text
    assert page.count("<svg") == 2
    assert f"{run.mistakes} mistakes in 400 rounds" in outline.text


def test_several_passes_have_no_band(tmp_path: Path) -> None:
    run = nv.play(nv.Perceptron(), _noisy(), passes=3)
    page, outline = _page(tmp_path, run, bounds=nv.bounds(run))
    assert "passes 3" in outline.text
    assert "δ" not in outline.text
    assert "anytime error" not in page


def test_runs_without_a_mistake_and_of_one_round_have_a_page(tmp_path: Path) -> None:
    clean = nv.play(nv.Perceptron(), nv.stream([[1.0], [2.0]] * 20, [1, 1] * 20))
    _, outline = _page(tmp_path, clean, bounds=nv.bounds(clean), certificate=nv.certify(clean))
    assert "mistakes 0" in outline.text
    assert "error rate 0 %" in outline.text
    for label in (-1, 1):
        one = nv.play(nv.Perceptron(), nv.stream([[1.0, 2.0]], [label]))
        _, outline = _page(tmp_path, one, bounds=nv.bounds(one), certificate=nv.certify(one))
        assert "rounds 1 " in outline.text
    zeros = nv.play(nv.Perceptron(), nv.stream([[0.0], [0.0]], [1, -1]))
    _page(tmp_path, zeros, bounds=nv.bounds(zeros))


def test_a_learner_of_somebody_else_has_a_page(tmp_path: Path) -> None:
    class Stubborn:
        def predict(self, x: Any) -> int:
            return 1

        def update(self, x: Any, y: Any) -> None:
            pass

    run = nv.play(Stubborn(), _noisy())
    _, outline = _page(tmp_path, run)
    assert "learner Stubborn" in outline.text
    assert "What weighs most" not in outline.text
    assert "the learner had learned from none of them before" in outline.text


@pytest.mark.parametrize(
    "make", [nv.VotedPerceptron, nv.AveragedPerceptron, lambda: nv.BalancedMinnow(0.1)]
)
def test_other_learners_have_a_page(tmp_path: Path, make: Any) -> None:
    run = nv.play(make(), _noisy())
    _, outline = _page(tmp_path, run, bounds=nv.bounds(run), certificate=nv.certify(run))
    assert run.ledger.learner in outline.text
    assert ("What weighs most" in outline.text) == (make is not nv.VotedPerceptron)


def test_many_classes_are_limited(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 40, 400)
    X = np.eye(40)[y] + 0.3 * rng.standard_normal((400, 40))
    page, outline = _page(tmp_path, nv.play(nv.MulticlassPerceptron(), nv.stream(X, y)))
    assert page.count("<small>class</small>") == 12
    assert "And 28 classes more." in outline.text
    assert "and 28 more" in outline.text


NASTY = [
    "</title><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "x' onload='y", "&amp;",
    "עברית", "日本語", "\u202eright to left", "\x00\x1b[31m", "\ud800", "w" * 5000, "a b\nc", "",
]  # fmt: skip


def test_words_of_the_user_stay_words(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    names = [name for name in NASTY if name not in ("", "\ud800")]
    rows = [dict(zip(names, rng.standard_normal(len(names)), strict=True)) for _ in range(60)]
    for no, yes in zip(NASTY, NASTY[1:] + NASTY[:1], strict=True):
        labels = [yes if sum(row.values()) > 0 else no for row in rows]
        run = nv.play(nv.Perceptron(), nv.stream(rows, labels, positive=yes))
        page, outline = _page(tmp_path, run, bounds=nv.bounds(run), title=yes)
        assert not outline.tags("script")
        assert not outline.tags("img")
        assert len(page) < 200_000
        for found in re.findall(r"<bdi>(.*?)</bdi>", page, re.DOTALL):
            assert len(html.unescape(found)) <= 200
            assert html.unescape(found).isprintable()


def test_bounds_carry_the_margins_of_their_comparator() -> None:
    stream = _noisy()
    run = nv.play(nv.Perceptron(bias=-0.5), stream, passes=2)
    (rows, labels, _), *_ = ((*r, None)[:3] for r in stream.blocks())
    for bound in nv.bounds(run):
        w, constant = np.zeros(5), 0.0
        for j, value in bound.comparator["w"]:
            if j < 0:
                constant = value
            else:
                w[j] = value
        X = np.array([rows.row(t) for t in range(len(rows))])
        margins = np.where(np.array(labels) == "spam", 1, -1) * (X @ w - 0.5 * constant)
        found = bound.margins
        assert found is not None
        assert sum(found.counts) == 400  # one pass
        width = (found.high - found.low) / 64
        for place in (0.0, 1.0):
            k = int(np.clip((place - found.low) / width, 0, 64))
            below = int((margins < place).sum())
            assert sum(found.counts[:k]) - 1 <= below <= sum(found.counts[: k + 1]) + 1


def test_the_last_bar_says_what_it_holds(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    X = rng.standard_normal((500, 2))
    y = np.where(X[:, 0] + 0.3 * rng.standard_normal(500) > 0, 1, -1)
    X[:2] *= 0.1
    run = nv.play(nv.Perceptron(), nv.stream(X, y))
    values = np.append(y * X[:, 0], [50.0, 60.0, -40.0])
    bound = nv.Bound("hinge-tight", 500.0, run.mistakes, margins=histogram(values))
    _, outline = _page(tmp_path, run, bounds=[bound])
    assert "The first bar includes 1 row below" in outline.text
    assert "The last bar includes 2 rows above" in outline.text


def test_absurd_bounds_do_not_flatten_the_picture(tmp_path: Path, run: nv.Run) -> None:
    many = [nv.Bound("hinge", value, run.mistakes) for value in (1e30, float("inf"), 0.0, 300.0)]
    page, outline = _page(tmp_path, run, bounds=many)
    assert len(re.findall(r"<text[^>]*>hinge\b", page)) == 2
    assert "Outside the picture: hinge (1.00000e+30), hinge (∞), hinge (0)" in outline.text


def test_a_long_run_is_drawn_with_few_points(run: nv.Run) -> None:
    rng = np.random.default_rng(4)
    X = rng.standard_normal((200_000, 2))
    long = nv.play(nv.Perceptron(), nv.stream(X, rng.choice([-1, 1], 200_000)))
    rounds, made = gathered(long, None, None, None, 0.05).curve()
    assert len(rounds) < 400
    assert (rounds[-1], made[-1]) == (200_000, long.mistakes)
    assert np.array_equal(made, np.searchsorted(long.ledger.mistake_rounds, rounds, side="right"))
    for t in long.ledger.mistake_rounds[:3]:
        assert t in rounds


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"path": "report.pdf"}, "path: expected a file that ends in .html, .svg or .png, got"),
        ({"path": 3}, "path: expected the path of a file, got 3"),
        ({"run": 3}, "run: expected a Run that has played a round, got 3"),
        ({"title": 3}, "title: expected a string or None, got 3"),
        ({"bounds": 3}, "bounds: expected what bounds(run) returns, got 3"),
        ({"bounds": ["hinge"]}, "bounds: expected what bounds(run) returns, got 'hinge'"),
        ({"bounds": [nv.Bound("fermat", 3.0)]}, "theorem: expected one of"),
        ({"bounds": [nv.Bound("hinge", 3.0, 1)]}, "bounds: expected those of this run, with its"),
        ({"certificate": "cert.json"}, "certificate: expected a Certificate, got 'cert.json'"),
    ],
)
def test_parameters_are_checked(
    tmp_path: Path, run: nv.Run, arguments: dict[str, Any], said: str
) -> None:
    given: dict[str, Any] = {"run": run, "path": str(tmp_path / "r.html")} | arguments
    with pytest.raises(nv.ParameterError) as error:
        nv.report(**given)
    assert str(error.value).startswith(said)
    assert not list(tmp_path.iterdir())


def test_a_run_without_rounds_is_refused(tmp_path: Path) -> None:
    with pytest.raises(nv.ParameterError, match="run: expected a Run that has played a round"):
        nv.report(nv.Run(nv.Perceptron()), tmp_path / "r.html")


def test_a_certificate_of_another_run_is_refused(tmp_path: Path, run: nv.Run) -> None:
    stream = _noisy(300)
    other = nv.certify(nv.play(nv.Perceptron(bias=1.0), stream))
    with pytest.raises(nv.ParameterError, match=r"that of this run, got .* of other rounds"):
        nv.report(run, tmp_path / "r.html", certificate=other)
    known = nv.Run(nv.Perceptron(bias=1.0), digest=True).play(_noisy())
    nv.report(known, tmp_path / "r.html", certificate=nv.certify(known))
    separable = nv.certify(nv.margin([[1.0], [2.0]], [1, 1]), nv.stream([[1.0], [2.0]], [1, 1]))
    with pytest.raises(nv.ParameterError, match="of other data"):
        nv.report(known, tmp_path / "r.html", certificate=separable)


def test_without_matplotlib_the_error_says_what_to_install(
    tmp_path: Path, run: nv.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install matplotlib .*novikoff\[report\]"):
        nv.report(run, tmp_path / "r.html")


def test_importing_the_library_imports_no_matplotlib() -> None:
    import subprocess

    code = "import sys, novikoff; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def _blended(rounds: int = 600) -> tuple[Any, Any]:
    rng = np.random.default_rng(7)
    X = rng.standard_normal((rounds, 3))
    return X, np.where(X[:, 0] + 0.5 * rng.standard_normal(rounds) > 0, "spam", "ham")


def test_the_headline_is_about_the_model_as_saved_if_it_was_tested(tmp_path: Path) -> None:
    X, y = _blended()
    run = nv.play(nv.Blend(), nv.stream(X[:400], y[:400], positive="spam"))
    _, outline = _page(tmp_path, run)
    own = nv.error_bound(run.ledger).value
    assert (
        f"a hypothesis drawn at random from the run: at most {percent_allowed(own)} wrong on new "
        "rows, with probability 95 %, if rows are independent"
    ) in outline.text
    found = nv.test(run, nv.stream(X[400:], y[400:]), delta=0.1)
    page, outline = _page(tmp_path, run, tested=found)
    assert "drawn at random" not in outline.text
    assert (
        f"the model as saved: at most {percent_allowed(found.error_bound)} wrong on new rows, with "
        "probability 90 %, if rows are independent"
    ) in outline.text
    assert f"{found.errors} errors on 200 rows that the model had not seen" in outline.text
    assert 'id="tested"' in page
    with pytest.raises(nv.ParameterError, match=r"tested: expected what test\(run, stream\) ret"):
        nv.report(run, tmp_path / "r.html", tested=0.1)  # type: ignore[arg-type]


def test_a_loss_is_shown_over_time_with_its_regret(tmp_path: Path) -> None:
    run = nv.play(nv.Blend(), nv.stream(*_blended(), positive="spam"))
    bound = next(one for one in nv.bounds(run) if one.theorem == "fixed-share")
    page, outline = _page(tmp_path, run, bounds=[bound])
    for name in ("errors", "losses", "regret", "calibration"):
        assert f'<figure id="{name}">' in page
    assert bound.along is not None
    regret = run.ledger.loss - bound.along[-1][1]
    allowed_regret = bound.value - bound.along[-1][1]
    assert f"At the end it is {amount(regret)}, and fixed-share allows " in outline.text
    assert f"fixed-share allows {allowed(allowed_regret, 4)}." in outline.text
    _, outline = _page(tmp_path, run)
    assert "regret" not in outline.text, "without a bound there is nothing to compare with"


def test_the_loss_of_the_comparator_is_that_of_its_weights(run: nv.Run) -> None:
    X, y = _blended()
    for make in (nv.Blend, nv.AdaptiveGradient):
        played = nv.play(make(bias=1.0), nv.stream(X, y, positive="spam"))
        bound = nv.bounds(played)[0]
        w, constant = np.zeros(3), 0.0
        for j, value in bound.comparator["w"]:
            if j < 0:
                constant = value
            else:
                w[j] = value
        signs = np.where(y == "spam", 1, -1)
        losses = np.log1p(np.exp(-signs * (X @ w + constant)))
        assert bound.along is not None
        assert [t for t, _ in bound.along] == played.ledger.checkpoints.rounds.tolist()
        for t, total in bound.along:
            assert total == pytest.approx(losses[:t].sum(), rel=1e-9)
        twice = nv.play(make(), nv.stream(X, y, positive="spam"), passes=2)
        assert {b.along for b in nv.bounds(twice)} == {None}


def test_labels_have_their_errors_and_many_a_table_of_confusions(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    y = rng.integers(0, 4, 500)
    X = np.eye(4)[y] + rng.standard_normal((500, 4))
    names = np.array(["ash", "<b>", "elm", "fir"])
    run = nv.play(nv.Blend(), nv.stream(X, names[y]))
    page, outline = _page(tmp_path, run)
    for label, wrong in run.ledger.mistakes_by_label.items():
        rounds = run.ledger.rounds_by_label[label]
        assert f"{label} {rounds:,} {wrong:,} {percent(wrong / rounds)}" in outline.text
    table = page[page.index('class="confusion"') :]
    table = table[: table.index("</table>")]
    numbers = [int(found) for found in re.findall(r"transparent\)\">(\d+)<", table)]
    assert sum(numbers) == run.mistakes
    pairs = [(n, a, b) for a, row in run.ledger.confusion.items() for b, n in row.items()]
    n, a, b = max(pairs)
    assert f"{a} for {b} ({n})" in outline.text
    assert "Calibration" in outline.text
    assert "class ash" in outline.text, "the weights of a mixture for many classes"


def test_what_is_assumed_is_said_in_words(tmp_path: Path, run: nv.Run) -> None:
    bounds = [*nv.bounds(run), nv.Bound("progressive", 0.4)]
    _, outline = _page(tmp_path, run, bounds=bounds)
    said = outline.text[outline.text.index("What is assumed") :]
    assert "The bound on the error to come assumes that the examples are independent draws" in said
    assert "progressive assumes: " in said
    always = " , ".join(bound.theorem for bound in bounds[:-1])
    assert f"Nothing is assumed for {always} : it holds for every sequence of rounds." in said


def test_words_are_explained_where_they_appear(tmp_path: Path) -> None:
    run = nv.play(nv.Blend(), nv.stream(*_blended(), positive="spam"))
    page, outline = _page(tmp_path, run, bounds=nv.bounds(run))
    assert page.count("<summary>What the words mean</summary>") >= 5
    for word in ("round", "baseline", "mean loss", "regret", "calibration", "comparator", "weight"):
        assert f"<dt>{word}</dt>" in page
    assert outline.open == []


def test_a_certificate_of_predictions_is_none_of_a_run(tmp_path: Path) -> None:
    X = np.random.default_rng(0).standard_normal((40, 2))
    rounds = nv.stream(X, np.where(X[:, 0] > 0, 1, -1))
    run = nv.Run(nv.Blend(), digest=True).play(rounds)
    found, said = nv.test(run, rounds), predicted(run, rounds)
    fixed = nv.certify_predictions([0.5] * 40, rounds)
    error = certify_error(found, said, said.values, rounds)
    loss = certify_loss(found, said, said.values, rounds)
    assert loss is not None
    for certificate in (fixed, error, loss):
        assert certificate.content["learner"] is None
        with pytest.raises(nv.ParameterError, match="which is about predictions"):
            nv.report(run, tmp_path / "r.html", certificate=certificate)
    assert not (tmp_path / "r.html").exists()
