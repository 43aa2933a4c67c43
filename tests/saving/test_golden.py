"""Golden files of every version are read as the version that wrote them read them."""

import json
from functools import cache
from pathlib import Path
from shutil import copytree
from typing import Any
from zipfile import ZipFile

import pytest
from safetensors import safe_open

import novikoff as nv
from golden.facts import Facts, facts_of, plain, said
from golden.folders import keyed_facts, log_facts, play_blended, play_keyed, play_mixed, served
from golden.recipes import FURTHER, RECIPES, SEPARABLE, SIGNS, X, numbers, signs
from golden.writing import listed
from novikoff.receipts.family import FAMILIES, family_named
from novikoff.saving.versions import CACHE, MODEL

GOLDEN = Path(__file__).parents[1] / "golden"
VERSIONS = sorted(path.stem for path in GOLDEN.glob("*.zip"))
NEWEST = "0.2.0"
FIRST, SECOND = "2026-11-15-78572f3f", "2026-11-16-8e78d5d0"
BLEND, RECEIPTS = "2026-11-16-13fcd64d", "2026-11-16-c4dbe870"
WORDS = ("it lacks an assumption that its theorem needs: certify the run again",)
LEAST = ("its least value is not",)
DRAWN = ["hedge", "exp3", "exp3p", "exp3ix", "randomized-majority"]
BOUNDED = ["adaptive-gradient", "blend", "blend-fixed-share", "coin-betting", "blend.day1"]
REFUSED = {
    (FIRST, "perceptron-progressive"): WORDS,
    (SECOND, "perceptron-progressive"): WORDS,
    **{(SECOND, name): WORDS for name in DRAWN},
    **{(RECEIPTS, name): LEAST for name in BOUNDED},
}
"""Certificates from before the first release that are refused, as docs/formats.md explains."""

LOGITS = ("blend", "blend-fixed-share", "blend-members", "blend-snapshots")
"""Their scores were NumPy's logarithms at first, whose last bits depend on the CPU."""


@cache
def facts(version: str) -> dict[str, Facts]:
    with ZipFile(GOLDEN / f"{version}.zip") as packed:
        found: dict[str, Facts] = json.loads(packed.read("facts.json"))
    return found


def pairs(key: str = "rounds") -> list[tuple[str, str]]:
    """Return the versions with the recipes that each has a fact of this name about."""
    return [
        (version, name)
        for version in VERSIONS
        for name, found in facts(version).items()
        if name in RECIPES and key in found
    ]


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("golden")
    for version in VERSIONS:
        with ZipFile(GOLDEN / f"{version}.zip") as packed:
            packed.extractall(folder / version)
    return folder


def assert_same(found: Facts, told: Facts) -> None:
    """Compare what both versions say: a later one may say more."""
    for name, value in told.items():
        if name not in ("certificate", "again"):
            assert found[name] == value, name


def with_logits(name: str, told: Facts) -> Facts:
    """Return the facts, with scores up to their last bits if those were not the core's."""
    if name not in LOGITS:
        return told
    return {**told, "scores": pytest.approx(told["scores"], rel=1e-14, abs=1e-15)}


@pytest.mark.parametrize(("version", "name"), pairs())
def test_a_run_is_read_and_goes_on_as_it_would_have(
    version: str, name: str, unpacked: Path, tmp_path: Path
) -> None:
    told, rows = facts(version)[name], RECIPES[name].rows
    if (version, name) == (BLEND, "blend-classes"):  # docs/formats.md
        with pytest.raises(nv.InputError, match=r"'ledger\.stability'.*play its rounds again"):
            nv.Run.load(unpacked / version / f"{name}.run")
        return
    run = nv.Run.load(unpacked / version / f"{name}.run")
    told, further = with_logits(name, told), with_logits(name, told["again"])
    assert_same(facts_of(run, rows), told)
    run.save(tmp_path / "again")
    with safe_open(tmp_path / "again", framework="numpy") as file:
        assert file.metadata()["format"] == str(MODEL)
    later = nv.Run.load(tmp_path / "again")
    assert_same(facts_of(later, rows), told)
    for one in (run, later):
        one.play(RECIPES[name].rounds())
        assert_same(facts_of(one, rows), further)


@pytest.mark.parametrize(("version", "name"), pairs("predicted"))
def test_a_hypothesis_predicts_and_scores_as_it_did(
    version: str, name: str, unpacked: Path, tmp_path: Path
) -> None:
    told = {
        key: value
        for key, value in with_logits(name, facts(version)[name]).items()
        if key in ("predicted", "scores", "probable")
    }
    h: Any = nv.Hypothesis.load(unpacked / version / f"{name}.hypothesis")
    assert_same(said(h, RECIPES[name].rows), told)
    h.save(tmp_path / "again")
    again: Any = nv.Hypothesis.load(tmp_path / "again")
    assert_same(said(again, RECIPES[name].rows), told)


