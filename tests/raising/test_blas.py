"""PolyBench's products of triangular and symmetric matrices, from C to calls of BLAS."""

import re
from itertools import cycle

import numpy as np
import pytest

import raising
from raising.frontend.c import COptions, convert
from raising.native.base.compile_options import CompileOptions
from raising.native.call.compiled import load
from raising.native.compile import build
from raising.polybench.suite.kernel import kernels

SIZES = {"M": 21, "N": 34}
ROUTINES = {
    "syrk": "syrk",
    "syr2k": "syr2k",
    "trmm": "trmm",
    "symm": "symm",
    "covariance": "syrk",
    "correlation": "syrk",
    "gemm": "gemm",
}


@pytest.mark.parametrize(("name", "dtype"), [*zip(ROUTINES, cycle(["f32", "f64"]), strict=False)])
def test_a_kernel_is_a_call_of_blas(name, dtype):
    kernel = kernels()[name]
    sizes = {macro: SIZES.get(macro, 25) for macro in kernel.sizes["MINI"]}
    defines = tuple(f"{macro}={value}" for macro, value in kernel.defines(sizes, dtype).items())
    loops = convert(kernel.source, kernel.path.name, COptions(defines=defines, function=kernel.function))
    raised = raising.raise_module(loops.mlir, check="field")
    assert raised.complete
    built = build(raised.text.encode(), "-", CompileOptions(backend="blas"), workspace=True)
    routine = f"cblas_{'s' if dtype == 'f32' else 'd'}{ROUTINES[name]}"
    assert re.findall(r"call @(?:scipy_)?(cblas_\w+)\(", built.mlir) == [routine]
    given = kernel.inputs(sizes, dtype, seed=1)
    expected = kernel.expected(sizes, given)
    load(built.code.object, built.signatures, built.target, built.libraries)[kernel.function](*given.values())
    for argument, value in given.items():
        np.testing.assert_allclose(value, expected[argument], rtol=2e-3 if dtype == "f32" else 1e-11, err_msg=argument)
