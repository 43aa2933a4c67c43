"""False claims that were once verified, by their kind: each is refused now, and says why."""

import json
import math
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from novikoff import cli, verifier
from novikoff.receipts.certificates import Certificate, certificate_of, sealed
from oracle.limits import little_memory

NOISY = ["-1 1:1", "+1 1:1", "-1 1:1", "+1 1:1", "-1 2:1"]
RUN = {"name": "Perceptron", "parameters": {"ties": "positive", "bias": None, "hashing": None}}


def _rows(lines: list[str], folder: Path) -> Any:
    path = folder / "rows.svm"
    path.write_text("\n".join(lines) + "\n")
    return lambda: verifier.read_svmlight(str(path))


def _claim(rows: Any, theorem: str, evidence: Any, bound: Any, **run: Any) -> bytes:
    """Return a certificate about rows, in whose data every word is true."""
    about = verifier.Data(rows, {"positive": 1}, None).about
    content = {
        "format": verifier.FORMAT, "theorem": theorem,
        "statement": verifier.THEOREMS[theorem].statement,
        "assumptions": list(verifier.THEOREMS[theorem].assumptions),
        "data": about | {"passes": None if not run else 1},
        "learner": run.get("learner"), "mistakes": run.get("mistakes"),
        "evidence": evidence, "bound": bound,
    }  # fmt: skip
    return sealed(content).text


def _forgeries(rows: Any) -> list[bytes]:
    """Return claims that hold of no rows at all, with the data of rows for which they are false."""
    clean = {"count": 0, "rounds": ""}
    return [
        _claim(rows, "hinge", {"w": []}, 0.0, learner=RUN, mistakes=clean),
        _claim(rows, "separable", {"w": [], "bias": None}, None),
    ]


def test_rows_that_are_others_the_second_time_are_no_data(tmp_path: Path) -> None:
    """A claim about no rows, the digest of some, and rows that are there once only.

    A perceptron is played in the reading that is hashed, so its claim meets the rows themselves.
    """
    played, alone = _forgeries(_rows(NOISY, tmp_path))
    once = [iter(list(_rows(NOISY, tmp_path)())) for _ in range(2)]
    assert verifier.verify(played, lambda: once[0]).reason == "these are not its data"
    assert verifier.verify(played, _rows(NOISY, tmp_path)).reason == (
        "round 1 is a mistake when played"
    )
    with pytest.raises(verifier.BadData, match="expected the same rows in every reading"):
        verifier.verify(alone, lambda: once[1])


def test_rows_that_change_between_two_passes_are_no_data(tmp_path: Path) -> None:
    """The verifier hashes the rows in every pass, and reads them no more often."""
    path = tmp_path / "d.svm"
    path.write_text("\n".join(NOISY) + "\n")
    stream = nv.read(path)
    run = nv.play(nv.Perceptron(), stream, passes=2)
    text = certificate_of(run, stream, "hinge", {"w": []}).text
    readings, changed = 0, 1

    def rows() -> Iterator[Any]:
        nonlocal readings
        readings += 1
        found = list(verifier.read_svmlight(str(path)))
        yield from found if readings <= changed else found[:-1]

    with pytest.raises(verifier.BadData, match="in every reading"):
        verifier.verify(text, rows)
    readings, changed = 0, 2
    assert verifier.verify(text, rows).verified
    assert readings == 2


def _certified(run: nv.Run, theorem: str, evidence: dict[str, Any]) -> Certificate:
    assert run.stream is not None
    return certificate_of(run, run.stream, theorem, evidence)


def _verified(*arguments: str, **options: Any) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, verifier.__file__, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


