"""The front end's MLIR for one function of a C file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from raising.frontend.c import COptions, SourceModule, convert

ROOT = Path(__file__).parents[2]
"""Places are told from here, so that records name no machine."""


def read(path: Path, defines: Mapping[str, str], function: str | None = None) -> SourceModule:
    """Convert a file, or one function of it, with these macros."""
    macros = tuple(f"{name}={value}" for name, value in defines.items())
    return convert(path.read_text(), str(path.relative_to(ROOT)), COptions(defines=macros, function=function))
