"""Loops over windows raise to the convolution or pooling that says them, strides and dilations read off."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from raising.pipeline import RaiseOptions, raise_module
from raising.validate.base.verdict import Proved
from tests.raising.running import execute


@dataclass(frozen=True)
class Windows:
    """A loop nest: each loop with its extent, the arrays, what is read and written, and what should come out."""

    loops: str
    arrays: tuple[tuple[str, str], ...]
    reads: tuple[str, ...]
    body: str
    write: str
    says: str
    attributes: str = ""

    def text(self) -> str:
        """The nest as a function on the arrays, the last of which is accumulated into."""
        given = ", ".join(f"%{name}: memref<{kind}>" for name, kind in self.arrays)
        kinds = {name: kind for name, kind in self.arrays}
        heads = [f"affine.for %{n} = 0 to {extent} {{" for n, extent in (x.split("=") for x in self.loops.split())]
        loads = [f"%v{k} = affine.load %{r} : memref<{kinds[r.split('[')[0]]}>" for k, r in enumerate(self.reads)]
        store = f"affine.store %r, %{self.write} : memref<{self.arrays[-1][1]}>"
        return "\n".join([f"func.func @f({given}) {{", *heads, *loads, self.body, store, "}" * len(heads), "return }"])


MULTIPLY_ADD = "%m = arith.mulf %v0, %v1 : {e}\n%r = arith.addf %v2, %m : {e}"
CASES = {
    "along a line": Windows(
        "i=21 k=4",
        (("x", "24xf64"), ("w", "4xf64"), ("y", "21xf64")),
        ("x[%i + %k]", "w[%k]", "y[%i]"),
        MULTIPLY_ADD.format(e="f64"),
        "y[%i]",
        "linalg.conv_1d",
    ),
    "the filter first": Windows(
        "i=21 k=4",
        (("x", "24xf64"), ("w", "4xf64"), ("y", "21xf64")),
        ("w[%k]", "x[%i + %k]", "y[%i]"),
        MULTIPLY_ADD.format(e="f64"),
        "y[%i]",
        "linalg.conv_1d",
    ),
    "images, channels first, stride 2": Windows(
        "n=2 f=4 h=5 w=6 c=3 p=3 q=2",
        (("x", "2x3x11x12xf32"), ("k", "4x3x3x2xf32"), ("y", "2x4x5x6xf32")),
        ("x[%n, %c, 2 * %h + %p, 2 * %w + %q]", "k[%f, %c, %p, %q]", "y[%n, %f, %h, %w]"),
        MULTIPLY_ADD.format(e="f32"),
        "y[%n, %f, %h, %w]",
        "linalg.conv_2d_nchw_fchw",
        "{dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}",
    ),
    "each channel alone, dilated": Windows(
        "n=2 h=5 w=6 c=3 p=3 q=2",
        (("x", "2x12x7x3xf64"), ("k", "3x2x3xf64"), ("y", "2x5x6x3xf64")),
        ("x[%n, %h + 3 * %p, %w + %q, %c]", "k[%p, %q, %c]", "y[%n, %h, %w, %c]"),
        MULTIPLY_ADD.format(e="f64"),
        "y[%n, %h, %w, %c]",
        "linalg.depthwise_conv_2d_nhwc_hwc",
        "{dilations = dense<[3, 1]> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}",
    ),
    "the largest of a window": Windows(
        "n=2 h=4 w=5 c=3 p=2 q=2",
        (("x", "2x8x10x3xf32"), ("y", "2x4x5x3xf32")),
        ("x[%n, 2 * %h + %p, 2 * %w + %q, %c]", "y[%n, %h, %w, %c]"),
        "%r = arith.maximumf %v1, %v0 : f32",
        "y[%n, %h, %w, %c]",
        "linalg.pooling_nhwc_max",
        "{dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_window_is_said_by_its_own_operation(name: str) -> None:
    case = CASES[name]
    text = case.text()
    result = raise_module(text, options=RaiseOptions(check="field", timeout=120))
    assert result.complete, result.remarks
    lines = [line.strip() for line in result.text.splitlines() if "linalg." in line]
    assert len(lines) == 1 and f"= {case.says} {case.attributes}" in lines[0], lines
    random = np.random.default_rng(1)
    shapes = [[*kind.split("x")] for _, kind in case.arrays]
    types = {"f32": np.float32, "f64": np.float64}
    given = [random.normal(size=tuple(map(int, s[:-1]))).astype(types[s[-1]]) for s in shapes]
    for got, wanted in zip(execute(result.text, "f", given), execute(text, "f", given), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)


def test_a_window_that_no_operation_says_is_a_general_operation() -> None:
    """No convolution adds up differences."""
    text = CASES["along a line"].text().replace("arith.mulf", "arith.subf")
    result = raise_module(text, options=RaiseOptions(check="field"))
    assert result.complete, result.remarks
    assert "linalg.conv" not in result.text


def test_a_filter_that_is_read_backwards_is_turned_round_first() -> None:
    text = CASES["along a line"].text().replace("%w[%k]", "%w[3 - %k]").replace("w[%k]", "w[3 - %k]")
    result = raise_module(text, options=RaiseOptions(check="proof"))
    assert result.complete and "linalg.conv_1d" in result.text
    assert isinstance(result.functions[0].verdict, Proved)
    random = np.random.default_rng(5)
    given = [random.integers(-9, 9, n).astype(np.float64) for n in (24, 4, 21)]
    for got, wanted in zip(execute(result.text, "f", given), execute(text, "f", given), strict=True):
        assert np.array_equal(got, wanted)


SCATTERED = """func.func @f(%x: memref<7xf64>, %w: memref<3xf64>, %y: memref<{0}xf64>) {{
  affine.for %i = 0 to 7 {{
    affine.for %k = 0 to 3 {{
      %a = affine.load %x[%i] : memref<7xf64>
      %b = affine.load %w[%k] : memref<3xf64>
      %p = arith.mulf %a, %b : f64
      %o = affine.load %y[{1} * %i + %k] : memref<{0}xf64>
      %s = arith.addf %o, %p : f64
      affine.store %s, %y[{1} * %i + %k] : memref<{0}xf64>
    }}
  }}
  return
}}"""


@pytest.mark.parametrize(("extent", "stride"), [(9, 1), (15, 2)])
def test_a_transposed_convolution_that_scatters_needs_no_loop(extent: int, stride: int) -> None:
    result = raise_module(SCATTERED.format(extent, stride), options=RaiseOptions(cache=False))
    assert result.complete and not result.functions[0].sequential, result.remarks
    assert isinstance(result.functions[0].verdict, Proved)
