"""Recurrences beside sums in elements that stay: each iteration adds to the same one, which no vector is."""

from __future__ import annotations

import numpy as np
import pytest

from tests.c.gcc import Library, compiled_twice, needs_gcc

HEAD = "int n, int r, int h, const float a[restrict n][n], const float *restrict x, float *restrict y"
BODIES = {
    "sums": "s += a[i][n - 1 - i]; y[i] += a[i][j] * x[j];",
    "an_average_and_a_sum": "s = s * 0.5f + a[i][j]; y[i] += s * x[j];",
    "an_average_that_stays": "y[i] = y[i] * 0.9f + a[i][j]; s += y[i] * x[j];",
    "an_average_stored": "s += 0.1f * (a[i][j] - s); y[i] = s;",
}
SOURCE = "\n".join(
    f"float {name}({HEAD}) {{ float s = 0; for (int i = r; i < r + h; i++) for (int j = 0; j < n - 1; j++)"
    f" {{ {body} }} return s; }}"
    for name, body in BODIES.items()
)


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> tuple[Library, Library]:
    return compiled_twice(SOURCE, tmp_path_factory.mktemp("kept"))


@needs_gcc
@pytest.mark.parametrize("name", BODIES)
def test_each_iteration_adds_to_the_element(libraries: tuple[Library, Library], name: str) -> None:
    for n in (1, 2, 5, 8, 9, 17, 40, 130):
        for r, h in ((0, n), (0, 0), (n // 2, n - n // 2), (n - 1, 1)):
            rng = np.random.default_rng(n)
            arguments = [*map(np.int32, (n, r, h)), *(rng.random(shape, np.float32) for shape in ((n, n), n, n))]
            found, wanted = (library.call(name, arguments, "float32") for library in libraries)
            for one, other in zip(found, wanted, strict=True):
                np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-3, err_msg=str((n, r, h)))
