"""Finite classes: tables, constructors, and the dimensions of Littlestone and of Vapnik."""

import itertools
import pickle
import re
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import novikoff as nv
from brute import littlestone, random_class, rows_of, vapnik
from novikoff.classes import as_class

CONSTRUCTED = {
    "conjunctions(2)": (nv.conjunctions(2), 10),
    "conjunctions(3)": (nv.conjunctions(3), 28),
    "conjunctions(3, monotone)": (nv.conjunctions(3, monotone=True), 8),
    "disjunctions(3)": (nv.disjunctions(3), 28),
    "disjunctions(4, monotone)": (nv.disjunctions(4, monotone=True), 16),
    "decision_lists(2)": (nv.decision_lists(2), 14),
    "decision_lists(3)": (nv.decision_lists(3), 96),
    "decision_lists(3, rules=1)": (nv.decision_lists(3, rules=1), 8),
    "parities(3)": (nv.parities(3), 8),
    "thresholds(9)": (nv.thresholds(9), 10),
    "singletons(6)": (nv.singletons(6), 6),
    "halfspaces(1)": (nv.halfspaces(1), 4),
    "halfspaces(2)": (nv.halfspaces(2), 14),
    "halfspaces(3)": (nv.halfspaces(3), 104),
}


def test_a_table_is_packed_and_comes_back() -> None:
    """Signs in, the same signs out, for widths around a word."""
    rng = np.random.default_rng(0)
    for size in (1, 2, 63, 64, 65, 130):
        table = np.unique(rng.choice([-1, 1], (size, 11)), axis=0)
        H = nv.FiniteClass(table.tolist())
        assert np.array_equal(H.table, table)
        assert len(H) == len(table)
        assert [H(h, x) for h in H for x in range(11)] == table.ravel().tolist()
        twin = pickle.loads(pickle.dumps(H))
        assert twin == H
        assert hash(twin) == hash(H)
        assert as_class(H.plain) == H


def test_equal_rows_are_one_hypothesis_and_it_is_said_which() -> None:
    H = nv.FiniteClass(
        [[1, -1], [1, -1], [-1, -1], [1, -1]], points=["sun", "rain"], hypotheses=list("abcd")
    )
    assert list(H) == ["a", "c"]
    assert H.merged == {"b": "a", "d": "a"}
    assert H("c", "sun") == H(1, 0) == -1
    with pytest.raises(nv.InputError, match=r"x: expected a point from 0 to 1 or its name, got 's"):
        H("a", "snow")
    with pytest.raises(nv.InputError, match="h: expected one of 2 hypotheses, got 'b'"):
        H("b", 0)


def test_classes_are_made_from_functions_and_files(tmp_path: Path) -> None:
    even = {"even": lambda n: n % 2 == 0, "small": lambda n: 1 if n < 2 else -1}
    H = nv.FiniteClass.of(even, range(4))
    assert H.table.tolist() == [[1, -1, 1, -1], [1, 1, -1, -1]]
    assert H("small", "3") == -1
    (tmp_path / "plain.csv").write_text("1,-1\n+1,1\n")
    assert nv.FiniteClass.from_csv(tmp_path / "plain.csv").table.tolist() == [[1, -1], [1, 1]]
    (tmp_path / "named.csv").write_text("h,sun,rain\na,1,-1\nb,1,1\n")
    named = nv.FiniteClass.from_csv(tmp_path / "named.csv")
    assert (named.points, named.hypotheses) == (("sun", "rain"), ("a", "b"))
    for text, row in (("1,-1\n1,2\n", 2), ("1,2\n1,1\n", 1), ("a,b\n1,1\n1\n", 3)):
        (tmp_path / "bad.csv").write_text(text)
        with pytest.raises(nv.InputError, match=rf"bad.csv:{row}: expected 2 cells of −1 or"):
            nv.FiniteClass.from_csv(tmp_path / "bad.csv")
    for text, line in (("1,-1\nx,1\n-1,1\n", 2), ("1,-1\n0,1\n", 2), ("1,1\n\n\n1,x\n", 4)):
        (tmp_path / "bad.csv").write_text(text)  # one bad cell makes no column of names
        with pytest.raises(nv.InputError, match=rf"bad.csv:{line}: expected 2 cells of −1 or"):
            nv.FiniteClass.from_csv(tmp_path / "bad.csv")
    for text in ("p,q,a,b\n1,-1\n", "p,q,a,b\nf,1,-1\n", "a\n1,-1\n"):
        (tmp_path / "bad.csv").write_text(text)
        with pytest.raises(nv.InputError, match=r"bad.csv:1: expected 2 names of points, got"):
            nv.FiniteClass.from_csv(tmp_path / "bad.csv")
    for text in ("f,1,-1\nf,1,1\n", "a,a\n1,-1\n"):
        (tmp_path / "bad.csv").write_text(text)
        with pytest.raises(nv.InputError, match=r"bad.csv: .+: expected 2 different strings"):
            nv.FiniteClass.from_csv(tmp_path / "bad.csv")
    for data in (b"", b"sun,rain\n", b"\xff\xfe,1\n"):
        (tmp_path / "bad.csv").write_bytes(data)
        with pytest.raises(nv.InputError, match=r"bad.csv: expected .+, got .+\. .+"):
            nv.FiniteClass.from_csv(tmp_path / "bad.csv")


