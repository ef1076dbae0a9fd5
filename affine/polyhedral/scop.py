"""The polyhedral view of a program: domains, accesses, schedule and value-based flow (islpy)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any

import islpy as isl

from raising.affine.ir.affine_expr import Cond, Lin, between, var
from raising.affine.ir.program import Compute, Guard, IndexValue, Load, Loop, Node, Program, Store, walk
from raising.affine.polyhedral.counted_steps import until_restart
from raising.support.graphs import reachable
from raising.support.record import dataclass


@dataclass(frozen=True)
class Access:
    """One load or store: its loops, domain, access relation and schedule, all as isl objects."""

    node: Load | Store
    name: str
    ivs: tuple[str, ...]
    domain: Any
    relation: Any
    schedule: Any

    def named(self, name: str) -> Access:
        """The same access under another name."""
        domain, inputs = self.domain.set_tuple_name(name), isl.dim_type.in_
        maps = (m.set_tuple_name(inputs, name) for m in (self.relation, self.schedule))
        return Access(self.node, name, self.ivs, domain, *maps)

    def on(self, domain: Any) -> Access:
        """The instances in `domain` only."""
        maps = (m.intersect_domain(domain) for m in (self.relation, self.schedule))
        return Access(self.node, self.name, self.ivs, domain, *maps)


@dataclass(frozen=True)
class Statement:
    """A store with the loads and scalar operations that its value comes from."""

    label: str
    write: Access
    reads: tuple[str, ...]
    operations: frozenset[str]

    @property
    def value(self) -> str:
        """The name of the scalar that it stores."""
        assert isinstance(self.write.node, Store)
        return self.write.node.value


@dataclass(frozen=True)
class Scop:
    """A static-control part. `flow` maps a load to {load instance → the store instance it reads from}.

    It has instances at sizes that there are only.
    """

    program: Program
    statements: dict[str, Statement]
    loads: dict[str, Access]
    flow: dict[str, Any]

    @property
    def context(self) -> Any:
        """The parameter set: what is known of the sizes."""
        return context_set(self.program)

    def box(self, array: str) -> Any:
        """All elements of an array, as an isl set."""
        return box_set(self.program, array)

    def readers(self) -> dict[str, set[str]]:
        """For each statement those that read what it stores, itself perhaps."""
        found: dict[str, set[str]] = {label: set() for label in self.statements}
        for statement in self.statements.values():
            for read in statement.reads:
                for source, _ in dependences(self.flow[read]):
                    found[source].add(statement.label)
        return found

    @cached_property
    def writers(self) -> dict[str, list[Statement]]:
        """The statements that write each array, in text order."""
        found: dict[str, list[Statement]] = {}
        for s in self.statements.values():
            found.setdefault(s.write.node.array, []).append(s)
        return found


def params(program: Program) -> str:
    """isl's parameter prefix for the program's sizes."""
    return f"[{', '.join(program.sizes)}] -> "


def context_set(program: Program) -> Any:
    """All sizes that there may be: what the source guarantees of them, and nothing else."""
    return _context(program.sizes, program.context)


def sizes_where(program: Program, *alternatives: Iterable[Cond]) -> Any:
    """The sizes at which all conditions of one of some alternatives hold, whatever the context."""
    texts = (" and ".join(c.isl() for c in conds) or "true" for conds in alternatives)
    return isl.Set(f"{params(program)}{{ : {' or '.join(texts) or 'false'} }}")


def holds(sizes: Any, numbers: Mapping[str, int]) -> bool:
    """True if a set has a point where its parameters are these numbers."""
    return not at_sizes(sizes, numbers).is_empty()


def at_sizes(thing: Any, numbers: Mapping[str, int]) -> Any:
    """The part of a set or map at which those of its parameters that are named are these numbers."""
    for name, number in numbers.items():
        k = thing.find_dim_by_name(isl.dim_type.param, name)
        thing = thing if k < 0 else thing.fix_val(isl.dim_type.param, k, isl.Val(number))
    return thing


def for_some(thing: Any, names: Iterable[str]) -> Any:
    """All elements of a set or map, whatever the parameters with these names are."""
    for name in names:
        k = thing.find_dim_by_name(isl.dim_type.param, name)
        thing = thing if k < 0 else thing.project_out(isl.dim_type.param, k, 1)
    return thing


def cut(pieces: Iterable[Any], region: Any) -> list[Any]:
    """Sets cut by another one: the parts inside and outside of it that are not empty."""
    return [p for one in pieces for p in (one.intersect(region), one.subtract(region)) if not p.is_empty()]


def telling_set(program: Program) -> Any:
    """The sizes at which the search looks for programs: every one at least 1, as loops that run tell more.

    A size that a condition keeps below that may be anything: nothing runs at others.
    """
    conds = (*program.context, *(c for node in walk(program.body) if isinstance(node, Guard) for c in node.conds))
    free = {loop.iv for loop in program.outer} | {str(n) for c in conds for n, k in c.form.terms if _is_below_one(c, k)}
    return _context(program.sizes, (*program.context, *(Cond(var(n) - 1) for n in program.sizes if n not in free)))


def _is_below_one(cond: Cond, coefficient: int) -> bool:
    """True if a condition on one number alone, with this coefficient, keeps it below 1."""
    return len(cond.form.terms) == 1 and coefficient < 0 and cond.form.const + coefficient < 0


def within(loop: Loop, around: Program) -> Program:
    """The sizes within a loop: its variable is one of them."""
    context = (*around.context, *between(loop.iv, loop.lower, loop.upper))
    return replace(around, sizes=(*around.sizes, loop.iv), context=context)


def within_outer(program: Program) -> Program:
    """A program whose outer loops' variables are sizes, as its subscripts have them."""
    around = program
    for loop in program.outer:
        around = around if loop.iv in around.sizes else within(loop, around)
    return around


