"""The types that kernels, their inputs and their oracles have in common, and tables of functions by kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Value = Array | np.generic
"""An argument: an array, or a NumPy scalar."""
Oracle = Callable[..., dict[str, Any]]
"""Takes a kernel's arguments by name, and of its sizes those it asks for; returns the arguments it changes."""


def namespace(array: Any) -> Any:
    """NumPy, or JAX's copy of it: the module that an array belongs to."""
    return array.__array_namespace__()


def by_kernel(functions: Mapping[str, Any]) -> dict[str, Any]:
    """The functions of a module that are named after kernels, by kernel: `_kernel_heat_3d` belongs to `heat-3d`."""
    prefix = "_kernel_"
    return {n.removeprefix(prefix).replace("_", "-"): f for n, f in functions.items() if n.startswith(prefix)}
