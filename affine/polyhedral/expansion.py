"""Live ranges, privatisation, and expansion: a memory that every iteration defines anew gets one copy per iteration.

A temporary that is reused by each iteration of a loop (doitgen's `sum[p]`, a scalar accumulator) carries no value from
one iteration to the next; only the shared storage orders them. Such a memory is privatisable: indexed by the loop
variable it becomes a tensor (Feautrier 1988, array expansion).

C code also uses one scalar in nest after nest. A live range (a web, Chaitin et al. 1981) is a set of stores and loads
that share values; each live range gets a memory of its own first, so that it can be expanded by itself.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import Any

import islpy as isl

from raising.affine.ir.affine_expr import Cond, Lin, var
from raising.affine.ir.program import Array, Guard, Load, Loop, Node, Program, Store, walk
from raising.affine.ir.rewriting import rewritten
from raising.affine.ir.value_names import defined
from raising.affine.polyhedral.scop import Access, Scop, build, dependences
from raising.support.record import dataclass


def split_live_ranges(scop: Scop) -> Scop:
    """The program with a memory for each web of its local arrays, or the same one if each has one web."""
    program = scop.program
    renamed: dict[str, str] = {}
    for name, array in program.arrays.items():
        if array.kind == "local" and name not in program.live_out:
            renamed |= _new_names(scop, name)
    if not renamed:
        return scop
    arrays = dict(program.arrays)
    body = _rename(program.body, renamed)
    for label, statement in scop.statements.items():
        if label in renamed:
            arrays[renamed[label]] = replace(arrays[statement.write.node.array], name=renamed[label])
    return build(replace(program, arrays=arrays, body=body))


def _new_names(scop: Scop, array: str) -> dict[str, str]:
    """The memory of each store and load, by label and name, that is not of the first web; none if a read is open."""
    stores = [s.label for s in scop.writers.get(array, ())]
    loads = [a for a in scop.loads.values() if a.node.array == array]
    web = {label: number for number, label in enumerate(stores)}
    sources: dict[str, list[str]] = {}
    for load in loads:
        sources[load.name] = _sources(scop, load)
        if not sources[load.name]:
            return {}
        joined = {web[label] for label in sources[load.name]}
        web = {label: min(joined) if number in joined else number for label, number in web.items()}
    webs = {**web, **{load: web[labels[0]] for load, labels in sources.items()}}
    return {name: f"{array}_web{number}" for name, number in webs.items() if number != 0}


def _sources(scop: Scop, load: Access) -> list[str]:
    """The stores that a load reads from; none if it may read what was there before."""
    flow = scop.flow[load.name]
    if not isl.UnionSet.from_set(load.domain.intersect_params(scop.context)).is_subset(flow.domain()):
        return []
    return [label for label, _ in dependences(flow)]


def _rename(nodes: tuple[Node, ...], renamed: dict[str, str]) -> tuple[Node, ...]:
    """Nodes whose loads (by name) and stores (by label) access other arrays."""

    def change(node: Node) -> tuple[Node, ...]:
        if isinstance(node, Load | Store) and (name := defined(node)[0]) in renamed:
            node = replace(node, array=renamed[name])
        return (node,)

    return rewritten(nodes, change)


MAX_RANK = 6


@dataclass(frozen=True)
class _Plan:
    """Expand `array` by the loops `ivs`, whose extents are `extents`; copy the last iteration back if `last`."""

    array: str
    ivs: tuple[str, ...]
    extents: tuple[Lin, ...]
    last: Node | None


def expand(scop: Scop, dynamic: frozenset[str] = frozenset(), stay: frozenset[str] = frozenset()) -> Scop:
    """The program with every privatisable memory expanded, or the same one if there is none.

    `dynamic` names the sizes that may be 0 at run time: there is no last
    iteration then, and the copy back is guarded. The loops over the variables
    `stay` run in sequence: their iterations share their memory.
    """
    scop = split_live_ranges(scop)
    program = scop.program
    for name in sorted(program.arrays):
        plan = _plan(scop, name, dynamic, stay)
        if plan is not None:
            program = _apply(program, plan)
    return scop if program is scop.program else build(program)


def _plan(scop: Scop, array: str, dynamic: frozenset[str], stay: frozenset[str]) -> _Plan | None:
    stores = [s.write for s in scop.statements.values() if s.write.node.array == array]
    loads = [a for a in scop.loads.values() if a.node.array == array]
    if not stores or not loads:
        return None
    used = {n for a in stores + loads for f in a.node.subscripts for n in f.names()}
    common = [iv for iv in stores[0].ivs if all(iv in a.ivs for a in stores + loads)]
    loops = {n.iv: n for n in walk(scop.program.body) if isinstance(n, Loop)}
    ivs = tuple(iv for iv in common if iv not in used | stay and is_private(scop, loads, iv))
    ivs = ivs[: MAX_RANK - len(scop.program.arrays[array].shape)]
    extents = [_extent(iv, loops) for iv in ivs]
    if not ivs or any(e is None for e in extents):
        return None
    known = tuple(e for e in extents if e is not None)
    if array not in scop.program.live_out:
        return _Plan(array, ivs, known, None)
    last = _copy_back(stores, ivs, loops)
    if last is None:
        return None
    open_ = [Cond(loops[iv].upper[0] - 1 - loops[iv].lower[0]) for iv in ivs if loops[iv].upper[0].names() & dynamic]
    return _Plan(array, ivs, known, Guard(tuple(open_), (last,), stores[0].node.loc) if open_ else last)


def is_private(scop: Scop, loads: list[Access], iv: str) -> bool:
    """True if every load reads a value stored in the same iteration of `iv`."""
    for load in loads:
        flow = scop.flow[load.name]
        read = isl.UnionSet.from_set(load.domain.intersect_params(scop.context))
        if not read.is_subset(flow.domain()):
            return False
        for label, dependence in dependences(flow):
            source = scop.statements[label].write
            same = dependence.equate(isl.dim_type.in_, load.ivs.index(iv), isl.dim_type.out, source.ivs.index(iv))
            if not dependence.is_subset(same):
                return False
    return True


def _extent(iv: str, loops: dict[str, Loop]) -> Lin | None:
    """A bound of `iv` that holds in every iteration of the loops around it; None if its start may be negative."""
    loop = loops[iv]
    if any(f.const < 0 or any(c < 0 for _, c in f.terms) for f in loop.lower[:1]):
        return None
    return _largest(loop.upper[0] - 1, loops) + 1


def _largest(form: Lin, loops: dict[str, Loop]) -> Lin:
    inner = [(n, c) for n, c in form.terms if isinstance(n, str) and n in loops]
    if not inner:
        return form
    name, c = inner[-1]
    bound = loops[name].upper[0] - 1 if c > 0 else loops[name].lower[0]
    return _largest(form.substitute(lambda n: bound if n == name else None), loops)


def _copy_back(stores: list[Access], ivs: tuple[str, ...], loops: dict[str, Loop]) -> Node | None:
    """A nest that copies the last iteration's values to the memory itself, if those are its final contents."""
    written = _elements(stores)
    lasts = [loops[iv].upper[0] - 1 for iv in ivs]
    if any(
        len(loops[iv].upper) > 1 or loops[iv].step > 1 or f.names() & loops.keys()
        for iv, f in zip(ivs, lasts, strict=True)
    ):
        return None
    for store in stores:
        if not _final(store, ivs, lasts, written):
            continue
        store_node = store.node
        inner = [iv for iv in store.ivs if any(iv in f.names() for f in store_node.subscripts)]
        if any(f.names() & set(ivs) for iv in inner for f in (*loops[iv].lower, *loops[iv].upper)):
            continue
        return _copy_nest(store_node, inner, lasts, loops)
    return None


