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


@pytest.mark.parametrize("name", ["sin", "malloc"])
def test_it_is_refused(name: str) -> None:
    with pytest.raises(CompileError, match=f"function '{name}' has the name of a function of the C library"):
        compile(TEXT.replace("NAME", name), cache=False)


def test_other_names_are_free() -> None:
    assert compile(TEXT.replace("NAME", "cos"), cache=False)
