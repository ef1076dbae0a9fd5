"""The loops of a subject, run as they stand, as the reference of all other programs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from raising.polybench.measure.agreement import Reference, Run, load, reference
from raising.polybench.peers import Subject
from raising.polybench.peers.c_compiler import CompilerError, compiled, compiler
from raising.polybench.peers.timing import Program, in_place
from raising.polybench.suite.kernel import kernels
from raising.polybench.suite.values import Array, Value

FLAGS = ("-O3", "-march=native", "-ffp-contract=off")
"""Arithmetic as the source spells it, however fast."""


def reference_of(subject: Subject, dataset: str, dtype: str, folder: Path) -> Reference:
    """The reference of a subject, as an earlier job kept it in `folder`; else it is made and kept there."""
    place = folder / "reference.npz"
    if not place.exists():
        made = _made(subject, dataset, dtype)
        made.save(place)
        return made
    return load(place)


def _made(subject: Subject, dataset: str, dtype: str) -> Reference:
    """Run the loops of a kernel in double precision and in their own; those of a user in their own only."""
    if not subject.kernel:
        run = _loops(subject)
        return reference(run, run, subject.values)
    try:
        wide = dtype if dtype.startswith("i") else "f64"
        return reference(_c(subject, dataset, wide), _c(subject, dataset, dtype), subject.values)
    except CompilerError:
        oracle: Run = lambda values: kernels()[subject.kernel].expected(dataset, values)  # noqa: E731
        return reference(oracle, oracle, subject.values)


def _c(subject: Subject, dataset: str, dtype: str) -> Run:
    defines = kernels()[subject.kernel].defines(dataset, dtype)
    call = compiled(subject.source, subject.function, compiler("gcc"), FLAGS, defines)
    return lambda values: _once(in_place(call, values, subject.outputs))


def _loops(subject: Subject) -> Run:
    """The compiled loops; inputs of another precision than theirs are rounded to it."""
    from raising.polybench.measure.ours import loops  # the compiler, which kernels' references do without

    types = {name: value.dtype for name, value in subject.values.items()}
    call = loops(subject)

    def run(values: Mapping[str, Value]) -> Mapping[str, Array]:
        own: dict[str, Value] = {name: np.asarray(value, types[name])[()] for name, value in values.items()}
        return _once(in_place(call, own, subject.outputs))

    return run


def _once(program: Program) -> Mapping[str, Array]:
    program.reset()
    program.run()
    return program.results()
