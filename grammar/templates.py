"""Scalar signatures, and the bodies to try for operations whose region is the user's.

Bodies come from the definitions of the scalar dialects: one per elementwise
operation, and reductions over the associative-commutative ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from affine.record import dataclass
from grammar.attributes import values
from grammar.bench import Attrs, Bench
from grammar.meaning import Body, Excluded, Instr
from grammar.model import Op, ScalarOp
from grammar.scalar import SCALARS, combiners

ELEMENTS = ("f64", "i32", "i1")  # any float, any integer, the truth values


@dataclass(frozen=True)
class Template:
    """A body to try, with an element type per operand (the output last)."""

    elements: tuple[str, ...]
    body: Body


def scalar_signatures(ops: tuple[Op, ...], bench: Bench) -> tuple[list[ScalarOp], list[Excluded]]:
    """What the scalar dialects' verifiers accept, and the operations that are of no use in a body."""
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
