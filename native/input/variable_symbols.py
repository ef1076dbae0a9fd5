"""Variables of a module: arguments while it is compiled, then symbols of the object file.

A variable that can be written is an argument of every function that uses it (`raising.frontend.mlir.variables`), to
which the entry gives the address of its symbol. The symbol is defined where the module gives it contents, with their
linkage, and belongs to another file where it has none.

    before  memref.global @counts : memref<8xi32> = dense<0>
            func.func @count(%i: index) { %m = memref.get_global @counts
    after   func.func @count(%i: index, %m: memref<8xi32> {raise.global = "counts"})
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from mlir import ir
from mlir.passmanager import PassManager

from raising.frontend.mlir.variables import as_arguments, variables
from raising.native.base.signature import C_TYPES
from raising.native.base.unsupported import CompileError
from raising.support.mlir.walk import operations
from raising.support.record import dataclass

C_TYPE, WEAK, PATHS = "c_type", "raise.weak", "c_paths"
"""Attributes of a variable: its C type, and that another file may define it, too; of a function: its parameters."""


@dataclass(frozen=True)
class Symbol:
    """A variable, for those who link with it; `text` is its operation.

    It is `defined` if this module has its contents; other files may define it, too, if it is `weak`.
    """

    name: str
    c_type: str
    shape: tuple[int, ...]
    public: bool
    constant: bool
    defined: bool
    weak: bool
    text: str


def take_variables(module: Any) -> tuple[Symbol, ...]:
    """Make the variables of a module arguments, and take them out; CompileError for one that cannot be.

    Constants stay where they are, but for those that only entries use, to find the parameters that lie in them.
    """
    as_arguments(module, constants=False)
    every = variables(module)
    gets = operations(module, lambda op: op.name == "memref.get_global")
    used = {ir.FlatSymbolRefAttr(get.attributes["name"]).value for get in gets}
    hidden = {name for name, v in every.items() if v.constant and not v.public}
    known = {name: every[name] for name in every.keys() - hidden if not every[name].constant}
    for name in sorted(used & known.keys()):
        raise CompileError(f"variable '{name}' is used in a function that calls what is not in the module")
    known |= {name: every[name] for name in (hidden - used) & _named_by_paths(module)}
    found = tuple(_symbol(name, v) for name, v in every.items() if v.public or name in known)
    for variable in known.values():
        variable.op.erase()
    return found


def _named_by_paths(module: Any) -> set[str]:
    """The variables that parameters of functions for C lie in (`raising.native.abi.record_arguments`)."""
    functions = (op.attributes for op in module.body.operations if PATHS in op.attributes)
    paths = (ir.StringAttr(path).value for attributes in functions for path in ir.ArrayAttr(attributes[PATHS]))
    return {match[1] for path in paths if (match := re.match(r"@([\w.$]+)", path))}


def _symbol(name: str, variable: Any) -> Symbol:
    attributes, kind = variable.op.attributes, variable.kind
    element = str(kind.element_type)
    if element not in C_TYPES or kind.memory_space is not None or not kind.has_static_shape:
        raise CompileError(f"variable '{name}' of type {kind} has no form in C")
    c_type = ir.StringAttr(attributes[C_TYPE]).value if C_TYPE in attributes else C_TYPES[element]
    defined = variable.initial is not None
    weak, text = WEAK in attributes, str(variable.op)
    return Symbol(name, c_type, tuple(kind.shape), variable.public, variable.constant, defined, weak, text)


def add_symbols(module: Any, symbols: Sequence[Symbol]) -> None:
    """Define or declare variables in a module that is in LLVM's dialect by now."""
    extra = ir.Module.parse("\n".join(symbol.text for symbol in symbols if not symbol.constant or not symbol.public))
    PassManager.parse("builtin.module(finalize-memref-to-llvm)").run(extra.operation)
    for op in extra.body.operations:
        op.operation.clone(ir.InsertionPoint.at_block_begin(module.body))
    weak = {symbol.name for symbol in symbols if symbol.weak and symbol.defined}
    for op in module.body.operations:
        if op.operation.name == "llvm.mlir.global" and ir.StringAttr(op.attributes["sym_name"]).value in weak:
            op.attributes["linkage"] = ir.Attribute.parse("#llvm.linkage<weak>")
