"""`scf`: loops over tensors and conditions. What a loop carries, or a branch yields, is a variable of Python."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Affine
from raising.readable.function_writer import FunctionWriter
from raising.readable.python_nodes import Node, assign, constant, name
from raising.readable.python_values import Expr, Unsaid

W = FunctionWriter


def _is_array(value: Any) -> bool:
    return isinstance(value.type, ir.RankedTensorType) and value.type.rank > 0


def _terminator(block: Any) -> Any:
    return block.operations[len(block.operations) - 1].operation


# ---- variables -----------------------------------------------------------------------------------


def _carried(w: W, op: Any, inits: Sequence[Any], yielded: Sequence[Any]) -> list[str]:
    """A variable for each value that a loop carries, which has its first value."""
    variables: list[str] = []
    for k, result in enumerate(op.results):
        dtype = w.value(inits[k]).dtype
        own = _initialised(w, op, inits, k, variables)
        variables.append(own)
        w.kinds[own] = dtype
        w.homes.known.setdefault(result, own)
        w.homes.keep(yielded[k], own)
        w.homes.keep(result, own)
    return variables


def _initialised(w: W, op: Any, inits: Sequence[Any], k: int, taken: Sequence[str]) -> str:
    """The variable of value `k`: where the result ends anyway, that of the first value, or a new one."""
    init, at = inits[k], w.order.place(op)
    home, array = w.homes.known.get(op.results[k]), _is_array(init)
    if home is not None and home not in taken:
        if _is_in(w, home, init):
            w.release(home, at, inits[k + 1 :])
            return home
        w.release(home, at, inits[k:])
        first = w.value(init)
        dtype = next((w.known[m].dtype for m, n in w.memories.items() if n == home), first.dtype)
        w.store_all(home, first, w.shape(init) if array else [], dtype)
        return home
    first = w.value(init)
    if isinstance(first.node, ast.Name) and first.node.id not in taken and _may_take(w, op, init, first.node.id, inits):
        return first.node.id
    return _bound(w, w.full(first, w.shape(init)), "t") if array else _bound(w, _typed(w, first), "s")


def _may_take(w: W, op: Any, init: Any, variable: str, inits: Sequence[Any]) -> bool:
    """Whether the variable of a first value may be the variable of the loop."""
    if variable not in w.own or w.order.needed(init, w.order.place(op)):
        return False
    here = (init.owner if isinstance(init, ir.BlockArgument) else init.owner.operation.block) == op.block
    values = [w.value(v) for v in inits]
    return bool(here and sum(isinstance(v.node, ast.Name) and variable in v.reads for v in values) == 1)


def _bound(w: W, value: Expr, hint: str) -> str:
    """A new variable with a value."""
    return ast.unparse(w.bound(value, hint).node)


def _typed(w: W, value: Expr) -> Expr:
    """A number of NumPy's, but for integers of Python, which count."""
    return w.scalars.strong(value) if value.weak and value.dtype != "int64" else value


def _is_in(w: W, variable: str, value: Any) -> bool:
    node = w.value(value).node
    return isinstance(node, ast.Name) and node.id == variable


def _hold(w: W, variables: Sequence[str], values: Sequence[Any], dtypes: Sequence[str]) -> None:
    """Let variables be what is known of arguments of a block, or of results."""
    for own, value, dtype in zip(variables, values, dtypes, strict=True):
        rank = value.type.rank if isinstance(value.type, ir.RankedTensorType) else 0
        w.known[value] = Expr(name(own), dtype, rank, frozenset([own]), view=rank > 0)


def _assign(w: W, variables: Sequence[str], terminator: Any) -> None:
    """Give variables what a region yields, each before a value that reads it is lost, where there is such an order."""
    yielded = list(terminator.operands)
    left = [k for k, v in enumerate(yielded) if not _is_in(w, variables[k], v)]
    while left:
        unread = (k for k in left if not any(variables[k] in w.value(yielded[j]).reads for j in left if j != k))
        k = next(unread, left[0])
        left.remove(k)
        w.release(variables[k], w.order.place(terminator), [yielded[j] for j in left])
        _give(w, variables[k], yielded[k])


