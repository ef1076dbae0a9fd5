"""The classes of linalg's operations, as generated."""

from mlir.dialects._linalg_ops_gen import *  # noqa: F403
