"""A kernel as a value: its C source, and all that is needed to compile it, run it and check it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from raising.polybench.suite.initial_values import initial_value, random_value
from raising.polybench.suite.oracles_linear import BLAS
from raising.polybench.suite.oracles_solvers import SOLVERS
from raising.polybench.suite.oracles_stencils import STENCILS
from raising.polybench.suite.values import Oracle, Value
from raising.support.element_types import NUMPY
from raising.support.record import dataclass

DATASETS = ("MINI", "SMALL", "MEDIUM", "LARGE", "EXTRALARGE")
"""PolyBench's names of sizes, smallest first."""

Dataset = str | Mapping[str, int]
"""One of `DATASETS`, or a value for each size of the kernel."""

_FOLDER = Path(__file__).parents[1]
_ORACLES: Mapping[str, Oracle] = {**BLAS, **SOLVERS, **STENCILS}
_DATA_TYPE = {"f64": "DATA_TYPE_IS_DOUBLE", "f32": "DATA_TYPE_IS_FLOAT", "i32": "DATA_TYPE_IS_INT"}


@dataclass(frozen=True)
class Argument:
    """A parameter of the C function: the names of its extents, none for a scalar, and what random values it takes.

    `initial` is the formula of the values that PolyBench gives.
    """

    name: str
    extents: tuple[str, ...]
    random: str
    initial: str

    def element(self, dtype: str) -> str:
        """Its element type where `DATA_TYPE` is `dtype`: the same, unless it holds bytes."""
        return "i8" if self.random == "bases" else dtype


@dataclass(frozen=True)
class Kernel:
    """One kernel. `sizes` is dataset → macro → value; `live_out` names the arrays that are its result.

    A dtype is `f64` or `f32`, and `i32` for the two kernels that PolyBench has
    in integers; the first of `dtypes` is PolyBench's own choice, and what None means.
    """

    name: str
    sizes: Mapping[str, Mapping[str, int]]
    arguments: tuple[Argument, ...]
    live_out: tuple[str, ...]
    dtypes: tuple[str, ...]
    oracle: Oracle

    @property
    def function(self) -> str:
        """The name of the C function."""
        return "kernel_" + self.name.replace("-", "_")

    @property
    def path(self) -> Path:
        """The C file; it includes nothing but `math.h`."""
        return _FOLDER / "kernels" / f"{self.name}.c"

    @property
    def source(self) -> str:
        """The text of the C file."""
        return self.path.read_text()

    def extents(self, dataset: Dataset) -> Mapping[str, int]:
        """The value of each size macro; ValueError for a dataset that the kernel does not have."""
        if isinstance(dataset, str) and dataset not in self.sizes:
            raise ValueError(f"unknown dataset '{dataset}' (known: {', '.join(self.sizes)})")
        chosen = self.sizes[dataset] if isinstance(dataset, str) else dataset
        names = self.sizes[DATASETS[0]]
        if chosen.keys() != names.keys():
            raise ValueError(f"{self.name} has the sizes {', '.join(names)}, not {', '.join(chosen)}")
        return chosen

    def defines(self, dataset: Dataset, dtype: str | None = None) -> dict[str, str]:
        """The macros to compile with, as for `-D`: the sizes and the data type."""
        sizes = {name: str(value) for name, value in self.extents(dataset).items()}
        return {**sizes, _DATA_TYPE[self._known(dtype)]: "1"}

    def inputs(self, dataset: Dataset, dtype: str | None = None, seed: int | None = None) -> dict[str, Value]:
        """The arguments in order: PolyBench's initial values, or random ones from a seed.

        What PolyBench leaves uninitialised is zero. Random matrices are positive
        definite and the like where the kernel needs it; outputs are random too, so
        that a kernel that reads one before it writes it is seen.
        """
        sizes, chosen = self.extents(dataset), self._known(dtype)
        random = np.random.default_rng(seed)
        values: dict[str, Value] = {}
        for argument in self.arguments:
            shape = tuple(sizes[extent] for extent in argument.extents)
            if seed is None:
                value = np.broadcast_to(initial_value(argument.initial, argument.extents, sizes), shape)
            else:
                value = random_value(random, argument.random, shape, sizes)
            values[argument.name] = np.array(value, NUMPY[argument.element(chosen)])[()]
        return values

    def expected(self, dataset: Dataset, inputs: Mapping[str, Value]) -> dict[str, Any]:
        """What every argument holds after the call, by the oracle, in double precision."""
        sizes = self.extents(dataset)
        wanted = signature(self.oracle).parameters
        values = {name: np.asarray(value, np.float64)[()] for name, value in inputs.items()}
        return {**values, **self.oracle(**values, **{name: sizes[name] for name in wanted if name in sizes})}

    def _known(self, dtype: str | None) -> str:
        if dtype is not None and dtype not in self.dtypes:
            raise ValueError(f"{self.name} has the data types {', '.join(self.dtypes)}, not '{dtype}'")
        return dtype or self.dtypes[0]


@cache
def kernels() -> Mapping[str, Kernel]:
    """All 30 kernels by name, in PolyBench's spelling (`2mm`, `floyd-warshall`)."""
    with (_FOLDER / "kernels.toml").open("rb") as file:
        table = tomllib.load(file)
    return {name: _kernel(name, entry) for name, entry in table.items()}


def _kernel(name: str, entry: Mapping[str, Any]) -> Kernel:
    random = entry.get("random", {})
    initial = dict(row.split(" = ", 1) for row in entry["initial"])
    return Kernel(
        name,
        {dataset: dict(zip(entry["sizes"], entry[dataset], strict=True)) for dataset in DATASETS},
        tuple(_argument(text, random, initial) for text in entry["arguments"]),
        tuple(entry["live_out"]),
        tuple(entry.get("dtypes", ("f64", "f32"))),
        _ORACLES[name],
    )


def _argument(text: str, random: Mapping[str, str], initial: Mapping[str, str]) -> Argument:
    """Read the declaration of an argument, such as `A[N][M]`."""
    name, *extents = re.findall(r"\w+", text)
    return Argument(name, tuple(extents), random.get(name, "plain"), initial.get(name, "0"))
