"""The variables of a file: which of them a module can have, and their text in it.

A variable keeps its linkage, its first contents and its identity: what the module does with it, and what stays in C
does, is done to the same memory. Where that cannot be, the functions that use it are refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from math import prod
from typing import Any

from mlir import ir
from mlir.passmanager import PassManager
from pycparser import c_ast

from raising.frontend.c.emit.text import Locations
from raising.frontend.c.ir.module import Refused, place
from raising.frontend.c.ir.nodes import Let, Node
from raising.frontend.c.ir.types import ArrayOf, Number, extents, scalar_of
from raising.frontend.c.lower.declarations import MAX_INITIAL, is_constant, listed
from raising.frontend.c.lower.function import Lowering
from raising.frontend.c.syntax.parse import Unit
from raising.support.record import dataclass
from raising.support.source import Loc

_ALIGNED = 16
"""Bytes from which on an array starts at a multiple of as many (System V ABI, AMD64, 3.1.2)."""
_OTHER = {"_Thread_local", "__thread", "thread_local", "_Atomic"}


@dataclass
class Variables:
    """The variables of a file as a module needs them.

    `inside` are functions that the module has. What they use is defined in it if the file defines it; `weak` if other
    functions stay in C, with which the file's own object defines it, too.
    """

    unit: Unit
    inside: frozenset[str]
    _texts: dict[str, str] = field(default_factory=dict)

    @property
    def left(self) -> frozenset[str]:
        """The functions that stay in C and can run: those that others can call, and what these mention."""
        functions = self.unit.functions
        pending = [n for n, f in functions.items() if n not in self.inside and not is_hidden(f)]
        pending += [n for node in self.unit.globals.values() if node.init is not None for n in mentioned(node.init)]
        found: set[str] = set()
        while pending:
            name = pending.pop()
            if name in functions and name not in self.inside and name not in found:
                found.add(name)
                pending += mentioned(functions[name])
        return frozenset(found)

    def obstacle(self, name: str) -> Refused | None:
        """Why the module cannot have a variable, if it cannot."""
        try:
            self.text(name, Locations())
        except Refused as error:
            return error
        if not self.unit.is_static(name):
            return None
        node = self.unit.variable(name)
        for other in sorted(self.left):
            if other == self.unit.owner(name) or node.name in mentioned(self.unit.functions[other]):
                return Refused(place(node), f"static variable '{node.name}' is shared with '{other}', which stays in C")
        for other, holder in self.unit.globals.items():
            if holder.init is not None and node.name in mentioned(holder.init):
                return Refused(place(node), f"the address of static variable '{node.name}' is in '{other}'")
        return None

    def text(self, name: str, locations: Locations) -> str:
        """The declaration of a variable in the module; `Refused` for one that it cannot have."""
        node, loc = self.unit.variable(name), place(self.unit.variable(name))
        if _OTHER & {*node.storage}:
            raise Refused(loc, f"variable '{node.name}' belongs to a thread, or is atomic")
        if name not in self._texts:
            self._texts[name] = _Spelled(self.unit, node).text()
        kind, initial, attributes = self._texts[name].split("\0")
        defined = self.unit.is_defined(name)
        contents = f" = dense<{initial}>" if defined else ""
        weak = ", raise.weak" if defined and self.left and not self.unit.is_static(name) else ""
        linkage = "private" if self.unit.is_static(name) else "public"
        constant = " constant" if is_constant(node) and defined else ""
        head = f'  memref.global "{linkage}"{constant} @{name} : {kind}{contents} {{{attributes}{weak}}}'
        return head + locations.of(loc)


def is_hidden(function: Any) -> bool:
    """Whether nobody outside of the file can call a function."""
    return bool({"static", "inline"} & {*function.decl.storage, *function.decl.funcspec})


def mentioned(node: Any) -> set[str]:
    """The names in a piece of syntax."""
    found, pending = set[str](), [node]
    while pending:
        part = pending.pop()
        if isinstance(part, c_ast.ID):
            found.add(part.name)
        pending += [*part]
    return found


class _Spelled(Lowering):
    """A variable's type and first contents in MLIR."""

    def __init__(self, unit: Unit, node: Any) -> None:
        super().__init__(unit, frozenset())
        self.node = node
        self.know_enumerators()

    def text(self) -> str:
        """The type, the contents between `dense<` and `>`, and attributes, parted by NUL."""
        loc, t = place(self.node), self.type_of(self.node.type)
        if isinstance(t, ArrayOf) and t.extent is None and self.node.init is not None:
            t = ArrayOf(t.element, self.counted(self.node.init))
        element, shape = scalar_of(t), tuple(None if e is None else e.constant for e in extents(t))
        if element is None:
            raise Refused(loc, f"variable '{self.node.name}' is a pointer or a struct")
        if any(extent is None for extent in shape):
            raise Refused(loc, f"variable '{self.node.name}' is an array without a length")
        known = tuple(extent for extent in shape if extent is not None)
        kind = f"memref<{''.join(f'{extent}x' for extent in known)}{element.mlir}>"
        attributes = f'c_type = "{element.c}"'
        if known and prod(known) * element.width >= 8 * _ALIGNED:
            attributes = f"alignment = {_ALIGNED} : i64, {attributes}"
        return "\0".join((kind, self._contents(element, known, loc), attributes))

    def _contents(self, element: Number, shape: tuple[int, ...], loc: Loc) -> str:
        zero = "0.0" if element.is_float else "0"
        init = self.node.init
        if init is None:
            return zero
        if not shape:
            return self._values([init.exprs[0] if isinstance(init, c_ast.InitList) else init], element, loc)[0]
        given = dict(listed(init, shape))
        if len(given) > MAX_INITIAL:
            raise Refused(loc, f"variable '{self.node.name}' has more than {MAX_INITIAL} initial values")
        values = dict(zip(given, self._values(list(given.values()), element, loc), strict=True))
        if not given:
            return zero
        if prod(shape) > MAX_INITIAL:
            raise Refused(loc, f"variable '{self.node.name}' has initial values and more than {MAX_INITIAL} elements")
        return _nested(values, shape, (), zero)

    def _values(self, expressions: list[Any], element: Number, loc: Loc) -> list[str]:
        """The values of constant expressions as MLIR spells them."""
        with self.block() as nodes:
            data = [self.data(self.converted(self.value(e), element, loc), loc).id for e in expressions]
        found = folded(nodes, data, element.mlir)
        if found is None:
            raise Refused(loc, f"a first value of variable '{self.node.name}' is not a constant number")
        return found


