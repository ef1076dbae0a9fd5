"""Loops that do something in a part of their arrays go through that part, in all dimensions."""

from __future__ import annotations

import numpy as np
import pytest

from tests.c.gcc import Library, compiled_twice, needs_gcc

HEAD = "int n, int r, int c, int h, int w, float a[n][n], const float *restrict x, float *restrict out, float p"
BODIES = {
    "block_sum": "float s = 0; for (int i = r; i < r + h; i++) for (int j = c; j < c + w; j++) s += a[i][j];"
    " out[0] = s;",
    "rows_of_block": "for (int i = r; i < r + h; i++) { float s = 0; for (int j = c; j < c + w; j++) s += a[i][j];"
    " out[i] = s; }",
    "fill_block": "for (int i = r; i < r + h; i++) for (int j = c; j < c + w; j++) a[i][j] = p;",
    "update_block": "for (int i = r; i < r + h; i++) for (int j = c; j < c + w; j++) a[i][j] += x[j] * p;",
    "off_diagonal": "float s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) if (i != j) s += a[i][j];"
    " out[0] = s;",
    "identity": "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = i == j;",
    "band": "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = i - j <= 2 && j - i <= 1 ? a[i][j] : p;",
    "backwards": "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][n - 1 - j] = i + j > n ? x[j] : p;",
    "anti_sum": "float s = 0; for (int i = 0; i < n; i++) s += a[i][n - 1 - i]; out[0] = s;",
    "toeplitz": "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = x[i - j + n - 1];",
}
SOURCE = "\n".join(f"void {name}({HEAD}) {{ {body} }}" for name, body in BODIES.items())
BLOCKS = ((0, 0, 5, 5), (1, 2, 3, 4), (0, 1, 0, 3), (2, 0, -1, 9), (3, 1, 1, -4), (2, 3, 30, 29), (9, 17, 24, 16))


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> tuple[Library, Library]:
    return compiled_twice(SOURCE, tmp_path_factory.mktemp("parts"))


@needs_gcc
@pytest.mark.parametrize("name", BODIES)
def test_parts_are_those_of_the_loops(libraries: tuple[Library, Library], name: str) -> None:
    for n in (1, 2, 5, 17, 33, 130):
        rng = np.random.default_rng(n)
        for r, c, h, w in BLOCKS if "block" in name else BLOCKS[:1]:
            if "block" in name and (r + h > n or c + w > n):
                continue
            arrays = [rng.random(shape, np.float32) for shape in ((n, n), 2 * n, n)]
            arguments = [*map(np.int32, (n, r, c, h, w)), *arrays, np.float32(0.25)]
            found, wanted = (library.call(name, arguments) for library in libraries)
            for one, other in zip(found, wanted, strict=True):
                np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-4, err_msg=str((n, r, c, h, w)))
