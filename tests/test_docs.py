"""What the documentation prints is what the code gives."""

import re
import sys
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
sys.path.insert(0, str(DOCS))


def test_the_table_of_minnow_is_measured() -> None:
    import minnow

    lines = re.findall(r"^\| (\d+) .*$", (DOCS / "minnow.md").read_text(), re.MULTILINE)
    assert [int(d) for d in lines] == list(minnow.DIMENSIONS)
    text = (DOCS / "minnow.md").read_text()
    for d in minnow.DIMENSIONS[:6]:  # the others are the same code, and slower
        assert minnow.line(d) in text, "run: python docs/minnow.py"


def test_the_tables_of_experts_are_measured() -> None:
    import experts

    text = (DOCS / "experts.md").read_text()
    assert experts.tail(experts.learners()[5]) in text, "run: python docs/experts.py"


def test_the_table_of_elec2_is_measured(data: Path) -> None:
    import experts

    text = (DOCS / "experts.md").read_text()
    for line in experts.elec2(data):
        assert line in text, "run: python docs/experts.py"


def test_links_between_pages_lead_somewhere() -> None:
    pages = [*DOCS.glob("*.md"), *DOCS.parent.glob("*.md")]
    assert len(pages) > 3
    for page in pages:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            assert "://" in target or (page.parent / target).exists(), f"{page}: {target}"
