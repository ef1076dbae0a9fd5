"""What is right: the C loops of a kernel in double precision and in their own, run once and kept."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from raising.polybench.measure.agreement import Reference, Run, load, reference
from raising.polybench.peers.c_compiler import compiled, compiler
from raising.polybench.peers.timing import in_place
from raising.polybench.suite.kernel import kernels
from raising.polybench.suite.values import Array, Value

FLAGS = ("-O3", "-march=native", "-ffp-contract=off")
SEED = 1


def keep_reference(what: tuple[str, str, str, Path]) -> None:
    """Run the loops of (kernel, dataset, dtype), and keep what they compute in (folder)."""
    name, dataset, dtype, folder = what
    place = _place(folder, name, dtype)
    if not place.exists():
        values = kernels()[name].inputs(dataset, dtype, SEED)
        wide = dtype if dtype.startswith("i") else "f64"
        reference(_run(name, dataset, wide), _run(name, dataset, dtype), values).save(place)


def kept_reference(folder: Path, name: str, dtype: str) -> Reference:
    """What `keep_reference` kept."""
    return load(_place(folder, name, dtype))


def _place(folder: Path, name: str, dtype: str) -> Path:
    return folder / f"{name}-{dtype}.npz"


def _run(name: str, dataset: str, dtype: str) -> Run:
    kernel = kernels()[name]
    call = compiled(kernel.path, kernel.function, compiler("gcc"), FLAGS, kernel.defines(dataset, dtype))

    def run(values: Mapping[str, Value]) -> Mapping[str, Array]:
        program = in_place(call, values, kernel.live_out)
        program.run()
        return program.results()

    return run
