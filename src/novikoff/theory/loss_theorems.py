"""ℓ_t(s) = ln(1 + e^{−y_t s}) is the logistic loss, L(u) = Σ_t ℓ_t(u·x_t) that of a fixed u, and
g_t the derivative of ℓ_t at the score that was played. Any u gives a bound; a good one makes it
tight.

The theorems are about real numbers, and the learners are float programs. A rounding term covers the
difference: docs/programs.md proves it, and ``rounding`` computes it. For many classes that is
docs/programs_classes.md and ``class_rounding``; L(U) = Σ_t ln Σ_k e^{(U_k − U_{y_t})·x_t} there.
"""

from decimal import Decimal
from fractions import Fraction

from novikoff.theory.theorem import exact, ln, require, theorem

Exact = int | float | Fraction
MOST_ROUNDS = 2**40
MOST_LONGEST = 2**20
CLASS_MEMBERS = 8


def rounding(rounds: int, loss: Exact, stability: Exact, penalty: Exact) -> Fraction:
    """Return 2⁻⁴⁹ T (T + 5 (loss + stability + penalty)), which covers the rounding of floats."""
    require(rounds <= MOST_ROUNDS, "rounding", "at most 2**40 rounds", rounds)
    terms = Fraction(loss) + Fraction(stability) + Fraction(penalty)
    return Fraction(rounds, 2**49) * (rounds + 5 * terms)


@theorem("ftrl-diag", "mcmahan2017", families=("adaptive-gradient",), of="loss")
def ftrl_diag(
    comparator_loss: Exact, penalty: Exact, stability: Exact, rounding: Exact
) -> Fraction:
    """Proof: Per coordinate let θ_t = −Σ_{s<t} g_s x_s. Then w_t = θ_t/λ_t gives θ_{t+1}²/2λ_t =
    θ_t²/2λ_t − g_t x_t w_t + g_t² x_t²/2λ_t. Since λ never falls, θ²/2λ is at the end at most the
    sum of the last two terms over all rounds; and θu ≤ θ²/2λ + λu²/2. So Σ_t g_t x_t (w_t − u) ≤
    λu²/2 + Σ_t g_t² x_t²/2λ_t. Add up the coordinates: ℓ_t is convex, so ℓ_t(w_t·x_t) − ℓ_t(u·x_t)
    ≤ g_t (w_t − u)·x_t.

    Tight: not: only in the limit: x = 1 with labels against the prediction costs T ln 2 at least,
    and with u = 0 at most T ln 2 + 2 rate √(T + 1) is allowed; we measure how near it comes.
    """
    parts = (comparator_loss, penalty, stability, rounding)
    require(min(parts) >= 0, "ftrl-diag", "measures of 0 or more", min(parts))
    return sum((Fraction(part) for part in parts), Fraction(0))


def mixture_rounding(
    rounds: int, comparator_loss: Exact, stability: Exact, penalty: Exact
) -> Fraction:
    """Return 2⁻⁴³ T + 2⁻⁴⁹ T (T + 5 (L(u) + stability + penalty)) for a mixture's floats.

    The first term covers the mixture, which clips scores to ±30; the rest covers the member.
    """
    return Fraction(rounds, 2**43) + rounding(rounds, comparator_loss, stability, penalty)


@theorem("fixed-share", "herbster1998", families=("blend",), of="loss")
def fixed_share(
    comparator_loss: Exact,
    penalty: Exact,
    stability: Exact,
    members: int,
    rounds: int,
    rounding: Exact,
) -> Decimal:
    """Proof: Take one member, its probabilities q_t(y_t) and its weight π_t in the mixture. It
    starts with π_1 = 1/K. After round t it keeps at least the share t/(t + 1) of what Bayes' rule
    gives it: π_{t+1} ≥ t/(t + 1)·π_t q_t(y_t)/p_t(y_t); what the others share with it, and what a
    member that leaves gives back, only add to it. Multiply these for t < T, and p_T(y_T) ≥
    π_T q_T(y_T): Π_t p_t(y_t) ≥ (Π_t q_t(y_t))/(K T). So the mixture's loss is at most the
    member's + ln K + ln T, and ``ftrl-diag`` bounds the loss of AdaptiveGradient(rate).

    Tight: not: x = 1 with labels against the prediction costs T ln 2 at least, and with u = 0 at
    most T ln 2 + 2 rate √(T + 1) + ln(K T) is allowed; we measure how near it comes.
    """
    parts = (comparator_loss, penalty, stability, rounding)
    require(min(parts) >= 0, "fixed-share", "measures of 0 or more", min(parts))
    require(rounds >= 1, "fixed-share", "one round or more", rounds)
    require(members >= 1, "fixed-share", "one member or more", members)
    inherited = sum((Fraction(part) for part in parts), Fraction(0))
    return exact(inherited) + ln(members * rounds)


