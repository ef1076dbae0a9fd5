"""Terms are values: equal by structure, shared, and rebuilt without changing what they mean."""

import math

import numpy as np
import pytest

from raising.affine.ir.affine_expr import Cond, const, var
from raising.grammar.evaluate.evaluator import DoesNotFit, Evaluator
from raising.grammar.evaluate.number import Num
from raising.grammar.evaluate.sample import random_numbers
from raising.grammar.terms.structured_op import COPY, Body, Instr
from raising.grammar.terms.term import (
    Apply,
    Either,
    Input,
    Insert,
    Literal,
    Position,
    Recur,
    Reshape,
    Reverse,
    Step,
    TensorType,
    Term,
    Undefined,
    Window,
    nodes,
    substitute,
)

M, N = var("M"), var("N")
MATRIX, ROW = TensorType("f64", (M, N)), TensorType("f64", (N,))
ADD = Body(3, (Instr("arith.addf", (0, 1)),), 3)
DOT = Body(3, (Instr("arith.mulf", (0, 1)), Instr("arith.addf", (2, 3))), 4)
A, B, X = Input(MATRIX, "a"), Input(MATRIX, "b"), Input(ROW, "x")
SIZES = {"M": 3, "N": 4}


def _sum(left: Term, right: Term) -> Apply:
    return Apply(MATRIX, ADD, ((0, 1), (0, 1), (0, 1)), (left, right))


def _times(matrix: Term, start: Term | None = None) -> Apply:
    return Apply(TensorType("f64", (M,)), DOT, ((0, 1), (1,), (0,)), (matrix, X), start)


def _evaluator(seed: int = 0) -> Evaluator:
    rng = np.random.default_rng(seed)
    values = {}
    for term in (A, B, X):
        shape = tuple(d.evaluate(SIZES) for d in term.type.dims)
        drawn = random_numbers("f64", math.prod(shape), rng)
        values[term.name] = Num(drawn.res.reshape(shape), drawn.flt.reshape(shape))
    return Evaluator(values, SIZES)


def test_equal_structure_is_one_value() -> None:
    assert _sum(A, B) == _sum(Input(MATRIX, "a"), Input(MATRIX, "b"))
    assert len({_sum(A, B), _sum(A, B), _sum(B, A)}) == 2
    assert Input(MATRIX, "a") != Input(TensorType("f32", (M, N)), "a")
    assert Input(MATRIX, "a") != Input(TensorType("f64", (N, M)), "a")


def test_everything_that_matters_is_part_of_the_identity() -> None:
    start = Input(TensorType("f64", (M,)), "s")
    other = Apply(TensorType("f64", (M,)), DOT, ((0, 1), (1,), (0,)), (A, X), X)
    assert len({_times(A), _times(B), _times(A, start), other}) == 4
    windows = {Window(ROW, A, (const(k), const(0)), (1,), (1, s)) for k in (0, 1) for s in (1, 2)}
    assert len(windows) == 4
    swapped = Apply(MATRIX, ADD, ((1, 0), (0, 1), (0, 1)), (A, B))
    assert swapped != _sum(A, B)


def test_nodes_come_once_and_operands_first() -> None:
    shared = _sum(A, B)
    root = _sum(shared, _sum(shared, A))
    found = list(root.nodes())
    assert len(found) == len(set(found)) == 5
    for node in found:
        assert all(found.index(o) < found.index(node) for o in node.operands)
    assert list(nodes((shared, root)))[:3] == [A, B, shared]


def test_extents_follow_the_maps() -> None:
    assert _times(A).extents() == (M, N)
    assert _sum(A, B).extents() == (M, N)


def test_substitution_exchanges_every_use_and_leaves_the_rest() -> None:
    old, kept = _sum(_sum(A, A), B), _sum(B, B)
    new, same = substitute((old, kept), {A.digest: B})
    assert new == _sum(_sum(B, B), B)
    assert same is kept
    start = Input(TensorType("f64", (M,)), "s")
    (started,) = substitute((_times(A, start),), {start.digest: _times(B), A.digest: B})
    assert started == _times(B, _times(B))


