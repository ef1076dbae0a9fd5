"""The work of an operation, counted from its meaning: scalar operations over iteration domains, and bytes moved.

An operation is lowered by its own dialect to structured operations (maps, iterators, scalar bodies). Each contributes
the size of its iteration domain times the operations of its body, and the bytes of its operands. Extents stay symbolic
where they are those of an operand, so one lowering serves every size.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from mlir import ir

from raising.eqsat.lift.products import Product, is_splat, is_symmetric, product_of
from raising.frontend.mlir.parse_module import make_context
from raising.grammar.dialects.committed import known
from raising.grammar.dialects.host import Host
from raising.grammar.dialects.target_dialect import read_target
from raising.support.mlir.walk import blocks_of, constant_number, iterator_kinds
from raising.support.record import dataclass

BYTES = "bytes"
OPERATIONS = "operations"  # operations on whole tensors: each is a loop nest of its own
REDUCED = "reduced:"  # before the name of a scalar operation that is repeated for one element of the result
HALF = 0.5  # of a symmetric product: the native back end computes it on one side of the diagonal
OPEN_EXTENT = 128  # what an extent counts as that is known at run time only

_FINISH = "builtin.module(func.func(convert-elementwise-to-linalg,linalg-generalize-named-ops))"

_FREE = frozenset({"tensor.cast"})  # another type, no other memory
_ROUNDS = 3  # what a later operation tells about the extents of an earlier one is known in the next round

Extent = int | tuple[int, int]
"""A number, or (operand, dimension) of the operation."""


@dataclass(frozen=True)
class Amount:
    """`factor` times the product of the extents, of a scalar operation, of `BYTES` or of `OPERATIONS`."""

    feature: str
    factor: float
    extents: tuple[Extent, ...] = ()

    def value(self, shapes: Sequence[tuple[Any, ...]]) -> Any:
        """The amount for operands of these shapes; an extent may be an array of numbers."""
        return math.prod((shapes[e[0]][e[1]] if isinstance(e, tuple) else e for e in self.extents), start=self.factor)


@dataclass(frozen=True)
class Work:
    """The work of an operation apart from its regions, how often each of them runs, and whether it could be lowered.

    Regions run at a `share` of the `points`: at half of them where the other half is a mirror image.
    With `sized`, some extent is a number: the work is that of one set of shapes.
    `product` says how it associates, `splat` that it repeats its first operand.
    """

    amounts: tuple[Amount, ...] = ()
    points: tuple[Extent, ...] = ()
    share: float = 1.0
    lowered: bool = True
    product: Product | None = None
    splat: bool = False

    @property
    def sized(self) -> bool:
        """True if the amounts hold for the shapes only with which they were found."""
        extents = [e for a in self.amounts for e in a.extents] + list(self.points)
        return any(not isinstance(e, tuple) and e != 1 for e in extents)


class Lowerer:
    """Lowers functions of one MLIR to upstream's structured operations, by the pipelines of all targets it knows."""

    def __init__(self, host: Host) -> None:
        targets = [read_target(name) for name in known()]
        self.host = host
        own = [t for t in targets if t.bindings == host.target.bindings]
        self.pipelines = [pipeline for t in own for pipeline in (t.prepare, t.pipeline) if pipeline]
        self._work: dict[tuple[str, bool], Work] = {}

    @cached_property
    def context(self) -> Any:
        """The context of upstream's MLIR, which is made when something is first lowered."""
        context = make_context()
        context.allow_unregistered_dialects = True
        self._handler = context.attach_diagnostic_handler(lambda _: True)
        return context

    def lowered(self, module: Any) -> Any:
        """The module after lowering, in upstream's MLIR; None if a pipeline refuses it."""
        from mlir.passmanager import PassManager

        try:
            for pipeline in self.pipelines:
                self.host.run(pipeline, module)
            generic = module.operation.get_asm(print_generic_op_form=True)
            with self.context:
                result = ir.Module.parse(generic)
                PassManager.parse(_FINISH, self.context).run(result.operation)
        except (*self.host.errors, ir.MLIRError):
            return None
        return result

    def work(self, module: Any, regions: bool) -> Work:
        """The work of the first function of a module; with `regions`, that of scalar bodies is left out.

        A function is priced before it is rewritten, while it is, and afterwards: most operations are there each time.
        """
        said = module.operation.get_asm(print_generic_op_form=True), regions
        if said not in self._work:
            self._work[said] = self._counted(module, regions)
        return self._work[said]

    def _counted(self, module: Any, regions: bool) -> Work:
        result = self.lowered(module)
        if result is None:
            return Work(lowered=False)
        function = result.body.operations[0]
        work = _Reader(regions).work(function)
        return replace(work, product=product_of(function), splat=is_splat(function))


