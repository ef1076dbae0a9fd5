"""Programs that are often taken for one another, and are not: each is refuted, by an input where it has one."""

import pytest

from raising.validate.base.verdict import Bounded, Proved, Refuted
from raising.validate.check import CheckOptions, check
from raising.validate.reading.pair import Assumptions
from tests.validate.pairs import elementwise

MATMUL = """
func.func @f(%A: memref<8x9xf64>, %B: memref<9x7xf64>, %C: memref<8x7xf64>) {{
  affine.for %i = 0 to 8 {{
    affine.for %j = 0 to 7 {{
      affine.for %k = 0 to 9 {{
        %a = affine.load %A[%i, %k] : memref<8x9xf64>
        %b = affine.load %B[%k, %j] : memref<9x7xf64>
        %c = affine.load {into} : memref<8x7xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, {into} : memref<8x7xf64>
      }}
    }}
  }}
  return
}}
"""

IN_PLACE = """
func.func @f(%A: memref<9x9xf64>, %B: memref<9x7xf64>) {{
  {copy}
  affine.for %i = 0 to 9 {{
    affine.for %j = 0 to 7 {{
      affine.for %k = 0 to 9 {{
        %a = affine.load %A[%i, %k] : memref<9x9xf64>
        %b = affine.load {read}[%k, %j] : memref<9x7xf64>
        %c = affine.load %B[%i, %j] : memref<9x7xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %B[%i, %j] : memref<9x7xf64>
      }}
    }}
  }}
  return
}}
"""
COPY = """
  %T = memref.alloc() : memref<9x7xf64>
  affine.for %i = 0 to 9 {
    affine.for %j = 0 to 7 {
      %b = affine.load %B[%i, %j] : memref<9x7xf64>
      affine.store %b, %T[%i, %j] : memref<9x7xf64>
    }
  }
"""

STAGE = """
    %{n}0 = affine.load %{x}[%{i} + {at}] : memref<12xf64>
    %{n}1 = arith.addf %{n}0, %{n}0 : f64
    affine.store %{n}1, %{y}[%{i}] : memref<12xf64>
"""
FIRST, SECOND = STAGE.format(n="p", x="x", y="y", i="i", at=0), STAGE.format(n="q", x="y", y="z", i="i", at=1)
TWO_LOOPS = f"""
func.func @f(%x: memref<12xf64>, %y: memref<12xf64>, %z: memref<12xf64>) {{
  affine.for %i = 0 to 11 {{{FIRST}  }}
  affine.for %i = 0 to 11 {{{SECOND}  }}
  return
}}
"""
FUSED = f"""
func.func @f(%x: memref<12xf64>, %y: memref<12xf64>, %z: memref<12xf64>) {{
  affine.for %i = 0 to 11 {{{FIRST}{SECOND}  }}
  return
}}
"""

UNROLLED = """
func.func @f(%n: index, %x: memref<?xf64>) {
  %two = arith.constant 2.0 : f64
  affine.for %i = 0 to affine_map<()[s0] -> (s0 floordiv 2)>()[%n] {
    %a = affine.load %x[%i * 2] : memref<?xf64>
    %b = arith.mulf %a, %two : f64
    affine.store %b, %x[%i * 2] : memref<?xf64>
    %c = affine.load %x[%i * 2 + 1] : memref<?xf64>
    %d = arith.mulf %c, %two : f64
    affine.store %d, %x[%i * 2 + 1] : memref<?xf64>
  }
  return
}
"""
ROLLED = """
func.func @f(%n: index, %x: memref<?xf64>) {
  %two = arith.constant 2.0 : f64
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : memref<?xf64>
    %b = arith.mulf %a, %two : f64
    affine.store %b, %x[%i] : memref<?xf64>
  }
  return
}
"""

TRIANGLE = """
func.func @f(%A: memref<9x7xf64>, %C: memref<9x9xf64>) {{
  affine.for %i = 0 to 9 {{
    affine.for %j = 0 to {bound} {{
      affine.for %k = 0 to 7 {{
        %a = affine.load %A[%i, %k] : memref<9x7xf64>
        %b = affine.load %A[%j, %k] : memref<9x7xf64>
        %c = affine.load %C[%i, %j] : memref<9x9xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<9x9xf64>
      }}
    }}
  }}
  return
}}
"""
BELOW = TRIANGLE.format(bound="affine_map<(d) -> (d + 1)>(%i)")

