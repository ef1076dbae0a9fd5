"""Values to try: for attributes by their kind, and bodies for operations whose region is the user's.

Bodies come from the definitions of the scalar dialects: one per elementwise operation, and reductions over the
associative and commutative ones. A target whose regions take its own operations has regions made of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations, product

from raising.grammar.dialects.op_signature import Attr, Op, ScalarOp
from raising.grammar.measure.workbench import Attrs, Bench
from raising.grammar.terms.scalar_ops import SCALARS, combiners
from raising.grammar.terms.structured_op import Body, Excluded, Instr, Map, Production
from raising.support.record import dataclass


def values(attr: Attr, rank: int) -> tuple[str, ...] | None:
    """The values of a required attribute that fit operands up to `rank`; None if its kind is unknown."""
    if attr.values:
        return attr.values
    generator = _GENERATORS.get(attr.kind)
    return None if generator is None else generator(rank)


def _integers(rank: int) -> tuple[str, ...]:
    """Every sequence of distinct dimensions but the empty one: permutations and subsets are among them."""
    return tuple(
        f"array<i64: {', '.join(map(str, dims))}>"
        for length in range(1, rank + 1)
        for dims in permutations(range(rank), length)
    )


_GENERATORS: dict[str, Callable[[int], tuple[str, ...]]] = {
    "DenseI64ArrayAttr": _integers,
    "IntegerAttr": lambda rank: tuple(f"{i} : i64" for i in range(rank)),
}


def map_samples(inputs: int, max_dims: int) -> Iterator[tuple[int, tuple[Map, ...]]]:
    """Lists of maps to try, each with its number of dimensions: small ones first, the output in order.

    Lists for three and more inputs stop at two dimensions; they would be many.
    """
    most = max_dims if inputs <= 2 else min(max_dims, 2)
    for dims in (*range(1, most + 1), 0):
        for rank in range(dims, -1, -1):
            out = tuple(range(rank))
            for maps in product(_projections(dims, dims), repeat=inputs):
                if len({d for m in maps for d in m} | set(out)) == dims:
                    yield dims, (*maps, out)


def map_variants(maps: tuple[Map, ...], dims: int) -> Iterator[tuple[Map, ...]]:
    """Other maps for the inputs over the same dimensions, none longer than the longest of `maps`."""
    longest = max(len(m) for m in maps)
    for inputs in product(_projections(dims, longest), repeat=len(maps) - 1):
        variant = (*inputs, maps[-1])
        if variant != maps and len({d for m in variant for d in m}) == dims:
            yield variant


def _projections(dims: int, longest: int) -> list[Map]:
    return [m for length in range(longest, -1, -1) for m in permutations(range(dims), length)]


def iterators(attr: Attr, dims: int, out: Map) -> str:
    """The iterator types that the output's map implies: a dimension it lacks is reduced."""
    parallel, reduction = attr.values[:2]
    return "[" + ", ".join(parallel if d in out else reduction for d in range(dims)) + "]"


ELEMENTS = ("f64", "i32", "i1")  # any float, any integer, the truth values


@dataclass(frozen=True)
class Template:
    """A body to try, with an element type per operand (the output last)."""

    elements: tuple[str, ...]
    body: Body


def scalar_signatures(ops: tuple[Op, ...], bench: Bench) -> tuple[list[ScalarOp], list[Excluded]]:
    """The signatures that the scalar dialects' verifiers accept, and the operations that are of no use in a body."""
    found, excluded = [], []
    for op in ops:
        why = _no_scalar(op)
        attrs = None if why else next(_cases(op), None)
        types: tuple[tuple[str, ...], ...] = ()
        if attrs is not None:
            candidates = product(ELEMENTS, repeat=len(op.operands) + 1)
            types = tuple(t for t in candidates if bench.accepts_scalar(op.full_name, t, attrs))
        if types:
            found.append(ScalarOp(op, types))
        else:
            excluded.append(Excluded(op.full_name, why or "accepts no combination of f64, i32 and i1"))
    return found, excluded


def _cases(op: Op) -> Iterator[Attrs]:
    """All values of the attributes that must be given; none if their kind is unknown."""
    yield from product(*([(a.name, v) for v in values(a, 0) or ()] for a in op.required))


