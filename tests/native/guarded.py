"""Arrays between pages that nobody may touch: reading or writing beyond an end is a crash."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

_NOTHING = 0  # PROT_NONE


def guarded(array: NDArray[Any], at_end: bool = True) -> NDArray[Any]:
    """A copy right before a page that must not be touched, or else right behind one; it is never freed."""
    room = -(-max(array.nbytes, 1) // mmap.PAGESIZE) * mmap.PAGESIZE
    memory = mmap.mmap(-1, room + 2 * mmap.PAGESIZE)
    first = np.frombuffer(memory, np.uint8).ctypes.data
    for page in (first, first + mmap.PAGESIZE + room):
        assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(page), ctypes.c_size_t(mmap.PAGESIZE), _NOTHING) == 0
    start = mmap.PAGESIZE + (room - array.nbytes if at_end else 0)
    copy: NDArray[Any] = np.frombuffer(memory, array.dtype, array.size, start).reshape(array.shape)
    copy[...] = array
    return copy
