"""The pictures of the theorems' pages: ``python docs/theorem_plots.py`` draws them all."""

from itertools import pairwise
from pathlib import Path

from instances import PICTURES
from instances.picture import Picture

FOLDER = Path(__file__).parent / "theorems"


def draw(picture: Picture, path: Path) -> None:
    """Draw what was observed as marks, and what is allowed as a broad line at or above them."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "novikoff"
    mpl.rcParams["svg.fonttype"] = "none"
    from matplotlib import pyplot as plt
    from matplotlib.ticker import MaxNLocator

    figure, axes = plt.subplots(figsize=(4.6, 2.8), layout="constrained", facecolor="white")
    axes.plot(picture.xs, picture.bound, color="tab:red", lw=5, alpha=0.4, label="allowed")
    (marks,) = axes.plot(picture.xs, picture.observed, "o-", color="tab:blue", label="observed")
    marks.set(markersize=5, markerfacecolor="white")
    for axis, values in ((axes.xaxis, picture.xs), (axes.yaxis, picture.bound)):
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10], integer=values[-1] >= 5))
    if all(0 < 2 * a <= b for a, b in pairwise(picture.xs)):
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter("{x:g}")
    axes.set(xlabel=picture.axis, ylabel=picture.counted)
    axes.set_ylim(bottom=0)
    axes.minorticks_off()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def main() -> None:
    """Draw them all, and print how much of each bound is reached at the last point."""
    FOLDER.mkdir(exist_ok=True)
    for theorem, make in PICTURES.items():
        found = make()
        draw(found, FOLDER / f"{theorem}.svg")
        print(f"{theorem}: {found.share:.2f}")


if __name__ == "__main__":
    main()