@pytest.mark.parametrize(
    "table", [[], [1, 2], [[0, 1]], [[1, -1], [1]], [["a"]], [[True, False]], [[np.nan]]]
)
def test_what_is_no_table_is_refused(table: Any) -> None:
    with pytest.raises(nv.InputError, match=r"table: expected .+, got .+\. .+"):
        nv.FiniteClass(table)


def test_masked_tables_odd_names_and_odd_functions_are_refused() -> None:
    with pytest.raises(nv.InputError, match="got a masked array"):
        nv.FiniteClass(np.ma.array([[1, -1]], mask=[[True, False]]))
    odd: Any
    for odd in (5, [[1], [2]], [1, 2], ["a", "a"]):
        with pytest.raises(nv.ParameterError, match="points: expected 2 different strings"):
            nv.FiniteClass([[1, 1]], points=odd)
    for odd in (5, [5]):
        with pytest.raises(nv.ParameterError, match="functions: expected"):
            nv.FiniteClass.of(odd, [0, 1])
    with pytest.raises(nv.InputError, match="of: expected −1"):
        nv.FiniteClass.of([lambda x: np.array([1, 2])], [0])


@pytest.mark.parametrize("kind", ["conjunctions", "disjunctions", "decision_lists", "parities",
                                  "halfspaces", "thresholds", "singletons"])  # fmt: skip
def test_a_size_is_a_whole_number_of_any_kind(kind: str) -> None:
    make = getattr(nv, kind)
    assert make(np.int8(2)) == make(2)
    for odd in (True, np.True_, 0, -1, 2.0, "2", None, [2], 10**20):
        with pytest.raises(nv.ParameterError, match="expected a whole number from 1 to"):
            make(odd)
    if "junctions" in kind:
        assert make(2, np.True_) == make(2, True)
        for odd in ("no", None, 0, 2):
            with pytest.raises(nv.ParameterError, match="monotone: expected True or False"):
                make(2, odd)


def test_packed_columns_have_no_bits_beyond_their_hypotheses() -> None:
    columns = np.array([[2], [3]], np.uint64)
    assert nv.FiniteClass.from_columns(columns, 2).table.tolist() == [[-1, 1], [1, 1]]
    with pytest.raises(nv.ParameterError, match="no bits beyond those of 1 hypotheses"):
        nv.FiniteClass.from_columns(columns, 1)
    with pytest.raises(nv.ParameterError, match="size: expected a whole number"):
        nv.FiniteClass.from_columns(columns, 0)


