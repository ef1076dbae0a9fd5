"""How the libraries are told how many threads they may use."""

from __future__ import annotations

import os


def threads_environment(threads: int) -> dict[str, str]:
    """Environment variables that keep the libraries to so many threads; set before any of them is loaded."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
    flags = os.environ.get("XLA_FLAGS", "")
    single = " --xla_cpu_multi_thread_eigen=false" if threads == 1 else ""
    return {**{name: str(threads) for name in names}, "XLA_FLAGS": flags + single}
