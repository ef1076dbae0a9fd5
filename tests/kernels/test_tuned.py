"""Tiled, unrolled and flat kernels in C compute what the oracles say."""

from pathlib import Path

import numpy as np
import pytest

from tests.bench.c.tuned_kernels import text_of
from tests.c.gcc import Library, needs_gcc
from tests.kernels import EVERY, arguments, small
from tests.oracles import mismatch

TUNED = ("2mm", "atax", "correlation", "jacobi-2d", "lu", "nussinov", "symm", "trmm")


@needs_gcc
@pytest.mark.parametrize("kind", ["tiled by 2", "unrolled by 4", "flat"])
def test_what_tuned_kernels_compute(kind: str, tmp_path: Path) -> None:
    (path := tmp_path / "k.c").write_text("".join(text_of(name, kind) for name in TUNED))
    library = Library(path, {})
    for name in TUNED:
        sizes, before = [np.int32(n) for n in small(name).values()], arguments(name, small(name))
        after = library.call(EVERY[name].tree().name, [*sizes, *before])
        assert not mismatch(name, before, after[len(sizes) :]), name
