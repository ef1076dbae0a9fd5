"""A function that is called as one of the C library would be called in its place."""

from __future__ import annotations

import pytest

from raising import compile
from raising.native.base.unsupported import CompileError

TEXT = """func.func @NAME(%x: memref<8xf64>) {
  affine.for %i = 0 to 8 {
    %a = affine.load %x[%i] : memref<8xf64>
    %b = math.sin %a : f64
    affine.store %b, %x[%i] : memref<8xf64>
  }
  return
}"""


@pytest.mark.parametrize("name", ["sin", "sincos", "malloc", "perror"])
def test_it_is_refused(name: str) -> None:
    with pytest.raises(CompileError, match=f"function '{name}' has the name of a function of the C library"):
        compile(TEXT.replace("NAME", name), cache=False)


def test_other_names_are_free() -> None:
    assert compile(TEXT.replace("NAME", "cos"), cache=False)


def test_a_remainder_is_a_call() -> None:
    text = TEXT.replace("math.sin %a", "arith.remf %a, %a")
    with pytest.raises(CompileError, match="function 'fmod' has the name of a function of the C library"):
        compile(text.replace("NAME", "fmod"), cache=False)


def test_so_is_what_becomes_an_operation_on_numbers() -> None:
    """A `linalg.exp` of rank 0 is one number, which C's library computes."""
    text = """func.func @exp(%x: memref<f64>, %y: memref<f64>) {
      linalg.exp ins(%x : memref<f64>) outs(%y : memref<f64>)
      return
    }"""
    with pytest.raises(CompileError, match="function 'exp' has the name of a function of the C library"):
        compile(text, cache=False)


def test_the_pool_of_threads_calls_the_system() -> None:
    with pytest.raises(CompileError, match="function 'getpid' has the name of a function of the C library"):
        compile(TEXT.replace("NAME", "getpid"), threads=2, cache=False)
    assert compile(TEXT.replace("NAME", "getpid"), cache=False)