@pytest.mark.parametrize("kind", ["pipe", "fifo"])
def test_what_is_no_regular_file_is_not_verified_on(kind: str, tmp_path: Path) -> None:
    certificate, fifo = tmp_path / "c.json", tmp_path / "fifo"
    for text in _forgeries(_rows(NOISY, tmp_path)):
        certificate.write_bytes(text)
        if kind == "pipe":
            done = _verified(str(certificate), "/dev/stdin", input="\n".join(NOISY) + "\n")
        else:
            os.mkfifo(fifo)
            done = _verified(str(certificate), str(fifo))
            fifo.unlink()
        assert done.returncode == 3
        assert "expected a regular file" in done.stderr


@pytest.mark.parametrize("chain", [False, True])
def test_a_certificate_is_a_regular_file(chain: bool, tmp_path: Path) -> None:
    """A pipe would wait for its writer."""
    (tmp_path / "rows.svm").write_text("1 1:1\n")
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path, tmp_path / "fifo"):
        words = ["--chain", str(path)] if chain else [str(path), str(tmp_path / "rows.svm")]
        done = _verified(*words, timeout=20)
        assert done.returncode == 3
        assert f"{path}: expected a regular file with a certificate" in done.stderr


def test_a_pipe_given_to_the_library_is_not_verified_on(tmp_path: Path) -> None:
    for text in _forgeries(_rows(NOISY, tmp_path)):
        fifo = tmp_path / "fifo"
        os.mkfifo(fifo)
        writer = threading.Thread(target=fifo.write_text, args=("\n".join(NOISY) + "\n",))
        writer.start()
        try:
            with pytest.raises(nv.InputError, match=r"played again|in every reading"):
                nv.verify(nv.Certificate(text), nv.read(fifo, format="svmlight"))
        finally:
            if writer.is_alive():
                fifo.read_text()
            writer.join()
            fifo.unlink()


def test_a_python_object_with_other_rows_each_time_is_not_verified_on(tmp_path: Path) -> None:
    class Once:
        """Rows that are there in the first reading alone."""

        def __init__(self) -> None:
            self.read = False

        def __iter__(self) -> Iterator[Any]:
            read, self.read = self.read, True
            return iter([] if read else [([1.0, 0.0], -1), ([1.0, 0.0], 1), ([0.0, 1.0], -1)])

    rows = _rows(["-1 1:1", "+1 1:1", "-1 2:1"], tmp_path)
    played, alone = _forgeries(rows)
    assert nv.verify(nv.Certificate(played), Once()).reason == "these are not its data"
    with pytest.raises(nv.InputError, match="in every reading"):
        nv.verify(nv.Certificate(alone), Once())


def test_a_kernel_that_is_constant_is_none(tmp_path: Path) -> None:
    """With gamma 0 all points would be one."""
    run = nv.play(nv.KernelPerceptron(nv.rbf(0.5)), [([1.0], 1), ([2.0], -1), ([1.0], 1)])
    content = json.loads(_certified(run, "hinge", {"a": []}).text)
    content["learner"]["parameters"]["kernel"]["gamma"] = 0.0
    verdict = nv.verify(sealed(content), run.stream)
    assert "rbf with a gamma above 0" in verdict.reason


@pytest.mark.parametrize("monotone", [True, False])
def test_elimination_is_not_certified_for_labels_that_no_disjunction_has(monotone: bool) -> None:
    rounds = [((1,), 1), ((1,), -1)]
    run = nv.play(nv.Elimination(1, monotone=monotone), rounds)
    with pytest.raises(nv.HypothesisError, match="no disjunction has every label"):
        nv.certify(run, theorem="elimination")
    assert nv.verify(nv.certify(run, theorem="progressive"), rounds).verified


def test_progressive_is_replayed_where_no_disjunction_is_left(tmp_path: Path) -> None:
    """A positive row at which no literal is left is a mistake; the theorem asks for none."""
    rows = _rows(["-1 1:1", "-1", "+1 1:1"], tmp_path)
    learner = {"name": "Elimination", "parameters": {"d": 1, "monotone": False}}
    mistakes = {"count": 3, "rounds": "AQEB"}
    delta = {"delta": 0.05}
    text = _claim(rows, "progressive", delta, 1.0, learner=learner, mistakes=mistakes)
    assert verifier.verify(text, rows).verified


