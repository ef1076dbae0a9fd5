"""Traces a lowered function: where each element of the result comes from, and what is computed with it.

Elements are numbered: those of the function's arguments from zero on,
constants by negative numbers. A tensor is a tree of scalar operations whose
leaves are arrays of such numbers, so any sequence of slices, transpositions,
insertions and structured operations composes by indexing NumPy arrays.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from mlir import ir

from raising.grammar.measure.elements import OLD, Ids, Leaf, Node, Step, Value, leaves, shape_of
from raising.grammar.measure.tensor_ops import HANDLERS
from raising.grammar.measure.workbench import Attrs, NotStructured, kept
from raising.grammar.terms.scalar_ops import SCALARS, predicate
from raising.support.mlir.affine_expressions import evaluated
from raising.support.mlir.walk import attributes, iterator_kinds
from raising.support.record import dataclass


@dataclass(frozen=True)
class Trace:
    """The results of a function, over its arguments' shapes; constants are (text, type)."""

    result: Value
    shapes: tuple[tuple[int, ...], ...]
    constants: tuple[tuple[str, str], ...]

    @property
    def bases(self) -> tuple[int, ...]:
        """The number of each argument's first element, and the number after the last."""
        return tuple(accumulate((int(np.prod(s, dtype=int)) for s in self.shapes), initial=0))


def trace(function: Any, scalars: dict[str, Attrs]) -> Trace:
    """The trace of a `func.func` with one block; `scalars` gives the default attributes by operation."""
    tracer = Tracer(function, scalars)
    for op in function.regions[0].blocks[0].operations:
        inner = op.operation
        if inner.name == "func.return":
            if len(inner.operands) != 1:
                raise NotStructured(f"has {len(inner.operands)} results")
            return Trace(tracer.value(inner.operands[0]), tracer.shapes, tuple(tracer.constants))
        tracer.step(inner)
    raise NotStructured("the lowered function returns nothing")


