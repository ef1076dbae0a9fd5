"""What a machine stops at (an integer divided by 0) is computed only where the loops compute it."""

from pathlib import Path

import numpy as np
import pytest

from raising import RaiseOptions, raise_module
from raising.commands.compile_command import main as raise_compile
from raising.frontend.c import COptions, convert
from tests.c.gcc import Library, needs_gcc

pytestmark = needs_gcc

SOURCE = """
void mean(int n, long *restrict a, const long *restrict b) {
  long s = 0;
  for (int i = 0; i < n; i++) s += b[i];
  a[0] = n > 0 ? s / n : -1;
}
void shares(int n, int k, int *restrict a, const int *restrict b) {
  for (int i = 0; i < n; i++) a[i] = k ? b[i] / k : 7;
}
void rests(int n, int k, int *restrict a, const int *restrict b) {
  if (k > 0) for (int i = 0; i < n; i++) a[i] = b[i] % k;
  else for (int i = 0; i < n; i++) a[i] = b[i];
}
"""


@pytest.mark.parametrize("check", ["field", "native"])
def test_a_divisor_of_zero(check: str, tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(SOURCE)
    read = convert(SOURCE, "k.c", COptions())
    raised = raise_module(read.mlir, file="k.mlir", options=RaiseOptions(check=check, cache=False))
    assert all(f.changed for f in raised.functions)
    (tmp_path / "k.mlir").write_text(raised.text)
    assert raise_compile([str(tmp_path / "k.mlir"), "-o", str(tmp_path / "k.so")]) == 0
    ours, theirs = Library.loaded(tmp_path / "k.so"), Library(tmp_path / "k.c", {})
    for n in (-1, 0, 1, 5):
        results = []
        for library in (ours, theirs):
            a, b = np.arange(9), np.arange(3, 12)
            library.call("mean", [np.int32(n), a, b], copied=False)
            results.append(a.tolist())
        assert results[0] == results[1], n
        for k in (-3, 0, 1, 4):
            for name in ("shares", "rests"):
                results = []
                for library in (ours, theirs):
                    a, b = np.arange(9, dtype=np.int32), np.arange(3, 12, dtype=np.int32)
                    library.call(name, [np.int32(n), np.int32(k), a, b], copied=False)
                    results.append(a.tolist())
                assert results[0] == results[1], (name, n, k)