def members_rounding(rounds: int, members: int, loss: Exact) -> Fraction:
    """Return 2⁻⁴⁹ T (K + 64 + L_k), which covers the rounding of a mixture of K members.

    docs/programs.md, frozen-mixture/1, has the proof for members that share no weight.
    """
    require(rounds <= MOST_ROUNDS, "rounding", "at most 2**40 rounds", rounds)
    return Fraction(rounds, 2**49) * (members + 64 + Fraction(loss))


def class_members_rounding(rounds: int, classes: int, members: int, loss: Exact) -> Fraction:
    """Return 2⁻⁵² T (C + 40)(K + 32 + L_k), which covers the rounding of K members with C classes.

    docs/programs_classes.md, frozen-mixture-classes/1, has the proof.
    """
    most = "at most 2**40 rounds times classes"
    require(rounds * classes <= MOST_ROUNDS, "rounding", most, rounds * classes)
    return Fraction(rounds * (classes + 40), 2**52) * (members + 32 + Fraction(loss))


_MIXTURES = ("mixture", "frozen-mixture", "frozen-class-mixture")


@theorem("mixture", "cesabianchi2006", families=_MIXTURES, of="loss")
def mixture(
    member_loss: Exact, members: int, rounds: int, switching: bool, rounding: Exact
) -> Decimal:
    """Proof: Without switching, the weight of member k is (π_k e^{−L_k})/(Σ_j π_j e^{−L_j}) before
    each round, with its loss so far. So Σ_j π_j e^{−L_j} is multiplied by p_t(y_t) in round t, and
    Π_t p_t(y_t) = Σ_j π_j e^{−L_j} ≥ π_k e^{−L_k} in the end, with π_k = 1/K. With switching, every
    member keeps at least the share t/(t + 1) of this in each round but the last, as for
    ``fixed-share``.

    Tight: not: only the clipping of scores to ±30 is missing: if all but one of K members give the
    first label the probability 0, the loss is that of the best + ln K.
    """
    least = min(member_loss, rounding)
    require(least >= 0, "mixture", "measures of 0 or more", least)
    require(rounds >= 1, "mixture", "one round or more", rounds)
    require(members >= 1, "mixture", "one member or more", members)
    price = ln(members * rounds if switching else members)
    return exact(Fraction(member_loss) + Fraction(rounding)) + price


def betting_rounding(rounds: int, features: int, loss: Exact, reach: Exact) -> Fraction:
    """Return 2⁻⁴⁹ T (T + d + 5 loss + T Σ m_i|u_i|), which covers the rounding of bets.

    ``reach`` is Σ m_i|u_i|, the largest score that u could have in units of the largest |x_i|.
    """
    require(rounds <= MOST_ROUNDS, "rounding", "at most 2**40 rounds", rounds)
    terms = rounds + features + 5 * Fraction(loss) + rounds * Fraction(reach)
    return Fraction(rounds, 2**49) * terms


@theorem("betting", "orabona2016", families=("coin-betting",), of="loss")
def betting(comparator_loss: Exact, bets: Exact, rounding: Exact) -> Fraction:
    """Proof: Let c_t = −g_t x_{t,i}. The bet w_{t,i} turns W into W + c_t w_{t,i}. So in the end
    Σ_t c_t w_{t,i} = W_i − 1, and Σ_t g_t x_{t,i} (w_{t,i} − u_i) = 1 − W_i + u_i θ_i whatever was
    bet. Add up the coordinates: ℓ_t is convex, so ℓ_t(w_t·x_t) − ℓ_t(u·x_t) ≤ g_t (w_t − u)·x_t.
    How large can the sum get? CoinBetting bets the share clamp(r, ±1)/(kS) of W, k = 1.25, r = θ/S,
    S² = Σ c² + m² before the round. The function h(r) = r²/2 up to |r| = 1, |r| − ½ beyond, has the
    slope clamp(r, ±1), bends by at most 1, and h(θ/S) falls as S grows; and ln(1 + z) ≥ z − b z²
    for |z| ≤ 1/k, with b = −k − k² ln(1 − 1/k). So ln W ≥ h(r)/k − a Q with Q = Σ c²/S² and a =
    1/2k + b/k² < 1.21, and the worst θ gives 1 − W + uθ ≤ 1 + k|u|S (ln(k|u|S) + aQ + 1/2k − 1).
    This last part is derived here.

    Tight: not: every ℓ_t would have to be a straight line between the two scores; x = 1, labels
    against the prediction and u = 0 come near it.
    """
    require(comparator_loss >= 0, "betting", "a loss of 0 or more", comparator_loss)
    require(rounding >= 0, "betting", "a rounding term of 0 or more", rounding)
    return Fraction(comparator_loss) + Fraction(bets) + Fraction(rounding)