def _no_scalar(op: Op) -> str | None:
    if len(op.results) != 1:
        return f"has {len(op.results)} results"
    if op.regions or not op.operands or any(o.arity != "one" for o in op.operands):
        return "is no function of a fixed number of scalars"
    if "Elementwise" not in op.traits:
        return "is not elementwise by its traits"
    return None


def truthful(elements: tuple[str, ...], body: Body) -> bool:
    """False if a body computes with truth values other than by logic: i1 is a signed integer there."""
    truths = {i for i, e in enumerate(elements) if e == "i1"}
    if set(elements) == {"i1"}:
        truths = set(range(body.arity + len(body.instrs)))
    return all(_is_logic(i.op) for i in body.instrs if truths & set(i.args))


def _is_logic(name: str) -> bool:
    return name in SCALARS and SCALARS[name].residue in ("logic", "select")


def pointwise(scalars: list[ScalarOp]) -> Iterator[Template]:
    """The identity on each element type, and one body per scalar operation, types and cases."""
    for element in ELEMENTS:
        yield Template((element, element), Body(2, (), 0))
    for scalar in scalars:
        for types, case in product(scalar.types, _cases(scalar.op)):
            if "CastOpInterface" in scalar.op.traits and "i1" in types:
                continue  # a truth value is a signed one-bit integer there
            instr = Instr(scalar.op.full_name, tuple(range(len(types) - 1)), case)
            yield Template(types, Body(len(types), (instr,), len(types)))


def reductions(scalars: list[ScalarOp]) -> Iterator[Template]:
    """Bodies `in ⊕ acc` and `(in0 ⊗ in1) ⊕ acc`: ⊕ a combiner, ⊗ a combiner or a subtraction."""
    plain = [s for s in scalars if s.op.full_name in SCALARS and not s.op.required]
    outer = [s for s in plain if s.op.full_name in combiners()]
    inner = [s for s in plain if s in outer or SCALARS[s.op.full_name].residue == "sub"]
    for element, plus in product(ELEMENTS, outer):
        if "IsCommutative" not in plus.op.traits:
            raise ValueError(f"{plus.op.full_name} is a combiner here but not commutative by its definition")
        if (element,) * 3 not in plus.types:
            continue
        name = plus.op.full_name
        yield Template((element,) * 2, Body(2, (Instr(name, (0, 1)),), 2))
        for times in inner:
            if (element,) * 3 in times.types:
                steps = (Instr(times.op.full_name, (0, 1)), Instr(name, (3, 2)))
                yield Template((element,) * 3, Body(3, steps, 4))


def templates(scalars: list[ScalarOp]) -> tuple[Template, ...]:
    """All bodies to try."""
    found = dict.fromkeys((*pointwise(scalars), *reductions(scalars)))
    return tuple(t for t in found if truthful(t.elements, t.body))


@dataclass(frozen=True)
class Region:
    """A region made of one of the target's own operations on tensors of rank zero."""

    elements: tuple[str, ...]
    text: str


def regions(productions: Sequence[Production], terminator: str) -> tuple[Region, ...]:
    """A region per production that computes on tensors of rank zero."""
    found = []
    for p in productions:
        if p.family or p.region or any(p.meaning.maps) or not p.meaning.body.instrs:
            continue
        args = [f"%b{k}" for k in range(len(p.elements) - 1)]
        kinds = [f"tensor<{e}>" for e in p.elements]
        given = ", ".join(f"{a}: {t}" for a, t in zip(args, kinds, strict=False))
        attrs = "{" + ", ".join(f"{n} = {t}" for n, t in p.attrs) + "}"
        if not all(o.isdecimal() for o in p.operands):
            continue
        order = ", ".join(args[int(o)] for o in p.operands)
        text = (
            f"^bb0({given}):\n"
            f'%c = "{p.op}"({order}) {attrs} : ({", ".join(kinds[int(o)] for o in p.operands)}) -> {kinds[-1]}\n'
            f'"{terminator}"(%c) : ({kinds[-1]}) -> ()'
        )
        found.append(Region(p.elements, text))
    return tuple(dict.fromkeys(found))