class Tracer:
    """The values known so far, by SSA value."""

    def __init__(self, function: Any, scalars: dict[str, Attrs]) -> None:
        self.scalars = scalars
        self.constants: list[tuple[str, str]] = []
        self.known: dict[Any, Value] = {}
        self.mask: Any = None  # where the block at hand is run, inside of a condition
        arguments = list(function.regions[0].blocks[0].arguments)
        self.shapes = tuple(shape_of(a.type) for a in arguments)
        base = 0
        for argument, shape in zip(arguments, self.shapes, strict=True):
            size = int(np.prod(shape, dtype=int))
            self.known[argument] = Value(shape, Leaf(np.arange(base, base + size).reshape(shape)))
            base += size

    def value(self, ssa: Any) -> Value:
        """The value of an SSA value; `NotStructured` if the function does not compute it."""
        if ssa not in self.known:
            raise NotStructured("the lowered function uses a value from outside")
        return self.known[ssa]

    def step(self, op: Any) -> None:
        """Record the value of an operation's result."""
        if op.name in HANDLERS:
            self.known[op.results[0]] = HANDLERS[op.name](self, op)
        elif "indexing_maps" in op.attributes and op.regions:
            self.known[op.results[0]] = self.generic(op)
        elif op.name in self.scalars:
            self.known[op.results[0]] = self._elementwise(op)
        else:
            raise NotStructured(f"the pipeline leaves {op.name}")

    def constant(self, text: str, kind: str) -> int:
        """The number of a constant."""
        entry = (text, kind)
        if entry not in self.constants:
            self.constants.append(entry)
        return -1 - self.constants.index(entry)

    def _elementwise(self, op: Any) -> Value:
        args = [self.value(v) for v in op.operands]
        if any(a.reduced for a in args):
            raise NotStructured("computes with the result of a reduction")
        node = self.scalar(op, [a.node for a in args])
        return Value(args[0].shape, node)

    def scalar(self, op: Any, args: Sequence[Node | None]) -> Node:
        """One scalar operation; positions are computed at once."""
        if op.name not in self.scalars:
            raise NotStructured(f"the body uses {op.name}, which is no operation of the scalar dialects")
        given = [a for a in args if a is not None]
        if len(given) != len(args):
            raise NotStructured("the body reads an undefined value")
        known = all(_is_position(a) for a in given) and any(isinstance(a, Leaf) and a.position for a in given)
        if known and str(op.results[0].type) in ("index", "i1"):
            return self._position(op, given)
        return Step(op.name, kept(op, self.scalars[op.name]), tuple(given))

    def _position(self, op: Any, args: Sequence[Node]) -> Node:
        arrays = [self._integers(a) for a in args]
        if SCALARS[op.name].residue == "compare":
            name = predicate(op.name, tuple((name, str(value)) for name, value in attributes(op)))
            return Leaf(np.asarray(getattr(operator, name)(*arrays)).astype(np.int64), True)
        return Leaf(np.asarray(SCALARS[op.name].shadow(*arrays)).astype(np.int64), True)

    def _integers(self, node: Node) -> Ids:
        assert isinstance(node, Leaf)
        if node.position:
            return node.ids
        values = np.array([int(t.split(":")[0]) for t, _ in self.constants][::-1] or [0])
        return np.asarray(values[node.ids], dtype=np.int64)

    # ---- structured operations -------------------------------------------------------------------

    def generic(self, op: Any) -> Value:
        """A structured operation: operands gathered to the iteration space, the region run once on all of it."""
        maps = [ir.AffineMapAttr(a).value for a in op.attributes["indexing_maps"]]
        kinds = [kind == "reduction" for kind in iterator_kinds(op)]
        args = [self.value(v) for v in op.operands]
        extents = _extents(maps, args)
        order = [d for d, r in enumerate(kinds) if not r] + [d for d, r in enumerate(kinds) if r]
        out = [ir.AffineDimExpr(e).position for e in maps[-1].results if isinstance(e, ir.AffineDimExpr)]
        parallel = [d for d in order if not kinds[d]]
        if len(op.results) != 1 or sorted(out) != parallel or len(out) != len(list(maps[-1].results)):
            raise NotStructured(f"a structured operation with {len(op.results)} results writes through {maps[-1]}")
        order = out + [d for d in order if kinds[d]]
        reduced = tuple(extents[d] for d in order if kinds[d])
        space = tuple(extents[d] for d in order)
        grid = dict(zip(order, np.indices(space, sparse=True), strict=True))
        shape = tuple(extents[d] for d in out)
        inputs = [self._gather(a, m, grid, space) for a, m in zip(args, maps, strict=True)]
        return self._region(op, inputs, args, reduced, shape, grid, space)

    def _gather(self, value: Value, m: Any, grid: dict[int, Ids], space: tuple[int, ...]) -> Value:
        index = tuple(_affine(e, grid) for e in m.results)

        def pick(ids: Ids) -> Ids:
            picked = ids[index] if index else ids
            rest = value.reduced
            head = picked.shape[: picked.ndim - len(rest)]
            spread = picked.reshape((1,) * (len(space) - len(head)) + picked.shape)
            return np.broadcast_to(spread, space + rest)

        return Value(space, leaves(value.node, pick), value.reduced, leaves(value.start, pick))

    def _region(
        self,
        op: Any,
        inputs: list[Value],
        args: list[Value],
        reduced: tuple[int, ...],
        shape: tuple[int, ...],
        grid: dict[int, Ids],
        space: tuple[int, ...],
    ) -> Value:
        block = op.regions[0].blocks[0]
        local: dict[Any, Node | None] = {}
        for argument, value in zip(block.arguments, inputs, strict=True):
            local[argument] = value.node
        if reduced:
            local[block.arguments[len(inputs) - 1]] = OLD
        partial = {a: v for a, v in zip(block.arguments, inputs, strict=True) if v.reduced}
        for item in block.operations:
            inner = item.operation
            if not inner.results:
                source = inner.operands[0]
                if source in partial and not reduced:
                    return Value(shape, partial[source].node, partial[source].reduced, partial[source].start)
                start = args[-1].node if reduced else None
                if reduced and (args[-1].reduced or start is None):
                    raise NotStructured("a reduction starts from an undefined or reduced tensor")
                return Value(shape, self._local(source, local), reduced, start)
            if any(v in partial for v in inner.operands):
                raise NotStructured("computes with the result of a reduction")
            local[inner.results[0]] = self._inner(inner, local, grid, space)
        raise NotStructured("the body has no terminator")

    def _inner(self, op: Any, local: dict[Any, Node | None], grid: dict[int, Ids], space: tuple[int, ...]) -> Node:
        if not op.operands and "dim" in op.attributes:
            dim = ir.IntegerAttr(op.attributes["dim"]).value
            return Leaf(np.broadcast_to(grid[dim], space), True)
        if op.name == "arith.constant":
            return Leaf(np.broadcast_to(self.constant(str(op.attributes["value"]), str(op.results[0].type)), space))
        if op.name == "tensor.extract":
            return self._element(op, local, space)
        if len(op.regions) == 2 and len(op.operands) == len(op.results) == 1:
            return self._choice(op, local, grid, space)
        return self.scalar(op, [self._local(v, local) for v in op.operands])

    def _local(self, ssa: Any, local: dict[Any, Node | None]) -> Node | None:
        if ssa in local:
            return local[ssa]
        value = self.value(ssa)
        if value.shape or not isinstance(value.node, Leaf):
            raise NotStructured("the body uses a value from outside")
        return value.node

    def _choice(self, op: Any, local: dict[Any, Node | None], grid: dict[int, Ids], space: tuple[int, ...]) -> Node:
        """A selection of one of two blocks, by a condition on positions."""
        condition = self._local(op.operands[0], local)
        if not isinstance(condition, Leaf) or not condition.position:
            raise NotStructured("a condition depends on data")
        outer, parts = self.mask, []
        taken = np.broadcast_to(condition.ids.astype(bool), space)
        for region, where in zip(op.regions, (taken, ~taken), strict=True):
            self.mask = where if outer is None else outer & where
            inner = dict(local)
            for item in region.blocks[0].operations:
                if item.operation.results:
                    inner[item.operation.results[0]] = self._inner(item.operation, inner, grid, space)
                else:
                    parts.append(self._local(item.operation.operands[0], inner))
        self.mask = outer
        if not all(isinstance(p, Leaf) and not p.position for p in parts):
            raise NotStructured("a condition chooses between computed values")
        return Leaf(np.where(taken, parts[0].ids, parts[1].ids))  # type: ignore[union-attr]

    def _element(self, op: Any, local: dict[Any, Node | None], space: tuple[int, ...]) -> Node:
        """An element of a tensor, at positions that do not depend on data."""
        source, *where = op.operands
        index = [self._local(v, local) for v in where]
        if not all(i is not None and _is_position(i) for i in index):
            raise NotStructured("the position of an element depends on data")
        value = self.value(source)
        arrays = [np.broadcast_to(self._integers(i), space) for i in index if i is not None]
        reached = np.ones(space, dtype=bool) if self.mask is None else self.mask
        for array, extent in zip(arrays, value.shape, strict=True):
            if np.any(reached & ((array < 0) | (array >= extent))):
                raise NotStructured("reads outside of a tensor")
        picked = tuple(np.clip(a, 0, n - 1) for a, n in zip(arrays, value.shape, strict=True))
        node = leaves(value.node, lambda ids: ids[picked])
        if node is None or value.reduced:
            raise NotStructured("reads an element of an undefined or reduced tensor")
        return node


def _is_position(node: Node) -> bool:
    return isinstance(node, Leaf) and (node.position or bool(np.all(node.ids < 0)))


def _extents(maps: list[Any], args: list[Value]) -> dict[int, int]:
    found: dict[int, int] = {}
    for m, value in zip(maps, args, strict=True):
        for expr, extent in zip(m.results, value.shape, strict=True):
            if isinstance(expr, ir.AffineDimExpr):
                found[ir.AffineDimExpr(expr).position] = extent
    if len(found) != maps[0].n_dims:
        raise NotStructured("an iteration dimension has no extent of its own")
    return found


def _affine(expr: Any, grid: dict[int, Ids]) -> Any:
    def two(sign: str, left: Ids, right: Ids) -> Ids:
        if sign not in ("+", "*"):
            raise NotStructured(f"an index is no linear form: {expr}")
        return left + right if sign == "+" else left * right

    return evaluated(expr, grid.__getitem__, len(grid), np.asarray, two)
