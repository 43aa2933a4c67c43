"""Reports: what was found is on the page, nothing leaves it, equal input gives equal files."""

import hashlib
import re
import struct
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import novikoff as nv
from novikoff.reports.page_words import allowed
from report_pages import noisy, page_of


@pytest.fixture(scope="module")
def run() -> nv.Run:
    return nv.play(nv.Perceptron(bias=1.0), noisy())


@pytest.fixture(scope="module")
def bounds(run: nv.Run) -> list[nv.Bound]:
    return nv.bounds(run)


@pytest.fixture(scope="module")
def certificate(run: nv.Run) -> nv.Certificate:
    return nv.certify(run)


def test_everything_is_there_in_order(
    tmp_path: Path, run: nv.Run, bounds: list[nv.Bound], certificate: nv.Certificate
) -> None:
    page, outline = page_of(tmp_path, run, bounds=bounds, certificate=certificate, title="Mail")
    shown = outline.text
    parts = [
        "Mail", "rounds 400", f"mistakes {run.mistakes}", "Perceptron", "bias = 1.0", "ham",
        "What weighs most", "feature", "The constant feature weighs", "What the theorems allow",
        "that much is proved", "What is assumed", certificate.content["sha256"],
        'certificate.save("certificate.json")',
        'nv.verify(nv.Certificate.load("certificate.json"), stream)', "The theorems in detail",
        "Margins of the comparator", "1, the hinge point", "What they say",
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
    page, outline = page_of(tmp_path, run, bounds=bounds)
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
    _, outline = page_of(tmp_path, run, bounds=[value])
    assert "assumes the rounds are independent draws from one distribution" in outline.text
    assert "probable" in outline.text


def test_the_page_refers_to_nothing_outside(
    tmp_path: Path, run: nv.Run, bounds: list[nv.Bound], certificate: nv.Certificate
) -> None:
    page, outline = page_of(tmp_path, run, bounds=bounds, certificate=certificate)
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
    page, _ = page_of(tmp_path, run, bounds=bounds)
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
    page, outline = page_of(tmp_path, run)
    for part in ("Margins", "theorems", "What they say", "Certificate", "allowed"):
        assert part not in outline.text
    assert page.count("<svg") == 2
    assert f"{run.mistakes} mistakes in 400 rounds" in outline.text


def test_absurd_bounds_do_not_flatten_the_picture(tmp_path: Path, run: nv.Run) -> None:
    many = [nv.Bound("hinge", value, run.mistakes) for value in (1e30, float("inf"), 0.0, 300.0)]
    page, outline = page_of(tmp_path, run, bounds=many)
    assert len(re.findall(r"<text[^>]*>hinge\b", page)) == 2
    assert "Outside the picture: hinge (1.00000e+30), hinge (∞), hinge (0)" in outline.text


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
    stream = noisy(300)
    other = nv.certify(nv.play(nv.Perceptron(bias=1.0), stream))
    with pytest.raises(nv.ParameterError, match=r"that of this run, got .* of other rounds"):
        nv.report(run, tmp_path / "r.html", certificate=other)
    known = nv.Run(nv.Perceptron(bias=1.0), digest=True).play(noisy())
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
