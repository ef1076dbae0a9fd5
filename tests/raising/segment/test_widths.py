"""Numbers of several widths in one statement, in both dialects."""

import numpy as np
import pytest

from raising.frontend.c import COptions, convert
from raising.pipeline import raise_module
from raising.validate.base.verdict import Proved
from raising.validate.native.foreign_call import Compiled
from tests.raising.c_functions import SourceFunction

CASES: dict[str, tuple[str, str]] = {  # and what the conversion is on linalg
    "bytes added as integers": (
        """void f(signed char x[restrict 9], int y[restrict 9]) {
             for (int i = 0; i < 9; i++) y[i] = x[i] + 3 * y[i]; }""",
        "arith.extsi",
    ),
    "shorts to bytes": (
        """void f(short x[restrict 9], signed char y[restrict 9]) {
             for (int i = 0; i < 9; i++) y[i] = (signed char)x[i]; }""",
        "arith.trunci",
    ),
    "a product in more digits": (
        """void f(float x[restrict 7][5], float z[restrict 5], double y[restrict 7]) {
             for (int i = 0; i < 7; i++) { y[i] = 0.0;
               for (int j = 0; j < 5; j++) y[i] += (double)x[i][j] * (double)z[j]; } }""",
        "arith.extf",
    ),
    "rounded at the end": (
        """void f(double x[restrict 9], double z[restrict 9], float y[restrict 9]) {
             for (int i = 0; i < 9; i++) y[i] = (float)(x[i] * z[i]); }""",
        "arith.truncf",
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("target", ["linalg", "stablehlo"])
def test_conversions_between_widths(name: str, target: str) -> None:
    text, conversion = CASES[name]
    result = SourceFunction(text).raised(target)
    assert result.complete, result.remarks
    assert (conversion if target == "linalg" else "stablehlo.convert") in result.text
    assert isinstance(result.functions[0].verdict, Proved), result.functions[0].verdict


@pytest.mark.parametrize(("kind", "value"), [("unsigned char", 200), ("unsigned short", 41177), ("unsigned", 3 << 30)])
def test_a_size_without_a_sign_that_is_data_too(kind: str, value: int) -> None:
    loop = "for (int i = 0; i < 5; i++) a[i] = b[i] ^ x;"
    result = raise_module(
        convert(f"void f({kind} x, long a[restrict 5], long b[5]) {{ {loop} }}", "k.c", COptions()).mlir, check="field"
    )
    assert result.functions[0].raised
    a, b = np.zeros(5, int), np.arange(5)
    Compiled(result.text, "f").call([value, a, b])
    assert a.tolist() == [i ^ value for i in range(5)]


@pytest.mark.parametrize(("kind", "suffix"), [("int", ""), ("long", "l")])
def test_trailing_zeros_are_counted_in_a_tensor(kind: str, suffix: str) -> None:
    text = f"""void f({kind} x[restrict 9], {kind} y[restrict 9]) {{
      for (int i = 0; i < 9; i++) y[i] = __builtin_ctz{suffix}(x[i]); }}"""
    result = SourceFunction(text).raised()
    assert result.complete and isinstance(result.functions[0].verdict, Proved), result.remarks
    x = np.array([1, 2, 12, -8, -1, 1 << 30, 96, 7, -1 << 31], np.int64 if suffix else np.int32)
    y = np.zeros_like(x)
    Compiled(result.text, "f").call([x, y])
    assert y.tolist() == [0, 1, 2, 3, 0, 30, 5, 0, 31]