def assert_verdict(
    certificate: nv.Certificate, verdict: nv.Verdict, told: Facts, refused: tuple[str, ...] = ()
) -> None:
    assert told["verified"]
    if refused:
        assert not verdict.verified
        assert verdict.reason.startswith(refused)
        assert verdict.reason.endswith(": certify the run again")
        return
    assert (verdict.verified, verdict.theorem) == (True, told["theorem"]), verdict.reason
    assert [plain(certificate.observed), certificate.bound] == [told["observed"], told["bound"]]
    assert verdict.bound == told["bound"]


@pytest.mark.parametrize(("version", "name"), pairs("certificate"))
def test_a_certificate_has_the_verdict_it_had(version: str, name: str, unpacked: Path) -> None:
    told = facts(version)[name]["certificate"]
    certificate = nv.Certificate.load(unpacked / version / f"{name}.certificate.json")
    start = unpacked / version / f"{name}.run" if RECIPES[name].started else None
    verdict = nv.verify(certificate, RECIPES[name].data(), start=start)
    assert_verdict(certificate, verdict, told, REFUSED.get((version, name), ()))


@pytest.mark.parametrize("version", VERSIONS)
def test_a_learner_without_its_run_is_read(version: str, unpacked: Path) -> None:
    learner = nv.Learner.load(unpacked / version / "averaged.learner")
    assert_same(said(learner.hypothesis(), X), facts(version)["learner"])


@pytest.mark.parametrize("version", VERSIONS)
def test_a_digest_is_the_one_it_was(version: str, unpacked: Path) -> None:
    run = nv.Run.load(unpacked / version / "digesting.run")
    assert_same(facts_of(run, X), facts(version)["digesting"])
    fresh = nv.play(nv.Perceptron(), signs(), digest=True)
    assert fresh.ledger.digest == facts(version)["digesting"]["digest"]


@pytest.mark.parametrize("version", [v for v in VERSIONS if "asks" in facts(v)])
def test_an_ask_waits_for_its_label(version: str, unpacked: Path) -> None:
    told = facts(version)["asks"]
    run = nv.Run.load(unpacked / version / "asks.run")
    assert [*map(str, run.pending)] == told["pending"]
    assert run.ledger.rounds == told["rounds"]
    run.tell("late", 1)
    assert plain(run.probability(FURTHER[1][0])) == told["told"]


@pytest.mark.parametrize("version", [v for v in VERSIONS if "listed" in facts(v)])
def test_listed_weights_are_read(version: str, unpacked: Path) -> None:
    told, rows = facts(version)["listed"], listed()[0][:12]
    run = nv.Run.load(unpacked / version / "listed.run")
    assert run.mistakes == told["mistakes"]
    assert plain(run.predict(rows)) == told["predicted"]
    h = nv.Hypothesis.load(unpacked / version / "listed.hypothesis")
    assert plain(h.predict(rows)) == told["predicted"]


@pytest.mark.parametrize("name", ["numbered", "named", "weighted"])
@pytest.mark.parametrize("version", VERSIONS)
def test_a_cache_has_the_rounds_it_had(version: str, name: str, unpacked: Path) -> None:
    positive = "spam" if name == "named" else None
    stream = nv.read(unpacked / version / f"{name}.cache", positive=positive)
    run = nv.play(nv.Perceptron(), stream, digest=True)
    assert_same(facts_of(run, None), facts(version)["cache"][name])


@pytest.mark.parametrize("version", [v for v in VERSIONS if "keyed" in facts(v)])
def test_runs_by_key_are_read_and_their_folder_is_gone_on_with(
    version: str, unpacked: Path, tmp_path: Path
) -> None:
    from novikoff import cluster

    told, folder = facts(version)["keyed"], unpacked / version
    assert keyed_facts(cluster.KeyedRuns(folder / "keyed")) == told
    copied = Path(copytree(folder / "keyed", tmp_path / "keyed"))
    (copied / "part-00001.zip").unlink()
    assert keyed_facts(play_keyed(tmp_path)) == told


@pytest.mark.parametrize("version", [v for v in VERSIONS if "mixed" in facts(v)])
def test_a_run_in_shards_goes_on_with_its_folder(
    version: str, unpacked: Path, tmp_path: Path
) -> None:
    copytree(unpacked / version / "mixed", tmp_path / "mixed")
    told = facts(version)["mixed"]
    assert_same(facts_of(nv.Run.load(tmp_path / "mixed" / "epoch.model"), X), told)
    assert_same(facts_of(play_mixed(tmp_path, 3), X), told["again"])


