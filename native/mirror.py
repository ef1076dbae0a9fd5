"""The other half of a symmetric sum."""

from __future__ import annotations

from native.microkernel import Context


def mirror(context: Context) -> None:
    """Apply the epilogue to each element below the diagonal, at its own place and at the mirrored one."""
