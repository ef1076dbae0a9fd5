"""Local arrays that are read where each element's value is known: the reads become what was stored.

    before  for j = 0 to m by 4 { P[k][q] = B[k][j + q] for all k, q;  C[i][j + q] += A[i][k] * P[k][q] }
    after   for j = 0 to m by 4 {                                      C[i][j + q] += A[i][k] * B[k][j + q] }

    before  for i, j { d[k] = x[i][k] - x[j][k] for all k;  s += d[0] * d[1] }
    after   for i, j { s += (x[i][0] - x[j][0]) * (x[i][1] - x[j][1]) }

What is stored comes from arrays that are written nowhere, and by the value-based flow each read sees what was stored
in the same iteration of the loops around both. A value that is computed is only put where single elements are read, as
of vectors of three: others would be computed several times.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import islpy as isl

from raising.affine.ir.affine_expr import Lin, var
from raising.affine.ir.program import Load, Node, Program, Store, walk
from raising.affine.ir.rewriting import rewritten, with_forms, with_names
from raising.affine.ir.value_names import Value, computed_from, values_in
from raising.affine.polyhedral.scop import Access, Scop, build, dependences, params, within_outer
from raising.affine.polyhedral.slice import pruned

_Value = tuple[Value, ...]
"""The nodes that compute a value, the last of which is named as the value."""


def forwarded(program: Program) -> Program:
    """The program without such arrays."""
    for store, value in list(_stored(program)):
        program = _without(program, store, value) or program
    return program


def _stored(program: Program) -> Iterator[tuple[Store, _Value]]:
    """The stores of local arrays that are all that writes them, with values of what nobody writes."""
    if any(a.gathered is not None for a in program.arrays.values()):
        return  # what is read at positions that are data has no flow
    nodes = list(walk(program.body))
    values = values_in(nodes)
    written = [n.array for n in nodes if isinstance(n, Store)]
    for store in (n for n in nodes if isinstance(n, Store) and n.value in values):
        array = program.arrays[store.array]
        if array.kind != "local" or not array.shape or array.name in program.live_out or written.count(array.name) > 1:
            continue
        needed = set(computed_from([store.value], values))
        made = tuple(n for n in nodes if isinstance(n, Value) and n.dst in needed)
        if any(isinstance(n, Load) for n in made) and not any(isinstance(n, Load) and n.array in written for n in made):
            yield store, made


def _without(program: Program, store: Store, value: _Value) -> Program | None:
    """The program with its reads of an array as what was stored; None if one sees anything else."""
    around = within_outer(program)
    scop = build(around)
    places = _places(scop, store)
    reads = [n for n in walk(program.body) if isinstance(n, Load) and n.array == store.array]
    if len(value) > 1 and any(not form.is_const for read in reads for form in read.subscripts):
        return None
    new: dict[str, tuple[Node, ...]] = {}
    for read in reads:
        at = _source(scop, read, store, places) if places is not None and read.dst in scop.loads else None
        if at is None:
            return None
        new[read.dst] = _computed(value, read, at)
    body = rewritten(program.body, lambda node: new.get(node.dst, (node,)) if isinstance(node, Load) else (node,))
    loads = {n.dst: n.array for n in walk(body) if isinstance(n, Load)}
    kept = {s.label for s in program.stores()} - {store.label}
    made = pruned(replace(program, body=body), kept, loads, set(program.live_out))
    arrays = {name: array for name, array in program.arrays.items() if name != store.array}
    return replace(made, arrays=arrays, scalars=program.scalars, live_out=program.live_out)


def _computed(value: _Value, read: Load, at: dict[str, Lin]) -> tuple[Node, ...]:
    """The nodes of a value in place of a read: at other iterations, and with names of their own."""
    own = {n.dst: f"{n.dst}_{read.dst}" for n in value} | {value[-1].dst: read.dst}
    moved = (with_forms(n, lambda form: form.substitute(at.get)) for n in value)
    return tuple(with_names(n, lambda name: own.get(name, name)) for n in moved)


def _places(scop: Scop, store: Store) -> dict[str, tuple[int, int]] | None:
    """The loop variables that say where a value is stored: in which dimension, and how much behind it."""
    found: dict[str, tuple[int, int]] = {}
    for k, form in enumerate(store.subscripts):
        place = form.as_offset()
        if place is None or place[0] in found or place[0] not in scop.statements[store.label].write.ivs:
            return None
        found[place[0]] = k, place[1]
    return found


def _source(scop: Scop, read: Load, store: Store, places: dict[str, tuple[int, int]]) -> dict[str, Lin] | None:
    """The store's loop variables where a read's value was stored, in those of the read; None if it is not always so."""
    load, write = scop.loads[read.dst], scop.statements[store.label].write
    if not set(write.ivs) - places.keys() <= set(load.ivs):
        return None
    at = {iv: read.subscripts[k] - behind for iv, (k, behind) in places.items()}
    at |= {iv: var(iv) for iv in write.ivs if iv not in places}
    flow = dependences(scop.flow[read.dst])
    same = len(flow) == 1 and flow[0][1].is_equal(_expected(scop, load, write, at))
    return at if same else None


def _expected(scop: Scop, load: Access, write: Access, at: dict[str, Lin]) -> Any:
    forms = ", ".join(at[iv].isl() for iv in write.ivs)
    text = f"{params(scop.program)}{{ {load.name}[{', '.join(load.ivs)}] -> {write.name}[{forms}] }}"
    inside = load.relation.intersect_range(scop.box(load.node.array)).domain()
    return isl.Map(text).intersect_domain(inside).intersect_params(scop.context)
