"""Libraries of others to compare with, from their wheels where these are installed: oneDNN and MKL."""

from __future__ import annotations

import ctypes
from importlib import metadata
from pathlib import Path
from typing import Any

ONEDNN, MKL = ("onednn-cpu-gomp", "libdnnl.so"), ("mkl", "libmkl_rt.so")
"""The name of a wheel, and how the name of its library begins."""
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
"""What these libraries read when they are loaded."""


def library(vendor: tuple[str, str], path: Path | None = None) -> Any:
    """The library, of its wheel or at a path; None, with a note, where there is neither."""
    wheel, begins = vendor
    if path is None:
        try:
            files = metadata.files(wheel) or []
        except metadata.PackageNotFoundError:
            files = []
        found = (Path(str(file.locate())) for file in files if file.name.startswith(begins))
        path = next((each for each in found if each.exists()), None)
    if path is None:
        print(f"without {wheel}, which is not installed")
        return None
    return ctypes.CDLL(str(path))
