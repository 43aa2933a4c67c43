"""Claims about predictions, judged by the page of certificates with two hundred digits."""

import hashlib
import math
import struct
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from mpmath import mp, mpf

from oracle.claim import fields, number
from oracle.data import Data, Vector, dot, place_in, with_constant
from oracle.perceptrons import weights
from oracle.reals import DIGITS, is_number, is_whole, real, require, slope
from oracle.writing import canonical

DIGEST = {"probability", "score", "value", "label"}
SLACK = mpf(10) ** -22  # what thirty digits may lose, as a part of what is added up


def digest_of(kind: Any, predictions: Sequence[Any]) -> str:
    """Return the digest of predictions of a kind."""
    require(kind in DIGEST if isinstance(kind, str) else False, "the kind is none")
    if kind == "label":
        text = b"".join(canonical(label) + b"\n" for label in predictions)
    else:
        require(all(is_number(p) and math.isfinite(p) for p in predictions), "no numbers")
        text = b"".join(struct.pack("<d", p) for p in predictions)
    return hashlib.sha256(text).hexdigest()


def rounded_to(claimed: Any, exact: Any, slack: Any, up: bool = True) -> bool:
    """Whether a float is the one next to a real number, on one side, give or take the slack."""
    if not (isinstance(claimed, float) and math.isfinite(claimed)):
        return False
    sign = 1 if up else -1
    other = math.nextafter(claimed, -sign * math.inf)
    near = sign * (real(claimed) - exact) >= -slack
    return bool(near and sign * (real(other) - exact) <= slack)


def _clip(evidence: dict[str, Any]) -> Fraction | None:
    clip = evidence["clip"]
    if clip is None:
        return None
    require(isinstance(clip, float) and 0 < clip < 0.5, "the clip is none")
    require(evidence["kind"] == "probability", "only probabilities are clipped")
    return Fraction(clip)


def _chances(evidence: dict[str, Any], ys: list[int], predictions: Sequence[Any]) -> list[Any]:
    """Return the probability of the label in each row."""
    clip, found = _clip(evidence), []
    for y, p in zip(ys, predictions, strict=True):
        if evidence["kind"] == "score":
            found.append(1 / (1 + mp.exp(real(-y * Fraction(p)))))
            continue
        chance = Fraction(p)
        require(0 <= chance <= 1, "a probability is none")
        if clip is not None:
            chance = min(max(chance, clip), 1 - clip)
        found.append(real(chance if y > 0 else 1 - chance))
        require(found[-1] > 0, "the loss is infinite")
    return found


def _delta(evidence: dict[str, Any]) -> Fraction:
    delta = evidence["delta"]
    require(isinstance(delta, float) and 0 < delta < 1, "δ is none")
    return Fraction(delta)


def _penalised(evidence: dict[str, Any], rows: list[Vector]) -> tuple[list[Vector], Vector, Vector]:
    """Return the rows with the constant feature, w, and every λ_i = λ·max_t x_{t,i}²."""
    penalty, bias, w = evidence["penalty"], evidence["bias"], weights(evidence["w"])
    require(isinstance(penalty, float) and 0 < penalty < math.inf, "the penalty is none")
    require(bias is None or isinstance(bias, float), "the bias is none")
    constant = None if bias is None else number(bias, "the bias")
    xs = [with_constant(x, constant) for x in rows]
    largest: Vector = {}
    for x in xs:
        largest |= {i: max(abs(v), largest.get(i, Fraction(0))) for i, v in x.items()}
    require(w.keys() <= largest.keys(), "a weight is of no feature")
    return xs, w, {i: Fraction(penalty) * m * m for i, m in largest.items()}


def _half(lambdas: Vector, u: Vector) -> Fraction:
    return sum((lambdas[i] * v * v for i, v in u.items()), Fraction(0)) / 2


