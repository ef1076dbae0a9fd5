"""The columns of each row say the same: exact integers, bit vectors of z3, and arrays of floats."""

import itertools
import re

import numpy as np
import pytest
import z3

from raising.affine.ir.integer_functions import COUNTS_BY_C, INTEGERS, SPANS
from raising.affine.ir.integer_types import wrapped
from raising.frontend.c import c_to_mlir
from raising.grammar.evaluate import point_number
from raising.grammar.terms.bit_vectors import defined
from raising.validate.arithmetic.integers import Undefined, apply

ARITY = {"arith.select": 3, "math.absi": 1}
ROWS = [row for row in INTEGERS.values() if not row.cast]


def _arity(op: str) -> int:
    return ARITY.get(op, 1 if INTEGERS[op].of_width else 2)


@pytest.mark.parametrize("op", [row.op for row in ROWS if row.z3])
@pytest.mark.parametrize("bits", [2, 3, 5])
def test_z3_computes_what_exact_integers_do(op: str, bits: int) -> None:
    numbers = range(-(1 << (bits - 1)), 1 << (bits - 1)) if _arity(op) < 3 else (-2, -1, 0, 1)
    for args in itertools.product(numbers, repeat=_arity(op)):
        vectors = [z3.BitVecVal(a, bits) for a in args]
        has_result = all(z3.is_true(z3.simplify(c)) for c in defined(op, vectors))
        try:
            wanted = apply(op, args, f"i{bits}")
        except Undefined:
            assert not has_result, args
            continue
        assert has_result, args
        found = z3.simplify(INTEGERS[op].on_bits(*vectors)).as_long()
        assert wrapped(found, f"i{bits}") == wanted, args


@pytest.mark.parametrize("op", [op for op in SPANS if not INTEGERS[op].cast])
def test_results_are_in_the_span(op: str) -> None:
    ranges = [(low, high) for low in range(-4, 4) for high in range(low, 4)] if _arity(op) < 3 else [(-2, 1), (0, 1)]
    for given in itertools.product(ranges, repeat=_arity(op)):
        found = SPANS[op](*given)
        for args in itertools.product(*(range(low, high + 1) for low, high in given)) if found else ():
            if INTEGERS[op].division and args[1] == 0:
                continue
            assert found[0] <= INTEGERS[op].exact(*args) <= found[1], (given, args)


@pytest.mark.parametrize("op", [row.op for row in ROWS if row.numpy])
def test_arrays_of_floats_compute_what_exact_integers_do(op: str) -> None:
    values = (0, 1) if op == "arith.select" else (0, 1, 2, 5, 7, 96)
    for args in itertools.product(values, repeat=_arity(op)):
        try:
            wanted = apply(op, args, "i32")
        except Undefined:
            continue
        if abs(wanted) < 1 << 30:  # nothing wraps
            assert float(INTEGERS[op].on_arrays(*map(np.float64, args))) == wanted, args


@pytest.mark.parametrize("op", [row.op for row in ROWS if row.small])
def test_small_operands_have_one_result_in_every_type(op: str) -> None:
    ends = [(low, low + 1, 0, 1, 3, high - 2, high - 1) for low, high in INTEGERS[op].small]
    for args in itertools.product(*ends):
        if all(low <= a < high for a, (low, high) in zip(args, INTEGERS[op].small, strict=True)):
            results = {apply(op, args, element) for element in ("i8", "i16", "i32", "i64")}
            exact = float(INTEGERS[op].on_arrays(*map(np.float64, args)))
            known = point_number.apply(op, [point_number.point(a) for a in args])
            if abs(exact) < 128:
                assert results == {int(exact)}, args
                assert known == point_number.point(int(exact))


def test_c_is_read_by_every_name() -> None:
    names = {f"{name}{suffix}": row.op for name, row in COUNTS_BY_C.items() for suffix in ("", "l", "ll")}
    loops = "for (int i = 0; i < 9; i++) y[i] = __builtin_{0}(x[i]);"
    text = "".join(f"void of_{n}(int y[9], long x[9]) {{ {loops.format(n)} }}\n" for n in names)
    read = c_to_mlir.convert(text, "f.c").mlir
    found = dict(re.findall(r"func\.func @of_(\w+)\((?:(?!func\.func).)*?= (math\.\w+) %", read, re.S))
    assert found == names
