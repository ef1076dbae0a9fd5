"""Reductions by every associative and commutative operation, logic and unsigned order among them."""

from __future__ import annotations

import numpy as np
import pytest

from raising.affine.ir.program import Compute, walk
from raising.affine.polyhedral.select_reductions import accumulating
from raising.frontend.mlir.reader import parse
from raising.frontend.mlir.segments import segments
from raising.pipeline import RaiseOptions, raise_module
from raising.validate.base.verdict import Proved
from tests.raising.running import execute

STARTS = {
    "ori": 0,
    "andi": -1,
    "xori": 0,
    "maxui": 0,
    "minui": -1,
    "muli": 1,
    "maxsi": -(1 << 31),
    "minsi": (1 << 31) - 1,
}


def reduction(op: str, kind: str, start: str = "") -> str:
    """Each row of a matrix reduced into an element of y, from what is there or from `start`."""
    first = f"%s = arith.constant {start} : {kind}\n" if start else ""
    store = f"affine.store %s, %y[%i] : memref<5x{kind}>\n" if start else ""
    return f"""func.func @f(%x: memref<5x7x{kind}>, %y: memref<5x{kind}>) {{
      {first}affine.for %i = 0 to 5 {{
        {store}affine.for %j = 0 to 7 {{
          %a = affine.load %x[%i, %j] : memref<5x7x{kind}>
          %b = affine.load %y[%i] : memref<5x{kind}>
          %r = arith.{op} %b, %a : {kind}
          affine.store %r, %y[%i] : memref<5x{kind}>
        }}
      }}
      return
    }}"""


def check(text: str, kind: str, target: str, says: str) -> None:
    result = raise_module(text, options=RaiseOptions(target=target, check="field", timeout=60))
    assert result.complete, result.remarks
    assert says in result.text and "affine.for" not in result.text
    if target != "linalg":
        return
    random = np.random.default_rng(2)
    shapes = ((5, 7), (5,))
    whole = [random.integers(-(1 << 31), 1 << 31, s, dtype=np.int64).astype(np.int32) for s in shapes]
    given = whole if kind == "i32" else [random.normal(size=s) for s in shapes]
    for got, wanted in zip(execute(result.text, "f", given), execute(text, "f", given), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-12)


@pytest.mark.parametrize("op", STARTS)
@pytest.mark.parametrize("target", ["linalg", "stablehlo"])
def test_integers(op: str, target: str) -> None:
    unsigned = op.endswith("ui") and target == "stablehlo"
    if unsigned:
        pytest.skip("StableHLO's integers without a sign are signed")
    check(reduction(op, "i32"), "i32", target, f"{target}.reduce")


@pytest.mark.parametrize("op", ["ori", "muli", "minsi"])
def test_integers_from_the_neutral_element(op: str) -> None:
    check(reduction(op, "i32", str(STARTS[op])), "i32", "linalg", "linalg.reduce")


@pytest.mark.parametrize("target", ["linalg", "stablehlo"])
def test_products(target: str) -> None:
    check(reduction("mulf", "f64"), "f64", target, f"{target}.reduce")


def test_an_unsigned_maximum_is_not_taken_for_a_signed_one() -> None:
    """Written with a comparison: the bits of -1 are the largest number without sign."""
    text = reduction("maxsi", "i32").replace(
        "%r = arith.maxsi %b, %a : i32", "%c = arith.cmpi ugt, %b, %a : i32\n%r = arith.select %c, %b, %a : i32"
    )
    result = raise_module(text, options=RaiseOptions(check="field", timeout=60))
    assert "arith.maxsi" not in result.text
    given = [np.arange(-17, 18, dtype=np.int32).reshape(5, 7), np.zeros(5, np.int32)]
    for got, wanted in zip(execute(result.text, "f", given), execute(text, "f", given), strict=True):
        np.testing.assert_array_equal(got, wanted)


def compared_wide(predicate: str, one: str = "extui", other: str = "extui", cut: bool = False) -> str:
    """The larger or smaller byte, compared as C compares bytes; `cut`: and chosen so, as by `x > m ? x : m`."""
    wide = "".join(f"%{n} = arith.{op} %{v} : i8 to i32\n" for n, v, op in (("p", "b", one), ("q", "a", other)))
    chosen = "%w = arith.select %c, %p, %q : i32\n%r = arith.trunci %w : i32 to i8"
    choice = chosen if cut else "%r = arith.select %c, %b, %a : i8"
    return reduction("maxsi", "i8").replace(
        "%r = arith.maxsi %b, %a : i8", f"{wide}%c = arith.cmpi {predicate}, %p, %q : i32\n{choice}"
    )


