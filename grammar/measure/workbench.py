"""The workbench: it builds one operation, has it verified and lowered, and reads off what it means.

An operation that is built is always inside a module, and is erased or goes with it: the bindings corrupt the heap on
detached operations. Affine maps of the bindings are turned into our own values on the way.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mlir import ir
from mlir.passmanager import PassManager

from raising.affine.ir.affine_expr import Affine, dim, linear
from raising.grammar.dialects.op_signature import Op
from raising.grammar.dialects.target_dialect import Target
from raising.grammar.terms.structured_op import Body, Instr, Linear, Map, Meaning
from raising.support.mlir.affine_expressions import evaluated
from raising.support.mlir.operand_segments import segmented
from raising.support.mlir.walk import attributes
from raising.support.record import dataclass


class NotStructured(Exception):
    """The lowered operation has no meaning as maps, iterators and a scalar body; the message says why."""


def linear_map(m: Any) -> Map:
    """A map of dimensions and of sums of multiples of dimensions."""
    found: list[int | Linear] = []
    for expr in m.results:
        form = evaluated(expr, dim, m.n_dims, Affine, linear)
        if form is None or form.constant or not form.terms:
            raise NotStructured(f"an indexing map is not linear: {m}")
        terms = [(d, factor) for d, factor in form.terms if isinstance(d, int)]
        (one, factor), *rest = terms
        found.append(one if factor == 1 and not rest else tuple(sorted(terms)))
    if len(set(found)) != len(found):
        raise NotStructured(f"an indexing map reads a diagonal: {m}")
    return tuple(found)


Attrs = tuple[tuple[str, str], ...]

_REFUSED = (ir.MLIRError, ValueError, TypeError)  # an operation that cannot be built
MAPS = "AffineMapArrayAttr"
ITERATORS = "IteratorTypeArrayAttr"


@dataclass(frozen=True)
class Request:
    """One instance to ask about: operand types (the output last), attributes, and the region.

    Without a body, the region is the one the dialect builds for the operation.
    """

    op: Op
    types: tuple[str, ...]
    attrs: Attrs
    body: Body | None = None


def tensor(element: str, rank: int) -> str:
    """The type of a tensor of unknown sizes."""
    return f"tensor<{'?x' * rank}{element}>"


def element_of(type_text: str) -> str:
    """The element type in a type as written by `tensor`, or the scalar type itself."""
    return type_text.split("x")[-1].removeprefix("tensor<").removesuffix(">")


class Bench:
    """A context with the target's dialects loaded, its lowering, and its scalar signatures."""

    def __init__(self, target: Target, result: Op, scalars: dict[str, Op]) -> None:
        self.target, self.scalars = target, scalars
        self._maps = next(a.name for a in result.attrs if a.kind == MAPS)
        self._iterators = next(a for a in result.attrs if a.kind == ITERATORS)
        self.context = ir.Context()
        self.context.enable_multithreading(False)
        for dialect in target.dialects:
            self.context.d[dialect]
        self._handler = self.context.attach_diagnostic_handler(lambda _: True)
        self._modules: dict[tuple[str, ...], Any] = {}
        self._scratch: Any = ir.Module.parse("func.func @f() { return }", self.context)
        self._values: dict[str, Any] = {}
        module, _, function = target.builtin_region.rpartition(":")
        self._fill: Callable[[Any], None] = getattr(importlib.import_module(module), function)
        with self.context:
            self._passes = PassManager.parse(target.pipeline)

    # ---- building --------------------------------------------------------------------------------

    def accepts(self, request: Request) -> bool:
        """True if the operation can be built and its verifier agrees."""
        with self.context, ir.Location.unknown():
            block = self._scratch.body.operations[0].regions[0].blocks[0]
            values = [self._value(block, t) for t in request.types]
            try:
                return self._build(block, request, values) is not None
            finally:
                for left in list(block.operations)[:-1][::-1]:
                    left.operation.erase()

    def _value(self, block: Any, kind: str) -> Any:
        """A value of a type in the block where operations are tried: an argument of its own, made when asked for."""
        if kind not in self._values:
            self._values[kind] = block.add_argument(ir.Type.parse(kind), ir.Location.unknown())
        return self._values[kind]

    def accepts_scalar(self, name: str, types: tuple[str, ...], attrs: Attrs) -> bool:
        """True if a scalar operation takes these element types, the result's last."""
        with self.context, ir.Location.unknown(), _tried(self._module(types)) as block:
            try:
                attributes = {n: ir.Attribute.parse(text) for n, text in attrs}
                results = [ir.Type.parse(types[-1])]
                operands = list(block.arguments)[:-1]
                with ir.InsertionPoint.at_block_begin(block):
                    op = ir.Operation.create(name, results, operands, attributes)
                return bool(op.verify())
            except _REFUSED:
                return False

    def fills(self, request: Request) -> bool:
        """True if the dialect fills the operation's region; it may end the process instead."""
        with self.context, ir.Location.unknown(), _tried(self._module(request.types)) as block:
            try:
                self._fill(self._create(block, request, list(block.arguments)))
                return True
            except _REFUSED:
                return False

    def meaning(self, request: Request) -> Meaning:
        """The meaning of an accepted operation, read after printing, parsing and lowering it."""
        with self.context, ir.Location.unknown():
            module = ir.Module.parse(_function(request.types))
            with _tried(module) as block:
                op = self._build(block, request, list(block.arguments))
                if op is None:
                    raise NotStructured("the verifier rejects it")
                block.operations[len(block.operations) - 1].operation.operands[0] = op.results[0]
                text = str(module)
            try:
                lowered = ir.Module.parse(text)
                self._passes.run(lowered.operation)
            except ir.MLIRError as error:
                raise NotStructured(f"its printed form is rejected: {_last_line(error)}") from None
            meaning = self._read(lowered)
        if request.body is not None and meaning.body != request.body:
            raise NotStructured("the printed form does not keep the region")
        return meaning

    def _module(self, types: tuple[str, ...]) -> Any:
        """A module to build in, with one argument per type."""
        if types not in self._modules:
            self._modules[types] = ir.Module.parse(_function(types))
        return self._modules[types]

    def _build(self, block: Any, request: Request, values: list[Any]) -> Any:
        try:
            op = self._create(block, request, values)
            if request.body is not None:
                self._write(op, request)
            elif request.op.regions:
                self._fill(op)
            op.verify()
        except _REFUSED:
            return None
        return op

    def _create(self, block: Any, request: Request, values: list[Any]) -> Any:
        attributes = {name: ir.Attribute.parse(text) for name, text in request.attrs}
        if "AttrSizedOperandSegments" in request.op.traits:
            attributes |= segmented(ir, len(request.types) - 1, 1)
        return ir.Operation.create(
            request.op.full_name,
            results=[ir.Type.parse(request.types[-1])],
            operands=values,
            attributes=attributes,
            regions=len(request.op.regions),
            ip=ir.InsertionPoint.at_block_begin(block),
        )

    def _write(self, op: Any, request: Request) -> None:
        """Fills the operation's region with the body asked for."""
        assert request.body is not None
        types = [ir.Type.parse(element_of(t)) for t in request.types]
        block = op.regions[0].blocks.append(*types)
        values = list(block.arguments)
        with ir.InsertionPoint(block):
            for instr in request.body.instrs:
                values.append(create_scalar(instr, [values[a] for a in instr.args], types[-1]))
            ir.Operation.create(self.target.terminator, operands=[values[request.body.result]])

    # ---- reading ---------------------------------------------------------------------------------

    def _read(self, module: Any) -> Meaning:
        ops = [op.operation for op in module.body.operations[0].regions[0].blocks[0].operations][:-1]
        main = [op for op in ops if op.name == self.target.result]
        hoisted = [op for op in ops if op.name in self.scalars and not op.operands]
        if len(main) != 1 or len(main) + len(hoisted) != len(ops):
            names = ", ".join(sorted({op.name for op in ops}))
            raise NotStructured(f"the pipeline leaves {names}, not one {self.target.result}")
        attributes = [ir.AffineMapAttr(a).value for a in main[0].attributes[self._maps]]
        maps = tuple(linear_map(m) for m in attributes)
        meaning = Meaning(maps, self._read_body(main[0], hoisted))
        if meaning.num_dims != attributes[0].n_dims:
            raise NotStructured("an iteration dimension appears in no indexing map")
        parallel, reduction = self._iterators.values[:2]
        wanted = [reduction if d in meaning.reduced else parallel for d in range(meaning.num_dims)]
        if [str(a) for a in main[0].attributes[self._iterators.name]] != wanted:
            raise NotStructured("the iterator types are not those that the output's map implies")
        return meaning

    def _read_body(self, op: Any, hoisted: list[Any]) -> Body:
        """The region as a body; constants that the lowering moved out of it are taken in again."""
        block = op.regions[0].blocks[0]
        values = list(block.arguments)
        instrs: list[Instr] = []
        for inner in [*hoisted, *(item.operation for item in block.operations)]:
            args = tuple(_number(values, v) for v in inner.operands)
            if inner.name == self.target.terminator:
                return Body(len(block.arguments), tuple(instrs), args[0])
            instrs.append(Instr(inner.name, args, self._kept(inner)))
            values.extend(inner.results)
        raise NotStructured("the body has no terminator")

    def _kept(self, inner: Any) -> Attrs:
        """The attributes that change the meaning: all but those at their default."""
        if inner.name not in self.scalars:
            raise NotStructured(f"the body uses {inner.name}, which is no operation of the scalar dialects")
        return kept(inner, defaults_of(self.scalars[inner.name]))