def test_progressive_assumes_that_the_learner_was_chosen_before_the_data() -> None:
    """A class that holds nothing but the labelling that was seen makes no mistake on coin flips."""
    labels = np.random.default_rng(0).choice([-1, 1], 400)
    H = nv.FiniteClass(labels[None, :])
    run = nv.play(nv.Halving(H), [(t, int(y)) for t, y in enumerate(labels)])
    certificate = nv.certify(run, theorem="progressive")
    chosen = "learner, class, parameters and δ were chosen before the data were seen"
    assert chosen in certificate.content["assumptions"]
    content = json.loads(certificate.text)
    content["assumptions"].remove(chosen)
    assert nv.verify(sealed(content), run.stream).reason == "its assumptions are others"


def test_every_theorem_about_draws_or_chance_says_what_was_chosen_before() -> None:
    for theorem in nv.theorems():
        if theorem.kind != "always" and theorem.id not in ("centroid", "modified-perceptron"):
            said = " ".join(theorem.assumptions)
            assert "were chosen" in said or "was chosen" in said, theorem.id


@pytest.mark.parametrize("kind", ["svm", "csv"])
def test_there_are_as_many_experts_as_the_data_have_columns(kind: str, tmp_path: Path) -> None:
    """A column of zeros is one, in a file as in a matrix."""
    losses = np.array([[0.5, 1.0, 0.0], [0.25, 0.0, 0.0], [1.0, 0.75, 0.0]])
    path = tmp_path / f"losses.{kind}"
    if kind == "csv":
        path.write_text("y,a,b,c\n" + "".join(f"1,{a},{b},{c}\n" for a, b, c in losses.tolist()))
    else:
        path.write_text("".join(f"1 1:{a} 2:{b} 3:{c}\n" for a, b, c in losses.tolist()))
    stream = nv.read(path, label="y") if kind == "csv" else nv.read(path)
    for size in (2, 3, 5):
        played = np.hstack([losses[:, :size], np.zeros((3, max(0, size - 3)))])
        certificate = nv.certify(nv.play(nv.Hedge(size), played))
        certificate.save(tmp_path / "c.json")
        done = _verified(str(tmp_path / "c.json"), str(path), *(["y"] if kind == "csv" else []))
        verdict = nv.verify(certificate, stream)
        assert (done.returncode == 0) is verdict.verified is (size == 3), size
        if size != 3:
            assert verdict.reason == f"the data have columns for 3, not for {size}"


def test_parameters_that_a_learner_does_not_have_are_refused() -> None:
    run = nv.play(nv.Perceptron(), [([1.0], 1), ([2.0], -1)])
    content = json.loads(_certified(run, "hinge", {"w": []}).text)
    for name, value in (("max_voters", None), ("max_voters", 3), ("seed", 0), ("averaged", True)):
        changed = json.loads(json.dumps(content))
        changed["learner"]["parameters"][name] = value
        assert not nv.verify(sealed(changed), run.stream).verified
    known: list[Any] = [{"reading": {}}, {}]
    for remarks in known:
        assert nv.verify(sealed(content | {"remarks": remarks}), run.stream).verified
    others: list[Any] = [{"other": 1}, [], None, "x"]
    for remarks in others:
        with pytest.raises(nv.VerificationError, match="its remarks must have the fields perhaps"):
            nv.verify(sealed(content | {"remarks": remarks}), run.stream)


