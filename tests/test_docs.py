"""What the documentation prints is what the code gives."""

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import novikoff as nv
from commands import Call
from consoles import assert_as_told
from novikoff.conformance import check

DOCS = Path(__file__).parents[1] / "docs"


def test_the_table_of_minnow_is_measured() -> None:
    import minnow

    lines = re.findall(r"^\| (\d+) .*$", (DOCS / "minnow.md").read_text(), re.MULTILINE)
    assert [int(d) for d in lines] == list(minnow.DIMENSIONS)
    text = (DOCS / "minnow.md").read_text()
    for d in minnow.DIMENSIONS[:6]:  # the others are the same code, and slower
        assert minnow.line(d) in text, "run: python docs/minnow.py"


def test_the_tables_of_halfspaces_are_measured() -> None:
    """The first lines of each: the others are the same code, and slower."""
    import halfspaces

    text = (DOCS / "halfspaces.md").read_text()
    numbers = [int(n) for n in re.findall(r"^\| (\d+) .*$", text, re.MULTILINE)]
    assert numbers == [n for _, panel in halfspaces.PANELS.values() for n in panel]
    for title, (_, panel) in halfspaces.PANELS.items():
        for n in panel[:6]:
            assert halfspaces.line(title, n) in text, "run: python docs/halfspaces.py"
    assert (DOCS / "halfspaces.svg").stat().st_size < 150_000


def test_the_table_of_classes_is_computed() -> None:
    import classes

    assert classes.table() in (DOCS / "classes.md").read_text(), "run: python docs/classes.py"
    assert classes.tree() == (DOCS / "tree.svg").read_text()


def test_the_tables_of_experts_are_measured() -> None:
    import experts

    text = (DOCS / "experts.md").read_text()
    assert experts.tail(experts.learners()[5]) in text, "run: python docs/experts.py"


def test_the_table_of_elec2_is_measured(data: Path) -> None:
    import experts

    text = (DOCS / "experts.md").read_text()
    for line in experts.elec2(data):
        assert line in text, "run: python docs/experts.py"


def test_the_tables_of_members_are_measured(data: Path) -> None:
    """The columns of the two smallest sets, and their lines: the others are the same code."""
    import members

    text = (DOCS / "members.md").read_text()
    cells = {line.split(" | ")[0]: line.split(" | ") for line in text.splitlines()}
    for line in members.members(data, ("spambase", "sms_spam")):
        shown, spambase, sms_spam = line.removesuffix(" |").split(" | ")
        assert (cells[shown][1], cells[shown][5]) == (spambase, sms_spam), "python docs/members.py"
    for name in ("spambase", "svmguide1"):
        assert members.frozen(name, data) in text, "run: python docs/members.py"


def test_the_tables_of_bounds_are_computed_and_measured(data: Path) -> None:
    """Every line by its counts, and those of the smallest set by playing it."""
    import anytime

    text = (DOCS / "batch.md").read_text()
    for name in anytime.SETS:
        line = next(line for line in text.splitlines() if line.startswith(f"| {name} |"))
        rounds, mistakes = (int(cell.replace(",", "")) for cell in line.split(" | ")[1:3])
        assert line.endswith(f" | {anytime.bounds(mistakes, rounds)} |"), "python docs/anytime.py"
    assert anytime.progressive("svmguide1", data) in text, "run: python docs/anytime.py"
    tested = (DOCS / "testing_a_model.md").read_text()
    assert anytime.held_out("svmguide1", data) in tested, "run: python docs/anytime.py"


@pytest.mark.parametrize("page", ["text", "big_files", "predictions", "testing_a_model"])
def test_every_command_of_a_guide_prints_what_is_told(page: str, call: Call) -> None:
    shutil.copy(Path(nv.__file__).with_name("verifier.py"), "verifier.py")
    assert assert_as_told((DOCS / f"{page}.md").read_text(), call) > 8


def test_the_conversation_about_late_labels_is_as_told(call: Call) -> None:
    text = (DOCS / "late_labels.md").read_text()
    Path("requests.jsonl").write_text(re.findall(r"```json\n(.*?)```", text, re.DOTALL)[0])
    assert assert_as_told(text, call) == 1


def test_links_between_pages_lead_somewhere() -> None:
    pages = [*DOCS.glob("*.md"), *DOCS.parent.glob("*.md")]
    assert len(pages) > 3
    for page in pages:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            assert "://" in target or (page.parent / target).exists(), f"{page}: {target}"


def test_every_picture_has_a_text_that_says_what_it_shows() -> None:
    for page in [*DOCS.glob("*.md"), *DOCS.parent.glob("*.md")]:
        for text in re.findall(r"!\[(.*?)\]\(", page.read_text()):
            assert len(text.split()) >= 4, f"{page.name}: {text!r}"


