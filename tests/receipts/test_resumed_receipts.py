"""Receipts of runs that went on from a model: they begin where it ended, and form chains."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from novikoff import verifier
from novikoff.receipts.certificates import sealed
from oracle import judge, sealed_text

Make = Callable[[], Any]
MAKERS: dict[str, Make] = {
    "perceptron": lambda: nv.Perceptron(bias=0.5),
    "strict": lambda: nv.Perceptron(ties="mistake"),
    "averaged": nv.AveragedPerceptron,
    "voted": lambda: nv.VotedPerceptron(bias=-1.0),
    "gradient": lambda: nv.AdaptiveGradient(rate=0.5, bias=1.0),
    "blend": nv.Blend,
    "bare": lambda: nv.Blend(bias=None),
    "descent": lambda: nv.GradientDescent(0.1, bias=1.0),
    "hinge": lambda: nv.GradientDescent(0.2, "hinge"),
    "squared": lambda: nv.GradientDescent(0.02, "squared", bias=1.0),
}
EACH = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
SOME = pytest.mark.parametrize("name", ["perceptron", "gradient", "blend", "descent", "hinge"])


def day(seed: int, count: int = 40, scale: float = 1.0) -> tuple[Any, Any]:
    """Rows with some zeros, so that not every feature appears every day."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((count, 4)) * [1.0, 0.1, 3.0, scale] * (rng.random((count, 4)) < 0.7)
    X[:, seed % 4] = 0.0
    y = np.where(X @ [1.0, 4.0, -0.5, 0.2] + rng.standard_normal(count) / 2 >= 0, 1, -1)
    return X, y


def rows_of(X: Any, y: Any) -> list[Any]:
    """Return rows as the verifier and the oracle read them."""
    return [
        (f"row {t}", int(label), [(j, float(v)) for j, v in enumerate(x) if v])
        for t, (x, label) in enumerate(zip(X, y, strict=True), 1)
    ]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return tmp_path / "day1.model"


def second_day(make: Make, model: Path, passes: int = 1) -> tuple[nv.Certificate, Any]:
    """Learn a day and save it; go on with the file, and certify the second day alone."""
    nv.play(make(), nv.stream(*day(1))).save(model)
    run, stream = nv.Run.load(model), nv.stream(*day(2))
    run.play(stream, passes=passes)
    return nv.certify(run, stream, start=model), stream


@EACH
@pytest.mark.parametrize("passes", [1, 3])
def test_a_certificate_begins_where_a_model_ended(make: Make, passes: int, model: Path) -> None:
    """The verifier finds it true with the model's file; the oracle with the rows before."""
    certificate, stream = second_day(make, model, passes)
    assert certificate.content["data"]["rows"] == 40
    assert nv.verify(certificate, stream, start=model).verified
    assert nv.verify(certificate, stream, start=nv.Run.load(model)).verified
    rows = rows_of(*day(2))
    alone = verifier.verify(
        certificate.text, lambda: iter(rows), begin=verifier.read_model(str(model))
    )
    assert alone.verified, alone.reason
    found = judge(certificate.text, rows, before=rows_of(*day(1)))
    assert found.true, found.reason
    assert certificate.bound is not None
    assert certificate.observed is not None
    assert 0 < certificate.observed <= certificate.bound


@SOME
def test_what_was_learned_before_makes_the_bound_smaller(name: str, model: Path) -> None:
    """The same day alone costs a new learner more, and its theorem allows more."""
    certificate, stream = second_day(MAKERS[name], model)
    fresh = nv.certify(nv.play(MAKERS[name](), stream))
    assert certificate.bound is not None
    assert fresh.bound is not None
    assert certificate.bound < fresh.bound


@SOME
def test_bounds_are_those_of_the_certificate(name: str, model: Path) -> None:
    nv.play(MAKERS[name](), nv.stream(*day(1))).save(model)
    run, stream = nv.Run.load(model), nv.stream(*day(2))
    run.play(stream)
    (bound,) = nv.bounds(run, stream, start=model)
    certificate = nv.certify(run, stream, start=model)
    assert bound.theorem == certificate.theorem
    assert bound.observed == certificate.observed
    assert certificate.bound is not None
    assert certificate.bound <= bound.value <= certificate.bound * (1 + 1e-9)


