"""The C kernels compute what their oracles say, and their data says what the C files say."""

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from raising.polybench import DATASETS, Kernel, kernels
from tests.c.gcc import Library, needs_gcc
from tests.kernels.printing import parameters
from tests.kernels.sources import SOURCES

KERNELS = kernels()
SINGULAR = "gramschmidt"
"""PolyBench's matrix is wider than high and has equal columns: what is left of those are rounding errors."""


def _cases() -> list[tuple[str, str, int | None]]:
    cases = [(name, dtype, seed) for name, k in KERNELS.items() for dtype in k.dtypes for seed in (None, 1)]
    return [case for case in cases if case[0] != SINGULAR or case[2] is not None]


def _small(name: str) -> dict[str, int]:
    return {"M": 30, "N": 20} if name == SINGULAR else dict(KERNELS[name].extents("MINI"))


def test_there_are_thirty() -> None:
    assert len(KERNELS) == 30
    assert {path.stem for path in KERNELS["gemm"].path.parent.glob("*.c")} == set(KERNELS)


@needs_gcc
@pytest.mark.parametrize(("name", "dtype", "seed"), _cases())
def test_c_computes_what_the_oracle_says(name: str, dtype: str, seed: int | None) -> None:
    kernel, sizes = KERNELS[name], _small(name)
    inputs = kernel.inputs(sizes, dtype, seed)
    after = Library(kernel.path, kernel.defines(sizes, dtype)).call(kernel.function, list(inputs.values()))
    tolerance = {"f64": 1e-9, "f32": 2e-3, "i32": 0}[dtype]
    for (argument, want), got in zip(kernel.expected(sizes, inputs).items(), after, strict=True):
        assert np.isfinite(got).all()
        scale = np.max(np.abs(want))
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * scale, err_msg=argument)


@pytest.mark.parametrize("name", KERNELS)
def test_every_result_changes(name: str) -> None:
    kernel, sizes = KERNELS[name], _small(name)
    inputs = kernel.inputs(sizes, seed=2)
    expected = kernel.expected(sizes, inputs)
    assert all(not np.array_equal(expected[result], inputs[result]) for result in kernel.live_out)


@pytest.mark.parametrize("name", KERNELS)
def test_the_sizes_in_the_file_are_those_of_large(name: str) -> None:
    defaults = re.findall(r"^#define (\w+) (\d+)$", KERNELS[name].source, re.MULTILINE)
    assert {macro: int(value) for macro, value in defaults} == dict(KERNELS[name].extents("LARGE"))


@pytest.mark.parametrize("name", KERNELS)
def test_the_arguments_are_those_of_the_function(name: str) -> None:
    kernel = KERNELS[name]
    (declared,) = re.findall(rf"void {kernel.function}\((.*?)\)\n{{", kernel.source, re.DOTALL)
    written = [re.sub(r"^(?:DATA_TYPE|base) ", "", text.strip()) for text in declared.split(",")]
    assert written == [a.name + "".join(f"[{extent}]" for extent in a.extents) for a in kernel.arguments]


@pytest.mark.parametrize("name", KERNELS)
def test_each_dataset_is_larger_than_the_one_before(name: str) -> None:
    volumes = [float(np.prod(list(KERNELS[name].extents(dataset).values()))) for dataset in DATASETS]
    if name not in ("atax", "bicg"):  # EXTRALARGE of these is smaller than LARGE in PolyBench itself
        assert volumes == sorted(volumes)


@pytest.mark.parametrize("name", SOURCES)
def test_the_mlir_twin_has_the_same_parameters_and_sizes(name: str) -> None:
    kernel: Kernel = KERNELS[name]
    assert [(a.name, a.extents) for a in kernel.arguments] == [
        (parameter, tuple(extents)) for parameter, extents in parameters(SOURCES[name].tree())
    ]
    assert dict(kernel.extents("LARGE")) == SOURCES[name].large


def test_random_inputs_depend_on_the_seed_alone() -> None:
    first, again, other = (KERNELS["lu"].inputs("MINI", "f32", seed)["A"] for seed in (1, 1, 2))
    assert first.dtype == np.float32
    assert np.array_equal(first, again) and not np.array_equal(first, other)


def test_unknown_names_are_refused() -> None:
    gemm = KERNELS["gemm"]
    with pytest.raises(ValueError, match="unknown dataset 'HUGE'"):
        gemm.defines("HUGE")
    with pytest.raises(ValueError, match="data types f64, f32, not 'i32'"):
        gemm.defines("MINI", "i32")
    with pytest.raises(ValueError, match="has the sizes NI, NJ, NK, not N"):
        gemm.inputs({"N": 3})


def test_the_package_ships_its_data() -> None:
    root = Path(__file__).parents[2]
    setup = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]
    patterns = setup["package-data"]["raising.polybench"]
    shipped = {path for pattern in patterns for path in (root / "polybench").glob(pattern)}
    assert shipped == {
        path
        for path in (root / "polybench").rglob("*")
        if path.suffix in (".c", ".toml") and path.parent.name != "report"
    }
