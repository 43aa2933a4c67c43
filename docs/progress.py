"""The picture of story.md: ``python docs/progress.py`` makes it anew, from a real run.

It learns from some 600 MB of made-up svmlight, and photographs the bar on the way.
"""

import io
import re
import tempfile
from pathlib import Path

import numpy as np
from rich.console import Console

import novikoff as nv
from novikoff.playing.progress import _Bar

DOCS = Path(__file__).parent
WIDTH, LINES, ACTIVE, GROUP, TIMES = 88, 100_000, 10, 50_000, 45


def write(file: Path) -> None:
    """Write rounds that are neither separable nor all noise, some of them again and again."""
    rng = np.random.default_rng(0)
    columns = rng.integers(0, GROUP, (LINES, ACTIVE)) + np.arange(ACTIVE) * GROUP
    values = np.round(rng.normal(size=(LINES, ACTIVE)), 4)
    scores = (rng.normal(size=GROUP * ACTIVE)[columns] * values).sum(axis=1)
    labels = np.where(scores + rng.normal(size=LINES) > 0, 1, -1)
    lines = [
        f"{label} {' '.join(f'{j + 1}:{v}' for j, v in zip(row, x, strict=True))}\n"
        for label, row, x in zip(labels.tolist(), columns.tolist(), values.tolist(), strict=True)
    ]
    with open(file, "w") as out:
        for _ in range(TIMES):
            out.writelines(lines)


def main() -> None:
    """Write docs/progress.svg."""
    bar = _Bar(Console(file=io.StringIO(), width=WIDTH))
    picture = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    picture.print("$ novikoff learn clicks.svm --progress", highlight=False)

    def look(progress: nv.Progress) -> None:
        bar(progress)
        read, total = progress.bytes or (0, None)
        if total and read > 0.6 * total and not taken:
            taken.append(True)
            picture.print(bar.shown.get_renderable())

    taken: list[bool] = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "clicks.svm"
        write(file)
        with bar.shown:
            nv.play(nv.Perceptron(), nv.read(file), progress=look)
    svg = picture.export_svg(title="novikoff", unique_id="progress")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)  # it fetches nothing
    (DOCS / "progress.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
