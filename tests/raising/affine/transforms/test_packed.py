"""Tiles with sums of their own, packed operands, halved indices, triangles: raised whole, and right at every size."""

from pathlib import Path

import numpy as np
import pytest

from raising.frontend.c import COptions, convert
from raising.pipeline import RaiseOptions, raise_module
from raising.validate.base.verdict import Proved, Refuted
from raising.validate.native.foreign_call import Compiled
from tests.c.beside import Beside
from tests.c.gcc import Library, needs_gcc
from tests.raising.algebra import loops, without_fallbacks

TILE = "for (int b = 0; b < n; b += 4) { int e = b + 4 < n ? b + 4 : n;"
PACK = "float P[m][4]; for (int p = 0; p < m; p++) for (int q = 0; q < w; q++) P[p][q] = x[p * n + j + q];"
PANELS = f"for (int j = 0; j < n; j += 4) {{ int w = n - j < 4 ? n - j : 4; {PACK}"
USE = (
    "for (int i = 0; i < m; i++) for (int q = 0; q < w; q++) for (int p = 0; p < m; p++) "
    "o[i * n + j + q] += y[i * m + p] * P[p][q]; }"
)
WHOLE = {
    "a sum of sums": f"float s = 3; {TILE} float t = 0; for (int i = b; i < e; i++) t += x[i]; s += t; }} o[0] = s;",
    "sums of products": f"{TILE} float t = 0; for (int i = b; i < e; i++) t += x[i] * y[i]; o[0] = t + o[0]; }}",
    "a packed panel": PANELS + USE,
    "twice as many": "for (int i = 0; i < 2 * n; i++) o[i] = x[i / 2];",
    "three times, scaled": "for (int i = 0; i < 3 * n; i++) o[i] = 2 * x[i / 3] + o[i];",
    "which of two": "for (int i = 0; i < 2 * n; i++) o[i] = i % 2 ? x[i / 2] : y[i / 2];",
    "above the diagonal": "for (int i = 0; i < n; i++) for (int j = i + 1; j < n; j++) o[i * n + j] = -1;",
    "far above it": "for (int i = 0; i < n; i++) for (int j = i + 3; j < n; j++) o[i * n + j] = x[j];",
    "the place in a row": "for (int i = 0; i < m; i++) { int b = 0; for (int j = 1; j < n; j++) "
    "if (x[i * n + j] > x[i * n + b]) b = j; o[i] = b; }",
}
OTHERS = {
    "a total that is seen": f"float s = 0; {TILE} float t = 0; for (int i = b; i < e; i++) {{ t += x[i]; o[i] = s; }} "
    "s += t; } o[0] = s;",
    "a sum that is added twice": f"float s = 0; {TILE} float t = 0; for (int i = b; i < e; i++) t += x[i]; s += t; "
    "for (int i = b; i < e; i++) t += x[i]; s += t; } o[0] = s;",
    "a sum that is carried": f"float s = 0, t = 0; {TILE} for (int i = b; i < e; i++) t += x[i]; s += t; t = 0; }} "
    "o[0] = s + t;",
    "a sum from one on": f"float s = 0; {TILE} float t = 1; for (int i = b; i < e; i++) t += x[i]; s += t; }} "
    "o[0] = s;",
    "a square of a sum": f"float s = 0; {TILE} float t = 0; for (int i = b; i < e; i++) t += x[i]; s += t * t; }} "
    "o[0] = s;",
    "a sum taken off": f"float s = 0; {TILE} float t = 0; for (int i = b; i < e; i++) t += x[i]; s -= t; }} o[0] = s;",
    "an operand that changes": "float P[n]; for (int p = 0; p < n; p++) P[p] = o[p]; "
    "for (int i = 0; i < n; i++) o[i] = 1; for (int i = 0; i < n; i++) o[i] += P[n - 1 - i];",
    "a panel of the iteration before": "float P[4]; for (int q = 0; q < 4; q++) P[q] = 0; "
    "for (int j = 0; j + 4 <= n; j += 4) { for (int q = 0; q < 4; q++) o[j + q] = P[q]; "
    "for (int q = 0; q < 4; q++) P[q] = x[j + q]; }",
    "half of an odd number": "for (int i = 0; i < n; i++) o[i] = x[i / 2];",
}
HEAD = "void f(int n, int m, const float *restrict x, const float *restrict y, float *restrict o)"


def _same(body: str, text: str, folder: Path) -> None:
    (folder / "k.c").write_text(f"{HEAD} {{ {body} }}")
    both = Beside(Library(folder / "k.c", {}), text, "f")
    ranks = [len(slot.shape or ()) for slot in Compiled(text, "f").signature.arguments[2:]]
    rng = np.random.default_rng(0)
    for n, m in ((0, 0), (1, 1), (-1, 2), (4, 3), (5, 2), (11, 4), (2, 0), (3, 5)):
        flat = [rng.integers(-3, 4, 220).astype(np.float32) for _ in range(3)]
        rows = [220 // w * w if w > 0 else 0 for w in (n, m, n)]
        given = [
            a[:k].reshape(-1, w) if rank > 1 and w > 0 else a
            for a, k, w, rank in zip(flat, rows, (n, m, n), ranks, strict=True)
        ]
        if all(a.ndim == max(rank, 1) for a, rank in zip(given, ranks, strict=True)):
            assert not both.difference([np.int32(n), np.int32(m), *given])


@needs_gcc
@pytest.mark.parametrize("body", WHOLE.values(), ids=WHOLE.keys())
def test_raised_whole(body: str, tmp_path: Path) -> None:
    module = convert(f"{HEAD} {{ {body} }}", "k.c", COptions())
    result = raise_module(module.mlir, options=RaiseOptions(check="proof", cache=False))
    assert not loops(without_fallbacks(result.text)), result.remarks
    assert isinstance(result.functions[0].verdict, Proved)
    _same(body, result.text, tmp_path)


@needs_gcc
@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS.keys())
def test_right_if_raised_at_all(body: str, tmp_path: Path) -> None:
    module = convert(f"{HEAD} {{ {body} }}", "k.c", COptions())
    result = raise_module(module.mlir, options=RaiseOptions(check="field", cache=False))
    assert not isinstance(result.functions[0].verdict, Refuted)
    _same(body, result.text, tmp_path)


def test_a_packed_panel_is_one_product() -> None:
    text = raise_module(convert(f"{HEAD} {{ {PANELS} {USE} }}", "k.c", COptions()).mlir, check="field").text
    assert text.count("linalg.matmul") == 1


ROWS = "void f(float (*restrict x)[8], float (*restrict y)[8], float (*restrict o)[8])"


@pytest.mark.parametrize("tile", [1, 3, 4, 5])
def test_tiles_of_rows_whose_last_one_ends_with_the_row(tile: int) -> None:
    """Rows are found as `ii + tile` is known to be at most 8: the last step of `ii` is not just in front of its end."""
    whole = 8 // tile * tile
    steps = "".join(f"for (int {v * 2} = 0; {v * 2} < {whole}; {v * 2} += {tile}) " for v in "ijk")
    inside = "".join(f"for (int {v} = {v * 2}; {v} < {v * 2} + {tile}; {v}++) " for v in "ijk")
    module = convert(f"{ROWS} {{ {steps} {inside} o[i][j] += x[i][k] * y[k][j]; }}", "k.c", COptions())
    result = raise_module(module.mlir, options=RaiseOptions(check="native", cache=False))
    assert "memref<?x8xf32>" in result.text and "linalg.matmul" in result.text and not loops(result.text)
    assert not any("not run natively" in str(remark) for remark in result.remarks)
