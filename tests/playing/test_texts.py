"""A run that has learned from texts takes texts, in every form in which its files have them."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import novikoff as nv

LINES = ["ham\tsee you at the gym", "spam\tfree entry, text WIN now", "ham\tare you home now",
         "spam\tyou WIN a free prize", "ham\tthe gym is free on sunday"]  # fmt: skip
TEXT = "WIN a prize today"
LONG = "one two three four five six seven eight nine ten eleven twelve"
WORDS = nv.Words(2, characters=(3, 4), presence=True)


@pytest.fixture
def run(tmp_path: Path) -> nv.Run:
    (tmp_path / "sms.txt").write_text("\n".join(LINES * 4) + "\n")
    return nv.play(nv.Blend(), nv.read(tmp_path / "sms.txt", words=WORDS))


@pytest.mark.parametrize("x", [TEXT, {"text": TEXT}, {"text": TEXT, "hour": 3}])
def test_a_text_is_read_as_the_texts_learned_from(run: nv.Run, x: object) -> None:
    features = WORDS.features(TEXT)
    twin = pickle.loads(pickle.dumps(run))
    assert run.probability(x) == twin.probability(features)
    assert run.predict_one(x) == twin.predict_one(features)
    for many in ([x], (x,), np.array([x], object), pd.Series([x])):
        assert run.predict(many).tolist() == twin.predict([features]).tolist()
    assert run.ask(x).probability == twin.ask(features).probability
    for label in ("spam", "ham", "spam"):  # the second round would be one of the core's alone
        assert run.learn(x, label) == twin.learn(features, label)
    run.play([(x, "spam")])
    twin.play([(features, "spam")])
    (_, mine), (_, its) = run.contents(), twin.contents()
    assert mine.keys() == its.keys()
    for name, values in mine.items():
        np.testing.assert_array_equal(values, its[name])


def test_a_saved_run_and_its_hypothesis_remember_how(run: nv.Run, tmp_path: Path) -> None:
    run.save(tmp_path / "model")
    loaded = nv.Run.load(tmp_path / "model")
    assert loaded.probability(TEXT) == run.probability(TEXT)
    run.hypothesis().save(tmp_path / "h")
    h = nv.Hypothesis.load(tmp_path / "h")
    assert h.predict([{"text": TEXT}]).tolist() == ["spam"]
    assert h.scores([{"text": TEXT}]).tolist() == h.scores([WORDS.features(TEXT)]).tolist()
    assert pickle.loads(pickle.dumps(h)).texts == run.texts
    assert run.continued().texts == run.texts


def test_words_with_their_counts_stay_what_they_are(run: nv.Run) -> None:
    assert run.predict_one({"win": 1, "text": 1}) == "spam"
    run.learn({"win": 1, "from": "bank"}, "spam")
    assert "from=bank" in run.hypothesis().weights()  # type: ignore[attr-defined]


def test_a_text_under_another_name_is_refused(run: nv.Run) -> None:
    rounds = run.ledger.rounds
    for ask in (run.predict_one, run.probability, run.ask, lambda x: run.learn(x, "ham")):
        with pytest.raises(nv.InputError, match=r"expected a text, .'text': TEXT.*for 'body'"):
            ask({"body": TEXT})
    assert (run.ledger.rounds, dict(run.pending)) == (rounds, {})


def test_the_member_of_json_lines_that_held_the_text_holds_it(tmp_path: Path) -> None:
    rows = [dict(zip(("kind", "body"), line.split("\t"), strict=True)) for line in LINES]
    (tmp_path / "sms.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = nv.play(nv.Blend(), nv.read(tmp_path / "sms.jsonl", label="kind", text="body"))
    assert run.probability({"body": TEXT, "id": 7}) == run.probability(nv.Words().features(TEXT))
    assert run.reading is not None
    assert (run.reading["label"], run.reading["text"]) == ("kind", "body")


def test_a_long_text_that_counts_as_one_category_is_warned_about() -> None:
    run = nv.Run(nv.Blend(), labels=("ham", "spam"))
    with pytest.warns(UserWarning, match=r"'text' holds a text of 12 words.*nv\.Words"):
        run.learn({"text": LONG}, "ham")
    run = nv.Run(nv.Blend(), labels=("ham", "spam"))
    with pytest.warns(UserWarning, match=r"'text' holds a text of 12 words.*nv\.Words"):
        run.play([({"hour": 3}, "spam"), ({"text": LONG}, "ham")])
    run = nv.Run(nv.Blend(), labels=("ham", "spam"))
    run.learn({"education": "Masters degree (MA MS MEng MEd MSW MBA)"}, "ham")  # no warning


def test_one_text_is_not_many(run: nv.Run) -> None:
    for many in (run.predict, run.probabilities):
        with pytest.raises(
            nv.InputError, match=r"X: expected many texts, got one, .* Put it into a"
        ):
            many(TEXT)


@pytest.mark.parametrize(
    "learner", [nv.Blend, nv.AveragedPerceptron, lambda: nv.Blend(freeze="snapshots"),
                lambda: nv.Blend(members=[nv.AdaptiveGradient(), nv.Blend()])],
    ids=["blend", "perceptron", "snapshots", "mixture"],
)  # fmt: skip
def test_a_hypothesis_takes_texts_as_its_run_does(learner: Any, tmp_path: Path) -> None:
    (tmp_path / "sms.txt").write_text("\n".join(LINES * 4) + "\n")
    stream = nv.read(tmp_path / "sms.txt", words=WORDS, labels=["ham", "spam"])
    run = nv.play(learner(), stream)
    h: Any = run.hypothesis()
    features = [WORDS.features(text) for text in (TEXT, "the gym")]
    expected = h.predict(features).tolist()
    assert expected == ["spam", "ham"]
    assert [h(x) for x in (TEXT, {"text": TEXT}, features[0])] == ["spam"] * 3
    for many in ([TEXT, "the gym"], [{"text": TEXT}, "the gym"], np.array([TEXT, "the gym"])):
        assert h.predict(many).tolist() == expected
        assert h.scores(many).tolist() == h.scores(features).tolist()
        if hasattr(h, "probabilities"):
            assert h.probabilities(many).tolist() == h.probabilities(features).tolist()
    with pytest.raises(nv.InputError, match=r"X: expected many texts, got one, .* Put it into a"):
        h.predict(TEXT)


def test_a_hypothesis_of_many_classes_takes_texts(tmp_path: Path) -> None:
    lines = [*LINES, "news\tthe prize was won on sunday"]
    (tmp_path / "sms.txt").write_text("\n".join(lines * 4) + "\n")
    run = nv.play(nv.Blend(), nv.read(tmp_path / "sms.txt"))
    h: Any = run.hypothesis()
    assert h(TEXT) == h(nv.Words().features(TEXT)) == h.predict([TEXT])[0]
    assert h.probabilities([TEXT]).tolist() == run.probabilities([TEXT]).tolist()


@pytest.mark.parametrize("odd", [None, 5, b"x"])
def test_what_is_no_text_is_refused_by_its_row(run: nv.Run, odd: object) -> None:
    with pytest.raises(nv.InputError, match=r"row 2: expected a text or a dict, as in row 1, got"):
        run.predict(["free win", odd])


def test_half_a_surrogate_pair_is_called_that(run: nv.Run) -> None:
    with pytest.raises(nv.ParameterError, match=r"text: expected text that UTF-8 can hold"):
        run.predict_one("free \ud800")
