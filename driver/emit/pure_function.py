"""Functions raised as a whole, for targets that have tensor values only: from tensors to tensors.

The arguments are those of the loops, memrefs as tensors and scalars as tensors of rank zero; the results are the final
contents of each array that the loops write, in the order of the arguments, and then what the function returned.

    before  func.func @f(%a: memref<8xf32>, %b: memref<8xf32>) { affine.for %i { ... store to %b } }
    after   func.func @f(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> { ...; return %r }
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir
from mlir.passmanager import PassManager

from raising.affine.ir.program import Load, Store, walk
from raising.emit.tensor_abi import written_arguments
from raising.frontend.mlir.attributes import Refusal
from raising.frontend.mlir.ops import read_op
from raising.frontend.mlir.reader import LOADS, Function
from raising.frontend.mlir.segments import Segment
from raising.frontend.mlir.variables import VARIABLE, argument_symbols
from raising.grammar.dialects.host import Host
from raising.grammar.dialects.target_dialect import Target
from raising.grammar.emit.value_targets import PureBuilder
from raising.grammar.select.selector import CannotSay, Selector
from raising.grammar.terms.scalar_ops import SCALARS
from raising.grammar.terms.structured_op import Body, Instr
from raising.grammar.terms.term import Apply, Input, Literal, TensorType, Term, Window, nodes, substitute
from raising.segment.segment_result import SegmentResult
from raising.support.mlir.accumulation import read_apart
from raising.support.mlir.walk import attributes, maker
from raising.validate.reading.target_control_flow import counted, is_counted

# Truth tensors are computed where they are used: memory of one-bit elements cannot be lowered to LLVM.
_GENERIC = "builtin.module(func.func(linalg-generalize-named-ops))"
_FUSION = "builtin.module(func.func(linalg-fuse-elementwise-ops,canonicalize,cse))"


_HARMLESS = {"func.return", "memref.dealloc", "memref.load", "affine.load"}  # a load's value is seen where it is used


def function_text(
    function: Function, solved: Sequence[tuple[Segment, SegmentResult]], selector: Selector
) -> tuple[str, list[str]]:
    """A raised function in the target's operations, in MLIR's generic form, and the operations used.

    `CannotSay` says why there is none.
    """
    return _Writer(function, solved, selector).text()


class _Writer:
    def __init__(self, function: Function, solved: Sequence[tuple[Segment, SegmentResult]], selector: Selector) -> None:
        operations = function.operations()
        left = [operations[i.position].name for i in function.items if i.kind == "barrier" and not i.nodes]
        foreign = sorted(set(left) - _HARMLESS)
        if foreign or len(solved) != 1:
            raise CannotSay(f"'{foreign[0]}' stands in it" if foreign else "its loops are no single run")
        self.function = function
        self.segment, self.result = solved[0]
        self.names = {value: name for name, value in function.reader.values.items()}
        self.builder = PureBuilder(selector, self.result.values)

    def text(self) -> tuple[str, list[str]]:
        """The function and the names of the operations in it."""
        arguments = [self._argument(v) for v in self.function.block.arguments]
        roots = tuple([self._written(n) for n in written_arguments(self.function)] + self._returned())
        roots = substitute(roots, self._computed(roots))
        values = self.builder.build(roots)
        types = ", ".join(self.builder.tensor(r.type) for r in roots)
        end = f"func.return {', '.join(values)} : {types}" if values else "func.return"
        head = f"func.func @{self.function.name}({', '.join(arguments)}) -> ({types}) {{"
        return "\n".join([head, *self.builder.lines, end, "}"]), self.builder.said

    def _argument(self, value: Any) -> str:
        name = f"%arg{value.arg_number}"
        kind = self._type(value)
        known = self.names.get(value)
        if known is not None:
            self.builder.values[Input(kind, known).digest] = name
        symbol = argument_symbols(self.function.op).get(value.arg_number)
        mark = f' {{{VARIABLE} = "{symbol}"}}' if symbol else ""
        return f"{name}: {self.builder.tensor(kind)}{mark}"

    def _type(self, value: Any) -> TensorType:
        known = self.names.get(value)
        if known in self.function.reader.arrays:
            array = self.result.program.arrays.get(known) or self.function.reader.arrays[known]
            return TensorType(array.element, array.shape)
        return TensorType(str(value.type), ())

    def _computed(self, roots: tuple[Term, ...]) -> dict[bytes, Term]:
        """The inputs that are no arguments of the function but scalars computed from these, by digest."""
        found = {}
        for node in nodes(roots):
            if isinstance(node, Input) and node.digest not in self.builder.values:
                found[node.digest] = self._scalar(self.function.reader.values.get(node.name))
        return found

    def _scalar(self, value: Any) -> Term:
        """A scalar outside of loops as a term over arguments and constants."""
        name = self.names.get(value)
        scalar = self.function.reader.scalars.get(name or "")
        if scalar is not None and scalar.literal is not None:
            return Literal(TensorType(scalar.element, ()), scalar.literal)
        if isinstance(value, ir.BlockArgument) and name is not None:
            return Input(self._type(value), name)
        op = maker(value)
        if op is not None and op.name in LOADS:
            return self._loaded(op)
        if op is None or op.name not in SCALARS or any(name != "fastmath" for name, _ in attributes(op)):
            raise CannotSay("a value is computed outside of its loops")
        count = len(op.operands)
        body = Body(count + 1, (Instr(op.name, tuple(range(count))),), count + 1)
        operands = tuple(self._scalar(v) for v in op.operands)
        return Apply(TensorType(str(value.type), ()), body, ((),) * (count + 1), operands)

    def _loaded(self, op: Any) -> Term:
        """An element of an array at entry, read outside of the loops before anything is written to it."""
        reader = self.function.reader
        known = dict(reader.data)
        try:
            load = next(n for n in reader.collected(lambda: read_op(reader, op)) if isinstance(n, Load))
        except (Refusal, StopIteration):
            raise CannotSay("a value is computed outside of its loops") from None
        reader.data = known
        place = self.function.operations().index(op)
        before = [n for i in self.function.items if i.position < place for n in walk(i.nodes)]
        if any(isinstance(n, Store) and n.array == load.array for n in before):
            raise CannotSay("a value is read between its loops")
        source = Input(self._type(op.operands[0]), load.array)
        kind = TensorType(source.type.element, ())
        return Window(kind, source, load.subscripts, (), (1,) * len(load.subscripts))

    def _written(self, number: int) -> Term:
        value = self.function.block.arguments[number]
        return self.result.terms.get(self.names[value]) or Input(self._type(value), self.names[value])

    def _returned(self) -> list[Term]:
        end = self.function.operations()[-1]
        return [self._result(v) for v in end.operands]

    def _result(self, value: Any) -> Term:
        for cell, result in self.segment.cells:
            if result == value:
                return self.result.terms[cell]
        name = self.names.get(value)
        return self.result.terms[name] if name in self.result.terms else self._scalar(value)


def replace_function(function: Function, text: str) -> None:
    """Put the function of `text` in the place of the original, in its own module."""
    function.op.context.allow_unregistered_dialects = True
    holder = ir.Module.parse(text)  # must outlive the move
    new = holder.body.operations[0].operation
    new.move_before(function.op)
    function.op.erase()
    function.op = new


def check_accepted(text: str, target: Target) -> None:
    """`CannotSay` if the target's verifier or its lowering refuses a function in its operations."""
    host = Host(target)
    host.context.allow_unregistered_dialects = True
    try:
        with host.context:
            module = host.ir.Module.parse(text)
            host.lower(module)
    except host.errors as error:
        raise CannotSay(f"target '{target.name}' refuses it: {' '.join(str(error).split())}") from error


