"""Several lines of a matrix that are stored, each by itself, in the order of the loops."""

from __future__ import annotations

import numpy as np
import pytest

from tests.c.gcc import Library, compiled_twice, needs_gcc

BODIES = {
    "band": "a[i][i - 1] = p; a[i][i] = q; a[i][i + 1] = r;",
    "cross": "a[i][i] = p; a[i][n - 1 - i] = q;",
    "twice": "a[i][i] = p; a[i][i] += q; a[i - 1][i] = r;",
    "products": "a[i][i] *= p; a[i][i + 1] *= q;",
    "from_others": "a[i][i] = x[i]; a[i + 1][i] = x[i] * q; a[i][i + 1] = a[i][i];",
    "borders": "a[0][i] = p; a[i][0] = q; a[n - 1][i] = r; a[i][i] = p;",
}
SOURCE = "\n".join(
    f"void {name}(int n, float a[n][n], const float *restrict x, float p, float q, float r)"
    f" {{ for (int i = 1; i < n - 1; i++) {{ {body} }} }}"
    for name, body in BODIES.items()
)


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> tuple[Library, Library]:
    return compiled_twice(SOURCE, tmp_path_factory.mktemp("lines"))


@needs_gcc
@pytest.mark.parametrize("name", BODIES)
def test_lines_are_stored_as_by_the_loops(libraries: tuple[Library, Library], name: str) -> None:
    for n in (1, 2, 3, 4, 5, 8, 17, 40):
        rng = np.random.default_rng(n)
        square, row = rng.random((n, n), np.float32), rng.random(n, np.float32)
        arguments = [np.int32(n), square, row, *map(np.float32, (0.25, -2.0, 3.5))]
        found, wanted = (library.call(name, arguments)[1] for library in libraries)
        np.testing.assert_allclose(found, wanted, rtol=1e-6, err_msg=str(n))
