"""What is too much or not there: outputs asked for, tags, names; and tags that appear late."""

import random
from typing import Any

import pytest

import novikoff as nv
from novikoff.errors import InputError, ParameterError


def learned(rounds: Any, problem: Any = None) -> Any:
    return nv.play(nv.StructuredPerceptron(problem or nv.Chains("w[0]")), rounds)


def weights(run: Any) -> Any:
    return run.hypothesis().weights()


def rounds_of_late_tags(seed: Any) -> Any:
    draw = random.Random(seed)
    rounds = []
    for t in range(30):
        x = [[f"f{draw.randrange(3)}" for _ in range(draw.randint(0, 3))] for _ in range(4)]
        rounds.append((x, [f"t{draw.randrange(2 + t // 8)}" for _ in x]))
    return rounds


def test_a_tag_is_known_from_its_first_round_however_many_rounds_are_played_at_once() -> None:
    differ = 0
    for seed in range(40):
        rounds = rounds_of_late_tags(seed)
        tags = sorted({tag for _, y in rounds for tag in y})
        block, run = learned(rounds, nv.Chains()), nv.Run(nv.StructuredPerceptron(nv.Chains()))
        for x, y in rounds:
            run.learn(x, y)
        assert block.ledger.mistake_rounds.tolist() == run.ledger.mistake_rounds.tolist()
        assert weights(block) == weights(run)
        known = learned(rounds, nv.Chains(tags=tags)).ledger
        differ += known.mistake_rounds.tolist() != run.ledger.mistake_rounds.tolist()
    assert differ  # some of them would differ if all tags were known before


def test_a_run_whose_tags_appear_late_is_verified() -> None:
    rounds = rounds_of_late_tags(3)
    run = learned(rounds, nv.Chains())
    assert nv.verify(nv.certify(run), rounds).verified


@pytest.mark.parametrize("count", [10, 2**31, 2**62, 2**70])
def test_no_more_outputs_are_given_than_there_are(count: Any) -> None:
    h = learned([(["a", "b"], ["A", "B"])] * 2).hypothesis()
    assert len(h.best(["a", "b"], count)) == 4


def test_more_outputs_than_memory_holds_are_refused() -> None:
    h = learned([(["a", "b"], ["A", "B"])] * 2).hypothesis()
    with pytest.raises(ParameterError, match="count: expected outputs that fit"):
        h.best(["a", "b"] * 100, 2**40)


@pytest.mark.parametrize("count", [0, -1, True, 1.5, None])
def test_a_count_of_outputs_is_a_whole_number(count: Any) -> None:
    h = learned([(["a"], ["A"])]).hypothesis()
    with pytest.raises(ParameterError, match="count"):
        h.best(["a"], count)


def test_margins_want_as_many_outputs_and_known_tags() -> None:
    h = learned([(["a", "b"], ["A", "B"]), (["b"], ["B"])] * 2).hypothesis()
    with pytest.raises(InputError, match="expected the tags of 1 sentences, got 2"):
        h.margins([["a"]], [["A"], ["B"]])
    with pytest.raises(InputError, match="sentence 2: expected tags among A B"):
        h.margins([["a"], ["a", "b"]], [["A"], ["A", "C"]])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("w[0]", []), "columns: expected at least one name"),
        (("w[0]", 5), "columns: expected names"),
        (("\ud800",), "templates: expected a text"),
        (("w[-9223372036854775808]",), "templates: expected atoms"),
        (("w[0]", None, ["\ud800"]), "tags: expected None or texts"),
    ],
    ids=["no columns", "a number", "a surrogate", "far away", "a tag of a surrogate"],
)
def test_odd_arguments_of_chains_are_refused(arguments: Any, message: Any) -> None:
    with pytest.raises(ParameterError, match=message):
        nv.Chains(*arguments)


@pytest.mark.parametrize("features", [None, "text", 5, [1]])
def test_a_function_returns_a_list_of_texts(features: Any) -> None:
    with pytest.raises(InputError, match="position 1: expected"):
        learned([(["a"], ["A"])], nv.Chains(lambda x, i: features))


def test_a_tag_too_many_of_a_tree_is_refused_and_changes_nothing() -> None:
    run = nv.Run(nv.StructuredPerceptron(nv.Trees()))
    for k in range(62):
        run.learn([("a", f"t{k}")], [0])
    with pytest.raises(InputError, match="at most 1,048,574 words and 62 tags"):
        run.learn([("b", "another")], [0])
    assert run.learn([("a", "t1")], [0]) == [0]
    assert run.ledger.rounds == run.learner.rounds == 63


def test_a_token_of_a_tree_is_text_that_utf8_can_hold() -> None:
    with pytest.raises(InputError, match=r"expected a list of \(word, tag\)"):
        nv.Run(nv.StructuredPerceptron(nv.Trees())).learn([("\ud800", "t")], [0])
