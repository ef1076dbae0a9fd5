"""Variables of a module: memory that is there before and after a call, in every stage."""

import re

import numpy as np
import pytest
from mlir import ir

import raising
from raising import raise_module
from raising.frontend.mlir.variables import as_arguments, as_globals, text_with_globals
from raising.native.base.unsupported import CompileError
from raising.validate.base.verdict import Proved, Refuted, Unknown
from raising.validate.check import CheckOptions, check

CALLS = """\
memref.global "public" @u : memref<4xf64> = dense<1.0>
memref.global "private" @n : memref<i32> = dense<2>
memref.global @e : memref<3xf64>
func.func @f(%a: memref<?xf64>, %n: i32) attributes {c_parameters = [["double", "a", "n"], ["int", "n"]]} {
  %0 = memref.get_global @u : memref<4xf64>
  %c = arith.constant 0 : index
  %v = memref.load %0[%c] : memref<4xf64>
  %1 = memref.get_global @u : memref<4xf64>
  memref.store %v, %1[%c] : memref<4xf64>
  return
}
func.func @g() {
  %0 = memref.get_global @e : memref<3xf64>
  %a = memref.cast %0 : memref<3xf64> to memref<?xf64>
  %n = arith.constant 3 : i32
  func.call @f(%a, %n) : (memref<?xf64>, i32) -> ()
  func.call @g() : () -> ()
  return
}
func.func private @outside()
func.func @h() {
  %0 = memref.get_global @e : memref<3xf64>
  func.call @outside() : () -> ()
  return
}
"""


def test_calls_pass_on_what_the_callee_uses_and_back_again():
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(CALLS)
        as_arguments(module)
        text = str(module)
        assert 'func.func @g(%arg0: memref<3xf64> {raise.global = "e"}, %arg1: memref<4xf64> {raise.global' in text
        assert "call @f(%cast, %c3_i32, %arg1)" in text and '["", "@u"]' in text
        assert text.count("memref.get_global") == 1, "only where what is called may change it"
        assert text_with_globals(module) != text == str(module)
        as_globals(module)
        assert module.operation.verify() and "raise.global" not in str(module)
        assert str(module).count("get_global @u") == 2 and "func.func @g()" in str(module)


TABLE = """\
memref.global "public" @u : memref<4xf64> = dense<0.0>
memref.global "private" constant @w : memref<4xf64> = dense<[1.0, 2.0, 3.0, 4.0]>
func.func @f(%x: memref<4xf64>) {
  %u = memref.get_global @u : memref<4xf64>
  %w = memref.get_global @w : memref<4xf64>
  affine.for %i = 0 to 4 {
    %a = affine.load %w[%i] : memref<4xf64>
    %b = affine.load %x[%i] : memref<4xf64>
    %s = arith.mulf %a, %b : f64
    affine.store %s, %u[%i] : memref<4xf64>
  }
  return
}
"""
COMPARED = {
    "same": (TABLE, Proved),
    "another constant": (TABLE.replace("4.0]", "5.0]"), Refuted),
    "another variable": (TABLE.replace("@u", "@v"), Refuted),
    "other contents": (TABLE.replace("= dense<0.0>", "= dense<1.0>"), Unknown),
    "another type": (re.sub(r"(%u.*|@u : )memref<4x", r"\1memref<5x", TABLE), Unknown),
    "no variable": (TABLE.replace("memref.get_global @u", "memref.alloc()"), Refuted),
}


@pytest.mark.parametrize(("other", "verdict"), COMPARED.values(), ids=COMPARED.keys())
def test_variables_are_compared_by_their_names(other: str, verdict: type):
    for pair in ((TABLE, other), (other, TABLE)):
        found = check(*pair, CheckOptions(level="proved-this-size"))
        assert isinstance(found, verdict), found


def test_a_constant_is_no_variable_that_begins_with_its_contents():
    """A splat was read as what the memory holds, whoever may have written to it."""
    written = TABLE.replace(" constant", "").replace("dense<[1.0, 2.0, 3.0, 4.0]>", "dense<2.0>")
    constant = written.replace('"private" @w', '"private" constant @w')
    assert isinstance(check(written, constant, CheckOptions(level="proved-this-size")), Refuted)


@pytest.mark.parametrize("abi", ["memref", "tensor"])
def test_raised_functions_use_the_variables(abi: str):
    result = raise_module(TABLE, abi=abi)
    assert isinstance(result.functions[0].verdict, Proved) and "affine.for" not in result.text
    if abi == "memref":
        assert "func.func @f(%arg0: memref<4xf64>) attributes" in result.text
        assert "get_global @u" in result.text and "get_global @w" in result.text
    else:
        assert '%arg1: tensor<4xf64> {raise.global = "u"}' in result.text
        assert any("variable 'u' is argument 1" in str(r) for r in result.remarks)


ADDED = """\
%o = affine.load %u[%i] : memref<4xf64>
%t = arith.addf %s, %o : f64
affine.store %t, %u"""
READ = """\
func.func @g(%x: memref<4xf64>) {
  %u = memref.get_global @u : memref<4xf64>
  memref.copy %u, %x : memref<4xf64> to memref<4xf64>
  return
}
"""


def test_compiled_code_keeps_what_it_wrote():
    source, read = TABLE.replace("affine.store %s, %u", ADDED), READ
    functions = raising.compile(source + read)
    x, seen = np.ones(4), np.zeros(4)
    functions["f"](x), functions["f"](x), functions["g"](seen)
    assert seen.tolist() == [2.0, 4.0, 6.0, 8.0]
    with pytest.raises(CompileError, match="nothing defines elsewhere"):
        raising.compile(
            TABLE.replace("@u : memref<4xf64> = dense<0.0>", "@u : memref<4xf64>").replace("@u", "@elsewhere")
        )
