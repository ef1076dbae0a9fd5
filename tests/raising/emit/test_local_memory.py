"""Local memory that one tensor is put into is that tensor, unless what it is made of changes before it is used."""

import numpy as np
import pytest

from raising.frontend.c import COptions, convert
from raising.pipeline import raise_module
from tests.c.gcc import Library, compiled_twice, needs_gcc

HEAD = "int n, float *restrict a, const float *restrict t, float *restrict o"
KEPT = {
    "positions": "for (int i = 0; i < n; i++) { float p = a[i] * 9; int k = (int)p;"
    " o[i] = t[k] + (p - k) * t[k + 1]; }",
}
WRITTEN = {
    "changed_between": "float s[n]; for (int i = 0; i < n; i++) s[i] = a[i] * 2;"
    " for (int i = 0; i < n; i++) a[i] = t[(int)(a[i] * 9)]; for (int i = 0; i < n; i++) o[i] = s[i] + a[i];",
    "looked_up_again": "float s[n]; for (int i = 0; i < n; i++) s[i] = a[i] * 2;"
    " for (int i = 0; i < n; i++) a[i] = 1; for (int i = 0; i < n; i++) o[i] = t[(int)(s[i] * 4)];",
    "kept_and_used_late": "float s[n]; for (int i = 0; i < n; i++) s[i] = t[(int)(a[i] * 9)];"
    " for (int i = 0; i < n; i++) o[i] = a[i] - s[i]; for (int i = 0; i < n; i++) a[i] = s[i] * o[i];",
}
SOURCE = "\n".join(f"void {name}({HEAD}) {{ {body} }}" for name, body in (KEPT | WRITTEN).items())


def test_positions_need_no_memory() -> None:
    text = raise_module(convert(SOURCE, "k.c", COptions(function="positions")).mlir, file="k.c").text
    assert "linalg.generic" in text and "memref.alloc" not in text


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> tuple[Library, Library]:
    return compiled_twice(SOURCE, tmp_path_factory.mktemp("local"))


@needs_gcc
@pytest.mark.parametrize("name", KEPT | WRITTEN)
def test_results_are_those_of_the_loops(libraries: tuple[Library, Library], name: str) -> None:
    for n in (1, 2, 5, 17, 64, 131):
        rng = np.random.default_rng(n)
        arguments = [np.int32(n), rng.random(n, np.float32), rng.random(32, np.float32), np.zeros(n, np.float32)]
        found, wanted = (library.call(name, arguments) for library in libraries)
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-5, err_msg=str(n))