@lru_cache(maxsize=64)
def _context(sizes: tuple[str, ...], context: tuple[Cond, ...]) -> Any:
    known = " and ".join(c.isl() for c in context) or "true"
    return isl.Set(f"[{', '.join(sizes)}] -> {{ : {known} }}")


def box_set(program: Program, array: str) -> Any:
    """All elements of an array."""
    shape = program.arrays[array].shape
    names = [f"e{k}" for k in range(len(shape))]
    conds = " and ".join(f"0 <= {e} < {s.isl()}" for e, s in zip(names, shape, strict=True)) or "true"
    return isl.Set(f"{params(program)}{{ {array}[{', '.join(names)}] : {conds} }}")


class _Builder:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.depth = _depth(program.body)
        self.accesses: list[Access] = []
        self.computes: dict[str, Compute] = {}
        self.indices: set[str] = set()

    def visit(
        self, nodes: tuple[Node, ...], ivs: tuple[str, ...], conds: tuple[str, ...], time: tuple[str, ...]
    ) -> None:
        for position, node in enumerate(nodes):
            here = (*time, str(position))
            match node:
                case Loop():
                    self.visit(node.body, (*ivs, node.iv), conds + _bounds(node), (*here, node.iv))
                case Guard():
                    self.visit(node.body, ivs, conds + tuple(c.isl() for c in node.conds), (*here, "0"))
                case Load() | Store():
                    self.access(node, ivs, conds, here)
                case Compute():
                    self.computes[node.dst] = node
                case IndexValue():
                    self.indices.add(node.dst)

    def access(self, node: Load | Store, ivs: tuple[str, ...], conds: tuple[str, ...], time: tuple[str, ...]) -> None:
        name = node.dst if isinstance(node, Load) else node.label
        subscripts = ", ".join(s.isl() for s in node.subscripts)
        stamp = ", ".join([*time, *["0"] * (2 * self.depth + 1 - len(time))])
        element = f"{node.array}[{subscripts}]"
        self.accesses.append(
            Access(node, name, ivs, *_relations(params(self.program), name, ivs, conds, element, stamp))
        )


