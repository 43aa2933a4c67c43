"""The plan of ``novikoff tag``."""

from typing import ClassVar, Literal

from novikoff.cli.output_kinds import check_certificate, check_model, keeps_others
from novikoff.cli.outputs import check_outputs
from novikoff.cli.parser import UsageError
from novikoff.cli.plans.plan import Plan
from novikoff.cli.plans.reading_plan import as_column, columns_of
from novikoff.quick_records import record


@record(frozen=True, kw_only=True)
class TagPlan(Plan):
    """Tag sentences with a model, or learn the model from them."""

    home: ClassVar[str] = "tagging"
    model: str
    input: tuple[str, ...]
    learn: bool = False
    format: str = "auto"
    label: str | None = None
    columns: str | None = None
    on_bad: Literal["stop", "skip"] = "stop"
    templates: str = "tagging"
    passes: int | None = None
    held_out: str | None = None
    last: bool = False
    certify: str | None = None
    output: str | None = None
    best: int | None = None
    cluster: str | None = None
    shards: int | None = None
    epochs: int = 1
    resume: str | None = None

    def __post_init__(self) -> None:
        if self.learn and (self.output or self.best):
            raise UsageError(
                "--output, --best: expected none with --learn, which writes the model, got one."
            )
        if not self.learn and (self.held_out or self.certify):
            raise UsageError("--held-out, --certify: expected --learn with it, got none.")
        self._check_cluster()

    def _check_cluster(self) -> None:
        """Refuse shards without a cluster, and what shards cannot do."""
        given = {"--shards": self.shards, "--resume": self.resume}
        given["--epochs"] = None if self.epochs == 1 else self.epochs
        if self.cluster is None:
            for name in (name for name, value in given.items() if value is not None):
                raise UsageError(f"{name}: expected --cluster with it, got none.")
            return
        if not self.learn:
            raise UsageError("--cluster: expected --learn with it, got none.")
        if self.shards is None:
            raise UsageError("--shards: expected how many with --cluster, got none.")
        for name, value in (("--passes", self.passes), ("--held-out", self.held_out)):
            if value is not None:
                raise UsageError(
                    f"{name}: expected none with --cluster, got one. Shards are played "
                    "--epochs times, and the model after the last epoch is kept."
                )

    @property
    def most_passes(self) -> int:
        """How many passes there are at most, without shards."""
        return 10 if self.passes is None else self.passes

    @property
    def label_column(self) -> str | int | None:
        """The column of the tags."""
        return as_column(self.label)

    @property
    def token_columns(self) -> tuple[str | int, ...]:
        """The columns of a token that are named."""
        return columns_of(self.columns)

    def check(self) -> None:
        """Refuse outputs that cannot be written, that are read, or that are not models."""
        from novikoff.streams.files.opening import as_files

        if not self.learn:
            check_outputs((*as_files(self.input), self.model), self.output)
            keeps_others("--output", self.output)
            return
        held_out = [self.held_out] if self.held_out else []
        check_outputs(as_files([*self.input, *held_out]), self.model, self.certify)
        check_model("MODEL", self.model)
        check_certificate("--certify", self.certify)