def _nested(values: dict[tuple[int, ...], str], shape: tuple[int, ...], at: tuple[int, ...], zero: str) -> str:
    if len(at) == len(shape):
        return values.get(at, zero)
    return f"[{', '.join(_nested(values, shape, (*at, k), zero) for k in range(shape[len(at)]))}]"


def folded(nodes: Iterable[Node], results: list[int], kind: str) -> list[str] | None:
    """What operations without operands from outside compute, as MLIR folds them; None if it cannot."""
    lines = []
    for node in nodes:
        if not isinstance(node, Let):
            return None
        lines.append(f"%a{node.dst} = {node.text.format(*(f'%a{k}' for k in node.args))}")
    back = ", ".join(f"%a{k}" for k in results)
    kinds = ", ".join([kind] * len(results))
    with ir.Context() as context:
        context.enable_multithreading(False)
        module = ir.Module.parse("\n".join([f"func.func @f() -> ({kinds}) {{", *lines, f"return {back} : {kinds} }}"]))
        PassManager.parse("builtin.module(canonicalize)").run(module.operation)
        return _numbers(module)


def _numbers(module: Any) -> list[str] | None:
    *_, end = module.body.operations[0].regions[0].blocks[0].operations
    made = [value.owner for value in end.operands]
    if any(op.name != "arith.constant" for op in made):
        return None
    return [str(op.attributes["value"]).rpartition(" : ")[0] or str(op.attributes["value"]) for op in made]


def used_in(functions: Iterable[Any]) -> Iterator[str]:
    """The variables that functions use, each once."""
    names = (a.name for f in functions for a in f.arrays.values() if a.kind == "global")
    return iter(dict.fromkeys(names))


def exported(unit: Unit) -> list[str]:
    """The variables that a file defines for others."""
    return [name for name in unit.globals if unit.is_defined(name) and not unit.is_static(name)]
