"""The PolyBench kernels, from C to affine MLIR and compared with gcc bit by bit."""

import pytest

from raising.frontend.c import COptions, convert
from raising.polybench.suite.kernel import Kernel, kernels
from tests.c.beside import Beside
from tests.c.gcc import Library, needs_gcc

KERNELS = kernels()


def converted(kernel: Kernel, dataset: str, dtype: str) -> str:
    defines = tuple(f"{name}={value}" for name, value in kernel.defines(dataset, dtype).items())
    module = convert(kernel.source, str(kernel.path), COptions(defines=defines))
    assert not module.refused
    return module.mlir


@needs_gcc
@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_equals_gcc(name: str):
    kernel = KERNELS[name]
    dtype = kernel.dtypes[0]
    library = Library(kernel.path, kernel.defines("MINI", dtype))
    beside = Beside(library, converted(kernel, "MINI", dtype), kernel.function)
    assert not beside.difference(list(kernel.inputs("MINI", dtype, seed=1).values()))
