"""Lowering by functions: what an operation computes is a `func.func` whose body takes its place.

The functions of `DIALECT.OP` are those called `@DIALECT.OP` or `@DIALECT.OP.WHATEVER`.
One is for the operations whose operand and result types its own can be cast to,
and that have the attributes it has; those of the dialect `raise` are about the function.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from raising.grammar.dialects.irdl import complaint
from raising.grammar.dialects.target_dialect import Source, UnusableTarget
from raising.support.mlir.branches import move_body, replace_op
from raising.support.mlir.walk import attributes, maker, named, operations
from raising.support.record import dataclass

ABOUT = "raise."
_OWN = ("sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs")


class NotLowered(ValueError):
    """No function is for an operation, or it is at odds with its shapes; the message says which."""


@dataclass(frozen=True)
class Written:
    """One function: its name, and the attributes that an operation has to have."""

    symbol: str
    attributes: tuple[tuple[str, str], ...]
    op: Any
    ir: Any  # the bindings of the MLIR that it is in

    @property
    def type(self) -> Any:
        """The function's type."""
        return self.ir.FunctionType(self.ir.TypeAttr(self.op.attributes["function_type"]).value)

    def fits(self, op: Any) -> bool:
        """True if an operation can be replaced by a call."""
        kind = self.type
        pairs = (*zip(op.operands, kind.inputs, strict=False), *zip(op.results, kind.results, strict=False))
        if len(op.operands) != len(kind.inputs) or len(op.results) != len(kind.results):
            return False
        if any(n not in op.attributes or str(op.attributes[n]) != text for n, text in self.attributes):
            return False
        return all(_castable(value.type, wanted, self.ir) for value, wanted in pairs)


class Library:
    """The functions of one text, in the context (of the bindings `ir`) whose operations they stand for."""

    def __init__(self, source: Source, context: Any, ir: Any) -> None:
        self.file, self.ir = source.file, ir
        with context, ir.Location.unknown():
            try:
                self._module = ir.Module.parse(source.text)
            except ir.MLIRError as error:
                raise UnusableTarget(complaint(str(error), source.file)) from None
            self.functions = tuple(self._functions())

    def _functions(self) -> Iterator[Written]:
        for item in self._module.body.operations:
            op = item.operation
            if op.name != "func.func" or not op.regions[0].blocks:
                raise UnusableTarget(f"{self.file}: holds a {op.name} that is no function with a body")
            symbol = str(self.ir.StringAttr(op.attributes["sym_name"]).value)
            found = {name: str(value) for name, value in attributes(op)}
            given = tuple((n, text) for n, text in found.items() if n not in _OWN and not n.startswith(ABOUT))
            yield Written(symbol, given, op, self.ir)

    def of(self, name: str) -> tuple[Written, ...]:
        """The functions for an operation."""
        return tuple(f for f in self.functions if f.symbol == name or f.symbol.startswith(f"{name}."))

    def inline(self, module: Any) -> bool:
        """Puts the function that fits in place of every operation that has functions; False if there is none."""
        found = [(op, functions) for op in operations(module) if (functions := self.of(op.name))]
        for op, functions in found:
            chosen = next((f for f in functions if f.fits(op)), None)
            if chosen is None:
                raise NotLowered(f"{self.file}: no function is for {_typed(op)}")
            self._replace(op, chosen, module)
        return bool(found)

    def _replace(self, op: Any, function: Written, module: Any) -> None:
        """Move the body of a copy of a function to where an operation is."""
        with self.ir.InsertionPoint.at_block_begin(module.body), self.ir.Location.unknown():
            copy = function.op.clone()
        block = copy.regions[0].blocks[0]
        with self.ir.InsertionPoint(op), op.location:
            pairs = zip(op.operands, block.arguments, strict=True)
            yielded = move_body(block, op, [_cast(value, argument.type, self.ir) for value, argument in pairs])
            results = [_cast(v, r.type, self.ir) for v, r in zip(yielded, op.results, strict=True)]
        replace_op(op, results)
        copy.erase()


def _cast(value: Any, kind: Any, ir: Any) -> Any:
    if value.type == kind:
        return value
    return ir.Operation.create("tensor.cast", results=[kind], operands=[value]).results[0]


def _castable(given: Any, wanted: Any, ir: Any) -> bool:
    if not isinstance(given, ir.RankedTensorType) or not isinstance(wanted, ir.RankedTensorType):
        return bool(given == wanted)
    same = given.element_type == wanted.element_type and given.rank == wanted.rank
    return same and given.encoding == wanted.encoding and _agree(given, wanted)


def _agree(a: Any, b: Any) -> bool:
    """True if no dimension of two types of one rank has two sizes."""
    sizes = [(a.is_dynamic_dim(d), b.is_dynamic_dim(d), a.shape[d], b.shape[d]) for d in range(a.rank)]
    return all(x or y or m == n for x, y, m, n in sizes)


def check_casts(module: Any, file: str) -> None:
    """Refuses a lowered module in which some size is cast to another: its sizes do not fit the function."""
    for op in named(module, "tensor.cast"):
        source = op.operands[0]
        while (cast := maker(source, "tensor.cast")) is not None:
            source = cast.operands[0]
        if not _agree(source.type, op.results[0].type):
            raise NotLowered(f"{file}: a result of {source.type} is to be of {op.results[0].type}")


def _typed(op: Any) -> str:
    kinds = ", ".join(str(v.type) for v in op.operands)
    return f"{op.name} of ({kinds}) -> {', '.join(str(v.type) for v in op.results)}"


def unused(functions: Sequence[Written], names: Sequence[str]) -> list[str]:
    """The functions that are for none of these operations."""
    return [f.symbol for f in functions if not any(f.symbol == n or f.symbol.startswith(f"{n}.") for n in names)]