@EACH
def test_progressive_holds_from_any_start(make: Make, model: Path) -> None:
    nv.play(make(), nv.stream(*day(1))).save(model)
    run, stream = nv.Run.load(model), nv.stream(*day(2))
    run.play(stream)
    certificate = nv.certify(run, stream, "progressive", start=model)
    assert nv.verify(certificate, stream, start=model).verified
    assert judge(certificate.text, rows_of(*day(2)), before=rows_of(*day(1))).true


@EACH
def test_another_start_is_refused(make: Make, model: Path, tmp_path: Path) -> None:
    certificate, stream = second_day(make, model)
    nv.play(make(), nv.stream(*day(3))).save(tmp_path / "other")
    found = nv.verify(certificate, stream, start=tmp_path / "other")
    assert found.reason == "it began from another state"
    with pytest.raises(nv.InputError, match="the model that the run began from, got none"):
        nv.verify(certificate, stream)
    fresh = nv.play(make(), stream)
    with pytest.raises(nv.InputError, match="none, because the run began anew"):
        nv.verify(nv.certify(fresh), stream, start=model)


def changed(certificate: nv.Certificate, *path: Any, to: Any) -> bytes:
    content = copy.deepcopy(certificate.content)
    place: Any = content
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = to
    return sealed_text(content)


@SOME
def test_forged_starts_and_states_are_refused(name: str, model: Path) -> None:
    certificate, _ = second_day(MAKERS[name], model)
    rows, start = rows_of(*day(2)), verifier.read_model(str(model))
    state = certificate.content["start"]["state"]
    fresh = "its theorem is not about this learner"
    bad = "its start is neither null nor the hash of a state"
    more = "its start must have the fields state; this version knows no others"
    for path, value, said in (
        (("start",), None, fresh), (("start",), state, bad), (("start",), {}, more),
        (("start",), {"state": state, "rounds": 40}, more), (("start", "state"), 3, bad),
        (("start", "state"), state[:-1], bad), (("start", "state"), [state], bad),
        (("start", "state"), "0" * 64, "it began from another state"),
        (("states", 0, 1), state, "its state after round 40 is another"),
        (("states", 0, 0), 41, "its states go on after the last round"),
        (("program",), "other/1", "its program is not"),
        (("bound",), certificate.content["bound"] * 0.99, "its bound is not"),
    ):  # fmt: skip
        text = changed(certificate, *path, to=value)
        found = verifier.verify(text, lambda: iter(rows), begin=start)
        assert not found.verified
        assert said in found.reason, path
        assert not judge(text, rows, before=rows_of(*day(1))).true


@SOME
def test_a_run_that_did_not_go_on_from_the_start_is_refused(name: str, model: Path) -> None:
    """Its rounds lead to another state, or there are none."""
    nv.play(MAKERS[name](), nv.stream(*day(1))).save(model)
    stranger = nv.play(MAKERS[name](), nv.stream(*day(3, 80)))
    with pytest.raises(nv.HypothesisError, match="lead from the start to the learner's state"):
        nv.certify(stranger, nv.stream(*day(2)), start=model)
    with pytest.raises(nv.HypothesisError, match="expected a run that went on from the start"):
        nv.certify(nv.Run.load(model), nv.stream(*day(2)), start=model)
    run = nv.Run.load(model).play(nv.stream(*day(2)))
    with pytest.raises(nv.HypothesisError, match="40 since the start"):
        nv.certify(run, nv.stream(*day(2, 30)), start=model)


