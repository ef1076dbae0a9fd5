"""What is computed once is kept, and told from what only looks like it."""

import numpy as np

from raising.grammar.dialects.load import load
from raising.grammar.dialects.target_dialect import read_target
from raising.grammar.evaluate.evaluator import called
from raising.grammar.evaluate.number import Num
from raising.grammar.evaluate.sample import Replayed
from raising.segment.procedures import procedures
from raising.synth.spec.schemes import schemes


def test_values_are_made_once_and_none_that_nobody_needs() -> None:
    made: list[int] = []
    values = Replayed(made.append(k) or k for k in range(5))  # type: ignore[func-returns-value]
    assert next(v for v in values if v == 1) == 1 and made == [0, 1]
    assert [*zip(values, values, strict=True)] == [(k, k) for k in range(5)] and made == [*range(5)]
    assert [*values] == made


def test_the_grammar_of_a_target_and_its_schemes_are_made_once() -> None:
    assert load("linalg") is load("linalg") != load("tosa")
    assert schemes(load("linalg")) is schemes(load("linalg")) != schemes(load("tosa"))


def test_a_result_that_is_kept_is_that_of_the_same_numbers_in_the_same_shape() -> None:
    solve = next(p for p in procedures(read_target("stablehlo")) if p.operation == "stablehlo.triangular_solve")

    def numbers(start: int, *shape: int) -> Num:
        res = np.arange(start, start + int(np.prod(shape)), dtype=np.uint64).reshape(shape)
        return Num(res, res.astype(np.float64))

    matrix, column = numbers(1, 2, 2), numbers(5, 2, 1)
    shown = called(solve, [matrix, column])
    assert called(solve, [numbers(1, 2, 2), numbers(5, 2, 1)]) is shown
    for other in ([matrix, numbers(6, 2, 1)], [numbers(2, 2, 2), column], [matrix, numbers(5, 2, 2)]):
        assert not np.array_equal(called(solve, other).res, shown.res)
    far = called(solve, [matrix, Num(column.res, -column.flt)])
    assert np.array_equal(far.res, shown.res) and not np.array_equal(far.flt, shown.flt)
