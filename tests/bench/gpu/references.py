"""What is right: the C loops of a kernel in double precision and in their own, run once and kept."""

from __future__ import annotations

from pathlib import Path

from raising.polybench.measure.agreement import Reference
from raising.polybench.measure.references import reference_of
from raising.polybench.peers import Subject
from raising.polybench.suite.kernel import kernels

SEED = 1


def subject_of(name: str, dataset: str, dtype: str) -> Subject:
    """A kernel with the values that it is called with; its loops in MLIR are not asked for."""
    kernel = kernels()[name]
    values, defines = kernel.inputs(dataset, dtype, SEED), kernel.defines(dataset, dtype)
    return Subject(name, name, kernel.path, kernel.function, defines, "", values, kernel.live_out)


def keep_reference(what: tuple[str, str, str, Path]) -> None:
    """Run the loops of (kernel, dataset, dtype), unless what they compute is kept in (folder) already."""
    name, dataset, dtype, folder = what
    kept_reference(subject_of(name, dataset, dtype), dataset, dtype, folder)


def kept_reference(subject: Subject, dataset: str, dtype: str, folder: Path) -> Reference:
    """What `keep_reference` kept."""
    place = folder / subject.name
    place.mkdir(exist_ok=True)
    return reference_of(subject, dataset, dtype, place)