def _elements(stores: list[Access]) -> Any:
    return reduce(lambda elements, more: elements.union(more), (store.relation.range() for store in stores))


def _final(store: Access, ivs: tuple[str, ...], lasts: list[Lin], written: Any) -> bool:
    """True if the last iteration of `ivs` writes every element that is ever written."""
    relation = store.relation
    conds = " and ".join(f"{iv} = {f.isl()}" for iv, f in zip(ivs, lasts, strict=True))
    names = ", ".join(relation.get_dim_name(isl.dim_type.param, k) for k in range(relation.dim(isl.dim_type.param)))
    last = isl.Set(f"[{names}] -> {{ {store.name}[{', '.join(store.ivs)}] : {conds} }}")
    positive = isl.Set(f"[{names}] -> {{ : {' and '.join(f'{n} >= 1' for n in names.split(', ') if n) or 'true'} }}")
    return bool(written.intersect_params(positive).is_subset(relation.intersect_domain(last).range()))


def _copy_nest(store: Load | Store, inner: list[str], lasts: list[Lin], loops: dict[str, Loop]) -> Node:
    renamed = {iv: f"{iv}_out" for iv in inner}

    def rename(form: Lin) -> Lin:
        return form.substitute(lambda n: var(renamed[n]) if n in renamed else None)

    subscripts = tuple(rename(f) for f in store.subscripts)
    value = f"{store.array}_out"
    nodes: tuple[Node, ...] = (
        Load(value, expanded_name(store.array), (*lasts, *subscripts), store.loc),
        Store(f"S{store.array}_out", store.array, subscripts, value, store.loc),
    )
    for iv in reversed(inner):
        loop = loops[iv]
        lower, upper = tuple(map(rename, loop.lower)), tuple(map(rename, loop.upper))
        nodes = (replace(loop, iv=renamed[iv], lower=lower, upper=upper, body=nodes),)
    return nodes[0] if len(nodes) == 1 else Loop(f"{store.array}_once", (Lin(0),), (Lin(1),), 1, nodes, store.loc)


def expanded_name(array: str) -> str:
    """The name of an array's expanded form."""
    return f"{array}_x"


def _apply(program: Program, plan: _Plan) -> Program:
    old = program.arrays[plan.array]
    new = Array(expanded_name(plan.array), old.element, (*plan.extents, *old.shape), "local")
    prefix = tuple(var(iv) for iv in plan.ivs)

    def change(node: Node) -> tuple[Node, ...]:
        if isinstance(node, Load | Store) and node.array == plan.array:
            return (replace(node, array=new.name, subscripts=(*prefix, *node.subscripts)),)
        ends = isinstance(node, Loop) and node.iv == plan.ivs[0] and plan.last is not None
        return (node, plan.last) if ends and plan.last is not None else (node,)

    arrays = {**program.arrays, new.name: new}
    if plan.last is None:
        del arrays[plan.array]
    return replace(program, arrays=arrays, body=rewritten(program.body, change))