@theorem("betting-share", "herbster1998", families=("blend",), of="loss")
def betting_share(
    comparator_loss: Exact, bets: Exact, members: int, rounds: int, rounding: Exact
) -> Decimal:
    """Proof: As for ``fixed-share``, the loss of the mixture is at most that of any member
    + ln K + ln T; ``betting`` bounds the loss of CoinBetting.

    Tight: not: x = 1 with labels against the prediction costs T ln 2 at least; we measure how
    near it comes.
    """
    least = min(comparator_loss, bets, rounding)
    require(least >= 0, "betting-share", "measures of 0 or more", least)
    require(rounds >= 1, "betting-share", "one round or more", rounds)
    require(members >= 1, "betting-share", "one member or more", members)
    inherited = Fraction(comparator_loss) + Fraction(bets) + Fraction(rounding)
    return exact(inherited) + ln(members * rounds)


def class_rounding(rounds: int, classes: int, longest: int, inherited: Exact) -> Fraction:
    """Return n T 2^{b(n−1)−44} + 2⁻⁵⁰ T (C + 40)(b(C) T + n + X), which covers the rounding.

    X = L(U) + stability + penalty, n is the number of features in the longest row, and b(n) the
    number of binary digits of n.
    """
    most = "at most 2**40 rounds times classes"
    require(rounds * classes <= MOST_ROUNDS, "rounding", most, rounds * classes)
    require(longest <= MOST_LONGEST, "rounding", "at most 2**20 features in a row", longest)
    digits = max(longest - 1, 0).bit_length()
    scores = Fraction(rounds * longest * 2**digits, 2**44)
    whole = classes.bit_length() * rounds + longest + Fraction(inherited)
    return scores + Fraction(rounds * (classes + 40), 2**50) * whole


@theorem("fixed-share-classes", "herbster1998", families=("class-blend",), of="loss")
def fixed_share_classes(
    comparator_loss: Exact,
    penalty: Exact,
    stability: Exact,
    cuts: int,
    rounds: int,
    rounding: Exact,
) -> Decimal:
    """Proof: This is derived here from ``fixed-share`` and ``ftrl-diag``, whose coordinates become
    pairs of a class and a feature. The loss ℓ_t(s) = ln Σ_k e^{s_k − s_y} of scores s is convex,
    with gradient g_{t,k} = p_k − [k = y], p the softmax of s. So ℓ_t(W_t x_t) − ℓ_t(U x_t) ≤
    Σ_k Σ_i g_{t,k} x_{t,i} (W_{t,k,i} − U_{k,i}). The member plays W_{t,k,i} = −Σ_{s<t} g_{s,k}
    x_{s,i}/λ_{t,i}, as long as no term of its scores is cut. Its λ_{t,i} is the same for all
    classes, is known before g_t, and never falls, because m and the sum only grow. So the proof of
    ``ftrl-diag`` holds for each pair (k, i), and adding up gives L(U) + ½ Σ_i λ_i Σ_k U_{k,i}² +
    ½ Σ_t Σ_i Σ_k g_{t,k}² x_{t,i}²/λ_{t,i} for the member. As in ``fixed-share``, the mixture's
    loss is at most ln K + ln T above it.

    Tight: not: x = 1 with the class that is predicted least costs T ln C at least, and with U = 0
    at most T ln C + the stability + ln(K T) is allowed; we measure how near it comes.
    """
    parts = (comparator_loss, penalty, stability, rounding)
    require(min(parts) >= 0, "fixed-share-classes", "measures of 0 or more", min(parts))
    require(rounds >= 1, "fixed-share-classes", "one round or more", rounds)
    whole = "scores without a term beyond ±64"
    require(cuts == 0, "fixed-share-classes", whole, f"{cuts:g} rounds with one")
    inherited = sum((Fraction(part) for part in parts), Fraction(0))
    return exact(inherited) + ln(CLASS_MEMBERS * rounds)