def test_a_term_is_worth_what_its_structure_says() -> None:
    run = _evaluator()
    matrix, row = run(A), run(X)
    product = run(_times(A))
    np.testing.assert_allclose(product.flt, matrix.flt @ row.flt)
    again = run(_times(A, _times(A)))
    np.testing.assert_allclose(again.flt, 2 * product.flt)


def test_a_window_and_its_insert_are_inverse() -> None:
    run = _evaluator()
    box = TensorType("f64", (N - 1,))
    offsets, kept, strides = (const(1), const(1)), (1,), (1, 1)
    window = Window(box, A, offsets, kept, strides)
    assert np.array_equal(run(window).res, run(A).res[1, 1:])
    assert np.array_equal(run(Insert(MATRIX, A, window, offsets, kept, strides)).res, run(A).res)
    moved = run(Insert(MATRIX, B, window, offsets, kept, strides)).res
    wanted = run(B).res.copy()
    wanted[1, 1:] = run(A).res[1, 1:]
    assert np.array_equal(moved, wanted)


def test_a_sum_of_dimensions_that_leads_out_of_its_tensor_does_not_fit() -> None:
    def windows(width: int) -> Apply:
        kind = TensorType("f64", (const(width), const(2)))
        return Apply(kind, COPY, ((((0, 1), (1, 1)),), (0, 1)), (X,))

    assert _evaluator()(windows(3)).res.shape == (3, 2)
    with pytest.raises(DoesNotFit):
        _evaluator()(windows(4))


ROWS = Body(3, (Instr("arith.addf", (0, 1)),), 3)
NEXT = Apply(ROW, ROWS, ((0,), (0,), (0,)), (Input(ROW, "u"), Input(ROW, "v")))
STEP = Step("i", (const(0),), (M,), 1, (Input(ROW, "u"),), (Input(ROW, "v"),), (NEXT,))
FIRST_ROW = Window(ROW, A, (const(0), const(0)), (1,), (1, 1))
POSITIONS = Position(ROW, var("d0") + const(2))
SEVERAL = {
    "sums": _times(A, _times(B)),
    "a literal": _sum(A, Apply(MATRIX, COPY, ((), (0, 1)), (Literal(TensorType("f64", ()), "2.5"),))),
    "a window": FIRST_ROW,
    "into each": Insert(MATRIX, A, X, (const(2), const(0)), (1,), (1, 1)),
    "into the same": Insert(MATRIX, Undefined(MATRIX), X, (const(0), const(0)), (1,), (1, 1)),
    "the same into each": Insert(MATRIX, A, POSITIONS, (const(1), const(0)), (1,), (1, 1)),
    "turned": Reverse(MATRIX, A, (1,)),
    "flat": Reshape(TensorType("f64", (M.scaled(4),)), A, (2,)),
    "a choice of sizes": Either(ROW, (Cond(M - 2),), X, FIRST_ROW),
    "positions": Apply(ROW, ROWS, ((0,), (0,), (0,)), (X, POSITIONS)),
    "a loop": Recur(ROW, STEP, (X,), (FIRST_ROW,), 0),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_several_runs_together_have_the_values_of_each(name: str) -> None:
    runs = [_evaluator(seed) for seed in range(3)]
    inputs = {n: Num(*map(np.stack, zip(*(r.inputs[n] for r in runs), strict=True))) for n in runs[0].inputs}
    together, term = Evaluator(inputs, SIZES, many=True)(SEVERAL[name]), SEVERAL[name]
    for k, run in enumerate(runs):
        alone = run(term)
        np.testing.assert_array_equal(together.res[k % len(together.res)], alone.res)
        np.testing.assert_array_equal(together.flt[k % len(together.flt)], alone.flt)
