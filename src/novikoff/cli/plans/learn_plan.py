"""The plan of ``novikoff learn``."""

import os
import re
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, ClassVar, Self

from novikoff.cli.output_kinds import check_model, check_optional_certificate, keeps_others
from novikoff.cli.outputs import check_outputs
from novikoff.cli.parser import LEARNERS, UsageError
from novikoff.cli.plans.keyed_part import KeyedPart, refuse_others
from novikoff.cli.plans.learner_plan import LearnerPlan
from novikoff.cli.plans.plan import Plan, dashed, refuse_empty, refuse_hashing
from novikoff.cli.plans.reading_plan import ReadingPlan, used_up
from novikoff.cli.plans.run_plan import RunPlan
from novikoff.errors import HypothesisError, InputError
from novikoff.extras import require_extra
from novikoff.quick_records import record

if TYPE_CHECKING:  # they need NumPy
    from novikoff.learners import Learner
    from novikoff.playing.run import Run

_NOT_IN_SHARDS = ("stdio", "passes", "until_clean", "max_passes", "save_every", "digest", "chain")
"""The options that shards do not take."""
_NOT_BY_KEY = ("shards", "epochs", "compare", "resume", "stdio", "passes", "until_clean",
               "max_passes", "save_every", "digest", "bounds", "certify", "theorem", "chain",
               "report", "baselines", "held_out", "progress")  # fmt: skip
"""The options that a run per key does not take."""
_ALONE = ("resume", "passes", "until_clean", "max_passes", "save_every", "digest", "bounds",
          "certify", "theorem", "chain", "report", "baselines", "stdio",
          "held_out", "cluster", "shards", "epochs")  # fmt: skip
"""The options that are for a run of one learner."""