@lru_cache(maxsize=4096)
def _relations(
    prefix: str, name: str, ivs: tuple[str, ...], conds: tuple[str, ...], element: str, stamp: str
) -> tuple[Any, Any, Any]:
    """The domain, the relation and the schedule of an access, which one part after another asks for."""
    domain = _instances(prefix, ivs, conds).set_tuple_name(name)
    # Conditions are parsed once and then met with the maps: as texts they are what takes isl's time.
    over = f"{name}[{', '.join(ivs)}]"
    relation = isl.Map(f"{prefix}{{ {over} -> {element} }}").intersect_domain(domain)
    schedule = isl.Map(f"{prefix}{{ {over} -> [{stamp}] }}").intersect_domain(domain)
    return domain, relation, schedule


until_restart(_relations.cache_clear)


@lru_cache(maxsize=256)
def _instances(prefix: str, ivs: tuple[str, ...], conds: tuple[str, ...]) -> Any:
    """The values of loop variables under conditions."""
    where = f": {' and '.join(conds)}" if conds else ""
    return isl.Set(f"{prefix}{{ [{', '.join(ivs)}] {where} }}")


def _bounds(loop: Loop) -> tuple[str, ...]:
    conds = [f"{loop.iv} >= {f.isl()}" for f in loop.lower] + [f"{loop.iv} < {f.isl()}" for f in loop.upper]
    if loop.step > 1:
        conds.append(f"({loop.iv} - ({loop.lower[0].isl()})) mod {loop.step} = 0")
    return tuple(conds)


def _depth(nodes: tuple[Node, ...]) -> int:
    return max((1 + _depth(n.body) for n in nodes if isinstance(n, Loop | Guard)), default=0)


def accesses(program: Program) -> list[Access]:
    """Every load and store, also loads that no store needs, in text order."""
    builder = _Builder(program)
    builder.visit(program.body, (), (), ())
    return builder.accesses


def build(program: Program) -> Scop:
    """The polyhedral view of a program, with its exact value-based flow."""
    scop = accessed(program)
    flow = value_flow(list(scop.loads.values()), [s.write for s in scop.statements.values()])
    return replace(scop, flow={name: found.intersect_params(scop.context) for name, found in flow.items()})


def accessed(program: Program) -> Scop:
    """The polyhedral view of a program without any flow, for what asks for domains and accesses only."""
    builder = _Builder(program)
    builder.visit(program.body, (), (), ())
    loads = {a.name: a for a in builder.accesses if isinstance(a.node, Load)}
    stores = [a for a in builder.accesses if isinstance(a.node, Store)]
    statements = {}
    for access in stores:
        reads, operations = value_sources(access.node.value, loads, builder.computes)  # type: ignore[union-attr]
        statements[access.name] = Statement(access.name, access, reads, operations)
    needed = {r for s in statements.values() for r in s.reads}
    loads = {name: a for name, a in loads.items() if name in needed}
    return Scop(program, statements, loads, {})


def value_sources(
    value: str, loads: Mapping[str, object], computes: Mapping[str, Compute]
) -> tuple[tuple[str, ...], frozenset[str]]:
    """The loads that a value comes from, in order, and the scalar operations on the way."""
    names = reachable([value], lambda name: computes[name].args if name in computes else ())
    reads = tuple(name for name in names if name in loads)
    return reads, frozenset(computes[name].op for name in names if name in computes)


MANY_STORES = 8
"""Stores to one array from which it is worth asking whether each element is written once."""
_Finding = Callable[[list[Access], list[Access]], dict[str, Any]]
_FLOWS: dict[tuple[object, ...], tuple[tuple[Access, ...], dict[str, Any]]] = {}
"""Flow by the identity of the relations that it is of. They are held here, so that no other takes their place."""
until_restart(_FLOWS.clear)


def value_flow(loads: list[Access], stores: list[Access]) -> dict[str, Any]:
    """For each load the map {load instance → store instance whose value it reads} (Feautrier 1991).

    Each array is looked at alone: what its flow costs grows faster than the number of stores.
    """
    return dict(_remembered(loads, stores, _of_each_array))


