"""Boxes of elements: what a set of elements spans along each dimension, as symbolic bounds."""

from __future__ import annotations

from typing import Any

import islpy as isl

from raising.affine.ir.affine_expr import Lin
from raising.affine.ir.program import Load, Loop, Program, Store, walk
from raising.affine.polyhedral.scop import form_of, params, telling_set
from raising.support.record import dataclass


@dataclass(frozen=True)
class Box:
    """First and last position per dimension, and the distance between positions."""

    low: tuple[Lin, ...]
    high: tuple[Lin, ...]
    strides: tuple[int, ...]

    def covers(self, shape: tuple[Lin, ...]) -> bool:
        """True if the box is a whole array of this shape."""
        whole = all(a == Lin(0) for a in self.low) and all(b + 1 == s for b, s in zip(self.high, shape, strict=True))
        return whole and all(s == 1 for s in self.strides)

    @property
    def kept(self) -> tuple[int, ...]:
        """The dimensions along which the box has more than one position."""
        return tuple(k for k, (a, b) in enumerate(zip(self.low, self.high, strict=True)) if a != b)

    def region(self, array: str, program: Program) -> Any:
        """The box as an isl set of elements."""
        names = [f"e{k}" for k in range(len(self.low))]
        conds = []
        for name, low, high, stride in zip(names, self.low, self.high, self.strides, strict=True):
            conds.append(f"{low.isl()} <= {name} <= {high.isl()}")
            if stride > 1:
                conds.append(f"({name} - ({low.isl()})) mod {stride} = 0")
        return isl.Set(f"{params(program)}{{ {array}[{', '.join(names)}] : {' and '.join(conds) or 'true'} }}")

    @property
    def extents(self) -> tuple[Lin, ...]:
        """The number of positions along each kept dimension."""
        return tuple((self.high[k] - self.low[k]).floordiv(self.strides[k]) + 1 for k in self.kept)


def box_of(region: Any, program: Program, strides: tuple[int, ...]) -> Box | None:
    """The box of a set of elements; None where a bound is not one affine form for all telling sizes."""
    context = telling_set(program)
    region = region.intersect_params(context)
    if region.is_empty():
        return None
    low, high = [], []
    for k in range(region.dim(isl.dim_type.set)):
        bounds = [affine_form(f.gist(context)) for f in (region.dim_min(k), region.dim_max(k))]
        if bounds[0] is None or bounds[1] is None:
            return None
        low.append(bounds[0])
        high.append(bounds[1])
    return Box(tuple(low), tuple(high), strides)


def affine_form(piecewise: Any) -> Lin | None:
    """A piecewise isl expression as one quasi-affine form with integer coefficients; None if it is none."""
    if piecewise.n_piece() != 1:
        return None
    aff = piecewise.get_pieces()[0][1] if hasattr(piecewise, "get_pieces") else piecewise.as_aff()
    return form_of(aff) if aff.get_denominator_val().is_one() else None


def strides_of(access: Load | Store, program: Program) -> tuple[int, ...]:
    """The distance between the positions an access visits along each dimension."""
    steps = {n.iv: n.step for n in walk(program.body) if isinstance(n, Loop)}
    result = []
    for form in access.subscripts:
        moving = [(n, c) for n, c in form.terms if isinstance(n, str) and n in steps]
        result.append(abs(moving[0][1]) * steps[str(moving[0][0])] if len(moving) == 1 else 1)
    return tuple(result)
