"""Lines of LLVM's dialect: what the functions in front of compiled code are made of."""

from __future__ import annotations

from collections.abc import Sequence

from raising.support.mlir.text_lines import TextLines

POINTER = "!llvm.ptr"

Value = tuple[str, str]
"""A name and its type in LLVM's dialect."""


def scalar_type(element: str) -> str:
    """The type of a scalar in LLVM's dialect."""
    return "i64" if element == "index" else element


class EntryLines(TextLines):
    """The operations of a function; `heads` are its parameters, and `outside` is what stands outside of it."""

    stem = "v"

    def __init__(self) -> None:
        super().__init__()
        self.heads: list[str] = []
        self.outside: list[str] = []

    def function(self, name: str, kind: str = "") -> str:
        """The whole function, which gives a value of this kind, and what stands outside of it."""
        body = "\n".join(self.lines)
        head = f"llvm.func @{name}({', '.join(self.heads)}){f' -> {kind}' if kind else ''}"
        return "\n".join([*self.outside, f"{head} {{\n{body}\n}}"])

    def head(self, kind: str, name: str = "") -> str:
        """One more parameter, and its name."""
        name = name or f"%p{len(self.heads)}"
        self.heads.append(f"{name}: {kind}")
        return name

    def address(self, symbol: str) -> str:
        """The place of a variable of the module."""
        self.outside.append(f"llvm.mlir.global external @{symbol}() : i8")
        return self.op(f"llvm.mlir.addressof @{symbol} : {POINTER}")

    def number(self, value: int, kind: str = "i64") -> str:
        """Write an integer constant; its name."""
        return self.op(f"llvm.mlir.constant({value} : {kind}) : {kind}")

    def compare(self, relation: str, one: str, other: str, kind: str = "i64") -> str:
        """Whether a relation (`eq`, `ule`) of two integers or addresses holds."""
        return self.op(f'llvm.icmp "{relation}" {one}, {other} : {kind}')

    def place(self, base: str, offset: int) -> str:
        """The address so many bytes behind another one."""
        return self.op(f"llvm.getelementptr {base}[{offset}] : ({POINTER}) -> {POINTER}, i8")

    def load(self, place: str, kind: str) -> str:
        """What lies at an address."""
        return self.op(f"llvm.load {place} : {POINTER} -> {kind}")

    def field(self, base: str, offset: int, kind: str) -> str:
        """What lies so many bytes behind an address."""
        return self.load(self.place(base, offset), kind)

    def store(self, value: str, place: str, kind: str) -> None:
        """Put a value at an address."""
        self.line(f"llvm.store {value}, {place} : {kind}, {POINTER}")

    def widened(self, value: str, kind: str, unsigned: bool) -> str:
        """An integer on 64 bits."""
        return value if kind == "i64" else self.op(f"llvm.{'zext' if unsigned else 'sext'} {value} : {kind} to i64")

    def call(self, callee: str, arguments: Sequence[Value], kind: str = "", *, declared: bool = False) -> str:
        """Call a function, or what a pointer points to; the name of its result. One that is not `declared` will be."""
        values, types = (", ".join(column) for column in zip(*arguments, strict=True)) if arguments else ("", "")
        if callee.startswith("@") and not declared:
            self.outside.append(f"llvm.func {callee}({types}){f' -> {kind}' if kind else ''}")
        pointer = "" if callee.startswith("@") else f"{POINTER}, "
        text = f"llvm.call {callee}({values}) : {pointer}({types}) -> {kind or '()'}"
        if kind:
            return self.op(text)
        self.line(text)
        return ""