def test_sizes_in_small_integers_do_not_overflow() -> None:
    assert len(nv.thresholds(np.int8(127))) == 128  # type: ignore[arg-type]
    assert len(nv.parities(np.int8(7))) == 128  # type: ignore[arg-type]
    H = nv.grid_halfspaces(1, 1.0, 1.0, 1.0)
    for odd in (-1, 5, "a"):
        with pytest.raises(nv.ParameterError, match="h: expected a whole number from 0 to 4"):
            H(odd, [1.0])  # type: ignore[arg-type]


@pytest.mark.parametrize("name", CONSTRUCTED)
def test_constructors_have_their_sizes_and_no_row_twice(name: str) -> None:
    H, size = CONSTRUCTED[name]
    assert len(H) == size == len({tuple(row) for row in H.table.tolist()})
    assert H.merged == {}
    assert H.title == name


def test_constructors_are_what_their_names_say() -> None:
    """Each function of the cube is computed from its definition."""
    d = 3
    cube = [tuple(i >> j & 1 for j in range(d)) for i in range(1 << d)]
    choices = list(itertools.product((0, 1, -1), repeat=d))

    def literal(x: Any, j: int, sign: int) -> bool:
        return bool(x[j]) == (sign > 0)

    ands = {tuple(all(literal(x, j, s) for j, s in enumerate(c) if s) for x in cube)
            for c in choices} | {(False,) * 8}  # fmt: skip
    ors = {tuple(any(literal(x, j, s) for j, s in enumerate(c) if s) for x in cube)
           for c in choices} | {(True,) * 8}  # fmt: skip
    assert {tuple(row) for row in (nv.conjunctions(d).table > 0).tolist()} == ands
    assert {tuple(row) for row in (nv.disjunctions(d).table > 0).tolist()} == ors
    lists = set()
    for order in itertools.permutations(range(d)):
        for signs in itertools.product((False, True), repeat=2 * d + 1):
            row = []
            for x in cube:
                rule = next((i for i, j in enumerate(order) if x[j] == signs[i]), None)
                row.append(signs[2 * d] if rule is None else signs[d + rule])
            lists.add(tuple(row))
    assert {tuple(row) for row in (nv.decision_lists(d).table > 0).tolist()} == lists
    H = nv.parities(d)
    for h, a in itertools.product(range(8), range(8)):
        assert H(h, a) == (-1) ** (h & a).bit_count()


def test_halfspaces_are_all_of_them_and_no_others() -> None:
    """4, 14, 104, 1882, 94572 functions, each with the weights that its name states."""
    assert [len(nv.halfspaces(d)) for d in (1, 2, 3, 4, 5)] == [4, 14, 104, 1882, 94572]
    for d in (1, 2, 3, 4):
        H = nv.halfspaces(d)
        cube = [[i >> j & 1 for j in range(d)] for i in range(1 << d)]
        for name, row in zip(H.hypotheses, H.table.tolist(), strict=True):
            total, b = str(name).replace("−", "-").split(" ≥ ")
            terms = dict.fromkeys(range(d), 0)
            for sign, weight, j in re.findall(r"([+-]?)(\d*)x(\d)", total):
                terms[int(j) - 1] = int(f"{sign}{weight or 1}")
            scores = [sum(terms[j] * x[j] for j in range(d)) for x in cube]
            assert [1 if score >= int(b) else -1 for score in scores] == row, name
    with pytest.raises(nv.ParameterError, match="d: expected a whole number from 1 to 5"):
        nv.halfspaces(6)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_halfspaces_are_the_functions_that_are_separable(d: int) -> None:
    """Every function of the cube is judged by the margin, which proves either answer."""
    cube = np.array([[i >> j & 1 for j in range(d)] for i in range(1 << d)], float)
    known = set(rows_of(nv.halfspaces(d)))
    for signs in itertools.product((-1, 1), repeat=1 << d):
        assert (signs in known) == nv.margin(cube, np.array(signs), bias=1.0).separable


