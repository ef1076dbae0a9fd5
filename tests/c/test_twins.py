"""The C kernels and their MLIR twins, written apart from one another, compute the same bits.

This also shows that the comparison with gcc works without the front end.
"""

import pytest

from raising.polybench import kernels
from tests.c.beside import Beside
from tests.c.gcc import Library, needs_gcc
from tests.c.twins import twin
from tests.kernels import symbol

OTHER_PARAMETERS = {"durbin": "the twin's z is an argument", "nussinov": "the twin's bases are floats"}


@needs_gcc
@pytest.mark.parametrize("name", sorted(kernels().keys() - OTHER_PARAMETERS.keys()))
def test_twins_are_equal(name: str) -> None:
    kernel = kernels()[name]
    dtype = "f64" if len(name) % 2 else "f32"  # each precision for about half of them
    library = Library(kernel.path, kernel.defines("MINI", dtype))
    both = Beside(library, twin(kernel, "MINI", dtype), symbol(name))
    assert both.difference(list(kernel.inputs("MINI", dtype, seed=1).values())) == ""


@needs_gcc
def test_a_difference_would_be_seen() -> None:
    gemm = kernels()["gemm"]
    text = twin(gemm, "MINI", "f64")
    both = Beside(Library(gemm.path, gemm.defines("MINI", "f64")), text.replace("addf", "subf"), gemm.function)
    difference = both.difference(list(gemm.inputs("MINI", "f64", seed=1).values()))
    assert difference.startswith("value 2: at [0, 0]")