def printed(module_text: str, target: Target) -> str:
    """The module as the target's own MLIR prints it; `CannotSay` if it does not accept it."""
    host = Host(target)
    host.context.allow_unregistered_dialects = True  # attributes of the user's module are not the target's business
    try:
        return str(host.ir.Module.parse(module_text, host.context))
    except host.errors as error:
        raise CannotSay(f"the bindings of '{target.name}' refuse it: {error}") from error


def lowered(module_text: str, target: Target) -> str:
    """The module as the target's own lowering leaves it: functions on tensors in upstream's dialects.

    Loops that count, which it leaves, become `scf.for`.
    """
    host = Host(target)
    module = host.ir.Module.parse(module_text, host.context)
    with host.context:
        host.lower(module)
    generic = str(module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True))
    return counted(generic, target, "all") if is_counted(generic, target) else str(module)


def runnable(module_text: str, target: Target, source: Any) -> str:
    """The module lowered to what upstream's MLIR runs, with the scalars of `source` (a function) as scalars.

    The target's own pipeline does the lowering, so a native run checks the
    operations that were chosen, not only the algebra.
    """
    module = ir.Module.parse(lowered(module_text, target))
    PassManager.parse(_GENERIC).run(module.operation)
    read_apart(module)
    PassManager.parse(_FUSION).run(module.operation)
    name = ir.StringAttr(source.attributes["sym_name"]).value
    inner = next(op for op in module.body.operations if ir.StringAttr(op.attributes["sym_name"]).value == name)
    inner.operation.attributes["sym_name"] = ir.StringAttr.get(f"{name}_tensors")
    inner.operation.attributes["sym_visibility"] = ir.StringAttr.get("private")
    functions = "\n".join(str(op) for op in module.body.operations)
    whole = ir.Module.parse(f"{functions}\n{_wrapper(name, inner, source)}")
    PassManager.parse("builtin.module(inline)").run(whole.operation)
    return str(whole)


def _wrapper(name: str, inner: Any, source: Any) -> str:
    kinds = ir.FunctionType(ir.TypeAttr(inner.attributes["function_type"]).value)
    given = ir.FunctionType(ir.TypeAttr(source.attributes["function_type"]).value)
    lines, arguments, operands = [], [], []
    for k, (kind, old) in enumerate(zip(kinds.inputs, given.inputs, strict=True)):
        scalar = not isinstance(old, ir.MemRefType)
        arguments.append(f"%a{k}: {old if scalar else kind}")
        operands.append(f"%t{k}" if scalar else f"%a{k}")
        if scalar:
            lines.append(f"%t{k} = tensor.from_elements %a{k} : {kind}")
    types = [str(t) for t in kinds.results]
    results = [f"%r{k}" for k in range(len(types))]
    signature = f"({', '.join(map(str, kinds.inputs))}) -> ({', '.join(types)})"
    call = f"func.call @{name}_tensors({', '.join(operands)}) : {signature}"
    lines.append(f"{', '.join(results)} = {call}" if results else call)
    scalars = len(given.results)
    for k in range(len(types) - scalars, len(types)):
        old = given.results[k - (len(types) - scalars)]
        if not isinstance(old, ir.MemRefType):
            lines.append(f"%s{k} = tensor.extract {results[k]}[] : {types[k]}")
            results[k], types[k] = f"%s{k}", str(old)
    lines.append(f"return {', '.join(results)} : {', '.join(types)}" if results else "return")
    return f"func.func @{name}({', '.join(arguments)}) -> ({', '.join(types)}) {{\n" + "\n".join(lines) + "\n}"
