"""`scf`: loops over tensors and conditions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from mlir import ir

from raising.readable.function_writer import FunctionWriter
from raising.readable.index_forms import Form
from raising.readable.python_nodes import Node, assign, constant, name
from raising.readable.python_values import Expr, Unsaid

W = FunctionWriter


def _is_array(value: Any) -> bool:
    return isinstance(value.type, ir.RankedTensorType) and value.type.rank > 0


def carried(
    w: W, op: Any, inits: Sequence[Any], results: Sequence[Any], yielded: Sequence[Any], arguments: Sequence[Any]
) -> list[str]:
    """Variables for what a loop carries, with their first values."""
    found: list[str] = []
    at = w.order.place(op)
    for k, (init, result) in enumerate(zip(inits, results, strict=True)):
        given = w.value(init)
        home = w.homes.known.get(result)
        array = _is_array(init)
        if home is not None and home not in found and _stays(w, home, init):
            w.release(home, at, inits[k + 1 :])
        elif home is not None and home not in found:
            w.release(home, at, inits[k:])
            given = w.value(init)
            dtype = next((w.known[m].dtype for m, n in w.memories.items() if n == home), given.dtype)
            w.store_all(home, given, w.shape(init) if array else [], dtype)
        elif _may_take(w, op, init, given, inits, found):
            assert isinstance(given.node, ast.Name)
            home = given.node.id
        else:
            full = w.full(given, w.shape(init)) if array else given
            if not array and given.weak:
                full = w.scalars.strong(given) if given.dtype != "int64" else given
            bound = w.bound(full, "t" if array else "s")
            assert isinstance(bound.node, ast.Name)
            home = bound.node.id
        found.append(home)
        w.kinds[home] = given.dtype
        w.homes.known.setdefault(result, home)
        w.homes.keep(yielded[k], home)
        w.homes.keep(result, home)
    return found


def _may_take(w: W, op: Any, init: Any, given: Expr, inits: Sequence[Any], taken: Sequence[str]) -> bool:
    """Whether the variable of a first value may be the variable of the loop."""
    if not isinstance(given.node, ast.Name) or given.node.id not in w.own or given.node.id in taken:
        return False
    here = (init.owner if isinstance(init, ir.BlockArgument) else init.owner.operation.block) == op.block
    others = sum(isinstance(w.value(v).node, ast.Name) and given.node.id in w.value(v).reads for v in inits)
    return bool(here and others == 1 and not w.order.needed(init, w.order.place(op)))


def entered(w: W, variables: Sequence[str], arguments: Sequence[Any], firsts: Sequence[Expr]) -> None:
    """What the body of a loop sees."""
    for own, argument, first in zip(variables, arguments, firsts, strict=True):
        rank = argument.type.rank if isinstance(argument.type, ir.RankedTensorType) else 0
        w.known[argument] = Expr(name(own), first.dtype, rank, frozenset([own]), view=rank > 0)


def assigned(w: W, op: Any, variables: Sequence[str], yielded: Sequence[Any]) -> None:
    """The next values of what a loop carries, or the results of a branch."""
    at = w.order.place(op)
    left = [k for k, v in enumerate(yielded) if not _stays(w, variables[k], v)]
    while left:
        free = next((k for k in left if not _read_by(w, variables[k], [yielded[j] for j in left if j != k])), left[0])
        left.remove(free)
        own = variables[free]
        w.release(own, at, [yielded[j] for j in left])
        _give(w, own, yielded[free])


def _stays(w: W, own: str, value: Any) -> bool:
    given = w.value(value)
    return isinstance(given.node, ast.Name) and given.node.id == own


def _read_by(w: W, own: str, values: Sequence[Any]) -> bool:
    return any(own in w.value(v).reads for v in values)


def _give(w: W, own: str, value: Any) -> None:
    given = w.value(value)
    if not _is_array(value):
        if given.weak and given.dtype != "int64":
            given = w.scalars.strong(given)
        w.statements.append(assign(name(own), w.fitted(given, w.kinds.get(own, given.dtype)).node))
        return
    memory = next((m for m, n in w.memories.items() if n == own), None)
    if memory is not None:
        w.store_all(own, given, w.shape(memory), w.known[memory].dtype)
        return
    given = w.full(given, w.shape(value))
    w.put(name(own), given)


def _for(w: W, op: Any) -> None:
    low, high, step = (w.value(op.operands[k]) for k in range(3))
    inits = [op.operands[k] for k in range(3, len(op.operands))]
    natural = low.form is not None and w.forms.is_natural(low.form)
    bounds = tuple(w.forms.node(w.forms.unclamped(e.form)) if e.form is not None else e.node for e in (low, high, step))
    counted_loop(w, op, bounds, inits, natural, high.form)


def counted_loop(w: W, op: Any, bounds: Sequence[Node], inits: Sequence[Any], natural: bool, high: Form | None) -> None:
    """A loop from `bounds[0]` up to `bounds[1]`, without it, in steps of `bounds[2]`.

    The counter is at least 0 if `natural`, and less than `high`.
    """
    block = op.regions[0].blocks[0]
    last = block.operations[len(block.operations) - 1].operation
    results, arguments = list(op.results), list(block.arguments)
    variables = carried(w, op, inits, results, list(last.operands), arguments[1:])
    firsts = [w.value(v) for v in inits]
    w.release_written(op, variables)
    counter = w.counter()
    with w.inside() as body:
        form = w.forms.counter(counter, natural, high)
        w.known[arguments[0]] = Expr(name(counter), "int64", weak=True, form=form)
        entered(w, variables, arguments[1:], firsts)
        w.defined.add(counter)
        w.run(block)
        assigned(w, last, variables, list(last.operands))
    w.statements += w.dialect.loop(counter, bounds, body, w.defined)
    w.used.discard(counter)
    left(w, variables, results, firsts)


def left(w: W, variables: Sequence[str], results: Sequence[Any], firsts: Sequence[Expr]) -> None:
    """What is known behind a loop."""
    for own, result, first in zip(variables, results, firsts, strict=True):
        rank = result.type.rank if isinstance(result.type, ir.RankedTensorType) else 0
        w.known[result] = Expr(name(own), first.dtype, rank, frozenset([own]), view=rank > 0)


def _if(w: W, op: Any) -> None:
    test = w.value(op.operands[0])
    variables = []
    for result in op.results:
        own = w.homes.known.get(result)
        if own is None:
            own = w.fresh("t" if _is_array(result) else "s")
            w.homes.keep(result, own)
        variables.append(own)
    w.release_written(op, variables)
    branches, dtypes = [], [""] * len(variables)
    for region in op.regions:
        with w.inside() as body:
            for block in region.blocks:
                w.run(block)
                last = block.operations[len(block.operations) - 1].operation
                assigned(w, last, variables, list(last.operands))
                dtypes = [w.value(v).dtype for v in last.operands]
        branches.append(body)
    if not branches[1:]:
        branches.append([])
    made = {v for v, r in zip(variables, op.results, strict=True)} - w.defined
    w.statements += w.dialect.branch(test.node, branches[0], branches[1], test.static, w.defined, made)
    w.defined |= set(variables)
    for own, result, dtype in zip(variables, op.results, dtypes, strict=True):
        rank = result.type.rank if _is_array(result) else 0
        w.known[result] = Expr(name(own), dtype, rank, frozenset([own]), view=rank > 0)


def _while(w: W, op: Any) -> None:
    if not w.dialect.in_place:
        raise Unsaid("a loop that runs until a condition holds")
    before, after = (r.blocks[0] for r in op.regions)
    condition = before.operations[len(before.operations) - 1].operation
    last = after.operations[len(after.operations) - 1].operation
    inits = list(op.operands)
    passed = [condition.operands[k] for k in range(1, len(condition.operands))]
    if len(passed) != len(inits):
        raise Unsaid("a loop that runs until a condition holds")
    variables = []
    for init in inits:
        given = w.value(init)
        bound = w.bound(
            w.full(given, w.shape(init)) if _is_array(init) else w.scalars.strong(given),
            "t" if _is_array(init) else "s",
        )
        variables.append(ast.unparse(bound.node))
    firsts = [w.value(v) for v in inits]
    w.release_written(op, variables)
    with w.inside() as body:
        entered(w, variables, list(before.arguments), firsts)
        w.run(before)
        test = w.value(condition.operands[0]).node
        body.append(ast.If(ast.UnaryOp(ast.Not(), test), [ast.Break()], []))
        w.statements = body
        if any(p != a for p, a in zip(passed, before.arguments, strict=True)):
            raise Unsaid("a loop that runs until a condition holds")
        entered(w, variables, list(after.arguments), firsts)
        w.run(after)
        assigned(w, last, variables, list(last.operands))
    w.statements.append(ast.While(constant(True), body, []))
    left(w, variables, list(op.results), firsts)


def nothing(w: W, op: Any) -> None:
    """The end of a region is said by what it is in."""


STRUCTURED: dict[str, Callable[[FunctionWriter, Any], None]] = {
    "scf.for": _for,
    "scf.if": _if,
    "scf.while": _while,
    "scf.yield": nothing,
    "scf.condition": nothing,
}