@record(frozen=True, kw_only=True)
class LearnPlan(Plan):
    """Learn from files; save, certify and draw what is asked for."""

    home: ClassVar[str] = "learning"
    reading: ReadingPlan
    learner: LearnerPlan
    run: RunPlan
    keyed: KeyedPart
    compare: str | None = None
    stdio: bool = False
    cluster: str | None = None
    shards: int | None = None
    epochs: int = 1
    passes: int = 1
    until_clean: bool = False
    max_passes: int | None = None
    progress: bool = False
    save: str | None = None
    save_every: float | None = None
    resume: str | None = None
    digest: bool = False
    bounds: bool = False
    certify: str | None = None
    theorem: str | None = None
    chain: bool = False
    report: str | None = None
    baselines: bool = False
    held_out: str | None = None
    delta: float = 0.05
    save_unnamed: bool = False
    """Whether ``save`` was named after the input, because there will be receipts."""

    @classmethod
    def of(cls, options: Mapping[str, object]) -> Self:
        """Name what has no name of its own after the input."""
        plan = super().of(options)
        if plan.held_out is not None and plan.reading.first is not None:
            raise UsageError("--first: expected none with --held-out, which sets it, got one.")
        # Rows that are not text take --presence as a transform.
        taken = plan.reading.remembered | {"presence"}
        plan = replace(plan, reading=replace(plan.reading, remembered=taken))
        beside = plan.reading.beside
        if plan.certify == "":
            plan = replace(plan, certify=beside(".certificate.json"))
        if (plan.certify or plan.report) and not plan.save:
            plan = replace(plan, save=beside(".model"), save_unnamed=True)
        return plan

    def __post_init__(self) -> None:
        refuse_empty(self, "save", "resume", "report")
        if self.until_clean and self.passes > 1:
            raise UsageError(
                "--passes: expected none with --until-clean, got one. Limit it with --max-passes."
            )
        if self.max_passes is not None and not self.until_clean:
            raise UsageError("--max-passes: expected --until-clean with it, got none.")
        if self.save_every is not None and (self.save is None or self.save_unnamed):
            raise UsageError("--save-every: expected --save MODEL with it, got none.")
        if self.theorem is not None and self.certify is None:
            raise UsageError("--theorem: expected --certify with it, got none.")
        if self.chain and self.certify is None:
            raise UsageError("--chain: expected --certify with it, got none.")
        self._check_resume()
        self._check_compare()
        self._check_held_out()
        if self.keyed.by is not None:
            self._check_keyed()
        else:
            self._check_cluster()
        if self.stdio:
            self._check_stdio()
        self.check_format(self.reading.format)
        if self.theorem in ("progressive", "progressive-mixture"):
            self._check_mean_error(self.theorem)
        if self.is_reread and "-" in self.reading.input:
            raise used_up()

    def _check_mean_error(self, theorem: str) -> None:
        """Refuse what a certificate of the mean error of the run's hypotheses cannot have."""
        if self.delta != LearnPlan.delta:
            raise UsageError(
                f"--delta: expected {LearnPlan.delta} with --theorem {theorem}, because its "
                f"certificates have no other, got {self.delta}. Leave it out."
            )
        if self.passes > 1:
            raise HypothesisError(
                f"certify: expected one pass for {theorem}, got {self.passes}. Rounds that were "
                "played before are not fresh."
            )

    def _check_resume(self) -> None:
        """Refuse what a resumed model has decided already."""
        if self.resume is None or self.cluster is not None:
            return
        for name in (*self.learner.given, *self.run.given):
            raise UsageError(f"{dashed(name)}: expected none with --resume, got one. It is saved.")

    def _check_keyed(self) -> None:
        """Refuse what is for one run of all rows."""
        usual = {field.name: field.default for field in fields(self)}
        given = {name: getattr(self, name) for name in _NOT_BY_KEY}
        refuse_others(given | dict.fromkeys(self.run.given, True), usual)
        if self.learner.bias == "auto":
            raise UsageError("--bias: expected a number with --by, got auto. Name one.")
        if "-" in self.reading.input:
            raise used_up()

    def _check_cluster(self) -> None:
        """Refuse shards without a cluster, and what shards cannot do."""
        if self.cluster is None:
            for name in ("shards", "epochs"):
                if getattr(self, name) != getattr(LearnPlan, name):
                    raise UsageError(f"{dashed(name)}: expected --cluster with it, got none.")
            return
        if self.shards is None:
            raise UsageError("--shards: expected how many with --cluster, got none.")
        if self.held_out is not None:
            self._check_blended(self.held_out)
        usual = {field.name: field.default for field in fields(self)}
        for name in (*_NOT_IN_SHARDS, *self.run.given):
            if getattr(self, name, None) != usual.get(name):
                raise UsageError(f"{dashed(name)}: expected none with --cluster, got one.")

    def _check_blended(self, held_out: str) -> None:
        """Refuse what a mixture of shards cannot do."""
        if self.epochs != 1:
            raise UsageError("--epochs: expected none with --held-out, got some. Shards play once.")
        if not self.holds_out_file:
            held_out_part(held_out)

    @property
    def holds_out_file(self) -> bool:
        """Whether the rows held out are a file of their own."""
        return self.held_out is not None and os.path.isfile(self.held_out)

    def _check_compare(self) -> None:
        """Refuse learners that are not there, and what is for a run of one learner."""
        if self.compare is None:
            return
        names = self.compared
        strange = [name for name in names if name not in LEARNERS]
        if strange or len(names) < 2 or len(set(names)) < len(names):
            got = strange[0] if strange else self.compare
            raise UsageError(
                f"--compare: expected two or more of {', '.join(LEARNERS)}, separated by commas, "
                f"got {got!r}."
            )
        usual = {field.name: field.default for field in fields(self)}
        given = [name for name in _ALONE if getattr(self, name) != usual[name]]
        given += [name for name in self.run.given if name in ("threshold", "cost")]
        for name in ["learner"] * bool(self.learner.learner) + given:
            raise UsageError(
                f"{dashed(name)}: expected none with --compare, got one. Compare first, then learn "
                "with one learner."
            )

    def _check_held_out(self) -> None:
        """Refuse a part that is none, and what has no rows to hold out."""
        if self.held_out is None or self.cluster is not None:
            return
        held_out_part(self.held_out)
        for name in ("resume", "stdio"):
            if getattr(self, name):
                raise UsageError(
                    f"{dashed(name)}: expected none with --held-out, got one. Learn first, then "
                    "test: novikoff test MODEL FRESH."
                )
        if "-" in self.reading.input:
            raise used_up()

    @property
    def compared(self) -> tuple[str, ...]:
        """The names of the learners to compare."""
        return tuple(name.strip() for name in (self.compare or "").split(","))

    def _check_stdio(self) -> None:
        """Refuse what a conversation has no use for: it reads no file, and nothing twice."""
        if self.reading.input != ("-",):
            raise UsageError(
                f"--stdio: expected - as the only input, got {' '.join(self.reading.input)}."
            )
        if self.reading.format not in ("auto", "jsonl"):
            raise UsageError("--format: expected none with --stdio, which speaks JSON lines.")
        said = [name for name in _FILES_ONLY if getattr(self.reading, name)]
        plays = [name for name in _PLAYS if getattr(self, name) != getattr(LearnPlan, name)]
        for name in (*(name for name in said if name not in self.reading.remembered), *plays):
            raise UsageError(f"{dashed(name)}: expected none with --stdio, got one. Leave it out.")
        if self.resume and self.reading.positive is not None:
            raise UsageError("--positive: expected none with --resume, got one. It is saved.")

    def new_run(self, learner: "Learner | None" = None) -> "Run":
        """Return a run that has played nothing; in a conversation no stream names its labels.

        Of several learners, only those that need a largest weight get one.
        """
        from novikoff.learners.protocols import scales_loss
        from novikoff.playing.run import Run

        about, options = self.run, self.reading.options()
        bounded = learner is None or scales_loss(learner)
        return Run(
            learner or self.learner.made(),
            positive=options.positive if self.stdio else None,
            labels=options.labels if self.stdio else (),
            class_weights=about.class_weights(),
            max_weight=about.max_weight if bounded else None,
            threshold=about.decision.at,
            digest=self.needs_digest,
        )

    def check_format(self, format: str) -> None:
        """Refuse to hash the names of features in a format that numbers them."""
        if self.learner.hash_bits is not None:
            refuse_hashing(format)

    @property
    def is_receipt_asked(self) -> bool:
        """Whether bounds are asked for, or what is made of them."""
        return bool(self.certify or self.report or self.bounds)

    @property
    def wants_best_feature(self) -> bool:
        """Whether the best single feature is looked for."""
        return self.baselines or self.report is not None

    @property
    def is_reread(self) -> bool:
        """Whether something is asked for that reads the data a second time."""
        return self.is_receipt_asked or self.wants_best_feature

    @property
    def needs_digest(self) -> bool:
        """Whether the digest is computed while the rounds are played."""
        return self.digest or self.is_receipt_asked

    def check(self) -> None:
        """Refuse parameters, packages and files that will fail whatever the data are."""
        self.reading.check()
        if self.report:
            from novikoff.reports import drawable

            drawable(self.report, "--report")
            require_extra("matplotlib", "--report")
        if self.compare is not None:
            check_comparable(self.learner.several(self.compared))
        elif self.cluster is not None and self.held_out is not None:
            from novikoff.cluster.blended_play import checked_blendable

            checked_blendable(self.learner.made())
        elif self.cluster is not None and self.keyed.by is None:
            from novikoff.cluster.shard_learners import check_mixable

            check_mixable(self.learner.made())
        elif self.resume is None:
            self._check_learner()
        self.keyed.check()
        save = None if self.save_unnamed or self.keyed.by is not None else self.save
        if self.keyed.by is not None and self.save and os.path.isfile(self.save):
            raise InputError(f"{self.save}: expected a folder for the runs, got a file.")
        check_outputs(self.reading.files(), save, self.certify, self.report, self.keyed.key_table)
        if self.resume:
            check_outputs([self.resume], self.certify, self.report)
        check_model("--save", save)
        check_optional_certificate(self.certify)
        keeps_others("--table", self.keyed.key_table)

    def _check_learner(self) -> None:
        """Refuse a learner that cannot be made, or whose runs have no certificate."""
        from novikoff.learners.protocols import is_probable

        run = self.new_run()
        if self.stdio and is_probable(run.learner) and not run.labels.allowed:
            raise UsageError(
                "--labels: expected all labels with --stdio, because the learner gives each a "
                "probability from the first round on, got none. Name them, as in --labels ham,spam."
            )
        if self.certify is not None:
            from novikoff.receipts.certificates import check_certifiable

            check_certifiable(run, self.theorem)


_FILES_ONLY = ("label", "weight", "delimiter", "categorical", "columns", "zero_based", "on_bad",
               "threads", "first")  # fmt: skip
_PLAYS = ("passes", "until_clean", "max_passes", "progress")


def held_out_part(text: str) -> "float | int":
    """Return what part of the rows is held out: a share below 1, or a number of rows.

    >>> held_out_part("last:20%"), held_out_part("last:5000")
    (0.2, 5000)
    """
    found = re.fullmatch(r"last:(?:([0-9]{1,2}(?:\.[0-9]+)?)%|([0-9]{1,18}))", text)
    part = 0 if found is None else float(found[1]) / 100 if found[1] else int(found[2])
    if part == 0:
        raise UsageError(
            f"--held-out: expected last:20% or last:5000, say, the share or the number of the last "
            f"rows, got {text!r}."
        )
    return part


def check_comparable(learners: "dict[str, Learner]") -> None:
    """Refuse learners that read the file before the first round."""
    for name, learner in learners.items():
        if learner.batch:
            raise UsageError(
                f"--compare: expected learners that read the file once, got {name}, which needs "
                "every feature before its first round. Learn with it alone."
            )
