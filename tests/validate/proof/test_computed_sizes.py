"""Sizes that both functions compute of others in front of their loops: proved whatever they are, and else not known."""

import pytest

from raising.affine.ir.affine_expr import var
from raising.affine.ir.program import Array, Program
from raising.validate.base.verdict import Proved, Unknown
from raising.validate.check import CheckOptions, check
from raising.validate.run.run import shapes

LOOPS = """
func.func @f(%a: i32, %b: i32, %x: memref<?xf32>) {{
  %n = arith.index_cast %a : i32 to index
  %m = arith.index_cast %b : i32 to index
  %one = arith.constant 1 : index
  %d = arith.maxui %m, %one : index
  %q = {size} : index
  affine.for %i = 0 to %q {{
    %v = affine.load %x[%i] : memref<?xf32>
    %w = arith.addf %v, %v : f32
    affine.store %w, %x[%i] : memref<?xf32>
  }}
  return
}}
"""


def _verdict(size: str, other: str) -> object:
    texts = (LOOPS.format(size=each) for each in (size, other))
    return check(*texts, CheckOptions(level="proved-all-sizes"))


@pytest.mark.parametrize(
    ("size", "other"),
    [
        ("arith.divsi %n, %d", "arith.divsi %n, %d"),
        ("arith.muli %n, %m", "arith.muli %m, %n"),
        ("arith.divui %n, %d", "arith.divui %n, %d"),
    ],
)
def test_the_same_size_is_the_same(size: str, other: str) -> None:
    assert isinstance(_verdict(size, other), Proved)


@pytest.mark.parametrize("other", ["arith.divsi %m, %d", "arith.divui %n, %d", "arith.muli %n, %d"])
def test_another_size_is_not_known_to_be_the_same(other: str) -> None:
    assert isinstance(_verdict("arith.divsi %n, %d", other), Unknown)


def test_another_value_is_not_proved() -> None:
    one = LOOPS.format(size="arith.divsi %n, %d")
    verdict = check(one, one.replace("arith.addf", "arith.mulf"), CheckOptions(level="proved-all-sizes"))
    assert isinstance(verdict, Unknown)


def test_what_is_made_in_a_loop_that_never_runs_has_no_elements() -> None:
    array = Array("t", "f64", (var("n") - var("i"), var("n")), "local", clamped=True)
    program = Program("f", {"t": array}, {}, (), frozenset(), ("n",))  # its loop over i is gone where n is 1
    assert shapes(program, {"n": 1}) == {"t": (0, 1)}