def _same_bytes(text: str, raised: str) -> None:
    given = [np.arange(-100, 250, 10, dtype=np.int16).astype(np.int8).reshape(5, 7), np.full(5, 77, np.int8)]
    for got, wanted in zip(execute(raised, "f", given), execute(text, "f", given), strict=True):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize(
    ("predicate", "extension", "operation"),
    [
        ("sgt", "extui", "maxui"),
        ("sle", "extui", "minui"),
        ("ult", "extui", "minui"),
        ("sge", "extsi", "maxsi"),
        ("slt", "extsi", "minsi"),
        ("ugt", "extsi", "maxui"),
    ],
)
def test_narrow_integers_that_are_compared_wide(predicate: str, extension: str, operation: str, cut: bool) -> None:
    text = compared_wide(predicate, extension, extension, cut)
    result = raise_module(text, options=RaiseOptions(check="proof", timeout=60))
    assert result.complete and f"arith.{operation}" in result.text, result.remarks
    assert isinstance(result.functions[0].verdict, Proved)
    _same_bytes(text, result.text)


@pytest.mark.parametrize("cut", [False, True])
def test_bytes_that_are_extended_in_two_ways_have_no_order(cut: bool) -> None:
    text = compared_wide("sgt", "extui", "extsi", cut)
    result = raise_module(text, options=RaiseOptions(check="field", timeout=60))
    assert "arith.max" not in result.text
    _same_bytes(text, result.text)


@pytest.mark.parametrize(("bound", "operation"), [(200, "minui"), (-56, "")])
def test_a_byte_and_the_constant_that_it_is_compared_with(bound: int, operation: str) -> None:
    """200 and -56 are one byte, and two numbers."""
    text = f"""func.func @f(%x: memref<5x7xi8>) {{
      %low = arith.constant -56 : i8
      %bound = arith.constant {bound} : i32
      affine.for %i = 0 to 5 {{
        affine.for %j = 0 to 7 {{
          %a = affine.load %x[%i, %j] : memref<5x7xi8>
          %p = arith.extui %a : i8 to i32
          %c = arith.cmpi sgt, %p, %bound : i32
          %r = arith.select %c, %low, %a : i8
          affine.store %r, %x[%i, %j] : memref<5x7xi8>
        }}
      }}
      return
    }}"""
    source = parse(text)
    program = next(iter(segments(source.functions[0], frozenset()))).program
    found = {n.op for n in walk(accumulating(program).body) if isinstance(n, Compute)}
    assert {op for op in found if "max" in op or "min" in op} == ({f"arith.{operation}"} if operation else set())
    given = [np.arange(-100, 250, 10, dtype=np.int16).astype(np.int8).reshape(5, 7)]
    result = raise_module(text, options=RaiseOptions(check="field", timeout=60))
    np.testing.assert_array_equal(execute(result.text, "f", given)[0], execute(text, "f", given)[0])


@pytest.mark.parametrize("target", ["linalg", "stablehlo"])
def test_two_ranges_of_one_sum_are_joined(target: str) -> None:
    """All but the diagonal, as C's `j != i` is written: one contraction, not one for each triangle."""
    text = """func.func @f(%a: memref<6x6xf64>, %x: memref<6xf64>, %y: memref<6xf64>) {
      %zero = arith.constant 0 : index
      affine.for %i = 0 to 6 {
        affine.for %j = 0 to 6 {
          %below = affine.apply affine_map<(d0, d1) -> (d0 - d1 - 1)>(%i, %j)
          %above = affine.apply affine_map<(d0, d1) -> (d1 - d0 - 1)>(%i, %j)
          %1 = arith.cmpi sge, %below, %zero : index
          %2 = arith.cmpi sge, %above, %zero : index
          %3 = arith.ori %1, %2 : i1
          scf.if %3 {
            %4 = affine.load %a[%i, %j] : memref<6x6xf64>
            %5 = affine.load %x[%j] : memref<6xf64>
            %6 = arith.mulf %4, %5 : f64
            %7 = affine.load %y[%i] : memref<6xf64>
            %8 = arith.addf %7, %6 : f64
            affine.store %8, %y[%i] : memref<6xf64>
          }
        }
      }
      return
    }"""
    result = raise_module(text, target=target, check="field")
    assert result.complete, result.remarks
    said = {"linalg": "linalg.matvec", "stablehlo": "stablehlo.dot_general"}[target]
    assert result.text.count(said) == 1
    a, x, y = np.random.default_rng(5).uniform(0.5, 1.5, (3, 6, 6))
    if target == "linalg":
        given = [a, x[0], y[0]]
        got = execute(result.text, "f", [v.copy() for v in given])
        np.testing.assert_allclose(got[2], y[0] + (a - np.diag(np.diag(a))) @ x[0])


def test_a_part_of_an_array_whose_extent_is_a_number() -> None:
    """An array reaches further than a loop to a size of its own: the whole array is not the part."""
    text = """func.func @f(%x: memref<6xf64>, %n: index, %y: memref<f64>) {
      affine.for %i = 0 to %n {
        %a = affine.load %x[%i] : memref<6xf64>
        %b = affine.load %y[] : memref<f64>
        %r = arith.addf %a, %b : f64
        affine.store %r, %y[] : memref<f64>
      }
      return
    }"""
    result = raise_module(text, options=RaiseOptions(check="proof", timeout=60))
    assert result.complete, result.remarks
    x = np.arange(1.0, 7.0)
    for n in (0, 1, 4, 6):
        assert execute(result.text, "f", [x, np.int64(n), np.array(0.5)])[-1] == 0.5 + x[:n].sum()
