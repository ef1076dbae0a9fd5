"""The function that C sees: pointers and sizes in, one call of the function on memrefs.

It is written in the text of LLVM's dialect, with the descriptors of memrefs
spread over arguments as MLIR's own lowering does.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from native.destination import SUFFIX
from native.extents import UNBOUNDED, evaluate
from native.signature import INTEGERS, Extent, Parameter, Signature

_ANY = 1 << 40  # stands for an extent that the C function does not know


def entry_text(signature: Signature) -> str:
    """The entry of a function and the declaration of its body, in LLVM's dialect."""
    return _Entry(signature).text()


def scalar_type(element: str) -> str:
    """The type of a scalar in LLVM's dialect."""
    return "i64" if element == "index" else element


@dataclass
class _Entry:
    """Writes the entry of one function."""

    signature: Signature
    heads: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    sizes: dict[str, str] = field(default_factory=dict)
    count: int = 0

    def text(self) -> str:
        """The declaration and the entry."""
        name, returns = self.signature.name, self.signature.returns
        places = [self.receive(p) for p in self.signature.parameters]
        passed = [a for p, own in zip(self.signature.parameters, places, strict=True) for a in self.passed(p, own)]
        values, types = (", ".join(column) for column in zip(*passed, strict=True)) if passed else ("", "")
        result = scalar_type(returns[0]) if returns else "()"
        arrow = f" -> {result}" if returns else ""
        call = f"llvm.call @{name}{SUFFIX}({values}) : ({types}) -> {result}"
        ending = f"%result = {call}\nllvm.return %result : {result}" if returns else f"{call}\nllvm.return"
        body = "\n".join([*self.lines, ending])
        declaration = f"llvm.func @{name}{SUFFIX}({types}){arrow}"
        return f"{declaration}\nllvm.func @{name}({', '.join(self.heads)}){arrow} {{\n{body}\n}}"

    def receive(self, parameter: Parameter) -> list[str]:
        """Take a parameter and the sizes behind it; their names."""
        kind = scalar_type(parameter.element) if parameter.shape is None else "!llvm.ptr {llvm.noalias}"
        names = [self.head(kind), *(self.head("i64") for _ in parameter.open_dims)]
        if parameter.shape is None and parameter.element in INTEGERS:
            self.sizes[parameter.name] = self.wide(names[0], parameter)
        return names

    def head(self, kind: str) -> str:
        """A new parameter of the entry."""
        name = f"%p{len(self.heads)}"
        self.heads.append(f"{name}: {kind}")
        return name

    def wide(self, value: str, parameter: Parameter) -> str:
        """An integer parameter as 64 bits."""
        kind = scalar_type(parameter.element)
        if kind == "i64":
            return value
        extension = "zext" if parameter.unsigned else "sext"
        return self.define(f"llvm.{extension} {value} : {kind} to i64")

    def passed(self, parameter: Parameter, own: list[str]) -> list[tuple[str, str]]:
        """Values and types that stand for a parameter in the call of the body."""
        if parameter.shape is None:
            return [(own[0], scalar_type(parameter.element))]
        opened = iter(own[1:])
        extents = [next(opened) if e is None else self.extent(e) for e in parameter.shape]
        strides = [self.number(1)] if extents else []
        for extent in reversed(extents[1:]):
            strides.insert(0, self.define(f"llvm.mul {extent}, {strides[0]} : i64"))
        integers = [(value, "i64") for value in (self.number(0), *extents, *strides)]
        return [(own[0], "!llvm.ptr"), (own[0], "!llvm.ptr"), *integers]

    def extent(self, extent: Extent) -> str:
        """A value for an extent that is known in the entry."""
        if extent == UNBOUNDED or isinstance(extent, int):
            return self.number(extent if isinstance(extent, int) else _ANY)
        return evaluate(str(extent), self.sizes, self.number, self.combine)

    def combine(self, operation: str, left: str, right: str) -> str:
        """Two sizes in one operation."""
        return self.define(f"llvm.{operation} {left}, {right} : i64")

    def number(self, value: int) -> str:
        """A constant."""
        return self.define(f"llvm.mlir.constant({value} : i64) : i64")

    def define(self, operation: str) -> str:
        """The value of an operation."""
        self.count += 1
        self.lines.append(f"%v{self.count} = {operation}")
        return f"%v{self.count}"
