"""What the front end makes of PolyBench's kernels equals what gcc makes of them, bit for bit.

`python -m tests.bench.c.c_kernels` does so at SMALL too, in both precisions, on three inputs.
"""

import pytest

from raising.polybench import kernels
from tests.c.beside import Beside
from tests.c.gcc import Library, needs_gcc
from tests.c.reading import read

KERNELS = kernels()


@needs_gcc
@pytest.mark.parametrize("name", KERNELS)
def test_mlir_equals_gcc(name: str) -> None:
    kernel = KERNELS[name]
    dtype = "f32" if len(name) % 2 else "f64"  # each precision for about half of them
    defines = kernel.defines("MINI", dtype)
    module = read(kernel.path, defines)
    assert module.refused == ()
    both = Beside(Library(kernel.path, defines), module.mlir, kernel.function)
    assert both.difference(list(kernel.inputs("MINI", dtype, seed=1).values())) == ""
