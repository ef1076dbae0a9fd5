"""Small changes to a loop program: each one a mistake that a compiler or a person could make."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from raising.affine.ir.affine_expr import Cond, Lin, const, var
from raising.affine.ir.program import Compute, Guard, IndexValue, Load, Loop, Node, Program, Store

Edit = tuple[str, tuple[Node, ...]]
"""What was done, and the nodes that take a node's place."""

_FLOATS = ("arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.maximumf", "arith.minimumf")
_INTEGERS = ("arith.addi", "arith.subi", "arith.muli", "arith.maxsi", "arith.minsi", "arith.divsi", "arith.shrsi")
_UNARY = ("math.sqrt", "math.exp", "math.absf", "arith.negf")
_ORDERED = ("arith.subf", "arith.divf", "arith.subi", "arith.divsi", "arith.remsi", "arith.shli", "arith.shrsi")
_CMPF, _CMPI = range(1, 7), range(6)


@dataclass(frozen=True)
class Mutant:
    """A changed program; `kind` is the operator that changed it, `what` the change."""

    kind: str
    what: str
    program: Program


def mutants(program: Program) -> Iterator[Mutant]:
    """Every mutant of one change."""
    for what, body in _Edits(program).block(program.body, ()):
        yield Mutant(what.partition(":")[0], what, replace(program, body=body))
    for name, scalar in program.scalars.items():
        for text in _other_numbers(scalar.literal, scalar.element):
            changed = {**program.scalars, name: replace(scalar, literal=text)}
            yield Mutant("constant", f"constant: {name} {scalar.literal} -> {text}", replace(program, scalars=changed))


def _other_numbers(literal: str | None, element: str) -> Iterator[str]:
    if literal is None or element in ("i1", "index"):
        return
    value = float(literal)
    if value - value == 0:
        for other in (value + 1, -value, 2 * value):
            if other != value:
                yield str(int(other)) if element.startswith("i") else repr(other)