class _Reader:
    """Reads a lowered function: a place for each extent, an amount for each operation."""

    def __init__(self, regions: bool) -> None:
        self.regions = regions
        self.places: dict[Any, tuple[Extent, ...]] = {}
        self.amounts: list[Amount] = []
        self.points: tuple[Extent, ...] = ()
        self.share = 1.0
        self.lowered = True

    def work(self, function: Any) -> Work:
        (block,) = function.regions[0].blocks
        for number, argument in enumerate(block.arguments):
            self.places[argument] = tuple((number, d) for d in range(len(_shape(argument.type))))
        for _ in range(_ROUNDS):
            self.amounts = []
            self._block(block)
        return Work(_merged(self.amounts), self.points, self.share, self.lowered)

    def _block(self, block: Any) -> None:
        for child in list(block.operations)[:-1]:
            op = child.operation
            self.lowered &= ir.Context.is_registered_operation(op.context, op.name)
            if "indexing_maps" in op.attributes and len(op.regions) == 1:
                self._structured(op)
            elif _yields_elements(op):
                self._elements(op)
            elif len(op.regions):
                self._control(op)
            else:
                self._plain(op)

    def _control(self, op: Any) -> None:
        """A branch, or a loop: its body as often as it runs, once if that is not known."""
        trips = _trips(op)
        if self.regions:
            self.points = (trips,)
            return
        outside, self.amounts = self.amounts, []
        for inner in blocks_of(op):
            self._block(inner)
        self.amounts = outside + [replace(a, factor=a.factor * trips) for a in self.amounts]

    def _extents(self, value: Any) -> tuple[Extent, ...]:
        return self.places.get(value) or tuple(_shape(value.type))

    def _structured(self, op: Any) -> None:
        """A domain with a body at each point."""
        maps = [ir.AffineMapAttr(a).value for a in op.attributes["indexing_maps"]]
        accesses = list(zip(maps, op.operands, strict=True))
        accesses += zip(maps[len(maps) - len(op.results) :], op.results, strict=True)
        domain = self._domain(accesses, maps[0].n_dims)
        for access, value in accesses:
            self.places[value] = tuple(
                domain[ir.AffineDimExpr(e).position] if isinstance(e, ir.AffineDimExpr) else old
                for e, old in zip(access.results, self._extents(value), strict=True)
            )
        self._moved(op)
        share = HALF if is_symmetric(op) else 1.0
        if len(domain) >= len(self.points):
            self.points, self.share = domain, share
        if not self.regions:
            prefix = REDUCED if "reduction" in iterator_kinds(op) else ""
            names = _scalars(op.regions[0].blocks[0])
            self.amounts += [Amount(prefix + name, share, domain) for name in names]

    def _elements(self, op: Any) -> None:
        """A tensor whose region gives an element at each place, or at those around an operand."""
        domain = self._extents(op.results[0])
        self._made(op.results[0])
        if len(domain) >= len(self.points):
            self.points = domain
        if not self.regions:
            self.amounts += [Amount(name, 1.0, domain) for name in _scalars(op.regions[0].blocks[0])]

    def _made(self, result: Any) -> None:
        self.amounts += [Amount(OPERATIONS, 1.0), Amount(BYTES, 2 * _bytes(result.type), self._extents(result))]

    def _domain(self, accesses: list[tuple[Any, Any]], dims: int) -> tuple[Extent, ...]:
        """The extent of each dimension, as a place of an operand where some access tells one."""
        found: list[Extent] = [1] * dims
        for access, value in accesses:
            for expr, extent in zip(access.results, self._extents(value), strict=True):
                if isinstance(expr, ir.AffineDimExpr):
                    position = ir.AffineDimExpr(expr).position
                    found[position] = extent if isinstance(found[position], int) else found[position]
        return tuple(found)

    def _moved(self, op: Any) -> None:
        """The bytes of what is read and written; a destination that the body does not read is only written."""
        self.amounts.append(Amount(OPERATIONS, 1.0))
        arguments = list(op.regions[0].blocks[0].arguments)
        for value, argument in zip(op.operands, arguments, strict=True):
            if next(iter(argument.uses), None) is not None:
                self.amounts.append(Amount(BYTES, _bytes(value.type), self._extents(value)))
        for result in op.results:
            self.amounts.append(Amount(BYTES, _bytes(result.type), self.places[result]))

    def _plain(self, op: Any) -> None:
        """Scalars are one operation; views and what has no operands are free; all else moves its result."""
        if not len(op.operands) or op.name in _FREE:
            return
        if not any(_is_shaped(v.type) for v in [*op.operands, *op.results]):
            self.amounts.append(Amount(op.name, 1.0))
            return
        sizes = [math.prod(_shape(v.type)) for v in op.operands if _is_shaped(v.type)]
        for result in op.results:
            extents = self._extents(result)
            if not _is_tensor(result.type):
                self.amounts.append(Amount(op.name, 1.0, extents))
            elif sizes != [math.prod(_shape(result.type))]:
                self._made(result)