def test_points_of_a_cube_are_vectors_too() -> None:
    H = nv.disjunctions(3, monotone=True)
    for point in range(8):
        vector = [point >> j & 1 for j in range(3)]
        ones = np.flatnonzero(vector)
        for x in (vector, tuple(vector), np.array(vector), (ones, np.ones(len(ones)))):
            assert H.locate(x) == point
        assert H.locate("".join(map(str, vector))) == point
        assert np.asarray(H.example(point)).tolist() == vector
    for bad in ([0, 1], [0, 1, 2], [0, 1, np.nan], "12", 8, -1, None, ([3], [1.0]), ([-1], [1.0])):
        with pytest.raises(nv.InputError, match="x: expected"):
            H.locate(bad)


def test_dimensions_agree_with_brute_force_on_random_classes() -> None:
    """Ldim, VC, their trees and their sets, for 400 classes."""
    rng = np.random.default_rng(1)
    for _ in range(400):
        H = random_class(rng)
        dimension = nv.littlestone_dimension(H)
        assert dimension == littlestone(rows_of(H))
        tree = nv.littlestone_tree(H)
        assert tree.depth == dimension
        assert tree.check(H)
        shattered = nv.shattered_set(H)
        assert nv.vc_dimension(H) == len(shattered) == vapnik(rows_of(H)) <= dimension
        assert len({tuple(row[x] for x in shattered) for row in rows_of(H)}) == 2 ** len(shattered)


@pytest.mark.parametrize("name", CONSTRUCTED)
def test_dimensions_of_constructed_classes_are_in_order(name: str) -> None:
    H, size = CONSTRUCTED[name]
    dimension = nv.littlestone_dimension(H)
    assert nv.vc_dimension(H) <= dimension <= size.bit_length() - 1
    assert nv.littlestone_tree(H).check(H)


def test_a_tree_of_another_class_does_not_check() -> None:
    H = nv.thresholds(7)
    tree = nv.littlestone_tree(H)
    assert not tree.check(nv.singletons(8))
    assert not tree.check(nv.thresholds(2))
    for odd in ("nobody", 8, None):
        assert not nv.LittlestoneTree(member=odd).check(nv.thresholds(7))  # type: ignore[arg-type]
    root = ElementTree.fromstring(tree.svg())
    texts = [e.text for e in root.iter() if e.tag.endswith("text")]
    assert {"x ≥ 0", "x ≥ 7", "3"} <= set(texts)
    assert str(tree).count("x ≥") == 8


def test_grids_hold_a_halfspace_for_every_margin() -> None:
    """Some member agrees with w* wherever |w*·x| ≥ γ, and columns are exact on near ties."""
    rng = np.random.default_rng(3)
    H = nv.grid_halfspaces(2, radius=1.0, norm=1.0, margin=0.25)
    assert (H.steps, len(H)) == (16, 33**2)
    for _ in range(20):
        w, X = rng.standard_normal(2), rng.standard_normal((60, 2))
        w /= np.linalg.norm(w)
        X /= np.maximum(1, np.linalg.norm(X, axis=1))[:, None]
        X = X[np.abs(X @ w) >= 0.25]
        agree = np.ones(len(H), bool)
        for x in X:
            bits = np.unpackbits(H.column(x).view(np.uint8), bitorder="little")[: len(H)]
            agree &= (bits > 0) == (w @ x >= 0)
        assert agree.any()
    for x in ([0.1, 0.3], [0.1, 0.1], [1e-300, 3e-300], [0.7, -0.7], [1.7e308, 1.6e308]):
        bits = np.unpackbits(H.column(x).view(np.uint8), bitorder="little")[: len(H)]
        for h in range(len(H)):
            exact = sum(int(m) * Fraction(v) for m, v in zip(H.weights(h), x, strict=True))
            assert bits[h] == (exact >= 0) == (H(h, x) > 0)
    for bad in ([1.0], [1.0, np.inf], ([-1], [1.0]), "x"):
        with pytest.raises(nv.InputError, match="x: expected a vector of 2 finite numbers"):
            H.column(bad)
    with pytest.raises(nv.ParameterError, match="H: expected a class with a table"):
        nv.littlestone_dimension(H)  # type: ignore[arg-type]
