"""What printing MLIR needs below statements: names, indentation, bounds and subscripts."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from tests.kernels.forms import Form, form_of, render


@dataclass(frozen=True)
class Style:
    """How the same loops are to be spelled."""

    dtype: str = "f64"
    loops: Literal["affine", "scf"] = "affine"
    extents: Literal["static", "dim", "argument"] = "static"
    locals: Literal["ssa", "alloca"] = "ssa"


def parameters(tree: ast.FunctionDef) -> list[tuple[str, tuple[str, ...]]]:
    """Names and extents (none for a scalar) of a kernel's parameters, in order."""
    result = []
    for arg in tree.args.args:
        extents = arg.annotation.elts if isinstance(arg.annotation, ast.Tuple) else []
        result.append((arg.arg, tuple(ast.unparse(extent) for extent in extents)))
    return result


class Lines:
    """A function being printed: its lines so far, the names in use, what each variable stands for."""

    def __init__(self, tree: ast.FunctionDef, sizes: Mapping[str, int], style: Style) -> None:
        self.tree, self.style = tree, style
        self.static = sizes if style.extents == "static" else {}
        self.sizes = list(sizes)
        self.types = {name: self._type(extents) for name, extents in parameters(tree)}
        self.names = {*self.types, *(self.sizes if style.extents != "static" else [])}
        self.env = {name: f"%{name}" for name, extents in parameters(tree) if not extents}
        self.prologue: dict[str, str] = {}
        self.lines: list[str] = []
        self.depth = 1

    def _type(self, extents: tuple[str, ...]) -> str:
        if not extents:
            return self.style.dtype
        return f"memref<{'x'.join(str(self.static.get(e, '?')) for e in extents)}x{self.style.dtype}>"

    def line(self, text: str) -> None:
        self.lines.append("  " * self.depth + text)

    def fresh(self, base: str) -> str:
        name, count = base, 0
        while name in self.names:
            count += 1
            name = f"{base}_{count}"
        self.names.add(name)
        return f"%{name}"

    def define(self, base: str, op: str) -> str:
        name = self.fresh(base)
        self.line(f"{name} = {op}")
        return name

    def once(self, base: str, op: str) -> str:
        """Define at the top of the function, at first use."""
        self.prologue.setdefault(f"%{base}", op)
        return f"%{base}"

    @contextmanager
    def region(self) -> Iterator[None]:
        names = set(self.names)
        self.depth += 1
        yield
        self.depth -= 1
        self.names = names

    # --- bounds and subscripts

    @property
    def prefix(self) -> str:
        return "affine" if self.style.loops == "affine" else "memref"

    def bound(self, form: Form) -> str:
        if not any(form) or [*form.values()] == [1] and not set(form) & set(self.env):
            return render(form, "%{}".format)  # a bare name is read as a symbol: never a loop variable
        mapped, operands = self.mapped(form)
        dims, _, rest = mapped.partition(" -> ")
        return f"affine_map<{dims} -> ({rest})>{operands}"

    def mapped(self, form: Form) -> tuple[str, str]:
        """`(d0)[s0] -> expression` and its operands."""
        dims = [name for name in form if name in self.env]
        symbols = [name for name in form if name and name not in self.env]
        alias = {name: f"d{i}" for i, name in enumerate(dims)} | {name: f"s{i}" for i, name in enumerate(symbols)}
        inputs = f"({', '.join(alias[d] for d in dims)})"
        operands = f"({', '.join(self.env[d] for d in dims)})"
        if symbols:
            inputs += f"[{', '.join(alias[s] for s in symbols)}]"
            operands += f"[{', '.join(f'%{s}' for s in symbols)}]"
        return f"{inputs} -> {render(form, alias.__getitem__)}", operands

    def symbol(self, name: str) -> str:
        return self.env.get(name, f"symbol(%{name})")

    def index(self, form: Form) -> str:
        """Compute an affine form with `arith`."""
        constant = form.get("", 0)
        total = self.constant(constant) if constant or not form else ""
        for name, factor in form.items():
            if name:
                total = self._accumulate(total, self.env.get(name, f"%{name}"), factor)
        return total

    def constant(self, value: int) -> str:
        base = f"c{value}" if value >= 0 else f"cm{-value}"
        return self.once(base, f"arith.constant {value} : index")

    def _accumulate(self, total: str, term: str, factor: int) -> str:
        if abs(factor) != 1:
            term = self.define("scaled", f"arith.muli {term}, {self.constant(abs(factor))} : index")
        if factor < 0:
            return self.define("at", f"arith.subi {total or self.constant(0)}, {term} : index")
        return self.define("at", f"arith.addi {total}, {term} : index") if total else term

    def access(self, node: ast.Subscript) -> str:
        assert isinstance(node.value, ast.Name)
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        forms = [form_of(item, self.static) for item in items]
        write: Callable[[Form], str] = self.index
        if self.style.loops == "affine":
            write = lambda form: render(form, self.symbol)  # noqa: E731
        array = node.value.id
        return f"%{array}[{', '.join(map(write, forms))}] : {self.types[array]}"

    def cell(self, name: str) -> str:
        type_ = f"memref<{self.style.dtype}>"
        return f"{self.once(name, f'memref.alloca() : {type_}')}[] : {type_}"
