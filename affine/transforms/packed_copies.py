"""Packed operands: what reads a local copy of a part of an array reads that part of the array itself.

    before  for j = 0 to m by 4 { P[k][q] = B[k][j + q] for all k, q;  C[i][j + q] += A[i][k] * P[k][q] }
    after   for j = 0 to m by 4 {                                      C[i][j + q] += A[i][k] * B[k][j + q] }

The array is written nowhere, and by the value-based flow each read sees what its copy stored in the same iteration of
the loops around both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import islpy as isl

from raising.affine.ir.affine_expr import Lin, var
from raising.affine.ir.program import Load, Program, Store, walk
from raising.affine.ir.rewriting import rewritten
from raising.affine.polyhedral.scop import Access, Scop, build, dependences, params, within_outer
from raising.affine.polyhedral.slice import pruned


def without_copies(program: Program) -> Program:
    """The program without such copies."""
    for store, load in list(_copies(program)):
        program = _without(program, store, load) or program
    return program


def _copies(program: Program) -> Iterator[tuple[Store, Load]]:
    """The stores of local arrays that are all that writes them, and copy what nobody writes."""
    if any(a.gathered is not None for a in program.arrays.values()):
        return  # what is read at positions that are data has no flow
    nodes = list(walk(program.body))
    loads = {n.dst: n for n in nodes if isinstance(n, Load)}
    written = [n.array for n in nodes if isinstance(n, Store)]
    for store in (n for n in nodes if isinstance(n, Store) and n.value in loads):
        array, load = program.arrays[store.array], loads[store.value]
        own = array.kind == "local" and array.shape and array.name not in program.live_out
        if own and written.count(array.name) == 1 and load.array not in written:
            yield store, load


def _without(program: Program, store: Store, load: Load) -> Program | None:
    """The program with its reads of a copy as reads of what was copied; None if one sees anything else."""
    around = within_outer(program)
    scop = build(around)
    places = _places(scop, store)
    reads = [n for n in walk(program.body) if isinstance(n, Load) and n.array == store.array]
    new: dict[str, Load] = {}
    for read in reads:
        at = _source(scop, read, store, places) if places is not None and read.dst in scop.loads else None
        if at is None:
            return None
        new[read.dst] = replace(read, array=load.array, subscripts=tuple(f.substitute(at.get) for f in load.subscripts))
    body = rewritten(program.body, lambda node: (new.get(node.dst, node) if isinstance(node, Load) else node,))
    loads = {n.dst: n.array for n in walk(body) if isinstance(n, Load)}
    kept = {s.label for s in program.stores()} - {store.label}
    made = pruned(replace(program, body=body), kept, loads, set(program.live_out))
    arrays = {name: array for name, array in program.arrays.items() if name != store.array}
    return replace(made, arrays=arrays, scalars=program.scalars, live_out=program.live_out)


def _places(scop: Scop, store: Store) -> dict[str, tuple[int, int]] | None:
    """The loop variables that say where a copy is stored: in which dimension, and how much behind it."""
    found: dict[str, tuple[int, int]] = {}
    for k, form in enumerate(store.subscripts):
        place = form.as_offset()
        if place is None or place[0] in found or place[0] not in scop.statements[store.label].write.ivs:
            return None
        found[place[0]] = k, place[1]
    return found


def _source(scop: Scop, read: Load, store: Store, places: dict[str, tuple[int, int]]) -> dict[str, Lin] | None:
    """The copy's loop variables where a read's value was stored, in those of the read; None if it is not always so."""
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
    return isl.Map(text).intersect_domain(load.domain).intersect_params(scop.context)