class _Edits:
    """The edits of a program's nodes; `ivs` are the variables of the loops around a node."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def block(self, nodes: tuple[Node, ...], ivs: tuple[str, ...]) -> Iterator[Edit]:
        for k, node in enumerate(nodes):
            for what, changed in self._node(node, nodes[:k], ivs):
                yield what, nodes[:k] + changed + nodes[k + 1 :]
            if k and _movable(nodes[k - 1], node):
                yield f"order: {_name(node)} first", (*nodes[: k - 1], node, nodes[k - 1], *nodes[k + 1 :])

    def _node(self, node: Node, before: tuple[Node, ...], ivs: tuple[str, ...]) -> Iterator[Edit]:
        match node:
            case Loop():
                yield from self._loop(node, ivs)
            case Guard():
                yield from self._guard(node, ivs)
            case Load():
                yield from self._load(node, ivs)
            case Store():
                yield from self._store(node, before, ivs)
            case Compute():
                yield from self._compute(node, before)
            case IndexValue():
                for step in (-1, 1):
                    yield f"index value: {node.dst} {step:+d}", (replace(node, form=node.form + step),)

    def _store(self, node: Store, before: tuple[Node, ...], ivs: tuple[str, ...]) -> Iterator[Edit]:
        yield f"dropped: {node.label}", ()
        for what, forms in self._forms(node.subscripts, ivs):
            yield f"store index: {node.label} {what}", (replace(node, subscripts=forms),)
        for other in self._others(node.array, ivs):
            yield f"store array: {node.label} {other}", (replace(node, array=other),)
        for other in self._operands(node.value, before):
            yield f"operand: {node.label} {other}", (replace(node, value=other),)

    def _loop(self, node: Loop, ivs: tuple[str, ...]) -> Iterator[Edit]:
        for k, form in enumerate(node.lower):
            lower = (*node.lower[:k], form + 1, *node.lower[k + 1 :])
            yield f"bound: {node.iv} lower + 1", (replace(node, lower=lower),)
        for k, form in enumerate(node.upper):
            for step in (-1, 1):
                upper = (*node.upper[:k], form + step, *node.upper[k + 1 :])
                yield f"bound: {node.iv} upper {step:+d}", (replace(node, upper=upper),)
        yield f"step: {node.iv}", (replace(node, step=node.step + 1),)
        for what, body in self.block(node.body, (*ivs, node.iv)):
            yield what, (replace(node, body=body),)

    def _guard(self, node: Guard, ivs: tuple[str, ...]) -> Iterator[Edit]:
        yield "condition: dropped", node.body
        for k, cond in enumerate(node.conds):
            for step in (-1, 1):
                conds = (*node.conds[:k], Cond(cond.form + step, cond.equality), *node.conds[k + 1 :])
                yield f"condition: {step:+d}", (replace(node, conds=conds),)
            for other in cond.negated():
                conds = (*node.conds[:k], other, *node.conds[k + 1 :])
                yield "branch: turned around", (replace(node, conds=conds),)
        for what, body in self.block(node.body, ivs):
            yield what, (replace(node, body=body),)

    def _load(self, node: Load, ivs: tuple[str, ...]) -> Iterator[Edit]:
        for what, forms in self._forms(node.subscripts, ivs):
            yield f"index: {node.dst} {what}", (replace(node, subscripts=forms),)
        for other in self._others(node.array, ivs):
            yield f"array: {node.dst} {node.array} -> {other}", (replace(node, array=other),)

    def _forms(self, forms: tuple[Lin, ...], ivs: tuple[str, ...]) -> Iterator[tuple[str, tuple[Lin, ...]]]:
        for k, form in enumerate(forms):
            changed = [form + 1, form - 1, const(0), *(var(iv) for iv in ivs)]
            for other in dict.fromkeys(changed):
                if other != form:
                    yield f"{k}: {form} -> {other}", (*forms[:k], other, *forms[k + 1 :])
            for j in range(k):
                if forms[j] != form:
                    swapped = list(forms)
                    swapped[j], swapped[k] = form, forms[j]
                    yield f"{j} and {k} swapped", tuple(swapped)

    def _others(self, array: str, ivs: tuple[str, ...]) -> Iterator[str]:
        own, known = self.program.arrays[array], {*self.program.sizes, *ivs}
        for other in self.program.arrays.values():
            same = other.element == own.element and len(other.shape) == len(own.shape)
            if other.name != array and same and all(f.names() <= known for f in other.shape):
                yield other.name

    def _operands(self, name: str, before: tuple[Node, ...]) -> Iterator[str]:
        """Other values of the same type that are there."""
        types = {n.dst: _element(n, self.program) for n in before if isinstance(n, Load | Compute | IndexValue)}
        types |= {s.name: s.element for s in self.program.scalars.values()}
        own = types.get(name)
        yield from [n for n, t in types.items() if t == own and n != name][-3:]

    def _compute(self, node: Compute, before: tuple[Node, ...]) -> Iterator[Edit]:
        family: tuple[str, ...] = next((f for f in (_FLOATS, _INTEGERS, _UNARY) if node.op in f), ())
        for op in family:
            if op != node.op:
                yield f"operator: {node.dst} {node.op} -> {op}", (replace(node, op=op),)
        if node.op in _ORDERED:
            yield f"operands swapped: {node.dst}", (replace(node, args=node.args[::-1]),)
        if node.op == "arith.select":
            yield f"branch: {node.dst}", (replace(node, args=(node.args[0], node.args[2], node.args[1])),)
        if node.op in ("arith.cmpf", "arith.cmpi"):
            yield from _predicates(node)
        for k, arg in enumerate(node.args):
            for other in self._operands(arg, before):
                args = (*node.args[:k], other, *node.args[k + 1 :])
                yield f"operand: {node.dst} {k} -> {other}", (replace(node, args=args),)


def _predicates(node: Compute) -> Iterator[Edit]:
    text = dict(node.attrs)["predicate"]
    number, _, rest = text.partition(":")
    for other in _CMPF if node.op == "arith.cmpf" else _CMPI:
        if other != int(number):
            attrs = tuple((k, f"{other} :{rest}") if k == "predicate" else (k, v) for k, v in node.attrs)
            yield f"comparison: {node.dst} {number} -> {other}", (replace(node, attrs=attrs),)


def _element(node: Node, program: Program) -> str:
    return program.arrays[node.array].element if isinstance(node, Load) else node.element  # type: ignore[union-attr]


def _movable(first: Node, second: Node) -> bool:
    """Two statements or loops one after the other, or a load and a store."""
    heavy = (Loop, Guard, Store)
    return isinstance(first, heavy) and isinstance(second, (*heavy, Load))


def _name(node: Node) -> str:
    match node:
        case Loop():
            return node.iv
        case Store():
            return node.label
        case Load():
            return node.dst
        case _:
            return type(node).__name__