def _remembered(loads: list[Access], stores: list[Access], find: _Finding) -> dict[str, Any]:
    every = (*loads, *stores)
    key = (find, len(loads), *((a.name, a.node.array, id(a.domain), id(a.relation), id(a.schedule)) for a in every))
    if key not in _FLOWS:
        _FLOWS[key] = every, find(loads, stores)
    return _FLOWS[key][1]


def _of_each_array(loads: list[Access], stores: list[Access]) -> dict[str, Any]:
    found: dict[str, Any] = {a.name: isl.UnionMap.empty(a.domain.get_space().params()) for a in loads}
    sinks, sources = _by_array(loads), _by_array(stores)
    for array in sinks:
        if array in sources:
            found |= _remembered(sinks[array], sources[array], _of_one_array)
    return found


def _by_array(accesses: list[Access]) -> dict[str, list[Access]]:
    found: dict[str, list[Access]] = {}
    for access in accesses:
        found.setdefault(access.node.array, []).append(access)
    return found


def _of_one_array(sinks: list[Access], stores: list[Access]) -> dict[str, Any]:
    flow = _flow_of_many(sinks, stores) if len(stores) > MANY_STORES else None
    if flow is None:
        flow = _flow_of_any(sinks, stores)
    return {a.name: flow.intersect_domain(isl.UnionSet.from_set(a.domain)) for a in sinks}


def _flow_of_many(sinks: list[Access], stores: list[Access]) -> Any:
    """The flow where no element is written twice, as in tables that are stored one by one; None where one may be.

    Then a load has what was stored to its element before it. isl, which asks for each store whether another comes
    between, takes minutes for sixty.
    """
    written = _union(a.relation for a in stores)
    if not written.is_injective():
        return None
    same = _union(a.relation for a in sinks).apply_range(written.reverse())
    times, earlier = (_union(a.schedule for a in of) for of in (sinks, stores))
    return same.intersect(times.lex_gt_union_map(earlier))


def _flow_of_any(sinks: list[Access], stores: list[Access]) -> Any:
    info = isl.UnionAccessInfo.from_sink(_union(a.relation for a in sinks))
    info = info.set_must_source(_union(a.relation for a in stores))
    info = info.set_schedule_map(_union(a.schedule for a in [*sinks, *stores]))
    return info.compute_flow().get_must_dependence().reverse()


def dependences(flow: Any) -> list[tuple[str, Any]]:
    """A load's flow as (source label, map) pairs in a fixed order."""
    maps = flow.get_map_list()
    found = [maps.get_at(k) for k in range(maps.n_map())]
    return sorted(((m.get_tuple_name(isl.dim_type.out), m) for m in found), key=lambda pair: pair[0])


def _union(maps: Any) -> Any:
    result = None
    for m in maps:
        result = isl.UnionMap.from_map(m) if result is None else result.union(isl.UnionMap.from_map(m))
    return result


def conjunctions(region: Any, names: tuple[str, ...]) -> tuple[tuple[Cond, ...], ...]:
    """An isl set over dimensions `names` as disjoint alternatives, each a conjunction of conditions."""
    found = []
    for basic in region.make_disjoint().compute_divs().get_basic_sets():
        constraints = basic.remove_redundancies().get_constraints()
        found.append(tuple(Cond(form_of(c.get_aff(), names), c.is_equality()) for c in constraints))
    return tuple(found)


def form_of(aff: Any, names: tuple[str, ...] = ()) -> Lin:
    """An isl affine expression over parameters and dimensions `names`, times its denominator."""
    whole = aff.get_denominator_val()

    def number(value: Any) -> int:
        return int(value.mul(whole).to_python())

    form = Lin(number(aff.get_constant_val()))
    for kind in (isl.dim_type.param, isl.dim_type.in_, isl.dim_type.div):
        for k in range(aff.dim(kind)):
            c = number(aff.get_coefficient_val(kind, k))
            if c and kind == isl.dim_type.div:
                inner = aff.get_div(k)
                quotient = form_of(inner, names).floordiv(int(inner.get_denominator_val().to_python()))
                form = form + quotient.scaled(c)
            elif c:
                name = aff.get_dim_name(kind, k) if kind == isl.dim_type.param else names[k]
                form = form + var(name).scaled(c)
    return form
