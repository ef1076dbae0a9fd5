"""The affine MLIR of a kernel that was written by hand, at the sizes of its C twin."""

from __future__ import annotations

from raising.polybench.suite.kernel import Dataset, Kernel
from tests.kernels import EVERY, kernel
from tests.kernels.printing import parameters

STEPS = "T"
"""What the twins call the number of time steps, which no array need have as an extent."""


def twin(c_kernel: Kernel, dataset: Dataset, dtype: str) -> str:
    """The MLIR twin; its sizes are those of the arrays that stand at the same place in C."""
    values = c_kernel.extents(dataset)
    source = EVERY[c_kernel.name]
    sizes = {STEPS: values.get("TSTEPS", values.get("TMAX", 0))}
    for argument, (_, extents) in zip(c_kernel.arguments, parameters(source.tree()), strict=False):
        sizes |= zip(extents, (values[extent] for extent in argument.extents), strict=True)
    return kernel(c_kernel.name, {size: sizes[size] for size in source.large}, dtype)
