"""Blend that goes on from a saved model: its weights at the start are the prior."""

from fractions import Fraction

from verifier.core.certificate import Json, Names, Object, require
from verifier.core.data import Data
from verifier.core.exact import least_float
from verifier.core.learner import LEARNERS
from verifier.core.models import Model
from verifier.core.theorem import THEOREMS, Theorem
from verifier.families.blend import BLEND_RATES, Blend, BlendCell
from verifier.families.loss_start import Origin, gained, is_sound, potential
from verifier.families.losses import Cell
from verifier.families.mixture import MEMBERS, MOST_JOINED, NEWTON, STACKED, OnlineNewton

THEOREMS |= {
    "fixed-share-resumed": Theorem(
        "Σ_t −ln p_t(y_t) ≤ L(u) + Σ_i (½λ_i u_i² − u_i θ_i + θ_i²/2κ_i) + "
        "½Σ_t Σ_i g_t²x_{t,i}²/λ_{t,i} + ln(1/π) + ln((T₀ + T)/(T₀ + 1)) + rounding for every u "
        "and every rate in {¼, 1, 4}, with i over the features of these T rounds, where p_t(y_t) "
        "is the probability that the mixture gave to the label of round t, π the weight of the "
        "member AdaptiveGradient(rate) before these rounds, T₀ the number of rounds before, "
        "L(u) = Σ_t ln(1 + e^{−y_t u·x_t}), g_t the derivative of the logistic loss at the "
        "member's score, θ_i = −Σ_s g_s x_{s,i} over the rounds before, "
        "λ_{t,i} = m√(Σ_{s<t} (g_s x_{s,i})² + m²)/rate with m = max_{s≤t} |x_{s,i}| over all "
        "rounds, κ_i the same before these rounds, and λ_i after the last"
    ),
}
LANES = 12  # numbers in a saved row of the stack's matrix, of which the first ten count
CELL = 16
LEAST_WEIGHT = 1 / (1 << 44)  # of a member after at most 2⁴⁰ rounds
MOST_WEIGHT = 1 + Fraction(1, 1 << 49)  # of all members, as they are rounded
MOST_ROUNDS = 1 << 40


