"""What MLIR says about a program that it refuses."""

from __future__ import annotations


def first_error(error: Exception) -> str:
    """The first error in a message of MLIR, without its location, in at most 200 characters."""
    lines = str(error).splitlines() or ["?"]
    line = next((line for line in lines if "error:" in line), lines[0])
    return line.rpartition("error:")[2].strip()[:200]
