"""The sections of a report: the headline, losses, labels, assumptions, terms, predictions."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import novikoff as nv
from novikoff.receipts.fresh_certificates import certify_error, certify_loss, predicted
from novikoff.reports.page_words import allowed, amount, percent, percent_allowed
from report_pages import noisy, page_of


@pytest.fixture(scope="module")
def run() -> nv.Run:
    return nv.play(nv.Perceptron(bias=1.0), noisy())


def _blended(rounds: int = 600) -> tuple[Any, Any]:
    rng = np.random.default_rng(7)
    X = rng.standard_normal((rounds, 3))
    return X, np.where(X[:, 0] + 0.5 * rng.standard_normal(rounds) > 0, "spam", "ham")


def test_the_headline_is_about_the_model_as_saved_if_it_was_tested(tmp_path: Path) -> None:
    X, y = _blended()
    run = nv.play(nv.Blend(), nv.stream(X[:400], y[:400], positive="spam"))
    _, outline = page_of(tmp_path, run)
    own = nv.error_bound(run.ledger).value
    assert (
        f"a hypothesis drawn at random from the run: at most {percent_allowed(own)} wrong on new "
        "rows, with probability 95 %, if rows are independent"
    ) in outline.text
    found = nv.test(run, nv.stream(X[400:], y[400:]), delta=0.1)
    page, outline = page_of(tmp_path, run, tested=found)
    assert "drawn at random" not in outline.text
    assert (
        f"the model as saved: at most {percent_allowed(found.error_bound)} wrong on new rows, with "
        "probability 90 %, if rows are independent"
    ) in outline.text
    assert f"{found.errors} errors on 200 rows that the model had not seen" in outline.text
    assert 'id="tested"' in page
    with pytest.warns(UserWarning, match="has learned from these rows"):
        seen = nv.test(run, run.stream)
    _, outline = page_of(tmp_path, run, tested=seen)
    assert "the model as saved: at most" not in outline.text
    assert f"{seen.errors} errors on 400 rows that are not all new to the model" in outline.text
    assert "the model has learned from these rows (arrays)" in outline.text
    with pytest.raises(nv.ParameterError, match=r"tested: expected what test\(run, stream\) ret"):
        nv.report(run, tmp_path / "r.html", tested=0.1)  # type: ignore[arg-type]


def test_a_loss_is_shown_over_time_with_its_regret(tmp_path: Path) -> None:
    run = nv.play(nv.Blend(), nv.stream(*_blended(), positive="spam"))
    bound = next(one for one in nv.bounds(run) if one.theorem == "fixed-share")
    page, outline = page_of(tmp_path, run, bounds=[bound])
    for name in ("errors", "losses", "regret", "calibration"):
        assert f'<figure id="{name}">' in page
    assert bound.along is not None
    regret = run.ledger.loss - bound.along[-1][1]
    allowed_regret = bound.value - bound.along[-1][1]
    assert f"At the end it is {amount(regret)}, and fixed-share allows " in outline.text
    assert f"fixed-share allows {allowed(allowed_regret, 4)}." in outline.text
    _, outline = page_of(tmp_path, run)
    assert "regret" not in outline.text, "without a bound there is nothing to compare with"


def test_the_loss_of_the_comparator_is_that_of_its_weights(run: nv.Run) -> None:
    X, y = _blended()
    for make in (nv.Blend, nv.AdaptiveGradient):
        played = nv.play(make(bias=1.0), nv.stream(X, y, positive="spam"))
        bound = nv.bounds(played)[0]
        w, constant = np.zeros(3), 0.0
        for j, value in bound.comparator["w"]:
            if j < 0:
                constant = value
            else:
                w[j] = value
        signs = np.where(y == "spam", 1, -1)
        losses = np.log1p(np.exp(-signs * (X @ w + constant)))
        assert bound.along is not None
        assert [t for t, _ in bound.along] == played.ledger.checkpoints.rounds.tolist()
        for t, total in bound.along:
            assert total == pytest.approx(losses[:t].sum(), rel=1e-9)
        twice = nv.play(make(), nv.stream(X, y, positive="spam"), passes=2)
        assert {b.along for b in nv.bounds(twice)} == {None}


def test_labels_have_their_errors_and_many_a_table_of_confusions(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    y = rng.integers(0, 4, 500)
    X = np.eye(4)[y] + rng.standard_normal((500, 4))
    names = np.array(["ash", "<b>", "elm", "fir"])
    run = nv.play(nv.Blend(), nv.stream(X, names[y]))
    page, outline = page_of(tmp_path, run)
    for label, wrong in run.ledger.mistakes_by_label.items():
        rounds = run.ledger.rounds_by_label[label]
        assert f"{label} {rounds:,} {wrong:,} {percent(wrong / rounds)}" in outline.text
    table = page[page.index('class="confusion"') :]
    table = table[: table.index("</table>")]
    numbers = [int(found) for found in re.findall(r"transparent\)\">(\d+)<", table)]
    assert sum(numbers) == run.mistakes
    pairs = [(n, a, b) for a, row in run.ledger.confusion.items() for b, n in row.items()]
    n, a, b = max(pairs)
    assert f"{a} taken for {b} ({n})" in outline.text
    assert "Calibration" in outline.text
    assert "class ash" in outline.text, "the weights of a mixture for many classes"


def test_what_is_assumed_is_said_in_words(tmp_path: Path, run: nv.Run) -> None:
    bounds = [*nv.bounds(run), nv.Bound("progressive", 0.4)]
    _, outline = page_of(tmp_path, run, bounds=bounds)
    said = outline.text[outline.text.index("What is assumed") :]
    assert "The bound on the error to come assumes that the examples are independent draws" in said
    assert "progressive assumes: " in said
    *most, last = (bound.theorem for bound in bounds[:-1])
    always = f"{' , '.join(most)} and {last}"
    assert f"{always} hold for every sequence of rounds: nothing is assumed." in said


def test_words_are_explained_where_they_appear(tmp_path: Path) -> None:
    run = nv.play(nv.Blend(), nv.stream(*_blended(), positive="spam"))
    page, outline = page_of(tmp_path, run, bounds=nv.bounds(run))
    assert page.count("<summary>What the words mean</summary>") >= 5
    for word in ("round", "baseline", "mean loss", "regret", "calibration", "comparator", "weight"):
        assert f"<dt>{word}</dt>" in page
    assert outline.open == []


def test_a_certificate_of_predictions_is_none_of_a_run(tmp_path: Path) -> None:
    X = np.random.default_rng(0).standard_normal((40, 2))
    y = np.where(X[:, 0] > 0, 1, -1)
    rounds = nv.stream(X, y)
    run = nv.Run(nv.Blend(), digest=True).play(nv.stream(X, y))
    found, said = nv.test(run, rounds), predicted(run, rounds)
    fixed = nv.certify_predictions([0.5] * 40, rounds)
    error = certify_error(found, said, said.values, rounds)
    loss = certify_loss(found, said, said.values, rounds)
    assert loss is not None
    for certificate in (fixed, error, loss):
        assert certificate.content["learner"] is None
        with pytest.raises(nv.ParameterError, match="which is about predictions"):
            nv.report(run, tmp_path / "r.html", certificate=certificate)
    assert not (tmp_path / "r.html").exists()


def test_the_headline_says_how_to_check_the_run(tmp_path: Path) -> None:
    rows = tmp_path / "rows.svm"
    rows.write_text("1 1:1 2:0.5\n-1 1:-1 2:1\n" * 20)
    run = nv.play(nv.Perceptron(), nv.read(rows))
    certificate = nv.certify(run)
    certificate.save(tmp_path / "rows.json")
    nv.report(run, tmp_path / "page.html", certificate=certificate)
    page = (tmp_path / "page.html").read_text()
    headline = page[page.index('class="headline"') : page.index("</ul>")]
    assert "anybody who has the data can check it: <code>novikoff verify " in headline
    nv.report(run, tmp_path / "page.html")
    assert "anybody who has" not in (tmp_path / "page.html").read_text()


def test_what_only_theorists_read_is_folded(tmp_path: Path, run: nv.Run) -> None:
    page, _ = page_of(tmp_path, run, bounds=nv.bounds(run))
    folds = page[page.index("The theorems in detail") :]
    assert folds.index("<details>") < folds.index("<article") < folds.rindex("</details>")
    assert "<article" not in page[: page.index("The theorems in detail")]
