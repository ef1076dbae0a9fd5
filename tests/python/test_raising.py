"""From a Python function to machine code."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest

import raising
from raising.commands.raise_command import main
from raising.support.errors import InputError
from tests.python import array_functions, kernels


def test_a_function_object() -> None:
    result = raising.raise_function(kernels.chain, target="linalg", check="proof")
    assert result.text.count("linalg.matmul ") == 2
    assert result.complete
    assert "affine.for" not in result.text
    a, b, d = (np.random.default_rng(1).standard_normal(s).astype(np.float32) for s in ((7, 5), (5, 4), (4, 3)))
    out = np.empty((7, 3), np.float32)
    raising.compile(result, cache=False)["chain"](a, b, d, out)
    np.testing.assert_allclose(out, kernels.chain(a, b, d), rtol=1e-4)


@pytest.mark.parametrize("name", ["selected", "mixed", "norms", "counted", "clipped"])
def test_no_loop_is_left(name: str) -> None:
    assert raising.raise_function(getattr(kernels, name), check="proof").complete


def test_the_root_of_an_extent_scales_scores() -> None:
    """At points where the extent as a number is drawn as 0, the greatest of infinities is whichever came first."""
    result = raising.raise_function(array_functions.attention, check="proof")
    assert result.complete
    assert result.text.count("linalg.matmul ") == 2


def test_a_wrapped_function() -> None:
    @functools.wraps(kernels.relu)
    def wrapped(*arguments: object) -> None:
        raise AssertionError

    assert raising.raise_function(wrapped, check="proof").complete


def test_what_cannot_be_read() -> None:
    with pytest.raises(InputError, match="no source text"):
        raising.raise_function(len)
    with pytest.raises(InputError, match="not at the top level"):
        raising.raise_function(lambda x: x)


def test_the_command(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "k.py", tmp_path / "k.mlir"
    file.write_text(
        "def gemv(A: 'f64[N, M]', x: 'f64[M]', y: 'f64[N]'):\n"
        "    for i in range(len(y)):\n"
        "        for j in range(len(x)):\n"
        "            y[i] += A[i, j] * x[j]\n"
    )
    assert main([str(file), "-o", str(out), "--no-cache"]) == 0
    assert "linalg.matvec" in out.read_text()
    assert "proved for all sizes" in capfd.readouterr().err
    assert main([str(file), "--emit", "affine", "-o", str(out)]) == 0
    assert "affine.for" in out.read_text()
    assert main([str(file), "--guard", "-o", str(out)]) == 2
    assert main([str(file), "-x", "mlir", "-o", str(out)]) == 2
    file.write_text("def f(\n")
    assert main([str(file), "-o", str(out)]) == 2
    assert "k.py:1:" in capfd.readouterr().err
