"""Programs side by side: every sample on fresh inputs, each program as often as its budget allows."""

from __future__ import annotations

import shutil
import time

import numpy as np
import pytest

from raising.polybench import kernels
from raising.polybench.measure.roofline import reading
from raising.polybench.peers.c_compiler import CompilerError, compiled, compiler
from raising.polybench.peers.timing import Measurement, functional, in_place, interleaved


def test_samples_start_from_the_same_inputs():
    seen = []

    def add_one(x):
        seen.append(float(x[0]))
        x += 1

    program = in_place(add_one, {"x": np.zeros(2)}, ("x",))
    found = interleaved({"inc": program}, repeat=3, budget=10)
    assert seen == [0, 0, 0]
    assert len(found["inc"].samples) == 3
    assert program.results()["x"].tolist() == [1, 1]


def test_slow_programs_are_sampled_less():
    slow = functional(lambda: time.sleep(0.03) or {"x": np.ones(1)}, ("x",))
    fast = functional(lambda: {"x": np.ones(1)}, ("x",))
    found = interleaved({"slow": slow, "fast": fast}, repeat=5, budget=0.05)
    assert len(found["slow"].samples) == 1
    assert len(found["fast"].samples) == 5


def test_what_only_reads_reads_everything_once():
    program = reading(3_000_000)
    program.reset()
    assert 3_000_000 / program.run() in (
        pytest.approx(32, rel=0.001),
        pytest.approx(64, rel=0.001),
    )  # bytes of a vector


def test_noise_is_told():
    assert Measurement((1.0, 1.4, 1.5)).noisy
    assert Measurement((1.0, 1.0)).noisy
    assert not Measurement((1.0, 1.01, 9.0)).noisy


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_a_c_function_as_a_program():
    kernel = kernels()["gemm"]
    values = kernel.inputs("MINI", "f32", seed=1)
    call = compiled(kernel.path, kernel.function, compiler("gcc"), ["-O2"], kernel.defines("MINI", "f32"))
    program = in_place(call, values, kernel.live_out)
    program.reset()
    program.run()
    np.testing.assert_allclose(program.results()["C"], kernel.expected("MINI", values)["C"], rtol=1e-5)


def test_a_compiler_that_is_not_here_is_an_error_of_one_line():
    with pytest.raises(CompilerError, match="^nocompiler is not installed$"):
        compiler("nocompiler")
