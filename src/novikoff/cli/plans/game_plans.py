"""The plans of ``novikoff game`` and ``simulate``."""

from pathlib import Path
from typing import ClassVar, Literal

from novikoff.cli.outputs import check_outputs
from novikoff.cli.parser import UsageError
from novikoff.cli.plans.plan import Plan
from novikoff.extras import require_extra
from novikoff.quick_records import record

PICTURES = (".svg", ".png", ".pdf")
ENVIRONMENTS = ("stochastic", "switching", "lower-bound")


@record(frozen=True, kw_only=True)
class GamePlan(Plan):
    """Say what is known about a finite class, or play it."""

    home: ClassVar[str] = "gaming"
    klass: str
    learner: Literal["halving", "consistent", "soa"] | None = None
    tree: str | None = None
    play: Literal["adversary", "learner"] | None = None

    def __post_init__(self) -> None:
        if self.play and (self.json or self.tree):
            raise UsageError(
                "--play: expected it without --json and --tree, got both. Leave one out."
            )
        if self.play == "learner" and self.learner:
            raise UsageError(
                f"--learner: expected none if you are the learner, got {self.learner}. Leave it "
                "out, or --play adversary."
            )

    def check(self) -> None:
        """Refuse a picture that cannot be written."""
        check_outputs((), self.tree)


@record(frozen=True, kw_only=True)
class SimulatePlan(Plan):
    """Play learners with experts or arms, over many seeds."""

    home: ClassVar[str] = "simulating"
    learner: tuple[str, ...]
    environment: tuple[str, ...]
    arms: int = 10
    rounds: int = 10_000
    seeds: int = 200
    anytime: bool = False
    beta: float = 0.9
    delta: float = 0.05
    threads: int | None = None
    plot: str | None = None

    def __post_init__(self) -> None:
        if self.plot and Path(self.plot).suffix not in PICTURES:
            raise UsageError(f"--plot: expected one of {', '.join(PICTURES)}, got {self.plot}.")
        for name in self.environment:
            if name not in ENVIRONMENTS and not Path(name).suffix:
                raise UsageError(
                    f"--environment: expected {', '.join(ENVIRONMENTS)} or a file of losses, got "
                    f"{name}."
                )

    def check(self) -> None:
        """Refuse a picture that cannot be drawn or written."""
        if self.plot:
            require_extra("matplotlib", "--plot")
        files = [name for name in self.environment if name not in ENVIRONMENTS]
        check_outputs(files, self.plot)