def _give(w: W, own: str, value: Any) -> None:
    given = w.value(value)
    memory = next((m for m, n in w.memories.items() if n == own), None)
    if not _is_array(value):
        given = _typed(w, given)
        w.statements.append(assign(name(own), w.fitted(given, w.kinds.get(own, given.dtype)).node))
    elif memory is not None:
        w.store_all(own, given, w.shape(memory), w.known[memory].dtype)
    else:
        w.put(name(own), w.full(given, w.shape(value)))


# ---- operations ----------------------------------------------------------------------------------


def _for(w: W, op: Any) -> None:
    low, high, step = (w.value(op.operands[k]) for k in range(3))
    inits = [op.operands[k] for k in range(3, len(op.operands))]
    natural = low.form is not None and w.forms.is_natural(low.form)
    bounds = tuple(w.forms.node(w.forms.unclamped(e.form)) if e.form is not None else e.node for e in (low, high, step))
    counted_loop(w, op, bounds, inits, natural, high.form)


def counted_loop(
    w: W, op: Any, bounds: Sequence[Node], inits: Sequence[Any], natural: bool, high: Affine | None
) -> None:
    """A loop from `bounds[0]` up to `bounds[1]`, without it, in steps of `bounds[2]`.

    The counter is at least 0 if `natural`, and less than `high`.
    """
    block = op.regions[0].blocks[0]
    iterator, *arguments = block.arguments
    variables = _carried(w, op, inits, list(_terminator(block).operands))
    dtypes = [w.value(v).dtype for v in inits]
    w.release_written(op, variables)
    counter = w.counter()
    with w.inside() as body:
        form = w.forms.counter(counter, natural, high)
        w.known[iterator] = Expr(name(counter), "int64", weak=True, form=form)
        _hold(w, variables, arguments, dtypes)
        w.defined.add(counter)
        w.run(block)
        _assign(w, variables, _terminator(block))
    w.statements += w.dialect.loop(counter, bounds, body, w.defined)
    w.used.discard(counter)
    _hold(w, variables, list(op.results), dtypes)


def _if(w: W, op: Any) -> None:
    test = w.value(op.operands[0])
    variables = []
    for result in op.results:
        if result not in w.homes.known:
            w.homes.keep(result, w.fresh("t" if _is_array(result) else "s"))
        variables.append(w.homes.known[result])
    w.release_written(op, variables)
    branches: list[list[ast.stmt]] = []
    dtypes = [""] * len(variables)
    for region in op.regions:
        with w.inside() as body:
            for block in region.blocks:
                w.run(block)
                _assign(w, variables, _terminator(block))
                dtypes = [w.value(v).dtype for v in _terminator(block).operands]
        branches.append(body)
    yes, no = (*branches, [])[:2]
    w.statements += w.dialect.branch(test.node, yes, no, test.static, w.defined, set(variables) - w.defined)
    w.defined |= set(variables)
    _hold(w, variables, list(op.results), dtypes)


def _while(w: W, op: Any) -> None:
    before, after = (r.blocks[0] for r in op.regions)
    condition, *passed = _terminator(before).operands
    if not w.dialect.in_place or len(passed) != len(op.operands):
        raise Unsaid(_UNTIL)
    variables = []
    for init in op.operands:
        first = w.value(init)
        array = _is_array(init)
        variables.append(
            _bound(w, w.full(first, w.shape(init)), "t") if array else _bound(w, w.scalars.strong(first), "s")
        )
    dtypes = [w.value(v).dtype for v in op.operands]
    w.release_written(op, variables)
    with w.inside() as body:
        _hold(w, variables, list(before.arguments), dtypes)
        w.run(before)
        body.append(ast.If(ast.UnaryOp(ast.Not(), w.value(condition).node), [ast.Break()], []))
        if any(p != a for p, a in zip(passed, before.arguments, strict=True)):
            raise Unsaid(_UNTIL)
        _hold(w, variables, list(after.arguments), dtypes)
        w.run(after)
        _assign(w, variables, _terminator(after))
    w.statements.append(ast.While(constant(True), body, []))
    _hold(w, variables, list(op.results), dtypes)


_UNTIL = "a loop that runs until a condition holds"


def nothing(w: W, op: Any) -> None:
    """The end of a region is said by what it is in."""


STRUCTURED: dict[str, Callable[[FunctionWriter, Any], None]] = {
    "scf.for": _for,
    "scf.if": _if,
    "scf.while": _while,
    "scf.yield": nothing,
    "scf.condition": nothing,
}
