"""What a user without an optional package is told."""

import sys

import pytest

import raising
from raising.grammar.dialects import target_dialect
from raising.grammar.dialects.target_dialect import UnusableTarget
from raising.support.errors import described
from raising.support.isolate import Failed, failure, run_isolated

FILL = """
func.func @fill(%a: memref<8xf64>) {
  %c = arith.constant 1.0 : f64
  affine.for %i = 0 to 8 { affine.store %c, %a[%i] : memref<8xf64> }
  return
}
"""


def test_a_target_whose_package_is_missing_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(target_dialect, "find_spec", lambda name: None)
    with pytest.raises(UnusableTarget, match=r"needs the package 'jaxlib'.*raise-tensor\[stablehlo\]"):
        raising.raise_module(FILL, target="stablehlo")


def test_work_that_needs_a_missing_package_is_no_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def work() -> None:
        monkeypatch.setitem(sys.modules, "jaxlib", None)
        import jaxlib.mlir.ir  # noqa: F401

    found = run_isolated(work, timeout=10.0, extra_bytes=1 << 30)
    assert isinstance(found, Failed) and "needs the package 'jaxlib'" in found.reason
    assert failure("s.mlir", found).startswith("s.mlir: error: this needs the package")
    assert "internal: the worker" in failure("s.mlir", Failed("crashed"))
    assert described(ValueError("a\nb")) == "ValueError: a b"
