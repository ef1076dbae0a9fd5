"""The types that kernels, their inputs and their oracles have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Value = Array | np.generic
"""An argument: an array, or a NumPy scalar."""
Oracle = Callable[..., dict[str, Any]]
"""Takes a kernel's arguments by name, and of its sizes those it asks for; returns the arguments it changes."""