class ResumedBlend(Blend):
    """A run of `blend/1` from nothing or from a state."""

    resumed: Names = ("fixed-share-resumed", "progressive")
    before = 0  # rounds

    def __init__(self, data: Data, hashing: Object | None = None) -> None:
        super().__init__(data, hashing)
        self.first: dict[int, BlendCell] = {}
        self.prior = self.mixture.weights

    @staticmethod
    def stated(mistakes: Object, evidence: Object) -> Json:
        """Return the loss, or the mistakes if they are what the theorem is about."""
        return evidence.get("loss", mistakes["count"])

    def begin(self, model: Model) -> None:
        """Take the whole state from the arrays of a model."""
        counts, totals = model.counts("counts"), model.reals("totals")
        model.expect(len(counts) == 3 and counts[2] < 2, "three counts")
        model.expect(counts[1] < MOST_ROUNDS, "fewer than 2^40 rounds")
        model.expect(len(totals) == 5, "five totals")
        self.played, self.square = counts[1], totals[0]
        self.base.positive, self.base.negative = totals[1:3]
        self.recent.positive, self.recent.negative = totals[3:]
        self.mixture.left = self.newton.left = bool(counts[2])
        self.mixture.weights = self.weights_of(model, "weights")
        self.mixture.mean = self.weights_of(model, "mean_weights")
        matrix = model.reals("stack_matrix")
        self.stack.w = model.reals("stack_weights")
        sound = len(self.stack.w) == STACKED and len(matrix) == STACKED * LANES
        model.expect(sound, "a stack of ten members")
        self.stack.P = [matrix[i * LANES : i * LANES + STACKED] for i in range(STACKED)]
        self.begin_newton(model)
        self.begin_cells(model)
        self.begun()

    def weights_of(self, model: Model, array: str) -> list[float]:
        """Return weights of the members that a mixture can have.

        `weights` mix; `mean_weights`, their mean over the rounds, are for a hypothesis. Both add up
        to 1, the weights but for 2⁻⁴⁹. A round moves the mean towards the weights: it rounds the
        sum by less than 2⁻⁵⁰, and brings nothing below 0.
        """
        found, mean = model.reals(array), array == "mean_weights"
        model.expect(len(found) == MEMBERS, f"eleven numbers for {array!r}")
        gone = not self.mixture.left or found[NEWTON] == 0
        model.expect(gone, f"0 for OnlineNewton, which has left, in {array!r}")
        living = [w for k, w in enumerate(found) if k != NEWTON or not self.mixture.left]
        least = 0.0 if mean else LEAST_WEIGHT
        model.expect(min(living) >= least, f"no number below {least!r} in {array!r}")
        most = 1 + Fraction(self.played + 3, 1 << 50) if mean else MOST_WEIGHT
        total = sum(map(Fraction, found))
        sound = total <= most and (total >= 2 - most or not mean)
        model.expect(sound, f"numbers that add up to 1 for {array!r}")
        return found

    def begin_newton(self, model: Model) -> None:
        """Take the features of OnlineNewton in their order, and P row by row to its diagonal."""
        features, matrix = model.counts("newton_features", -1), model.reals("newton_matrix")
        newton, size = OnlineNewton(), len(features)
        newton.first, newton.w = model.reals("newton_first"), model.reals("newton_weights")
        sound = len({*features}) == size <= MOST_JOINED and (not size or not self.newton.left)
        sound = sound and len(newton.first) == len(newton.w) == size
        sound = sound and len(matrix) == size * (size + 1) // 2 and min(newton.first, default=1) > 0
        model.expect(sound, "the features of OnlineNewton")
        newton.slots = {i: slot for slot, i in enumerate(features)}
        newton.P = [matrix[i * (i + 1) // 2 : (i + 1) * (i + 2) // 2] for i in range(size)]
        newton.left, self.newton = self.newton.left, newton

    def begin_cells(self, model: Model) -> None:
        """Take the cell of every feature, the constant one first; m is 0 before it appears."""
        flat = model.reals("cells")
        model.expect(len(flat) % CELL == 0, "sixteen numbers for each feature")
        for at in range(0, len(flat), CELL):
            t0, t1, t2, t3, S0, S1, S2, S3, a, b, w, W, A, B, V, m = flat[at : at + CELL]
            if m:
                self.cells[at // CELL - 1] = cell = (
                    t0, t1, t2, t3, S0, S1, S2, S3, a, b, w, W, A, B, V, m,
                )  # fmt: skip
                sound = all(is_sound(self.member(cell, n)) for n in range(3)) and S0 >= 0
                model.expect(sound and min(A, B) >= 0, "m above 0, and S not below it")

    def begun(self) -> None:
        """Remember what the theorem needs of the state at the start."""
        self.first, self.before = dict(self.cells), self.played
        self.prior = self.mixture.weights

    def follow(self, before: Blend) -> None:
        """Take over the state in which another run ended."""
        self.cells, self.played, self.square = dict(before.cells), before.played, before.square
        self.base, self.recent, self.newton = before.base, before.recent, before.newton
        self.stack, self.mixture = before.stack, before.mixture
        self.begun()

    def member(self, cell: BlendCell, n: int) -> Cell:
        """Return m, θ and S of the n-th member with a theorem."""
        return cell[15], cell[1 + n], cell[5 + n]

    def sizes(self, i: int) -> tuple[float, float] | None:
        """Return m and S of a feature that has appeared in these rounds."""
        untouched = i in self.first and self.cells[i] is self.first[i]
        return None if untouched else super().sizes(i)

    def origin(self, n: int) -> Origin:
        """Return the first cells of the features of these rounds: learning replaces a cell."""
        first = self.first.items()
        return {i: self.member(cell, n) for i, cell in first if self.cells[i] is not cell}

    def bound(self, theorem: str) -> float:
        """Evaluate L(u) + penalty − u·θ + potential + stability + the price + rounding."""
        if theorem != "fixed-share-resumed":
            return super().bound(theorem)
        T, n = self.played - self.before, BLEND_RATES.index(self.rate)
        require(T > 0 and self.played <= MOST_ROUNDS, "it has no round, or more than 2^40")
        origin, penalty = self.origin(n), self.penalty(self.sizes, self.rate)
        before = potential(self, origin, self.rate)
        own = self.times * self.log_loss.total() + penalty + before
        own += Fraction(self.stability[n] + self.stability_rest[n])
        odds = Fraction(self.played, self.before + 1) / Fraction(self.prior[1 + n])
        price = Fraction(self.log_loss.digits.of(odds).ln().high)
        rounding = Fraction(T, 1 << 42) + Fraction(T, 1 << 49) * (T + 5 * own)
        return least_float(own - gained(self, origin) + price + rounding)


LEARNERS |= {"Blend": ResumedBlend}