@SOME
def test_a_continued_run_is_saved_and_certified_later(name: str, model: Path) -> None:
    """Its ledger has only the rounds since the start."""
    first = nv.play(MAKERS[name](), nv.stream(*day(1)))
    first.save(model)
    second = first.continued().play(nv.stream(*day(2)))
    second.save(model.with_name("day2"))
    again = nv.Run.load(model.with_name("day2"))
    certificate = nv.certify(again, nv.stream(*day(2)), start=model)
    assert certificate.content == nv.certify(second).content
    again.play(nv.stream(*day(3)))
    third = nv.certify(again, nv.stream(*day(3)), start=second)
    assert nv.verify_chain([certificate, third]).linked
    with pytest.raises(nv.ParameterError, match="expected one of this library's"):
        nv.Run(nv.Hedge(experts=2)).continued()


@pytest.mark.parametrize("scale", [1e-30, 0.1, 2.0**-300])
def test_weights_that_need_several_floats_are_exact(scale: float, model: Path) -> None:
    """The state is the exact sum of all updates, not its rounded part."""
    run = nv.play(nv.Perceptron(), nv.stream(*day(1, 60, scale)))
    assert run.learner.state()["remainder_parts"].size
    run.save(model)
    stream = nv.stream(*day(2, 40, 1 / scale))
    run.play(stream)
    certificate = nv.certify(run, stream, start=model)
    assert nv.verify(certificate, stream, start=model).verified
    found = judge(
        certificate.text, rows_of(*day(2, 40, 1 / scale)), before=rows_of(*day(1, 60, scale))
    )
    assert found.true, found.reason


@SOME
def test_names_go_on_with_their_numbers(name: str, model: Path) -> None:
    """The second day has new words before old ones."""
    first = [({"good": 1.0, "day": 2.0}, 1), ({"bad": 1.0}, -1), ({"good": 1.0}, 1)] * 5
    second = [({"new": 1.0, "bad": 1.0}, -1), ({"other": 1.0, "good": 1.0}, 1)] * 5
    nv.play(MAKERS[name](), first).save(model)
    run = nv.Run.load(model).play(second)
    certificate = nv.certify(run, second, start=model)
    assert nv.verify(certificate, second, start=model).verified
    chain = [nv.certify(nv.play(MAKERS[name](), first), first, chain=True), certificate]
    assert nv.verify_chain(chain, [first, second]).verified


SCALED: dict[str, Make] = {
    "perceptron": lambda: nv.Perceptron(bias=1.0, transforms=[nv.Scale()]),
    "gradient": lambda: nv.AdaptiveGradient(transforms=[nv.Normalize()]),
    "twice": lambda: nv.AdaptiveGradient(transforms=[nv.Scale(), nv.Normalize(), nv.Scale()]),
    "blend": lambda: nv.Blend(transforms=[nv.Scale()]),
}


@pytest.mark.parametrize("name", SCALED)
def test_what_transforms_remember_is_part_of_the_state(name: str, model: Path) -> None:
    """The second day has larger values of one feature, and none of another."""
    certificate, stream = second_day(SCALED[name], model)
    assert nv.verify(certificate, stream, start=model).verified
    rows = rows_of(*day(2))
    begin = verifier.read_model(str(model))
    alone = verifier.verify(certificate.text, lambda: iter(rows), begin=begin)
    assert alone.verified, alone.reason
    if name != "blend":  # of which the oracle plays no transformed rows
        found = judge(certificate.text, rows, before=rows_of(*day(1)))
        assert found.true, found.reason
    certificates, streams = chained(SCALED[name])
    assert nv.verify_chain(certificates, streams).verified
    other = nv.Run.load(model)
    if other.learner.transforms.running:
        state = other.learner.transforms.state()
        state["scale_exponents"][0] += 1
        other.learner.transforms.restore(state)
        assert nv.verify(certificate, stream, start=other).reason == "it began from another state"


def test_crosses_and_other_learners_are_refused(model: Path) -> None:
    for learner, said in (
        (nv.Perceptron(transforms=[nv.Cross([0, 1], [2, 3])]), "no cross that goes on"),
        (nv.MulticlassPerceptron(), "whose theorems take a start, got MulticlassPerceptron"),
    ):
        nv.play(learner, nv.stream(*day(1))).save(model)
        run = nv.Run.load(model).play(nv.stream(*day(2)))
        with pytest.raises(nv.HypothesisError, match=said):
            nv.certify(run, nv.stream(*day(2)), start=model)