def _yields_elements(op: Any) -> bool:
    """Whether an operation has a region that gives elements of a tensor by their places."""
    if len(op.regions) != 1 or len(op.results) != 1 or not _is_tensor(op.results[0].type):
        return False
    (block,) = op.regions[0].blocks
    return str(block.operations[len(block.operations) - 1].operation.name) == "tensor.yield"


def _scalars(block: Any) -> Iterator[str]:
    """The names of the operations at one point, those in branches too; constants and the terminator are free."""
    for child in list(block.operations)[:-1]:
        op = child.operation
        for inner in blocks_of(op):
            yield from _scalars(inner)
        if len(op.operands):
            yield op.name


def _trips(op: Any) -> int:
    """How often the region of a counted loop runs if its bounds are constants, else 1."""
    if op.name != "scf.for":
        return 1
    low, high, step = (constant_number(v) for v in list(op.operands)[:3])
    if low is None or high is None or step is None or step < 1:
        return 1
    return max(0, -((low - high) // step))


def _merged(amounts: Iterable[Amount]) -> tuple[Amount, ...]:
    """Amounts of one feature over the same extents as one."""
    found: dict[tuple[str, tuple[Extent, ...]], float] = {}
    for a in amounts:
        found[a.feature, a.extents] = found.get((a.feature, a.extents), 0.0) + a.factor
    return tuple(Amount(feature, factor, extents) for (feature, extents), factor in found.items())


def _is_shaped(kind: Any) -> bool:
    return isinstance(kind, ir.ShapedType)


def _is_tensor(kind: Any) -> bool:
    return isinstance(kind, ir.RankedTensorType)


def _shape(kind: Any) -> tuple[int, ...]:
    """The extents of a type; scalars and what has no rank have none."""
    if not _is_shaped(kind) or not ir.ShapedType(kind).has_rank:
        return ()
    shaped = ir.ShapedType(kind)
    return tuple(OPEN_EXTENT if shaped.is_dynamic_dim(d) else n for d, n in enumerate(shaped.shape))


def _bytes(kind: Any) -> float:
    """The size of one element."""
    element = ir.ShapedType(kind).element_type if _is_shaped(kind) else kind
    width = getattr(element, "width", 64)
    return max(1.0, float(width) / 8)


def priced(work: Work, prices: Mapping[str, float], default: float) -> tuple[Amount, ...]:
    """The work in one currency: each feature at its price, those without one at `default`."""
    paid = [Amount("", a.factor * prices.get(a.feature, default), a.extents) for a in work.amounts]
    return _merged(a for a in paid if a.factor)
