"""Loops that were not raised: the operations of `affine` and `memref` on elements."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Affine, linear
from raising.frontend.mlir.attributes import set_maps
from raising.readable.function_writer import FunctionWriter
from raising.readable.python_nodes import Node, assign, binary, call, compare, constant, name, pair, subscript
from raising.readable.python_values import Expr, Unsaid, joined
from raising.readable.scalar_operations import dtype_of
from raising.readable.structured import counted_loop, nothing
from raising.support.mlir.affine_expressions import evaluated
from raising.support.mlir.operand_segments import segments

W = FunctionWriter


def _mapped(w: W, map_: Any, operands: Sequence[Any]) -> list[Affine]:
    """The results of a map as sums."""
    values = [w.value(v) for v in operands]

    def operand(number: int) -> Affine:
        given = values[number]
        return given.form if given.form is not None else w.forms.part(given.node)

    return [evaluated(e, operand, map_.n_dims, Affine, partial(_of_two, w)) for e in map_.results]


def _of_two(w: W, sign: str, a: Affine, b: Affine) -> Affine:
    if (found := linear(sign, a, b)) is not None:
        return found
    x, y = w.forms.node(a), w.forms.node(b)
    if sign == "ceildiv":
        return w.forms.part(ast.UnaryOp(ast.USub(), binary(ast.FloorDiv, ast.UnaryOp(ast.USub(), x), y)))
    return w.forms.part(binary({"*": ast.Mult, "mod": ast.Mod, "floordiv": ast.FloorDiv}[sign], x, y))


def _places(w: W, op: Any, operands: Sequence[Any]) -> list[Node]:
    if "map" in op.attributes:
        return [w.forms.node(f) for f in _mapped(w, ir.AffineMapAttr(op.attributes["map"]).value, operands)]
    return [w.value(v).node for v in operands]


def _element(w: W, op: Any, memory: Any, operands: Sequence[Any]) -> Expr:
    own = w.memory(memory)
    places = _places(w, op, operands)
    node = subscript(name(own), places or [constant(())])
    reads = frozenset([own]) | joined(*(w.value(v) for v in operands))
    return Expr(node, w.known[memory].dtype, 0, reads)


def _load(w: W, op: Any) -> None:
    w.define(op.results[0], _element(w, op, op.operands[0], [op.operands[k] for k in range(1, len(op.operands))]))


def _store(w: W, op: Any) -> None:
    memory = op.operands[1]
    place = _element(w, op, memory, [op.operands[k] for k in range(2, len(op.operands))])
    value = w.value(op.operands[0])
    own = w.memory(memory)
    w.release(own, w.order.place(op))
    w.put(place.node, w.fitted(value, w.known[memory].dtype))
    w.note_written(own)


def _alloc(w: W, op: Any) -> None:
    kind = op.results[0].type
    own = w.fresh("local")
    dtype = dtype_of(kind.element_type)
    w.memories[op.results[0]] = own
    w.known[op.results[0]] = Expr(name(own), dtype, kind.rank, frozenset([own]), view=True)
    extents = pair([w.forms.node(s) for s in w.shape(op.results[0])])
    made = w.scalars.function("zeros" if not w.dialect.in_place else "empty", extents, _kind(w, dtype))
    w.statements.append(assign(name(own), made))
    w.defined.add(own)


def _kind(w: W, dtype: str) -> Node:
    return ast.Attribute(name(w.dialect.module), "bool_" if dtype == "bool" else dtype, ast.Load())


def _apply(w: W, op: Any) -> None:
    form = _mapped(w, ir.AffineMapAttr(op.attributes["map"]).value, list(op.operands))[0]
    reads, static = joined(*(w.value(v) for v in op.operands)), all(w.value(v).static for v in op.operands)
    w.define(op.results[0], Expr(w.forms.node(form), "int64", 0, reads, weak=True, form=form, static=static))


def _least(w: W, op: Any) -> None:
    forms = _mapped(w, ir.AffineMapAttr(op.attributes["map"]).value, list(op.operands))
    node = _extreme(w, op.name.removeprefix("affine."), forms)
    values = [w.value(v) for v in op.operands]
    w.define(op.results[0], Expr(node, "int64", 0, joined(*values), weak=True, static=all(v.static for v in values)))


def _extreme(w: W, word: str, forms: Sequence[Affine]) -> Node:
    nodes = [w.forms.node(f) for f in forms]
    return nodes[0] if len(nodes) == 1 else call(word, *nodes)


def _for(w: W, op: Any) -> None:
    lows, highs, inits = segments(op)
    low = _mapped(w, ir.AffineMapAttr(op.attributes["lowerBoundMap"]).value, lows)
    high = _mapped(w, ir.AffineMapAttr(op.attributes["upperBoundMap"]).value, highs)
    step = constant(int(ir.IntegerAttr(op.attributes["step"]).value))
    natural = any(w.forms.is_natural(f) for f in low)
    counted_loop(w, op, (_extreme(w, "max", low), _extreme(w, "min", high), step), inits, natural, high[0])


def _if(w: W, op: Any) -> None:
    if list(op.results):
        raise Unsaid("a condition on counters with results")
    values = [w.value(v) for v in op.operands]
    tests = []
    for map_, equal in set_maps(op.attributes["condition"]):
        form = _mapped(w, map_, list(op.operands))[0]
        tests.append(compare(ast.Eq if equal else ast.GtE, w.forms.node(form), constant(0)))
    test = tests[0]
    for more in tests[1:]:
        test = binary(ast.BitAnd, test, more)
    w.release_written(op)
    branches = []
    for region in op.regions:
        with w.inside() as body:
            for block in region.blocks:
                w.run(block)
        branches.append(body)
    static = all(v.static for v in values)
    w.statements += w.dialect.branch(
        test, branches[0], branches[1] if len(branches) > 1 else [], static, w.defined, set()
    )


KEPT: dict[str, Callable[[FunctionWriter, Any], None]] = {
    "affine.load": _load,
    "memref.load": _load,
    "affine.store": _store,
    "memref.store": _store,
    "memref.alloc": _alloc,
    "memref.alloca": _alloc,
    "affine.apply": _apply,
    "affine.min": _least,
    "affine.max": _least,
    "affine.for": _for,
    "affine.if": _if,
    "affine.yield": nothing,
}