PRODUCT = """
func.func @f(%A: memref<6x6xf64>, %B: memref<6x7xf64>, %C: memref<6x7xf64>) {{
  affine.for %i = 0 to 6 {{
    affine.for %j = 0 to 7 {{
      %z = arith.constant 0.0 : f64
      affine.store %z, %C[%i, %j] : memref<6x7xf64>
      {loops}
    }}
  }}
  return
}}
"""
TERM = """
      affine.for %k{n} = {bounds} {{
        %a{n} = affine.load %A[{at}] : memref<6x6xf64>
        %b{n} = affine.load %B[%k{n}, %j] : memref<6x7xf64>
        %c{n} = affine.load %C[%i, %j] : memref<6x7xf64>
        %p{n} = arith.mulf %a{n}, %b{n} : f64
        %s{n} = arith.addf %c{n}, %p{n} : f64
        affine.store %s{n}, %C[%i, %j] : memref<6x7xf64>
      }}
"""
NEXT = "affine_map<(d) -> (d + 1)>(%i)"
SYMM = PRODUCT.format(
    loops=TERM.format(n=1, bounds=f"0 to {NEXT}", at="%i, %k1") + TERM.format(n=2, bounds=f"{NEXT} to 6", at="%k2, %i")
)
PLAIN = PRODUCT.format(loops=TERM.format(n=1, bounds="0 to 6", at="%i, %k1"))
UNSET = PLAIN.replace("affine.store %z, %C[%i, %j] : memref<6x7xf64>", "")

SWAP = """
func.func @f(%x: memref<9xf64>, %y: memref<9xf64>, %z: memref<9xf64>) {{
  affine.for %i = 0 to 9 {{
    %a = affine.load %x[%i] : memref<9xf64>
    %b = arith.negf %a : f64
    affine.store %a, {} : memref<9xf64>
    affine.store %b, {} : memref<9xf64>
  }}
  return
}}
"""

ACCUMULATED = """
func.func @f(%x: memref<9xf64>, %r: memref<f64>) {{
  %z = arith.constant 0.0 : f64
  %t = memref.alloc() : memref<f64>
  {}
  affine.for %i = 0 to 9 {{
    %a = affine.load %x[%i] : memref<9xf64>
    %b = affine.load %t[] : memref<f64>
    %s = arith.addf %a, %b : f64
    affine.store %s, %t[] : memref<f64>
  }}
  %v = affine.load %t[] : memref<f64>
  affine.store %v, %r[] : memref<f64>
  return
}}
"""

QUOTIENT = "%k = arith.constant 8 : i32\n %r = arith.divsi %x, %k : i32"
SHIFT = "%k = arith.constant 3 : i32\n %r = arith.shrsi %x, %k : i32"

RIGHT = MATMUL.format(into="%C[%i, %j]")

PAIRS = {
    "B += A B in place, as a product": (
        IN_PLACE.format(copy="", read="%B"),
        IN_PLACE.format(copy=COPY, read="%T"),
    ),
    "fused loops that read ahead": (TWO_LOOPS, FUSED),
    "unrolled without the rest": (ROLLED, UNROLLED),
    "mask dropped": (BELOW, TRIANGLE.format(bound="9")),
    "triangle off by one": (BELOW, TRIANGLE.format(bound="affine_map<(d) -> (d)>(%i)")),
    "symmetric product as a plain one": (SYMM, PLAIN),
    "accumulator not set": (PLAIN, UNSET),
    "local accumulator not set": (ACCUMULATED.format("affine.store %z, %t[] : memref<f64>"), ACCUMULATED.format("")),
    "outputs swapped": (SWAP.format("%y[%i]", "%z[%i]"), SWAP.format("%z[%i]", "%y[%i]")),
    "quotient as a shift": (elementwise(QUOTIENT, "i32"), elementwise(SHIFT, "i32")),
    "transposed where it is not square": (
        RIGHT,
        RIGHT.replace("%A[%i, %k]", "%A[%k, %i]"),
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_refuted(name: str) -> None:
    source, target = PAIRS[name]
    verdict = check(source, target, CheckOptions(timeout=20))
    assert isinstance(verdict, Refuted), verdict


@pytest.mark.parametrize("name", PAIRS)
def test_each_side_equals_itself(name: str) -> None:
    """So that what is refuted is the difference. Only right programs are compared with themselves."""
    verdict = check(PAIRS[name][0], PAIRS[name][0], CheckOptions(timeout=20))
    assert isinstance(verdict, Proved | Bounded), verdict


def test_the_counterexample_is_replayed_and_small() -> None:
    verdict = check(*PAIRS["symmetric product as a plain one"])
    assert isinstance(verdict, Refuted) and verdict.example is not None
    assert max(v for _, v in verdict.example.sizes) <= 4 and len(verdict.example.inputs) <= 2


def test_a_symmetric_product_is_a_plain_one_if_the_matrix_is_symmetric() -> None:
    assumed = Assumptions(symmetric=frozenset({"a0"}))
    verdict = check(*PAIRS["symmetric product as a plain one"], CheckOptions(assumed=assumed))
    assert isinstance(verdict, Proved) and "symmetric" in str(verdict.assumptions)