def fixed_weights_squared(content: dict[str, Any], data: Data, predictions: Sequence[Any]) -> None:
    """Require Σ (y_t − p_t)² − D ≤ B, and that all of it is what it says."""
    evidence = content["evidence"]
    fields(evidence, {"predictions", "kind", "penalty", "bias", "w", "loss", "least", "regret",
                      "baseline"})  # fmt: skip
    require(evidence["kind"] == "value", "the predictions are no values")
    xs, w, lambdas = _penalised(evidence, data.xs)
    ys = [Fraction(y) for y in data.ys]
    own = sum(((y - Fraction(p)) ** 2 for y, p in zip(ys, predictions, strict=True)), Fraction(0))
    rests = [y - dot(w, x) for x, y in zip(xs, ys, strict=True)]
    v = dict.fromkeys(lambdas, Fraction(0))
    for x, rest in zip(xs, rests, strict=True):
        for i, value in x.items():
            v[i] += 2 * rest * value
    gain = sum((2 * r * y - r * r for r, y in zip(rests, ys, strict=True)), Fraction(0))
    cost = sum((v[i] ** 2 / lambdas[i] for i in v), Fraction(0)) / 2
    value = sum((r * r for r in rests), Fraction(0)) + _half(lambdas, w)
    size = 1 + own + sum((abs(2 * r * y) + r * r for r, y in zip(rests, ys, strict=True)), cost)
    slack = SLACK * real(size)
    mean = sum(ys, Fraction(0)) / len(ys)
    spread = sum(((y - mean) ** 2 for y in ys), Fraction(0))
    require(rounded_to(evidence["loss"], real(own), mpf(0)), "the loss is another")
    require(rounded_to(evidence["least"], real(gain - cost), slack, up=False), "another least")
    require(rounded_to(evidence["regret"], real(own - value), mpf(0)), "the regret is another")
    require(rounded_to(content["bound"], real(own - gain + cost), slack), "the bound is another")
    require(rounded_to(evidence["baseline"], real(spread), mpf(0)), "the baseline is another")


def fixed_weights(content: dict[str, Any], data: Data, predictions: Sequence[Any]) -> None:
    """Require Σ −ln p_t(y_t) − D ≤ B, and that all of it is what it says."""
    evidence = content["evidence"]
    fields(evidence, {"predictions", "kind", "clip", "penalty", "bias", "w", "loss", "least",
                      "regret", "mistakes", "baseline"})  # fmt: skip
    require(evidence["kind"] in ("probability", "score"), "labels have no loss")
    xs, w, lambdas = _penalised(evidence, data.xs)
    own = -sum((mp.log(q) for q in _chances(evidence, data.ys, predictions)), mpf(0))
    loss, gain, v = mpf(0), mpf(0), dict.fromkeys(lambdas, Fraction(0))
    for x, y in zip(xs, data.ys, strict=True):
        exact = y * dot(w, x)
        z, a = real(exact), slope(exact)
        loss += mp.log1p(mp.exp(-z)) if z > -1000 else -z + mp.log1p(mp.exp(z))
        for p in (Fraction(a, 2**30), 1 - Fraction(a, 2**30)):
            gain -= real(p) * mp.log(real(p)) if p else 0
        for i, value in x.items():
            v[i] += Fraction(a, 2**30) * y * value
    cost = real(sum((v[i] ** 2 / lambdas[i] for i in v), Fraction(0)) / 2)
    value = loss + real(_half(lambdas, w))
    slack = SLACK * (1 + own + gain + cost + value)
    require(rounded_to(evidence["loss"], own, slack), "the loss is another")
    require(rounded_to(evidence["least"], gain - cost, slack, up=False), "the least is another")
    require(rounded_to(evidence["regret"], own - value, slack), "the regret is another")
    require(rounded_to(content["bound"], own - gain + cost, slack), "the bound is another")
    positives, n = data.ys.count(1), len(data.ys)
    rate = sum((k * mp.log(mpf(n) / k) for k in (positives, n - positives) if k), mpf(0))
    require(rounded_to(evidence["baseline"], rate, mpf(0)), "the baseline is another")
    middle = 0.5 if evidence["kind"] == "probability" else 0.0
    wrong = sum((p >= middle) != (y > 0) for p, y in zip(predictions, data.ys, strict=True))
    _check_count(evidence["mistakes"], wrong)


