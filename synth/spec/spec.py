"""Specifications: what one part computes, as values at a few size vectors.

A specification is extensional. The part's program runs on random inputs in
the field, and the search must find a term with the same outputs wherever the
part writes; elsewhere anything will do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from raising.affine.ir.affine_expr import Lin
from raising.affine.ir.program import Program
from raising.grammar.evaluate.number import Num
from raising.grammar.evaluate.sample import Sample
from raising.grammar.terms.term import TensorType, Term
from raising.support.record import dataclass
from raising.synth.spec.seeds import Source


@dataclass(frozen=True)
class Crop:
    """The box of an output that a term is to fill, in the fields of `Window`; `region` is its isl set."""

    type: TensorType
    offsets: tuple[Lin, ...]
    kept: tuple[int, ...]
    strides: tuple[int, ...]
    region: Any

    def lies_in(self, shape: Sequence[int], sizes: Mapping[str, int]) -> bool:
        """Whether no element of the box lies outside of an array of this shape."""
        return all(_inside(s, n) for s, n in zip(self.slices(sizes), shape, strict=True))

    def slices(self, sizes: Mapping[str, int]) -> tuple[slice, ...]:
        """The box as NumPy indices, of extent one along the dimensions not kept."""
        box = [slice(o, o + 1) for o in (form.evaluate(sizes) for form in self.offsets)]
        for dim, extent in zip(self.kept, self.type.dims, strict=True):
            start, step = self.offsets[dim].evaluate(sizes), self.strides[dim]
            box[dim] = slice(start, start + step * extent.evaluate(sizes), step)
        return tuple(box)


def _inside(part: slice, extent: int) -> bool:
    """Whether a slice takes nothing, or no element outside of an array of so many."""
    places = range(part.start, part.stop, part.step or 1)
    return not places or (places[0] >= 0 and places[-1] < extent)


@dataclass(frozen=True)
class Spec:
    """What to find: a term of type `type` for output `output` over `inputs`.

    With `crop` the term has the type of a box of the output, and fills it.
    `operations` are the scalar operations of the source, `reduces` tells if
    values flow from one iteration to the next, `values` the source's sizes, `source`
    the part's program as terms, from which seeds are made.
    """

    output: str
    type: TensorType
    inputs: tuple[Term, ...]
    operations: frozenset[str]
    reduces: bool
    samples: tuple[Sample, ...]
    values: dict[str, Lin]
    source: Source
    crop: Crop | None = None

    def stands_at(self, sample: Sample) -> bool:
        """Whether the box of the output lies in it at a sample: one that begins inside may not at other sizes."""
        return self.crop is None or self.crop.lies_in(sample.outputs[self.output].res.shape, sample.sizes)

    def wanted(self, sample: Sample) -> tuple[Num, npt.NDArray[np.bool_]]:
        """The output's values and mask at a sample, cropped."""
        value, mask = sample.outputs[self.output], sample.masks[self.output]
        if self.crop is None:
            return value, mask
        box, shape = self.crop.slices(sample.sizes), tuple(d.evaluate(sample.sizes) for d in self.crop.type.dims)
        return Num(value.res[box].reshape(shape), value.flt[box].reshape(shape)), mask[box].reshape(shape)


def type_of(program: Program, array: str) -> TensorType:
    """An array's type with symbolic extents."""
    a = program.arrays[array]
    return TensorType(a.element, a.shape)
