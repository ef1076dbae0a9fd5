"""MLIR that others print: reductions of parallel loops, branches around stores, loops that count by `scf.while`."""

import numpy as np
import pytest

from raising.pipeline import raise_module
from raising.validate.native.foreign_call import Compiled
from tests.bench.loops.corpus import Function, functions
from tests.bench.loops.reference import Module
from tests.raising.algebra import loops

NAMES = (
    *("old_layout", "parallel_two", "parallel_rows", "scf_parallel_sum", "while_sums", "while_counts", "scf_for_i32"),
    *("through_casts", "two_nested_ifs", "if_else_stores", "if_with_result"),
)
CORPUS = [f for f in functions([]) if f.path.suffix == ".mlir" and f.name in NAMES]


def test_the_names_of_the_corpus_are_different() -> None:
    names = [(f.path.suffix, f.name) for f in functions([])]
    assert len(set(names)) == len(names) >= 400


@pytest.mark.parametrize("function", CORPUS, ids=lambda f: f.name)
def test_it_needs_no_loop(function: Function) -> None:
    result = raise_module(function.text, check="field")
    assert not loops(result.text)
    subject, compiled = Module(function), Compiled(result.text, function.name)
    for sizes in function.sizes:
        values = subject.arguments(sizes, 0)
        for a, b in zip(subject.called(values), subject.raised(compiled, values), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5)


KEPT = {
    "beyond the end": "%y = affine.load %b[%i + 1] : memref<8xf64>\n affine.store %y, %a[%i] : memref<8xf64>",
    "two places that may be one": "affine.store %x, %a[%i] : memref<8xf64>\n"
    "%y = affine.load %a[%n] : memref<8xf64>\n affine.store %y, %b[%i] : memref<8xf64>",
    "a loop": "affine.for %j = 0 to %n {\n affine.store %x, %a[%j] : memref<8xf64>\n }",
}


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT.keys())
def test_a_branch_that_must_not_be_evaluated_stays(body: str) -> None:
    text = f"""func.func @f(%n: index, %a: memref<8xf64>, %b: memref<8xf64>) {{
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 8 {{
    %x = affine.load %a[%i] : memref<8xf64>
    %c = arith.cmpf ogt, %x, %zero : f64
    scf.if %c {{
      {body}
    }}
  }}
  return
}}"""
    result = raise_module(text, check="field")
    assert "scf.if" in result.text and "a branch depends on data" in str(result.remarks[0])


@pytest.mark.parametrize("condition", ["sgt, %i, %n", "ne, %i, %n", "ult, %i, %n"])
def test_other_conditions_of_while_stay(condition: str) -> None:
    text = f"""func.func @f(%n: index, %a: memref<?xf64>, %x: f64) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = scf.while (%i = %c0) : (index) -> index {{
    %go = arith.cmpi {condition} : index
    scf.condition(%go) %i : index
  }} do {{
  ^bb0(%i: index):
    memref.store %x, %a[%i] : memref<?xf64>
    %k = arith.addi %i, %c1 : index
    scf.yield %k : index
  }}
  return
}}"""
    assert loops(raise_module(text, check="field").text) == ["scf.while"]
