"""A target of its own whose operations do several things at once, and take three operands."""

from __future__ import annotations

from pathlib import Path

import pytest

from raising.affine.ir.affine_expr import Lin
from raising.grammar.open_target import Opened, open_target
from raising.grammar.select.legalise import legalised
from raising.grammar.select.selector import CannotSay, Selector
from raising.grammar.terms.term import Apply, Input, TensorType
from raising.pipeline import raise_module
from raising.validate.base.verdict import Proved

TARGET = Path(__file__).parents[2] / "inputs" / "fused" / "fused.toml"

AXPY = """
func.func @f({scalar}%x: memref<9xf64>, %y: memref<9xf64>) {{
  {constant}
  affine.for %i = 0 to 9 {{
    %u = affine.load %x[%i] : memref<9xf64>
    %v = affine.load %y[%i] : memref<9xf64>
    %p = arith.mulf {product} : f64
    %s = arith.addf {sum} : f64
    affine.store %s, %y[%i] : memref<9xf64>
  }}
  return
}}
"""

WEIGHTED = """
func.func @f(%A: memref<9x8xf64>, %x: memref<8xf64>, %w: memref<8xf64>, %y: memref<9xf64>) {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to 9 {
    affine.store %z, %y[%i] : memref<9xf64>
    affine.for %k = 0 to 8 {
      %a = affine.load %A[%i, %k] : memref<9x8xf64>
      %u = affine.load %x[%k] : memref<8xf64>
      %v = affine.load %w[%k] : memref<8xf64>
      %p = arith.mulf FIRST : f64
      %q = arith.mulf SECOND : f64
      %o = affine.load %y[%i] : memref<9xf64>
      %s = arith.addf %q, %o : f64
      affine.store %s, %y[%i] : memref<9xf64>
    }
  }
  return
}
"""


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    return open_target(str(TARGET), cache=False)


def _raised(text: str, target: Opened) -> str:
    result = raise_module(text, target=target)
    assert result.complete, result.remarks
    (report,) = result.functions
    assert isinstance(report.verdict, Proved) and report.verdict.tested is not None, result.remarks
    assert report.verdict.tested.native is not None
    return result.text


@pytest.mark.parametrize("product", ["%a, %u", "%u, %a"])
@pytest.mark.parametrize("sum_", ["%p, %v", "%v, %p"])
def test_one_operation_of_three_operands_says_the_loop(target: Opened, product: str, sum_: str) -> None:
    given = _raised(AXPY.format(scalar="%a: f64, ", constant="", product=product, sum=sum_), target)
    assert given.count("fused.axpy") == 1 and "arith." not in given
    constant = "%a = arith.constant 2.5 : f64"
    fixed = _raised(AXPY.format(scalar="", constant=constant, product=product, sum=sum_), target)
    assert fixed.count("fused.axpy") == 1 and "dense<2.5" in fixed


@pytest.mark.parametrize(("first", "second"), [("%a, %u", "%p, %v"), ("%v, %a", "%u, %p")])
def test_a_reduction_of_three_operands_says_the_loop(target: Opened, first: str, second: str) -> None:
    text = _raised(WEIGHTED.replace("FIRST", first).replace("SECOND", second), target)
    assert text.count("fused.weighted") == 1


def test_what_no_operation_says_is_kept_with_the_reason(target: Opened) -> None:
    """(u * v) * a is (a * u) * v by associativity, for which the target has no pieces."""
    text = WEIGHTED.replace("FIRST", "%u, %v").replace("SECOND", "%p, %a")
    result = raise_module(text, target=target)
    assert not result.complete and "affine.for" in result.text
    assert any("no tensor program was found" in str(r) for r in result.remarks), result.remarks
    difference = AXPY.format(scalar="%a: f64, ", constant="", product="%u, %v", sum="%p, %v")
    assert not raise_module(difference, target=target).complete


def test_what_cannot_be_taken_apart_is_an_error_and_no_endless_rewriting(target: Opened) -> None:
    body = next(p for p in target.grammar.productions if p.op == "fused.weighted").meaning.body
    matrix, vector = (TensorType("f64", tuple(map(Lin, dims))) for dims in ((9, 8), (8,)))
    inputs = tuple(Input(kind, name) for kind, name in ((vector, "x"), (vector, "w"), (matrix, "A")))
    term = Apply(TensorType("f64", (Lin(9),)), body, ((1,), (1,), (0, 1), (0,)), inputs)
    with pytest.raises(CannotSay, match="target 'fused' has no operation for arith.mulf"):
        legalised((term,), Selector(target.grammar, target.target, lambda _: True), {})
