"""Lower bounds of what the best fixed weights lose, with their penalty: duals."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

from verifier.core.enclosures import Precision
from verifier.core.exact import Vector

SLOPES = 30  # a slope is a whole number of 2^−30, if nothing else is said


class DualBound:
    """A lower bound of min_u [Σ_t ℓ_t(u·x_t) + ½Σ_i λ_i u_i²], rounded down in 30 digits.

    Take any slope c_t for each round, and let gain_t = min_s [ℓ_t(s) + c_t s] and v = Σ_t c_t x_t.
    Then Σ_t ℓ_t(u·x_t) ≥ Σ_t gain_t − u·v, and −u_i v_i + ½λ_i u_i² ≥ −½v_i²/λ_i, so that

        Σ_t ℓ_t(u·x_t) + ½Σ_i λ_i u_i² ≥ Σ_t gain_t − ½Σ_i v_i²/λ_i    for every u.

    The slopes −ℓ_t′(u·x_t) of the least u make it an equality. Slopes that are near them, rounded
    to a grid, make it nearly one; whatever they are, it holds.
    """

    def __init__(self, fine: int = SLOPES) -> None:
        self.digits, self.fine = Precision(30), fine
        self.gain = Decimal(0)
        self.v: dict[int, int] = {}  # in units of 2^−fine and of the values of x

    def add(self, gain: Decimal, slope: int, x: Vector) -> None:
        """Add a round: its gain, rounded down, its slope in units of 2^−fine, and x."""
        self.gain = self.digits.down.add(self.gain, gain)
        v = self.v
        for i, value in zip(*x, strict=True) if slope else ():
            v[i] = v.get(i, 0) + slope * value

    def least(self, lambdas: Callable[[int], Decimal], grid: int, times: int = 1) -> Decimal:
        """Return times·Σ gain − ½Σ_i (times·v_i)²/λ_i, rounded down; x is in units of 2^−grid.

        λ_i is asked for if v_i is not 0. It must be above 0, and may be rounded down. A run of
        several passes has the losses of one of them so many times.
        """
        down, up = self.digits.down, self.digits.up
        total = Decimal(0)
        for i, v in self.v.items():
            if v:
                square = up.multiply(Decimal(v), Decimal(v))
                total = up.add(total, up.divide(square, lambdas(i)))
        share = Fraction(times * times, 2 << (2 * (self.fine + grid)))
        cost = up.multiply(total, self.digits.of(share).high)
        return down.subtract(down.multiply(self.gain, times), cost)


class LogisticDual(DualBound):
    """The logistic loss ln(1 + e^{−y s}): c = α y with 0 ≤ α ≤ 1, and the gain is the entropy
    −α ln α − (1 − α) ln(1 − α); the least u has α = 1/(1 + e^{y u·x}).
    """

    def __init__(self) -> None:
        super().__init__()
        down = self.digits.down
        self.ln_whole = down.next_minus(down.ln(Decimal(1 << SLOPES)))  # below ln 2^30

    def take(self, y: int, z: int, unit: int, x: Vector) -> None:
        """Add a round in which a comparator u has y u·x = z units of 1/unit."""
        a = self.share(z, unit)
        self.add(self.entropy(a), a * y, x)

    def share(self, z: int, unit: int) -> int:
        """Return about 1/(1 + e^{z/unit}) in units of 2^−30, from 0 to 2^30."""
        down = self.digits.down
        e = down.exp(down.divide(Decimal(-abs(z)), Decimal(unit)))
        part = down.divide(e if z > 0 else Decimal(1), down.add(1, e))
        return min(1 << SLOPES, int(down.multiply(part, 1 << SLOPES)))

    def entropy(self, a: int) -> Decimal:
        """Return −α ln α − (1 − α) ln(1 − α) with α = a/N, N = 2^30, rounded down.

        It is ln N − (a ln a + (N − a) ln(N − a))/N.
        """
        whole, down, up = 1 << SLOPES, self.digits.down, self.digits.up
        if not 0 < a < whole:
            return Decimal(0)
        logs = [up.multiply(b, up.next_plus(up.ln(Decimal(b)))) for b in (a, whole - a)]
        part = up.divide(up.add(*logs), whole)
        return max(Decimal(0), down.subtract(self.ln_whole, part))


class SquaredDual(DualBound):
    """The squared loss (y − s)²: the gain is c y − c²/4; the least u has c = 2(y − u·x)."""

    def take(self, y: Fraction, slope: int, x: Vector) -> None:
        """Add a round with c = slope·2^−fine."""
        c = Fraction(slope, 1 << self.fine)
        self.add(self.digits.of(c * y - c * c / 4).low, slope, x)
