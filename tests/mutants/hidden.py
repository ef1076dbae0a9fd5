"""Changes that runs at small sizes do not see: loops that begin far out, and branches on the borders of regions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import islpy as isl

from raising.affine.ir.affine_expr import Cond, Lin, var
from raising.affine.ir.program import Guard, Program
from raising.affine.ir.renaming import renamed, with_sizes
from raising.affine.polyhedral.chambers import point_of
from raising.affine.polyhedral.scop import accesses, params
from raising.support.source import Loc
from raising.validate.proof.in_bounds import check_inbounds
from raising.validate.reading.pair import Pair, read_pair
from tests.mutants.edits import Mutant, mutants

FAR = (20, 137, 1_000_000)
"""Sizes up to which nothing runs."""
_NUMBERS = (0, 1, 2, -1, *FAR)
_POINTS = 4  # at which the oracle runs a changed branch


def far(pair: Pair, start: int) -> Pair:
    """The pair at sizes that are all smaller by `start`: nothing runs before all of them are larger than that."""
    source, target = (_later(p, start) for p in (pair.source, pair.target))
    return replace(pair, source=source, target=target, values={n: var(n) for n in source.sizes})


def _later(program: Program, start: int) -> Program:
    moved = with_sizes(program, {n: var(n) - start for n in program.sizes})
    return replace(moved, sizes=program.sizes, context=tuple(Cond(var(n)) for n in program.sizes))


# ---- borders -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Hidden:
    """A change on one border, and sizes there at which what is changed runs."""

    mutant: Mutant
    sizes: tuple[Mapping[str, int], ...]


def functions() -> dict[str, Pair]:
    """Functions of sizes, distances and positions, each beside itself; `q` is in no use."""
    return {name: read_pair(text, text) for name, text in ((n, _HEAD + body + _END) for n, body in _BODIES.items())}


def hidden(pair: Pair, count: int, seed: int = 0) -> list[Hidden]:
    """Changes of a function on one border of its parameters each, at most `count`."""
    dice = Random(seed)
    edits, borders = list(mutants(pair.target)), list(_borders(pair.target))
    chosen = [(dice.choice(edits), dice.choice(borders)) for _ in range(count)]
    allowed = check_inbounds(pair).context
    return [Hidden(changed_on(pair.target, m, cond), tuple(_points(pair.target, allowed, cond))) for m, cond in chosen]


def _borders(program: Program) -> Iterator[Cond]:
    """What holds on the border of a region that the parameters of a function may have."""
    names = program.sizes
    for k, name in enumerate(names):
        yield from (Cond(var(name) - number, equality=True) for number in _NUMBERS)
        for other in names[:k]:
            yield from (Cond(var(name) - var(other) + more, equality=True) for more in (-1, 0, 1))


def changed_on(program: Program, mutant: Mutant, cond: Cond) -> Mutant:
    """A program that is changed where a condition holds."""
    sides = [(cond, mutant.program), *((n, program) for n in cond.negated())]
    arrays, scalars, body = dict(program.arrays), dict(program.scalars), []
    for k, (where, side) in enumerate(sides):
        own = _with_own_names(side, f"b{k}_")
        arrays, scalars = {**arrays, **own.arrays}, {**scalars, **own.scalars}
        body.append(Guard((where,), own.body, Loc()))
    changed = replace(program, arrays=arrays, scalars=scalars, body=tuple(body))
    return Mutant(f"border: {mutant.kind}", f"{mutant.what} where {cond.isl()}", changed)


def _with_own_names(program: Program, prefix: str) -> Program:
    kept = {n for n, a in program.arrays.items() if a.kind == "argument"} | set(program.sizes)
    kept |= {n for n, s in program.scalars.items() if s.literal is None}
    return renamed(program, lambda name: name if name in kept else prefix + name)


def _points(program: Program, allowed: Any, cond: Cond) -> Iterator[dict[str, int]]:
    """Sizes on a border at which accesses run, and stay inside."""
    border = allowed.intersect(isl.Set(f"{params(program)}{{ : {cond.isl()} }}"))
    near = {n: 4 + k for k, n in enumerate(program.sizes)}
    seen: list[dict[str, int]] = []
    for access in accesses(program):
        for wanted in (near, {}):
            region = border.intersect(access.domain.params())
            point = point_of(region, wanted) or _far_point(region, cond)
            if point is not None and point not in seen and len(seen) < _POINTS:
                seen.append(point)
                yield point


def _far_point(region: Any, cond: Cond) -> dict[str, int] | None:
    """A point of a region with a parameter that a condition makes large, and the others small."""
    form: Lin = cond.form
    if len(form.terms) != 1 or region.is_empty():
        return None
    (name,) = form.names()
    place = region.find_dim_by_name(isl.dim_type.param, name)
    point = point_of(region.project_out(isl.dim_type.param, place, 1), {})
    return None if point is None else {**point, name: -form.const}


_HEAD = """func.func @f(%n: index, %k: index, %p: index, %q: index, %a: memref<?xf64>, %b: memref<?xf64>,
    %m: memref<?x?xf64>) {
  %z = arith.constant 0.0 : f64
  %h = arith.constant 0.5 : f64
"""
_END = "\n  return\n}"
_BODIES = {
    "delay": """affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf64>
    %y = arith.addf %x, %h : f64
    affine.store %y, %a[%i + symbol(%k)] : memref<?xf64>
  }""",
    "feedback": """affine.for %i = %k to %n {
    %x = affine.load %a[%i - symbol(%k)] : memref<?xf64>
    %y = arith.mulf %x, %h : f64
    %w = affine.load %b[%i] : memref<?xf64>
    %v = arith.addf %y, %w : f64
    affine.store %v, %a[%i] : memref<?xf64>
  }""",
    "sum": """affine.store %z, %b[0] : memref<?xf64>
  affine.for %i = %p to %n {
    %x = affine.load %a[%i] : memref<?xf64>
    %s = affine.load %b[0] : memref<?xf64>
    %t = arith.addf %s, %x : f64
    affine.store %t, %b[0] : memref<?xf64>
  }""",
    "rows": """affine.for %j = 0 to %n {
    %x = affine.load %m[symbol(%p), %j] : memref<?x?xf64>
    %y = affine.load %m[symbol(%k), %j] : memref<?x?xf64>
    %w = arith.subf %y, %x : f64
    affine.store %w, %m[symbol(%k), %j] : memref<?x?xf64>
  }""",
    "last": """affine.for %i = 0 to %n {
    affine.for %j = 0 to %k {
      affine.store %h, %b[%j] : memref<?xf64>
    }
  }""",
    "product": """affine.for %i = 0 to %n {
    affine.store %z, %b[%i] : memref<?xf64>
    affine.for %j = 0 to %k {
      %x = affine.load %m[%i, %j] : memref<?x?xf64>
      %y = affine.load %a[%j] : memref<?xf64>
      %w = arith.mulf %x, %y : f64
      %s = affine.load %b[%i] : memref<?xf64>
      %t = arith.addf %s, %w : f64
      affine.store %t, %b[%i] : memref<?xf64>
    }
  }""",
    "window": """affine.for %i = 0 to %n {
    affine.store %z, %b[%i] : memref<?xf64>
    affine.for %j = 0 to %k {
      %x = affine.load %a[%i + %j] : memref<?xf64>
      %s = affine.load %b[%i] : memref<?xf64>
      %t = arith.addf %s, %x : f64
      affine.store %t, %b[%i] : memref<?xf64>
    }
  }""",
    "triangle": """affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0)[s0] -> (d0 + s0)>(%i)[%k] {
      affine.store %h, %m[%i, %j] : memref<?x?xf64>
    }
  }""",
}
