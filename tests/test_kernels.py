"""The kernels themselves: the files are the generated ones, and they compute what they should."""

import pytest

from tests.kernels import EVERY, FOLDER, arguments, committed, kernel, small, symbol
from tests.kernels.execute import run
from tests.oracles import mismatch


@pytest.mark.parametrize("name", EVERY)
def test_committed_file_is_the_generated_one(name: str) -> None:
    assert (FOLDER / f"{name}.mlir").read_text() == committed(name)


@pytest.mark.parametrize("dtype", ["f64", "f32"])
@pytest.mark.parametrize("name", EVERY)
def test_kernel_computes_what_the_oracle_says(name: str, dtype: str) -> None:
    before = arguments(name, small(name), dtype)
    after = run(kernel(name, small(name), dtype), symbol(name), before)
    assert not mismatch(name, before, after, 1e-10 if dtype == "f64" else 1e-4)
