"""Loops whose steps are sizes, such as the length of a row: raised whole, and right at every size that is assumed."""

from pathlib import Path

import numpy as np
import pytest

from raising.frontend.c import COptions, convert
from raising.pipeline import RaiseOptions, raise_module
from raising.validate.base.verdict import Proved
from raising.validate.native.foreign_call import Compiled
from tests.c.beside import Beside
from tests.c.gcc import Library, needs_gcc
from tests.raising.algebra import loops

WALKS = {
    "the diagonal": ("for (int i = 0; i < n * n; i += n + 1) o[0] += x[i];", 0),
    "the other one": ("for (int i = n - 1; i < n * n - 1; i += n - 1) o[0] += x[i];", 2),
    "rows": ("for (int i = 0; i < n * m; i += m) for (int j = 0; j < m; j++) o[i + j] = 2 * x[i + j];", 0),
    "first columns": ("int k = 0; for (int i = 0; i < n * m; i += m) o[k++] = x[i];", 0),
    "until it is there": ("for (int i = 0; i != n * m; i += m) o[i] = x[i] + 1;", 0),
    "up to the end": ("for (int i = 0; i <= n * m - m; i += m) o[i] = x[i] + 1;", 0),
}
HEAD = "void f(int n, int m, const float *restrict x, float *restrict o)"


@needs_gcc
@pytest.mark.parametrize(("body", "least"), WALKS.values(), ids=WALKS.keys())
def test_a_step_that_is_a_size(body: str, least: int, tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(f"{HEAD} {{ {body} }}")
    module = convert(f"{HEAD} {{ {body} }}", "k.c", COptions())
    assert any("the loop counts up" in a.reason for a in module.assumptions)
    result = raise_module(module.mlir, options=RaiseOptions(check="proof", cache=False))
    assert not loops(result.text), result.remarks
    assert isinstance(result.functions[0].verdict, Proved)
    both = Beside(Library(tmp_path / "k.c", {}), result.text, "f")
    in_rows = [len(slot.shape or ()) > 1 for slot in Compiled(result.text, "f").signature.arguments[2:]]
    rng = np.random.default_rng(0)
    for n, m in ((0, 1), (1, 1), (2, 3), (5, 2), (3, 1), (4, 7), (1, 5)):
        width = n if "n * n" in body else m
        x, o = (rng.integers(-3, 4, 8 * max(width, 1)).astype(np.float32) for _ in range(2))
        if n >= least and width:
            x, o = (a.reshape(-1, width) if flat else a for a, flat in zip((x, o), in_rows, strict=True))
            assert not both.difference([np.int32(n), np.int32(m), x, o])


@pytest.mark.parametrize(
    "step", ["< n * n; i += n + 2", "< n * n; i += m", "< n * n; i += n * n + m", "!= n * n; i += n + 1"]
)
def test_a_step_that_does_not_divide_is_refused(step: str) -> None:
    text = f"void f(int n, int m, float *x) {{ for (int i = 0; i {step}) x[i] = 1; }}"
    assert convert(text, "k.c", COptions()).refused