def create_scalar(instr: Instr, operands: list[Any], out: Any) -> Any:
    """Creates a scalar operation; where its result type cannot be inferred (casts) it is `out`."""
    attributes = {name: ir.Attribute.parse(text) for name, text in instr.attrs}
    try:
        op = ir.Operation.create(instr.op, operands=operands, attributes=attributes, infer_type=True)
    except _REFUSED:
        op = ir.Operation.create(instr.op, results=[out], operands=operands, attributes=attributes)
    return op.results[0]


def _last_line(error: Exception) -> str:
    return str(error).strip().splitlines()[-1].partition("error: ")[2]


@contextmanager
def _tried(module: Any) -> Iterator[Any]:
    """The block of the module's function; what is put in front of its operations is erased, the last first."""
    block = module.body.operations[0].regions[0].blocks[0]
    before = len(block.operations)
    try:
        yield block
    finally:
        end = block.operations[len(block.operations) - 1].operation
        end.operands[0] = block.arguments[len(block.arguments) - 1]
        for op in [block.operations[i].operation for i in range(len(block.operations) - before)][::-1]:
            op.erase()


def _function(types: tuple[str, ...]) -> str:
    args = ", ".join(f"%a{i}: {t}" for i, t in enumerate(types))
    last = f"%a{len(types) - 1} : {types[-1]}"
    return f"func.func @f({args}) -> {types[-1]} {{ return {last} }}"


def _number(values: list[Any], value: Any) -> int:
    for i, known in enumerate(values):
        if known == value:
            return i
    raise NotStructured("the body uses a value from outside")


def defaults_of(op: Op) -> Attrs:
    """The attributes that need not be said, with the last name in the C++ expression of each default."""
    return tuple((a.name, a.default.split("::")[-1]) for a in op.attrs if a.default)


def kept(op: Any, defaults: Attrs) -> Attrs:
    """The attributes of an operation that are not at their default, by name."""
    usual = {name: f"<{text}>" for name, text in defaults}
    found = sorted((name, str(value)) for name, value in attributes(op))
    return tuple((n, t) for n, t in found if n not in usual or not t.endswith(usual[n]))