def chained(make: Make, days: int = 3) -> tuple[list[nv.Certificate], list[Any]]:
    streams = [nv.stream(*day(seed)) for seed in range(1, days + 1)]
    run = nv.play(make(), streams[0])
    certificates = [nv.certify(run, chain=True)]
    for stream in streams[1:]:
        run = run.continued().play(stream)
        certificates.append(nv.certify(run))
    return certificates, streams


@EACH
def test_a_chain_is_verified_and_its_sums_are_those_of_one_run(make: Make) -> None:
    certificates, streams = chained(make)
    whole = nv.play(make(), streams[0])
    for stream in streams[1:]:
        whole.play(stream)
    found = nv.verify_chain(certificates)
    assert found._replace(verified=True) == nv.verify_chain(certificates, streams)
    assert (found.linked, found.verified) == (True, None)
    assert (found.certificates, found.rounds) == (3, 120)
    own = whole.ledger.loss if certificates[0].content["program"] else whole.mistakes
    assert found.observed == pytest.approx(own, rel=1e-12)
    assert found.bound == pytest.approx(sum(c.bound or 0 for c in certificates), rel=1e-12)
    assert found.reason == "each begins where the one before it ended"


@SOME
def test_broken_chains_are_refused_with_a_sentence(name: str) -> None:
    (one, two, three), streams = chained(MAKERS[name])
    (other, *_), _ = chained(MAKERS["bare" if name == "blend" else "strict"])
    twice = nv.certify(nv.play(MAKERS[name](), streams[1]), chain=True)
    for chain, said in (
        ([one, three], "2: it does not begin where the one before it ended"),
        ([two, one], "2: its run began anew"),
        ([one, three, two], "2: it does not begin where the one before it ended"),
        ([one, two, two], "3: it does not begin where the one before it ended"),
        ([other, two], "2: its learner is not that of the one before it"),
        ([twice, two], "2: it does not begin where the one before it ended"),
    ):
        found = nv.verify_chain(chain)
        assert (found.linked, found.verified) == (False, False)
        assert (found.rounds, found.bound) == (None, None)
        assert found.reason == f"certificate {said}"
    swapped = nv.verify_chain([one, two, three], [streams[0], streams[2], streams[1]])
    assert swapped.reason == "certificate 2: these are not its data"
    raised = sealed(two.content | {"bound": 1e9})
    unseen = nv.verify_chain([one, raised, three])  # nobody looked at the data
    assert (unseen.linked, unseen.verified) == (True, None)
    seen = nv.verify_chain([one, raised, three], streams)
    assert (seen.linked, seen.verified) == (True, False)
    edited = copy.deepcopy(two.content)
    edited["states"][-1][1] = "f" * 64
    assert nv.verify_chain([one, sealed(edited), three]).reason.startswith("certificate 3: it does")


def test_a_certificate_of_the_first_format_begins_a_chain_only_with_its_data() -> None:
    (_, two, three), streams = chained(MAKERS["perceptron"])
    first = nv.certify(nv.play(MAKERS["perceptron"](), streams[0]))
    assert first.content["format"] == verifier.FORMAT
    said = "certificate 2: the one before it does not say in which state it ended"
    assert nv.verify_chain([first, two, three]).reason == said
    assert nv.verify_chain([first, two, three], streams).verified


def test_theorems_whose_bounds_do_not_add_up_are_no_chain() -> None:
    (one, two, _), streams = chained(MAKERS["blend"])
    probable = nv.certify(nv.play(nv.Blend(), streams[0]), theorem="progressive")
    said = "certificate 1: the bounds of its theorem do not add up"
    assert nv.verify_chain([probable, two]).reason == said
    claim = nv.certify(nv.margin(*day(1)), nv.stream(*day(1)))
    assert nv.verify_chain([claim, two]).reason == "certificate 1: it is about data alone"
    with pytest.raises(nv.ParameterError, match="expected Certificates"):
        nv.verify_chain([one, "two"])  # type: ignore[list-item]
