"""A `linalg.generic` in Python: elementwise work with broadcasting, reductions, and windows as short loops."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mlir import ir

from raising.affine.ir.affine_expr import Affine, dim, linear
from raising.readable.contractions import Dims, Factor, contraction
from raising.readable.python_nodes import Node, attribute, constant, everything, name, subscript
from raising.readable.python_values import Expr, Unsaid, joined, repeated
from raising.readable.scalar_operations import dtype_of
from raising.readable.slice_subscripts import sliced, whole
from raising.support.mlir.affine_expressions import evaluated

if TYPE_CHECKING:
    from raising.readable.function_writer import FunctionWriter

_REDUCED: dict[str, tuple[str, ...]] = {"sum": ("addf", "addi"), "prod": ("mulf", "muli")}
_REDUCED |= {"max": ("maximumf", "maxsi"), "min": ("minimumf", "minsi")}
_REDUCED |= {"fmax.reduce": ("maxnumf",), "fmin.reduce": ("minnumf",)}
REDUCTIONS = {f"arith.{op}": name for name, ops in _REDUCED.items() for op in ops}
_NEUTRAL = {"sum": 0, "prod": 1}
_PRODUCTS = ("arith.mulf", "arith.muli")
_WIDENED = ("arith.extf", "arith.extsi", "arith.extui")


class Generic:
    """One operation: its dimensions, its operands, its body."""

    def __init__(self, op: Any, around: FunctionWriter) -> None:
        self.op, self.around, self.scalars = op, around, around.scalars
        self.maps = [ir.AffineMapAttr(m).value for m in op.attributes["indexing_maps"]]
        kinds = [str(k) for k in op.attributes["iterator_types"]]
        self.reduced = [d for d, kind in enumerate(kinds) if "reduction" in kind]
        self.body = op.regions[0].blocks[0]
        self.operands = [around.value(v) for v in op.operands]
        self.count = len(op.results)
        if not self.count:
            raise Unsaid("an operation that writes to memory")
        self.fixed: dict[int, str] = {}  # dimensions that a loop runs over, with its counter
        self.extents = self._extents(len(kinds))

    def _extents(self, count: int) -> list[Affine]:
        found: list[Affine | None] = [None] * count
        for value, place in zip(self.op.operands, self.maps, strict=True):
            if not len(place.results):
                continue
            shape = self.around.shape(value)
            for k, e in enumerate(place.results):
                if isinstance(e, ir.AffineDimExpr):
                    at = ir.AffineDimExpr(e).position
                    old = found[at]
                    found[at] = shape[k] if old is None or shape[k].known is not None else old
        if any(f is None for f in found):
            raise Unsaid("how long a loop of an operation runs cannot be seen from its operands")
        return [f for f in found if f is not None]

    def said(self) -> list[Expr]:
        """The expressions for the results."""
        if not self.reduced:
            return self._windows() if self._window_dims() else self._elementwise()
        windows = self._window_dims()
        if self.count == 1 and not windows:
            found = self._reduction()
            if found is not None:
                return [found]
        return self._looped(windows or self.reduced)

    # ---- the parts of the operands ---------------------------------------------------------------

    def _window_dims(self) -> list[int]:
        """The dimensions that are added to others in a subscript: the reduced ones; where none is, the shorter ones."""
        sums = [list(_linear(e)[0]) for m in self.maps for e in m.results if not _plain(e)]
        if self.reduced:
            return [d for d in self.reduced if any(d in s for s in sums)]
        beside = {d for s in sums for d in sorted(s, key=self._length)[:-1]}
        return sorted(beside)

    def _length(self, d: int) -> float:
        known = self.extents[d].known
        return float("inf") if known is None else known

    def _part(self, number: int) -> Factor:
        """An operand with a slice for each subscript, and the dimensions along it."""
        given, place = self.operands[number], self.maps[number]
        if given.splat or not given.rank:
            return Factor(given, ())
        if given.rank != len(place.results):
            given = self.around.full(given, self.around.shape(self.op.operands[number]))
        shape = self.around.shape(self.op.operands[number])
        parts, dims = [], []
        for e, extent in zip(place.results, shape, strict=True):
            part, dim = self._subscript(e, extent)
            parts.append(part)
            dims += [] if dim is None else [dim]
        if len(set(dims)) != len(dims):
            return self._diagonal(given, dims, parts)
        if whole(parts):
            return Factor(given, tuple(dims))
        view = given.view or isinstance(given.node, ast.Name)
        return Factor(given.but(subscript(given.node, parts), rank=len(dims), view=view), tuple(dims))

    def _diagonal(self, given: Expr, dims: list[int], parts: list[Node]) -> Factor:
        if len(dims) != 2 or not whole(parts):
            raise Unsaid("an operand is read along a diagonal")
        return Factor(given.but(self.scalars.function("diagonal", given.node), rank=1, view=True), (dims[0],))

    def _subscript(self, e: Any, extent: Affine) -> tuple[Node, int | None]:
        """The subscript for one dimension of an operand, and the dimension of the operation along it."""
        factors, base = _linear(e)
        form, along = Affine(base), None
        for d, factor in factors.items():
            if d in self.fixed:
                form += self.around.forms.part(name(self.fixed[d]), natural=True) * factor
            elif along is None and factor > 0:
                along = d, factor
            else:
                raise Unsaid("a subscript of an operation adds several of its dimensions")
        if along is None:
            return self.around.forms.node(form), None
        d, step = along
        return sliced(self.around.forms, form, self.extents[d], step, extent, False), d

    def _aligned(self, factor: Factor, order: Sequence[int]) -> Expr:
        """A part that broadcasts along the dimensions of `order`."""
        value, dims = factor.value, factor.dims
        if not dims:
            return value
        wanted = tuple(d for d in order if d in dims)
        node = value.node
        if wanted != dims:
            axes = [dims.index(d) for d in wanted]
            plain = len(dims) == 2
            node = (
                attribute(node, "T")
                if plain
                else self.scalars.function("transpose", node, ast.Tuple([constant(a) for a in axes], ast.Load()))
            )
        missing = [d not in wanted for d in order[order.index(wanted[0]) :]]
        if any(missing):
            node = subscript(node, [constant(None) if gone else everything() for gone in missing])
        ones = frozenset(len(missing) - k for k, gone in enumerate(missing) if gone)
        return value.but(node, rank=len(missing), ones=ones)

    # ---- the body ----------------------------------------------------------------------------------

    def _values(self, order: Sequence[int], outs: Sequence[Expr] = ()) -> dict[Any, Expr]:
        """The arguments of the body, for all elements at once."""
        inputs = len(self.op.operands) - self.count
        found: dict[Any, Expr] = {}
        for k, argument in enumerate(self.body.arguments):
            if not list(argument.uses):
                continue
            if k >= inputs and outs:
                found[argument] = outs[k - inputs]
            else:
                found[argument] = self._aligned(self._part(k), order)
        return found

    def _evaluated(self, values: dict[Any, Expr], order: Sequence[int]) -> dict[Any, Expr]:
        for op in self.body.operations:
            if op.operation.name == "linalg.yield":
                break
            values[op.results[0]] = self._operation(op.operation, values, order)
        return values

    def _value(self, value: Any, values: dict[Any, Expr]) -> Expr:
        return values[value] if value in values else self.around.value(value)

    def _operation(self, op: Any, values: dict[Any, Expr], order: Sequence[int]) -> Expr:
        if op.name == "linalg.index":
            return self._index(ir.IntegerAttr(op.attributes["dim"]).value, order)
        if op.name == "arith.constant":
            return self.around.value(op.results[0])
        operands = [self._value(v, values) for v in op.operands]
        if op.name == "tensor.extract":
            return self._gathered(operands, op)
        if not self.scalars.knows(op.name):
            raise Unsaid(f"'{op.name}' has no form here")
        return self.scalars.said(op, operands)

    def _gathered(self, operands: Sequence[Expr], op: Any) -> Expr:
        source, *indices = operands
        source = self.around.full(source, self.around.shape(op.operands[0]))
        node = subscript(source.node, [i.node for i in indices])
        return Expr(
            node, source.dtype, max((i.rank for i in indices), default=0), joined(*operands), ones=repeated(indices)
        )

    def _index(self, d: int, order: Sequence[int]) -> Expr:
        if d in self.fixed:
            return Expr(name(self.fixed[d]), "int64", weak=True)
        node = self.scalars.function("arange", self.around.forms.node(self.extents[d]))
        return self._aligned(Factor(Expr(node, "int64", 1), (d,)), order)

    @property
    def _yielded(self) -> list[Any]:
        return list(self.body.operations[len(self.body.operations) - 1].operands)

    # ---- elementwise -------------------------------------------------------------------------------

    def _elementwise(self) -> list[Expr]:
        return [self._shaped(value, [self.extents[d] for d in order]) for value, order in self._results()]

    def _results(self, outs: Sequence[Expr] = ()) -> Iterator[tuple[Expr, list[int]]]:
        """What the body gives for all elements of each result, and the dimensions along it."""
        for number, yielded in enumerate(self._yielded):
            place = self.maps[len(self.op.operands) - self.count + number]
            if any(not _plain(e) for e in place.results):
                raise Unsaid("an operation leaves parts of its result as they were")
            order = [ir.AffineDimExpr(e).position for e in place.results]
            yield self._value(yielded, self._evaluated(self._values(order, outs), order)), order

    def _shaped(self, value: Expr, shape: list[Affine]) -> Expr:
        """A result: of one value everywhere, or with its whole shape."""
        if not value.rank:
            return replace(value, splat=bool(shape))
        return value if value.rank == len(shape) and not value.ones else self.around.full(value, shape)

    def _windows(self) -> list[Expr]:
        """Loops over the places in windows: `t[:, p] = x[:, p:p + 4]`."""
        outs = range(len(self.op.operands) - self.count, len(self.op.operands))
        names = self._totals()
        with ExitStack() as loops:
            for d in self._window_dims():
                self.fixed[d] = loops.enter_context(self.around.counting(self.extents[d]))
            for k, number, yielded in zip(outs, names, self._yielded, strict=True):
                if not all(isinstance(e, ir.AffineDimExpr) for e in self.maps[k].results):
                    raise Unsaid("an operation leaves parts of its result as they were")
                dims = [ir.AffineDimExpr(e).position for e in self.maps[k].results]
                parts = [name(self.fixed[d]) if d in self.fixed else everything() for d in dims]
                order = [d for d in dims if d not in self.fixed]
                value = self._value(yielded, self._evaluated(self._values(order), order))
                self.around.put(subscript(number.node, parts), value)
        self.fixed.clear()
        return names

    # ---- reductions --------------------------------------------------------------------------------

    def _reduction(self) -> Expr | None:
        """`init + np.sum(x, axis=1)`, `init + A @ B`, and so on; None if the body is no such reduction."""
        last = self._yielded[0]
        if isinstance(last, ir.BlockArgument) or last.owner.name not in REDUCTIONS:
            return None
        out = self.body.arguments[len(self.body.arguments) - 1]
        others = [v for v in last.owner.operands if v != out]
        if len(others) != 1 or len(list(out.uses)) != 1:
            return None
        kind = REDUCTIONS[last.owner.name]
        if dtype_of(last.type) == "bool" or ("." in kind and self.scalars.module != "np"):
            return None  # NumPy counts truth values; JAX has no reduction that leaves NaN out
        place = self.maps[-1]
        if any(not _plain(e) for e in place.results):
            return None
        dims = tuple(ir.AffineDimExpr(e).position for e in place.results)
        init = self.operands[-1]
        found = self._product(others[0], dims) if kind == "sum" else None
        if found is None:
            found = self._reduced_value(kind, others[0], dims, init)
        if kind in _NEUTRAL and _is_number(init, _NEUTRAL[kind]):
            return found
        if kind not in _NEUTRAL and (init.splat or not init.rank):
            return found
        return self._combined(init, found, last)

    def _combined(self, init: Expr, found: Expr, last: Any) -> Expr:
        made = self.scalars.said(last.owner, [init, found])
        return replace(made, rank=max(init.rank, found.rank))

    def _product(self, value: Any, out: Dims) -> Expr | None:
        """A sum of products of operands."""
        leaves = list(self._leaves(value))
        if len(leaves) < 2 or any(leaf is None for leaf in leaves):
            return None
        factors = []
        for leaf in leaves:
            assert leaf is not None
            number, dtype = leaf
            part = self._part(number)
            if not part.dims:
                return None
            cast = part.value if part.value.dtype == dtype else self.scalars.converted(part.value, dtype)
            factors.append(Factor(cast, part.dims))
        if not set(self.reduced) | set(out) <= {d for f in factors for d in f.dims}:
            return None
        return contraction(self.scalars.module, factors, out)

    def _leaves(self, value: Any) -> Iterator[tuple[int, str] | None]:
        """The operands of a product, each with the type that it is widened to; None for anything else."""
        if isinstance(value, ir.BlockArgument):
            known = value.owner == self.body
            yield (value.arg_number, dtype_of(value.type)) if known else None
        elif value.owner.name in _PRODUCTS:
            for operand in value.owner.operands:
                yield from self._leaves(operand)
        elif value.owner.name in _WIDENED and isinstance(value.owner.operands[0], ir.BlockArgument):
            argument = ir.BlockArgument(value.owner.operands[0])
            yield (argument.arg_number, dtype_of(value.type)) if argument.owner == self.body else None
        else:
            yield None

    def _reduced_value(self, kind: str, value: Any, out: Dims, init: Expr) -> Expr:
        order = list(range(len(self.extents)))
        given = self._value(value, self._evaluated(self._values(order), order))
        if given.rank != len(order) or given.ones:
            given = self.around.full(given, self.extents)
        more: dict[str, Node] = {"axis": constant(None)} if "." in kind else {}
        if len(self.reduced) < len(order):
            axes = [constant(d) for d in self.reduced]
            more["axis"] = axes[0] if len(axes) == 1 else ast.Tuple(axes, ast.Load())
        if given.dtype.lstrip("u").startswith("int") and given.dtype not in ("int64", "uint64") and kind in _NEUTRAL:
            more["dtype"] = attribute(name(self.scalars.module), given.dtype)
        reads = given.reads
        if kind not in _NEUTRAL:
            start = init if init.splat or not init.rank else self._lowest(kind, given.dtype)
            more["initial"], reads = start.node, reads | start.reads
        node = self.scalars.function(kind, given.node, **more)
        found = Expr(node, given.dtype, len(out), reads)
        left = [d for d in order if d in out]
        return self._aligned(Factor(found, tuple(left)), list(out)) if out else found

    def _lowest(self, kind: str, dtype: str) -> Expr:
        if "." in kind:
            return Expr(attribute(name(self.scalars.module), "nan"), dtype, weak=True)
        least = kind == "max"
        if dtype.startswith("float"):
            node = attribute(name(self.scalars.module), "inf")
            return Expr(ast.UnaryOp(ast.USub(), node) if least else node, dtype, weak=True)
        info = self.scalars.function("iinfo", attribute(name(self.scalars.module), dtype))
        return Expr(attribute(info, "min" if least else "max"), dtype, weak=True)

    # ---- windows, and whatever is left ---------------------------------------------------------------

    def _looped(self, dims: Sequence[int]) -> list[Expr]:
        """Loops over some of the reduced dimensions, over whole arrays."""
        names = self._totals()
        self._loop(list(dims), names)
        return names

    def _totals(self) -> list[Expr]:
        """The results before the first step, under names."""
        names = []
        for k in range(self.count):
            number = len(self.op.operands) - self.count + k
            init = self.around.full(self.operands[number], self.around.shape(self.op.operands[number]))
            names.append(self.around.bound(init, "total" if self.reduced else "t"))
        return names

    def _loop(self, dims: list[int], names: list[Expr]) -> None:
        if dims:
            with self.around.counting(self.extents[dims[0]]) as counter:
                self.fixed[dims[0]] = counter
                self._loop(dims[1:], names)
            del self.fixed[dims[0]]
            return
        rest, self.reduced = self.reduced, [d for d in self.reduced if d not in self.fixed]
        self.operands[len(self.operands) - self.count :] = names
        try:
            found = [self._reduction()] if self.reduced and self.count == 1 else self._step(names)
            if found[0] is None:
                raise Unsaid("an operation reduces over several dimensions in a way that has no form here")
        finally:
            self.reduced = rest
        fresh = found if len(found) == 1 else [self.around.bound(f, "next") for f in found if f is not None]
        for target, value in zip(names, fresh, strict=True):
            assert value is not None
            integers = target.dtype.lstrip("u").startswith("int") and value.dtype != target.dtype
            self.around.put(target.node, self.scalars.converted(value, target.dtype) if integers else value)

    def _step(self, names: list[Expr]) -> list[Expr | None]:
        """One step of all reductions, for all elements of the results."""
        if self.reduced:
            raise Unsaid("an operation with several results reduces over windows")
        return [value for value, _ in self._results(names)]


# ---- maps ------------------------------------------------------------------------------------------


def _plain(e: Any) -> bool:
    return isinstance(e, ir.AffineDimExpr | ir.AffineConstantExpr)


def _linear(e: Any) -> tuple[dict[int, int], int]:
    """A subscript as factors of dimensions, and a number."""
    form = evaluated(e, dim, 0, Affine, linear)
    if form is None:
        raise Unsaid("a subscript of an operation is no sum of its dimensions")
    return {d: factor for d, factor in form.terms if isinstance(d, int)}, form.constant


def _is_number(given: Expr, number: int) -> bool:
    node = given.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == given.dtype:
        node = node.args[0]  # a number with a type of its own
    return isinstance(node, ast.Constant) and not isinstance(node.value, str) and node.value == number