def test_a_certificate_that_names_a_billion_arms_takes_no_memory(tmp_path: Path) -> None:
    content = json.loads(nv.certify(nv.play(nv.Exp3(2), [[0.5, 1.0], [1.0, 0.5]])).text)
    content["learner"]["parameters"]["arms"] = 10**9
    (tmp_path / "c.json").write_bytes(sealed(content).text)
    (tmp_path / "d.svm").write_text("1 1:0.5 2:1\n1 1:1 2:0.5\n")
    done = _verified(str(tmp_path / "c.json"), str(tmp_path / "d.svm"))
    assert (done.returncode, done.stderr) == (1, "")
    assert "the data have columns for 2" in done.stdout


def test_a_file_that_names_a_billion_arms_takes_no_memory(tmp_path: Path) -> None:
    """An svmlight file may name its last column in one row: the rest is not stored."""
    path = tmp_path / "d.svm"
    path.write_text("1 1:0.5 1000000000:0\n1 1:1 2:0.5\n")
    content = json.loads(nv.certify(nv.play(nv.Exp3(2), [[0.5, 0.0], [1.0, 0.5]])).text)
    content["learner"]["parameters"]["arms"] = 10**9
    content["bound"] = None
    text = sealed(content).text
    verdict = verifier.verify(text, lambda: verifier.read_svmlight(str(path)))
    bound = float(verdict.reason.removeprefix("its bound is not "))
    text = sealed(content | {"bound": bound}).text
    assert verifier.verify(text, lambda: verifier.read_svmlight(str(path))).verified


def test_votes_of_many_rounds_are_counted_once(tmp_path: Path) -> None:
    """β^m is needed for no expert whose vote another outweighs exactly, however large m is."""
    data: Any = SimpleNamespace(width=2)
    votes = verifier.WeightedMajority(data, 2, 0.1)
    assert votes.sign({10**9: 0, 0: 1}) == 1
    assert votes.sign({10**9: 1, 10**9 + 1: -1, 0: 0}) == 1