def _check_count(stated: Any, found: int) -> None:
    require(is_whole(stated, 0) and not isinstance(stated, float), "the mistakes are no count")
    require(stated == found, "the mistakes are others")


def clopper_pearson(content: dict[str, Any], data: Data, predictions: Sequence[Any]) -> None:
    """Require P[Bin(n, p) ≤ k] ≤ δ at the bound, and not at the float below it."""
    evidence, bound = content["evidence"], content["bound"]
    fields(evidence, {"predictions", "kind", "threshold", "delta", "mistakes"})
    labels, threshold, n = content["data"]["labels"], evidence["threshold"], len(data.ys)
    if evidence["kind"] == "label":
        require(threshold is None, "labels take no threshold")
        classes = labels.get("classes", [labels.get("positive")])
        places = [place_in(classes, p) for p in predictions]
        if "positive" in labels:
            places = [1 if place == 0 else -1 for place in places]
        wrong = sum(p != y for p, y in zip(places, data.ys, strict=True))
    else:
        require("positive" in labels and isinstance(threshold, float), "the threshold is none")
        wrong = sum((p >= threshold) != (y > 0) for p, y in zip(predictions, data.ys, strict=True))
    _check_count(evidence["mistakes"], wrong)
    delta = _delta(evidence)
    require(isinstance(bound, float) and 0 < bound <= 1, "the bound is no probability")

    def rare(p: Fraction) -> bool:
        terms = (math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(wrong + 1))
        return sum(terms, Fraction(0)) <= delta

    if wrong == n:
        require(bound == 1, "the bound is another")
        return
    require(rare(Fraction(bound)), "the bound is too small")
    require(not rare(Fraction(math.nextafter(bound, 0))), "the bound is not the least")


def betting_mean(content: dict[str, Any], data: Data, predictions: Sequence[Any]) -> None:
    """Require that the capital reaches 1/δ at m, and that the bound is m·ln(1/ε)."""
    evidence = content["evidence"]
    fields(evidence, {"predictions", "kind", "clip", "delta", "steps", "loss"})
    require(evidence["kind"] == "probability", "it takes probabilities")
    clip, delta, steps = _clip(evidence), _delta(evidence), evidence["steps"]
    require(clip is not None, "it takes a clip")
    require(is_whole(steps, 1, 2**20) and not isinstance(steps, float), "m is none")
    assert clip is not None
    m, most = mpf(steps) / 2**20, -mp.log(real(clip))
    losses = [-mp.log(q) for q in _chances(evidence, data.ys, predictions)]
    bets = [mpf(2) ** (-mpf(j) / 2) for j in range(24)]
    capital = sum(mp.fprod(1 + bet * (m - loss / most) for loss in losses) for bet in bets) / 24
    require(steps == 2**20 or capital * real(delta) >= 1 - SLACK, "the capital is too small")
    mean = sum(losses, mpf(0)) / len(losses)
    require(rounded_to(evidence["loss"], mean, SLACK), "the loss is another")
    require(rounded_to(content["bound"], most * m, SLACK), "the bound is another")


JUDGED = {
    "fixed-weights": fixed_weights,
    "fixed-weights-squared": fixed_weights_squared,
    "clopper-pearson": clopper_pearson,
    "betting-mean": betting_mean,
}


def check_predictions(content: dict[str, Any], data: Data, predictions: Any) -> None:
    """Judge a claim about predictions, which must be those that it names."""
    require(isinstance(content["evidence"], dict), "the evidence is no object")
    require(predictions is not None, "there are no predictions")
    with mp.workdps(DIGITS):
        stated = content["evidence"].get("predictions")
        require(stated == digest_of(content["evidence"].get("kind"), predictions), "others")
        require(len(predictions) == len(data.ys) > 0, "not one for each row")
        JUDGED[content["theorem"]](content, data, predictions)
