"""Float programs for losses that go on from the state of a saved model."""

from fractions import Fraction

from verifier.core.certificate import Json, Names, Object, require
from verifier.core.data import Data
from verifier.core.exact import least_float
from verifier.core.learner import LEARNERS
from verifier.core.models import Model
from verifier.core.theorem import THEOREMS, Theorem
from verifier.families.losses import AdaptiveGradient, Cell, LogisticRun

THEOREMS |= {
    "ftrl-diag-resumed": Theorem(
        "Σ_t ℓ_t(w_t·x_t) ≤ L(u) + Σ_i (½λ_i u_i² − u_i θ_i + θ_i²/2κ_i) + "
        "½Σ_t Σ_i g_t²x_{t,i}²/λ_{t,i} + rounding for every u, with i over the features of these "
        "rounds, where ℓ_t(s) = ln(1 + e^{−y_t s}) is the loss of a score s, g_t its derivative at "
        "the score that was played, L(u) = Σ_t ℓ_t(u·x_t), θ_i = −Σ_s g_s x_{s,i} over the rounds "
        "before the first of these, λ_{t,i} = m√(Σ_{s<t} (g_s x_{s,i})² + m²)/rate with "
        "m = max_{s≤t} |x_{s,i}| over all rounds, κ_i the same before the first of these rounds, "
        "and λ_i after the last"
    ),
}
MOST_STATE = float(1 << 41)  # of θ and S, in units of m: no more than so many rounds make
Origin = dict[int, tuple[float, float, float]]  # m, θ and S of a feature at the start


def is_sound(cell: Cell) -> bool:
    """Say whether a run of the program could have left these m, θ and S, as to their sizes."""
    m, theta, S = cell
    return m > 0 and abs(theta) <= MOST_STATE and 0 <= S <= MOST_STATE


def potential(run: LogisticRun, origin: Origin, rate: float) -> Fraction:
    """Return Σ θ_i²/2κ_i = Σ rate θ²/(2√(S + 1)) in units of m, rounded up."""
    digits = run.log_loss.digits
    total = digits.of(0)
    for _, theta, S in origin.values():
        total += digits.of(Fraction(theta) ** 2) / digits.of(Fraction(S) + 1).sqrt()
    return Fraction((total * (Fraction(rate) / 2)).high)


def gained(run: LogisticRun, origin: Origin) -> Fraction:
    """Return Σ u_i θ_i, exactly."""
    found = Fraction(0)
    for i, weight in run.u.items():
        m, theta, _ = origin.get(i, (0.0, 0.0, 0.0))
        found += Fraction(weight, 1 << run.fine) * Fraction(m) * Fraction(theta)
    return found


class ResumedAdaptiveGradient(AdaptiveGradient):
    """A run of `adaptive-gradient/1` from nothing or from a state."""

    resumed: Names = ("ftrl-diag-resumed", "progressive")

    def __init__(self, data: Data, rate: float, hashing: Object | None = None) -> None:
        super().__init__(data, rate, hashing)
        self.first: dict[int, Cell] = {}  # the cells that it began with

    @staticmethod
    def stated(mistakes: Object, evidence: Object) -> Json:
        """Return the loss, or the mistakes if they are what the theorem is about."""
        return evidence.get("loss", mistakes["count"])

    def begin(self, model: Model) -> None:
        """Take m, θ and S of every feature, the constant one first; m is 0 before it appears."""
        flat = model.reals("cells")
        model.expect(len(flat) % 3 == 0, "three numbers for each feature")
        for i in range(len(flat) // 3):
            cell = flat[3 * i], flat[3 * i + 1], flat[3 * i + 2]
            if any(cell):
                model.expect(is_sound(cell), "m above 0, and S not below it")
                self.cells[i - 1] = cell
        self.first = dict(self.cells)

    def follow(self, before: AdaptiveGradient) -> None:
        """Take over the cells of another run."""
        self.cells = dict(before.cells)
        self.first = dict(self.cells)

    def origin(self) -> Origin:
        """Return the first cells of the features of these rounds: learning replaces a cell."""
        return {i: cell for i, cell in self.first.items() if self.cells[i] is not cell}

    def sizes(self, i: int) -> tuple[float, float] | None:
        """Return m and S of a feature that has appeared in these rounds."""
        untouched = i in self.first and self.cells[i] is self.first[i]
        return None if untouched else super().sizes(i)

    def bound(self, theorem: str) -> float:
        """Evaluate L(u) + penalty − u·θ + potential + stability + rounding."""
        if theorem != "ftrl-diag-resumed":
            return super().bound(theorem)
        T, share = self.played, Fraction(self.played, 1 << 49)
        require(T <= 1 << 40, "it has more than 2^40 rounds")
        stability, loss = (
            Fraction(total + rest)
            for total, rest in (
                (self.stability, self.stability_rest), (self.loss, self.loss_rest),
            )
        )  # fmt: skip
        penalty, origin = self.penalty(self.sizes, self.rate), self.origin()
        before = potential(self, origin, self.rate)
        rounding = share * (T + 5 * (stability + penalty + loss + before))
        own = self.times * self.log_loss.total() + penalty - gained(self, origin) + before
        return least_float(own + stability + rounding)


LEARNERS |= {"AdaptiveGradient": ResumedAdaptiveGradient}