def test_the_pages_of_theorems_are_up_to_date() -> None:
    import theorem_pages

    for name, text in theorem_pages.pages().items():
        assert (DOCS / name).read_text() == text, "run: make docs"


def test_every_theorem_is_shown_to_hold_to_be_tight_and_to_refuse() -> None:
    """Where no tight instance is known, how near the bound comes is measured instead."""
    import theorem_pages

    shown = theorem_pages.shown()
    assert shown.keys() == {theorem.id for theorem in nv.theorems()}
    assert {claim for claims in shown.values() for claim in claims} == set(theorem_pages.CLAIMS)
    missing = [
        f'@pytest.mark.shows("{claim}", "{theorem.id}")'
        for theorem in nv.theorems()
        for claim in (
            "holds",
            "measured" if theorem.tight.startswith("not") else "tight",
            "refuses",
        )
        if not shown[theorem.id][claim]
    ]
    assert missing == []


def test_the_afternoon_meets_every_theorem_once() -> None:
    text = (DOCS / "theory_in_one_afternoon.md").read_text()
    met = re.findall(r"\[`([a-z0-9-]+)`\]\(theorems_\w+\.md#\1\)", text)
    assert sorted(met) == sorted(theorem.id for theorem in nv.theorems())


def test_every_theorem_has_a_small_picture() -> None:
    for theorem in nv.theorems():
        picture = DOCS / "theorems" / f"{theorem.id}.svg"
        assert picture.exists(), "run: make docs"
        assert picture.stat().st_size < 15_000, theorem.id


def test_pictures_are_drawn_the_same_every_time(tmp_path: Path) -> None:
    import theorem_plots
    from instances import PICTURES

    for name in ("novikoff", "minnow"):
        theorem_plots.draw(PICTURES[name](), tmp_path / "again.svg")
        drawn = (DOCS / "theorems" / f"{name}.svg").read_text()
        assert (tmp_path / "again.svg").read_text() == drawn, "run: make docs"


def test_the_reference_lists_every_public_name() -> None:
    import reference

    assert (DOCS / "reference.md").read_text() == reference.page(), "run: make docs"
    assert all(f"novikoff.{name}\n" in reference.page() for name in nv.__all__)


def test_the_table_of_drift_is_measured(data: Path) -> None:
    """All lines but that of the vote: it is the same code, and slower."""
    import drift

    text = (DOCS / "adapters.md").read_text()
    assert [f"| {name} |" in text for name in drift.MODELS] == [True] * len(drift.MODELS)
    for name in drift.MODELS:
        if "Voted" not in name:
            assert drift.line(name, data) in text, "run: python docs/drift.py"


def test_the_tutorial_prints_what_is_told(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (DOCS / "tutorial.md").read_text()
    monkeypatch.setattr("tempfile.mkdtemp", lambda: ".")  # the fixture's folder will do
    names: dict[str, object] = {}
    for example in doctest.DocTestParser().get_examples(text):
        exec(example.source, names)
    assert assert_as_told(text, call) == 5


def test_the_shell_of_the_tutorial_can_be_followed(tmp_path: Path) -> None:
    text = (DOCS / "tutorial_python.md").read_text()
    found = doctest.DocTestParser().get_examples(text)
    lines = next(line.source for line in found if line.source.startswith("lines = "))
    names: dict[str, list[str]] = {}
    exec(lines, names)
    (tmp_path / "sms.txt").write_text("\n".join(names["lines"] * 20) + "\n")
    commands = "".join(re.findall(r"^    ((?:novikoff|echo) .*\n)", text, re.MULTILINE))
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-e", "-c", commands],
        cwd=tmp_path,
        env=os.environ | {"PATH": path},
        check=True,
        capture_output=True,
        text=True,
    )
    *_, verified, header, prediction = done.stdout.splitlines()
    assert verified == "verified: betting-share, 7.813003882 ≤ 22.9041"
    assert header == "prediction,ham,spam"
    label, ham, spam = prediction.split(",")
    assert label == "spam"
    assert float(ham) + float(spam) == pytest.approx(1)


def test_the_learner_of_ones_own_keeps_the_contracts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All but the one that its page names."""
    examples = doctest.DocTestParser().get_examples((DOCS / "adding_a_learner.md").read_text())
    source = next(line.source for line in examples if line.source.startswith("class "))
    (tmp_path / "my_module.py").write_text(f"import numpy as np\n\n{source}", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert [row.name for row in check("my_module:PassiveAggressive").violated] == ["not-finite"]


def test_every_page_is_in_the_table_of_contents() -> None:
    import theorem_pages

    texts = "\n".join((DOCS / name).read_text() for name in ("index.md", "members.md"))
    listed = set(re.findall(r"^(?:.* <)?(\w+)>?$", texts, re.MULTILINE))
    assert {page.stem for page in DOCS.glob("*.md")} - {"index"} <= listed | {
        f"theorems_{chapter}" for chapter in theorem_pages.CHAPTERS
    }
