"""How far rounding may take each side of a native run from the exact result, at the sizes of the run.

Both functions are read as loop programs, given bounds beside their floats
(`raising.validate.native.error_bound_program`), compiled, and run once
on the same inputs. That costs two to six times the run itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raising.affine.ir.program import Program
from raising.frontend.mlir.reader import InputError
from raising.grammar.evaluate.number import Unsupported as NoRule
from raising.support.element_types import NUMPY
from raising.support.record import dataclass
from raising.validate.base.unreadable import Unreadable
from raising.validate.native.argument_types import Signature, Unsupported
from raising.validate.native.error_bound_program import bound_of, with_bounds
from raising.validate.native.foreign_call import Compiled, Value
from raising.validate.native.program_to_mlir import printed
from raising.validate.reading.pair import at_sizes, read_pair
from raising.validate.run.run import shapes
from raising.validate.run.running_error import UNIT

_SLACK = 1.0 + 1e-6
"""For the rounding of the bounds themselves, after up to 10⁹ steps."""

_ILL = 0.1
"""Bounds beyond this share of the largest element tell nothing."""

_NUDGE = 4.0
"""Roundings by which inputs move."""

Bound = NDArray[np.float64]


@dataclass(frozen=True)
class Bounds:
    """What rounding explains, per output (`argument 2`, `result 0`): e of the source and e of the target."""

    outputs: dict[str, tuple[Bound, Bound]]

    def judge(self, output: str, source: NDArray[Any], target: NDArray[Any]) -> Judged:
        """Compare what came out; an output that neither side computes has no error."""
        zero = np.zeros(source.shape)
        one, other = self.outputs.get(output, (zero, zero))
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            same = (source == target) | (np.isnan(source) & np.isnan(target))
            apart = np.where(same, 0.0, np.abs(source.astype(np.float64) - target.astype(np.float64)))
            both = (one + other) * _SLACK
            known = same | np.isfinite(both)
            outside = ~same & ~np.isfinite(apart) | known & (apart > both)
            ratio = np.where(known & (apart > 0) & (both > 0), apart / both, 0.0)
            norm = float(np.abs(source[np.isfinite(source)]).max(initial=0.0))
            settled = same | (known & (both <= _ILL * norm))
            lost = np.where(known & (one > 0), other / one, 1.0)
        where = tuple(int(i) for i in np.argwhere(outside)[0]) if bool(outside.any()) else None
        explained = 0.0 if where is None else float(both[where])
        largest = float(ratio.max(initial=0.0)), float(lost.max(initial=0.0))
        return Judged(where, explained, *largest, bool(settled.all()))


@dataclass(frozen=True)
class Judged:
    """The first element outside of its bounds and these (or None), the largest |a − b| / (e_a + e_b) and e_b / e_a.

    `settled` says that the bounds say something: none is more than a tenth of the largest element.
    """

    where: tuple[int, ...] | None
    explained: float
    ratio: float
    accuracy: float
    settled: bool


def rounding_bounds(
    source: str,
    target: str,
    function: str,
    inputs: Sequence[Value],
    sizes: Mapping[str, int],
    max_bytes: int,
    level: int = 3,
) -> Bounds | None:
    """The bounds of both sides on these inputs; None if a side is not read, or has an operation without a rule.

    LLVM optimises at a `level` (0 to 3) what computes them.
    """
    try:
        read = read_pair(source, target, (function, function))
        if read.gathers or _is_reshaped(read.source, inputs):
            return None
        pair = at_sizes(read, sizes)
        names = {label: ports for label, ports in zip(pair.labels, pair.outputs, strict=True)}
        found = [
            _run(program, [ports[k] for ports in names.values()], inputs, max_bytes, level)
            for k, program in enumerate((pair.source, pair.target))
        ]
    except (Unreadable, InputError, NoRule, Unsupported):
        return None
    return Bounds({label: (found[0][one], found[1][other]) for label, (one, other) in names.items()})


def _is_reshaped(program: Program, inputs: Sequence[Value]) -> bool:
    """Whether flat memory is read in rows: its elements have other subscripts then."""
    ranks = {f"a{k}": np.ndim(value) for k, value in enumerate(inputs)}
    return any(len(array.shape) > ranks.get(name, len(array.shape)) for name, array in program.arrays.items())


def _run(
    program: Program, outputs: Sequence[str], inputs: Sequence[Value], max_bytes: int, level: int
) -> dict[str, Bound]:
    """The bounds of some arrays after a run."""
    bounded = with_bounds(program)
    extents = shapes(bounded, {})
    if 8 * sum(int(np.prod(shape)) for shape in extents.values()) > max_bytes:
        raise Unsupported("the bounds take too much memory")
    given = {f"a{k}": value for k, value in enumerate(inputs) if f"a{k}" in {*program.arrays, *program.scalars}}
    values = {name: _value(program, name, value) for name, value in given.items()}
    for name in dict.fromkeys([*outputs, *(bound_of(n) for n in outputs)]):
        if name in bounded.arrays and name not in values:
            values[name] = np.zeros(extents[name], NUMPY[bounded.arrays[name].element])
    Compiled(printed(bounded, list(values), {}), "run", level).call(list(values.values()))
    none = {n: np.zeros(extents[n]) for n in outputs if bound_of(n) not in values}
    return {n: none[n] if n in none else np.asarray(values[bound_of(n)]) for n in outputs}


def _value(program: Program, name: str, value: Value) -> Value:
    """An input as the program takes it: a number may be an array of rank zero."""
    if name not in program.arrays:
        return value
    return np.array(value, NUMPY[program.arrays[name].element])


def nudged(signature: Signature, inputs: Sequence[Value], seed: int) -> Iterator[Value]:
    """The inputs with each float moved by about a rounding."""
    random = np.random.default_rng(seed)
    for slot, value in zip(signature.arguments, inputs, strict=True):
        if not slot.is_float:
            yield value
            continue
        wide = np.asarray(value, dtype=np.float64)
        moved = wide * (1.0 + _NUDGE * UNIT.get(slot.element, 0.0) * random.choice((-1.0, 1.0), wide.shape))
        yield moved.astype(NUMPY[slot.element]) if isinstance(value, np.ndarray) else float(moved)
