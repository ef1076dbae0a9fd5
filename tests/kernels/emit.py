"""Print a kernel written as Python text (see `sources.py`) as MLIR."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Mapping

from tests.kernels.forms import difference, form_of, render
from tests.kernels.printing import Lines, Style, parameters

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "addf",
    ast.Sub: "subf",
    ast.Mult: "mulf",
    ast.Div: "divf",
}
_RESULT = {"addf": "sum", "subf": "diff", "mulf": "prod", "divf": "quot"}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.LtE: "ole",
    ast.Lt: "olt",
    ast.GtE: "oge",
    ast.Gt: "ogt",
    ast.Eq: "oeq",
}


def emit(tree: ast.FunctionDef, sizes: Mapping[str, int], style: Style | None = None) -> str:
    """Return the text of one `func.func`."""
    return _Printer(tree, sizes, style or Style()).function()


class _Printer(Lines):
    """Statements and values."""

    def function(self) -> str:
        """Print everything."""
        self.block(self.tree.body)
        arguments = [f"%{name}:\xa0{type_}" for name, type_ in self.types.items()]
        if self.style.extents == "argument":
            arguments += [f"%{size}:\xa0index" for size in self.sizes]
        header = f"func.func @{self.tree.name}({', '.join(arguments)}) {{"
        wrapped = textwrap.fill(header, 100, subsequent_indent="    ", break_long_words=False)
        head = [wrapped.replace("\xa0", " "), *(f"  {line}" for line in self._dimensions())]
        prologue = [f"  {name} = {op}" for name, op in self.prologue.items()]
        return "\n".join([*head, *prologue, *self.lines, "  return", "}"]) + "\n"

    def _dimensions(self) -> Iterator[str]:
        if self.style.extents != "dim":
            return
        found: set[str] = set()
        for array, extents in parameters(self.tree):
            for axis, extent in enumerate(extents):
                if extent not in found:
                    found.add(extent)
                    yield f"%axis_{extent} = arith.constant {axis} : index"
                    yield f"%{extent} = memref.dim %{array}, %axis_{extent} : {self.types[array]}"

    # --- statements

    def block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            match statement:
                case ast.Expr(ast.Constant(str(comment))):
                    self.line(f"// {comment}")
                case ast.Assign([target], value):
                    self.assign(target, self.value(value))
                case ast.For():
                    self.loop(statement)
                case ast.If(ast.Compare(left, [ast.LtE()], [right]), body):
                    self.guard(left, right, body)
                case _:
                    raise ValueError(ast.unparse(statement))

    def assign(self, target: ast.expr, value: str) -> None:
        if isinstance(target, ast.Subscript):
            self.line(f"{self.prefix}.store {value}, {self.access(target)}")
        elif isinstance(target, ast.Name) and self.style.locals == "alloca":
            self.line(f"{self.prefix}.store {value}, {self.cell(target.id)}")
        elif isinstance(target, ast.Name):
            self.env[target.id] = value

    def loop(self, node: ast.For) -> None:
        carried = [] if self.style.locals == "alloca" else self.carried(node)
        inits = [self.env[name] for name in carried]
        head, _, span = self.header(node).partition("%")
        before = dict(self.env)
        with self.region():
            assert isinstance(node.target, ast.Name)
            self.env[node.target.id] = index = self.fresh(node.target.id)
            self.env.update({name: self.fresh(f"{name}_in") for name in carried})
            inputs = [f"{self.env[name]} = {init}" for name, init in zip(carried, inits, strict=True)]
            body = self.body(node.body, carried)
        result = self.fresh("result") if carried else ""
        text = f"{head}{index}{span}"
        if carried:
            count = f":{len(carried)}" if len(carried) > 1 else ""
            text = f"{result}{count} = {text} iter_args({', '.join(inputs)}) -> ({self.floats(carried)})"
        self.line(text + " {")
        self.lines += [*body, "  " * self.depth + "}"]
        self.env = before | _results(result, carried)

    def header(self, node: ast.For) -> str:
        """`affine.for % = 0 to 10`, the index still to be named."""
        assert isinstance(node.iter, ast.Call)
        bounds = [ast.Constant(0), *node.iter.args][-2:]
        lower, upper = (form_of(bound, self.static) for bound in bounds)
        if node.type_comment == "parallel":
            return f"affine.parallel (%) = ({render(lower, self.symbol)}) to ({render(upper, self.symbol)})"
        if self.style.loops == "affine":
            return f"affine.for % = {self.bound(lower)} to {self.bound(upper)}"
        return f"scf.for % = {self.index(lower)} to {self.index(upper)} step {self.constant(1)}"

    def floats(self, carried: list[str]) -> str:
        return ", ".join([self.style.dtype] * len(carried))

    def body(self, statements: list[ast.stmt], carried: list[str]) -> list[str]:
        outer, self.lines = self.lines, []
        self.block(statements)
        if carried:
            values = ", ".join(self.env[name] for name in carried)
            self.line(f"{self.style.loops}.yield {values} : {self.floats(carried)}")
        inner, self.lines = self.lines, outer
        return inner

    def carried(self, node: ast.For) -> list[str]:
        targets = (t for s in ast.walk(node) if isinstance(s, ast.Assign) for t in s.targets)
        names = dict.fromkeys(t.id for t in targets if isinstance(t, ast.Name))
        return [name for name in names if name in self.env]

    def guard(self, left: ast.expr, right: ast.expr, body: list[ast.stmt]) -> None:
        slack = difference(form_of(right, self.static), form_of(left, self.static))
        if self.style.loops == "affine":
            mapped, operands = self.mapped(slack)
            dims, _, rest = mapped.partition(" -> ")
            self.line(f"affine.if affine_set<{dims} : ({rest} >= 0)>{operands} {{")
        else:
            sides = f"{self.index(slack)}, {self.constant(0)}"
            self.line(f"scf.if {self.define('holds', f'arith.cmpi sge, {sides} : index')} {{")
        with self.region():
            self.block(body)
        self.line("}")

    # --- values

    def value(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(float(value)):
                return self.number(value)
            case ast.UnaryOp(ast.USub(), operand):
                return self.define("neg", f"arith.negf {self.value(operand)} : {self.style.dtype}")
            case ast.Name(name):
                return self.local(name)
            case ast.Subscript(ast.Name(array)):
                subscripts = ast.unparse(node.slice).strip("()").replace(", ", "")
                base = f"{array}_{subscripts}" if subscripts.isidentifier() else f"{array}_el"
                return self.define(base, f"{self.prefix}.load {self.access(node)}")
            case ast.BinOp(left, op, right):
                name = _BINARY[type(op)]
                operands = f"{self.value(left)}, {self.value(right)}"
                return self.define(_RESULT[name], f"arith.{name} {operands} : {self.style.dtype}")
            case ast.Call(ast.Name("float"), [ast.Name(size)]):
                return self.number(float(self.static[size]))
            case ast.Call(ast.Name(function), arguments):
                operands = ", ".join(map(self.value, arguments))
                return self.define(function, f"math.{function} {operands} : {self.style.dtype}")
            case ast.IfExp(ast.Compare(left, [op], [right]), then, other):
                return self.select(left, op, right, then, other)
        raise ValueError(ast.unparse(node))

    def number(self, value: float) -> str:
        base = f"cst_{value:g}".replace(".", "_").replace("-", "m").replace("+", "")
        return self.once(base, f"arith.constant {value!r} : {self.style.dtype}")

    def local(self, name: str) -> str:
        if name in self.env:
            return self.env[name]
        return self.define(name + "_v", f"{self.prefix}.load {self.cell(name)}")

    def select(self, left: ast.expr, op: ast.cmpop, right: ast.expr, then: ast.expr, other: ast.expr) -> str:
        sides = f"{self.value(left)}, {self.value(right)}"
        test = self.define("test", f"arith.cmpf {_COMPARE[type(op)]}, {sides} : {self.style.dtype}")
        values = f"{test}, {self.value(then)}, {self.value(other)}"
        return self.define("chosen", f"arith.select {values} : {self.style.dtype}")


def _results(result: str, carried: list[str]) -> dict[str, str]:
    if len(carried) == 1:
        return {carried[0]: result}
    return {name: f"{result}#{place}" for place, name in enumerate(carried)}