def test_running_out_of_memory_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    run = nv.play(nv.Perceptron(), [([1.0], 1), ([2.0], -1)])
    text = _certified(run, "hinge", {"w": []}).text

    def exhausted(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(verifier, "check", exhausted)
    with pytest.raises(verifier.TooLarge, match="more memory than there is"):
        verifier.verify(text, lambda: [])


def test_minnow_without_a_feature_is_certified() -> None:
    rounds: list[Any] = [(([], []), -1), (([], []), 1), (([], []), -1)]
    run = nv.play(nv.Minnow(0.5), rounds)
    for w in ([], [[0, 1.0]]):
        evidence: Any = {"w": w, "gamma": 0.5}
        certificate = _certified(run, "minnow-hinge", evidence)
        assert nv.verify(certificate, rounds).verified


def test_near_ties_of_many_digits_are_bounded_in_number(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Rows whose score takes thousands of digits, over and over: no verdict, and no long wait."""
    choose = [(-1) ** k * math.comb(6, k) for k in range(7)]
    rows = [("row 1", -1, [(k, float(k)) for k in range(1, 7)])]
    rows += [("row", 1, [(k, float(c)) for k, c in enumerate(choose)])] * 50
    learner = {"name": "Minnow", "parameters": {"eta": 1e-200, "bias": None, "hashing": None}}
    mistakes = {"count": 1, "rounds": "AQ=="}
    evidence = {"w": [], "gamma": 1.0}
    text = _claim(lambda: rows, "minnow-hinge", evidence, 51.0, learner=learner, mistakes=mistakes)
    assert verifier.verify(text, lambda: rows).verified
    monkeypatch.setattr(verifier.Work, "most", 10**9)
    with pytest.raises(verifier.TooLarge, match="a tie that is nearly one"):
        verifier.verify(text, lambda: rows)


def test_exponentials_that_are_far_too_small_cost_nothing() -> None:
    far = {Fraction(-(10**300) - k): 1 for k in range(1000)}
    near = {Fraction(0): 1, Fraction(-1, 10**30): -1}
    work = verifier.Work()
    assert verifier.sign_of_exponentials(near | far, work) == 1
    assert verifier.sign_of_exponentials({a: -c for a, c in (near | far).items()}, work) == -1
    assert verifier.sign_of_exponentials({Fraction(-(10**9)): 1, Fraction(-1): -1}, work) == -1
    assert work.spent == 0


def test_tags_that_never_occur_are_others() -> None:
    """Unless they were declared; and too many of them are too much work."""
    sentences: Any = [(["a", "b"], ["A", "B"]), (["b"], ["B"])]
    run = nv.play(nv.StructuredPerceptron(nv.Chains("w[0]")), sentences)
    content = json.loads(_certified(run, "hinge", {"w": []}).text)
    changed = json.loads(json.dumps(content))
    changed["data"]["labels"]["tags"] = ["A", "B", "never"]
    assert nv.verify(sealed(changed), run.stream).reason == "the tags are others"
    many = [f"t{k}" for k in range(20_000)]
    changed["data"]["labels"]["tags"] = ["A", "B", *many]
    changed["learner"]["parameters"]["problem"]["tags"] = ["A", "B", *many]
    with pytest.raises(nv.InputError, match="20002 tags take more work"):
        nv.verify(sealed(changed), run.stream)


def test_one_tag_alone_has_every_margin() -> None:
    run = nv.play(nv.StructuredPerceptron(nv.Chains("w[0]")), [(["a"], ["A"])])
    for weight in (0.5, 5e-324):
        certificate = _certified(run, "hinge", {"w": [[0, 0, weight]]})
        assert nv.verify(certificate, run.stream).verified


def test_columns_of_denormal_numbers_are_certified() -> None:
    for X, bias in (([[5e-324], [1e-323]], 1.0), ([[1.0], [2.0]], 5e-324)):
        stream = nv.stream(X, [1, -1])
        run = nv.play(nv.Perceptron(bias=bias), stream)
        assert nv.verify(nv.certify(run, stream), stream).verified


def test_a_delimiter_that_is_none_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("y,a\n1,2\n")
    (tmp_path / "c.json").write_text("{}")
    for mark in (b"\xff", b"\xc3\xbc", b"5", b'"'):
        files = ["c.json", "d.csv", "y"]
        command: list[Any] = [sys.executable, verifier.__file__, *files, b"delimiter=" + mark]
        done = subprocess.run(command, capture_output=True, check=False, cwd=tmp_path)
        assert done.returncode in (1, 3)
        assert b"Traceback" not in done.stderr


def test_a_line_that_is_too_long_is_bad_input(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(verifier, "LONGEST_LINE", 20)
    (tmp_path / "d.svm").write_text("1 1:1\n1 2:1 # " + "x" * 30 + "\n")
    with pytest.raises(verifier.BadData, match=r"d.svm:2: expected a line of at most 20 bytes"):
        list(verifier.read_svmlight(str(tmp_path / "d.svm")))
    (tmp_path / "d.svm").write_bytes(b"\xef\xbb\xbf1 1:1 # 34567890123\n1 2:1\n")
    assert len(list(verifier.read_svmlight(str(tmp_path / "d.svm")))) == 2


def test_a_line_without_an_end_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifier, "LONGEST_LINE", 20)
    with (
        little_memory(),
        pytest.raises(verifier.BadData, match="/dev/zero:1: expected a line of at most 20 bytes"),
    ):
        list(verifier.read_predictions("/dev/zero"))


def test_exported_rows_are_never_taken_for_bzip2(tmp_path: Path) -> None:
    (tmp_path / "d.jsonl").write_text('{"label": "BZh1", "a": 1}\n{"label": "b", "c": 2}\n')
    out = tmp_path / "d.svm"
    assert cli.main(["export", str(tmp_path / "d.jsonl"), "--output", str(out)]) == 0
    assert [row[1] for row in verifier.read_svmlight(str(out))] == ["BZh1", "b"]
    assert sum(len(rows[0]) for rows in nv.read(out, format="svmlight").blocks()) == 2