@pytest.mark.parametrize("version", [v for v in VERSIONS if "blended" in facts(v)])
def test_models_of_shards_are_mixed_again(version: str, unpacked: Path, tmp_path: Path) -> None:
    copied = Path(copytree(unpacked / version / "blended", tmp_path / "blended"))
    (copied / "shard-00001.model").unlink()
    assert_same(facts_of(play_blended(tmp_path), X), facts(version)["blended"])


@pytest.mark.parametrize("version", [v for v in VERSIONS if "service" in facts(v)])
@pytest.mark.parametrize("snapshots", [True, False], ids=["last snapshot", "all records"])
def test_a_log_makes_the_service_it_made(
    version: str, snapshots: bool, unpacked: Path, tmp_path: Path
) -> None:
    from novikoff.service.append_log import AppendLog
    from novikoff.service.limits import Limits
    from novikoff.service.opening_log import opened

    told = facts(version)["service"]
    folder = Path(copytree(unpacked / version / "service.log", tmp_path / "log"))
    if not snapshots:
        for path in sorted(folder.glob("snapshot-*"))[2:]:
            path.unlink()
    log = AppendLog(str(folder))
    assert log_facts(opened(log, None, Limits())) == told
    log.close()
    run = served().play(nv.read(folder))
    assert_same(facts_of(run, None), {key: told[key] for key in ("rounds", "mistakes", "loss")})


@pytest.mark.parametrize("version", VERSIONS)
def test_claims_about_data_have_the_verdict_they_had(version: str, unpacked: Path) -> None:
    for name, labels in (("separable", SEPARABLE), ("not-separable", SIGNS)):
        certificate = nv.Certificate.load(unpacked / version / f"{name}.certificate.json")
        verdict = nv.verify(certificate, nv.stream(X, labels))
        assert_verdict(certificate, verdict, facts(version)["separability"][name])


@pytest.mark.parametrize("version", [v for v in VERSIONS if "predictions" in facts(v)])
def test_claims_about_predictions_have_the_verdict_they_had(version: str, unpacked: Path) -> None:
    for name, stream in (("predictions", signs()), ("predicted-numbers", numbers())):
        told = facts(version)["predictions"][name]
        certificate = nv.Certificate.load(unpacked / version / f"{name}.certificate.json")
        verdict = nv.verify(certificate, stream, predictions=told["predictions"])
        assert_verdict(certificate, verdict, told)


@pytest.mark.parametrize("version", [v for v in VERSIONS if "days" in facts(v)])
def test_day_after_day_has_the_verdict_it_had(version: str, unpacked: Path) -> None:
    folder, told = unpacked / version, facts(version)["days"]
    for name in ("perceptron", "blend"):
        one = nv.Certificate.load(folder / f"{name}.day1.certificate.json")
        refused = REFUSED.get((version, f"{name}.day1"), ())
        assert_verdict(one, nv.verify(one, signs()), told[f"{name}.day1"], refused)
        two = nv.Certificate.load(folder / f"{name}.day2.certificate.json")
        data = nv.stream(X, SEPARABLE)
        verdict = nv.verify(two, data, start=folder / f"{name}.day1.run")
        assert_verdict(two, verdict, told[f"{name}.day2"])
        assert nv.verify_chain([one, two]).linked


def test_every_learner_hypothesis_and_family_has_a_golden_file(unpacked: Path) -> None:
    """A learner that is added gets a recipe; its files are those of the version it comes with."""
    runs = {name: nv.Run.load(unpacked / NEWEST / f"{name}.run") for name in RECIPES}
    learners = {type(run.learner) for run in runs.values()}
    public = [getattr(nv, name) for name in nv.__all__]
    kinds = [kind for kind in public if isinstance(kind, type)]
    made = (nv.Learner, nv.RegretLearner)
    missing = {k for k in kinds if issubclass(k, made) and k not in made} - learners
    assert not missing, f"tests/golden/recipes.py: add {', '.join(k.__name__ for k in missing)}"
    certified = {
        family_named(runs[name].ledger.learner).name  # type: ignore[union-attr]
        for name in RECIPES
        if "certificate" in facts(NEWEST)[name]
    }
    assert certified == {name for name, family in FAMILIES.items() if not family.inexact}


def test_the_newest_files_are_of_the_newest_versions(unpacked: Path) -> None:
    import pyarrow as pa

    for path in (unpacked / NEWEST).iterdir():
        if path.suffix in (".run", ".hypothesis", ".learner"):
            with safe_open(path, framework="numpy") as file:
                assert file.metadata()["format"] == str(MODEL), path.name
        elif path.suffix == ".cache":
            about = pa.ipc.open_file(path).schema.metadata
            assert about[b"novikoff"].decode() == str(CACHE)


def test_golden_files_are_small() -> None:
    assert sum(path.stat().st_size for path in GOLDEN.glob("*.zip")) < 1_000_000
