"""Functions for LLVM, written in a small part of Python: the text is read and never run.

    def filled(a: ptr, n, value):           define void @filled(ptr %a, i64 %n, i64 %value) {
        for i in range(n):           ->     ...
            a[i] = value                    }

Values are integers of 64 bits without a sign where no annotation says otherwise, and `a[k]` is the k-th of them in
memory. `p + n` is the address n bytes behind `p`. A choice computes both of its values, as `&` and `|` do; only `if`
and `while` branch. `p.load("acquire")`, `p.store(x, "release")`, `p.add(x, "acq_rel")`, `p.sub`, `p.bits` (which sets
bits) and `old, done = p.exchange(expected, new, "acq_rel", "acquire")` are atomic, with LLVM's names of orders.

Variables live in memory until LLVM's first pass puts them into registers.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from raising.support.record import dataclass

Value = tuple[str, str]
"""A value of LLVM's with its type."""
NUMBER = "i64"
_OPERATORS: dict[type, str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "udiv", ast.Mod: "urem", ast.BitAnd: "and",
    ast.BitOr: "or", ast.BitXor: "xor", ast.LShift: "shl", ast.RShift: "lshr",
}  # fmt: skip
_RELATIONS: dict[type, tuple[str, str]] = {
    ast.Eq: ("eq", "oeq"), ast.NotEq: ("ne", "une"), ast.Lt: ("ult", "olt"), ast.LtE: ("ule", "ole"),
    ast.Gt: ("ugt", "ogt"), ast.GtE: ("uge", "oge"),
}  # fmt: skip
"""The comparison of integers and addresses, and that of floats."""
BUILTINS: dict[str, tuple[str, str]] = {
    "least": ("call i64 @llvm.umin.i64(i64 {0}, i64 {1})", "i64"),
    "signed_gt": ("icmp sgt i64 {0}, {1}", "i1"),
    "signed_lt": ("icmp slt i64 {0}, {1}", "i1"),
    "is_nan": ("fcmp uno double {0}, {0}", "i1"),
    "pointer_at": ("load ptr, ptr {0}", "ptr"),
    "float_at": ("load double, ptr {0}", "double"),
    "put_float": ("store double {0}, ptr {1}", ""),
    "put_pointer": ("store ptr {0}, ptr {1}", ""),
    "as_integer": ("ptrtoint ptr {0} to i64", "i64"),
    "as_pointer": ("inttoptr i64 {0} to ptr", "ptr"),
    "from_signed": ("sext i32 {0} to i64", "i64"),
    "from_unsigned": ("zext i32 {0} to i64", "i64"),
    "from_truth": ("zext i1 {0} to i64", "i64"),
    "clear": ("store [{1} x i8] zeroinitializer, ptr {0}", ""),
}
_ATOMIC: dict[str, tuple[str, str]] = {
    "load": ("load atomic i64, ptr {0} {1}, align 8", "i64"),
    "store": ("store atomic i64 {1}, ptr {0} {2}, align 8", ""),
    "add": ("atomicrmw add ptr {0}, i64 {1} {2}", "i64"),
    "sub": ("atomicrmw sub ptr {0}, i64 {1} {2}", "i64"),
    "bits": ("atomicrmw or ptr {0}, i64 {1} {2}", "i64"),
    "exchange": ("cmpxchg ptr {0}, i64 {1}, i64 {2} {3} {4}", "{ i64, i1 }"),
}


@dataclass(frozen=True)
class Names:
    """What names mean that the functions do not define: constants, statements of LLVM's, and how functions are linked.

    A function is called `prefix` and its own name outside. One that is marked `@inline` is inlined, and nothing else.
    """

    constants: Mapping[str, Value]
    statements: Mapping[str, str]
    prefix: str = ""
    linkage: str = ""


def functions(text: str, names: Names) -> str:
    """The functions of a text, and declarations of those that have no body, as LLVM's text."""
    nodes = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    return "\n".join(_Function(node, {n.name: n for n in nodes}, names).text() for node in nodes)


def _is_declared(node: ast.FunctionDef) -> bool:
    """Whether a function is one of the system's: its body is `...`."""
    match node.body:
        case [ast.Expr(value=ast.Constant(value=value))]:
            return value is ...
    return False


def _kind(annotation: ast.expr | None, default: str) -> str:
    return default if annotation is None else ast.unparse(annotation)


class _Function:
    """Writes one function: `kinds` are the types of its variables, `loops` where `continue` and `break` go."""

    def __init__(self, node: ast.FunctionDef, known: Mapping[str, ast.FunctionDef], names: Names) -> None:
        self.node, self.known, self.names = node, known, names
        self.rooms: list[str] = []
        self.lines: list[str] = []
        self.kinds: dict[str, str] = {}
        self.loops: list[tuple[str, str]] = []
        self._count = 0

    def text(self) -> str:
        """The whole function."""
        given = [(a.arg, _kind(a.annotation, NUMBER)) for a in self.node.args.args]
        result, symbol = _kind(self.node.returns, "void"), self._symbol(self.node)
        if _is_declared(self.node):
            return f"declare {result} {symbol}({', '.join(kind for _, kind in given)})"
        for name, kind in given:
            self._set(name, (f"%{name}", kind))
        self._block(self.node.body)
        if result == "void" and self._is_open():
            self._line("ret void")
        elif self._is_open():
            self._line("unreachable")
        inline = bool(self.node.decorator_list)
        head = f"{'internal ' if inline else self.names.linkage}{result} {symbol}"
        parameters = ", ".join(f"{kind} %{name}" for name, kind in given)
        body = "\n".join([*self.rooms, *self.lines])
        return f"define {head}({parameters}){' alwaysinline' if inline else ''} {{\n{body}\n}}"

    def _symbol(self, node: ast.FunctionDef) -> str:
        return f"@{'' if _is_declared(node) else self.names.prefix}{node.name}"

    # ---- lines and blocks ----------------------------------------------------------------------------

    def _line(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def _op(self, text: str, kind: str) -> Value:
        """Write an operation; its result."""
        self._count += 1
        self._line(f"%.{self._count} = {text}")
        return f"%.{self._count}", kind

    def _labels(self, *stems: str) -> list[str]:
        self._count += 1
        return [f".{stem}{self._count}" for stem in stems]

    def _begin(self, label: str) -> None:
        """A new block, into which control falls if the one before is open."""
        self._goto(label)
        self.lines.append(f"{label}:")

    def _goto(self, label: str) -> None:
        if self._is_open():
            self._line(f"br label %{label}")

    def _branch(self, test: ast.expr, yes: str, no: str) -> None:
        self._line(f"br i1 {self._value(test)[0]}, label %{yes}, label %{no}")

    def _is_open(self) -> bool:
        """Whether control may come behind the last line."""
        return not self.lines or not self.lines[-1].lstrip().startswith(("br ", "ret ", "unreachable"))

    # ---- statements ----------------------------------------------------------------------------------

    def _block(self, body: Sequence[ast.stmt]) -> None:
        for node in body:
            _STATEMENTS[type(node)](self, node)

    def _assign(self, node: ast.Assign) -> None:
        (target,) = node.targets
        match target, node.value:
            case ast.Tuple(elts=targets), ast.Tuple(elts=values):
                for one, value in zip(targets, [self._value(v) for v in values], strict=True):
                    self._store(one, value)
            case ast.Tuple(elts=targets), value:
                pair = self._value(value)
                for k, (one, kind) in enumerate(zip(targets, (NUMBER, "i1"), strict=True)):
                    self._store(one, self._op(f"extractvalue {pair[1]} {pair[0]}, {k}", kind))
            case _:
                self._store(target, self._value(node.value))

    def _augmented(self, node: ast.AugAssign) -> None:
        left = ast.Name(node.target.id) if isinstance(node.target, ast.Name) else node.target
        self._store(node.target, self._value(ast.BinOp(left, node.op, node.value)))

    def _store(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Subscript):
            self._line(f"store {NUMBER} {value[0]}, ptr {self._element(target)}")
        elif isinstance(target, ast.Name):
            self._set(target.id, value)

    def _set(self, name: str, value: Value) -> None:
        """Give a variable a value; the first one has its type."""
        if name not in self.kinds:
            self.kinds[name] = value[1]
            self.rooms.append(f"  %{name}.at = alloca {value[1]}")
        self._line(f"store {self.kinds[name]} {value[0]}, ptr %{name}.at")

    def _if(self, node: ast.If) -> None:
        then, otherwise, end = self._labels("then", "else", "end")
        self._branch(node.test, then, otherwise if node.orelse else end)
        self.lines.append(f"{then}:")
        self._block(node.body)
        ends = self._is_open()
        self._goto(end)
        if node.orelse:
            self.lines.append(f"{otherwise}:")
            self._block(node.orelse)
            ends = self._is_open() or ends
            self._goto(end)
        if ends or not node.orelse:
            self.lines.append(f"{end}:")

    def _while(self, node: ast.While) -> None:
        test, body, end = self._labels("test", "body", "end")
        self._begin(test)
        if isinstance(node.test, ast.Constant):
            self._begin(body)
        else:
            self._branch(node.test, body, end)
            self.lines.append(f"{body}:")
        self._loop(node.body, test, end)
        self._goto(test)
        self.lines.append(f"{end}:")

    def _for(self, node: ast.For) -> None:
        """`for i in range(n)`."""
        test, body, step, end = self._labels("test", "body", "step", "end")
        assert isinstance(node.target, ast.Name) and isinstance(node.iter, ast.Call)
        name, count = node.target.id, self._value(node.iter.args[0])[0]
        self._set(name, ("0", NUMBER))
        self._begin(test)
        more = self._op(f"icmp slt {NUMBER} {self._variable(name)[0]}, {count}", "i1")[0]
        self._line(f"br i1 {more}, label %{body}, label %{end}")
        self.lines.append(f"{body}:")
        self._loop(node.body, step, end)
        self._begin(step)
        self._set(name, self._op(f"add nuw nsw {NUMBER} {self._variable(name)[0]}, 1", NUMBER))
        self._goto(test)
        self.lines.append(f"{end}:")

    def _loop(self, body: Sequence[ast.stmt], again: str, end: str) -> None:
        self.loops.append((again, end))
        self._block(body)
        self.loops.pop()

    def _leave(self, node: ast.Break | ast.Continue) -> None:
        self._goto(self.loops[-1][isinstance(node, ast.Break)])

    def _return(self, node: ast.Return) -> None:
        kind = _kind(self.node.returns, "void")
        self._line("ret void" if node.value is None else f"ret {kind} {self._value(node.value)[0]}")

    def _alone(self, node: ast.Expr) -> None:
        """A call, or a statement of LLVM's by its name; nothing for a docstring."""
        match node.value:
            case ast.Call(func=ast.Name(id=name)) if name in self.names.statements:
                self._line(self.names.statements[name])
            case ast.Call():
                self._value(node.value)

    # ---- expressions ---------------------------------------------------------------------------------

    def _value(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=bool(truth)):
                return str(truth).lower(), "i1"
            case ast.Constant(value=number):
                return str(number), NUMBER
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
                return str(-number), NUMBER
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                value, kind = self._value(operand)
                return self._op(f"xor {kind} {value}, {'true' if kind == 'i1' else -1}", kind)
            case ast.Name() | ast.Attribute():
                return self._named(ast.unparse(node))
            case ast.Subscript():
                return self._op(f"load {NUMBER}, ptr {self._element(node)}", NUMBER)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                condition, (one, kind), (other, _) = (self._value(n) for n in (test, body, orelse))
                return self._op(f"select i1 {condition[0]}, {kind} {one}, {kind} {other}", kind)
            case ast.Call():
                return self._call(node)
        return self._operated(node)

    def _operated(self, node: ast.expr) -> Value:
        """An operator, or a comparison."""
        match node:
            case ast.BinOp(left=left, op=op, right=right):
                (one, kind), (other, _) = self._value(left), self._value(right)
                if kind == "ptr":
                    return self._op(f"getelementptr i8, ptr {one}, i64 {other}", kind)
                return self._op(f"{_OPERATORS[type(op)]} {kind} {one}, {other}", kind)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                (one, kind), (other, _) = self._value(left), self._value(right)
                of_integers, of_floats = _RELATIONS[type(op)]
                name = f"fcmp {of_floats}" if kind == "double" else f"icmp {of_integers}"
                return self._op(f"{name} {kind} {one}, {other}", "i1")
        raise ValueError(f"no machine code is known for '{ast.unparse(node)}'")

    def _named(self, name: str) -> Value:
        if name in self.kinds:
            return self._variable(name)
        if name in self.known:
            return self._symbol(self.known[name]), "ptr"
        return self.names.constants[name]

    def _variable(self, name: str) -> Value:
        return self._op(f"load {self.kinds[name]}, ptr %{name}.at", self.kinds[name])

    def _element(self, node: ast.Subscript) -> str:
        place, number = self._value(node.value)[0], self._value(node.slice)[0]
        return self._op(f"getelementptr {NUMBER}, ptr {place}, i64 {number}", "ptr")[0]

    def _call(self, node: ast.Call) -> Value:
        match node:
            case ast.Call(func=ast.Attribute(value=place, attr=name)):
                given = [self._value(place)[0], *(self._value(a)[0] for a in node.args)]
                return self._built_in(_ATOMIC[name], given)
            case ast.Call(func=ast.Name(id="room"), args=[size]):
                self._count += 1
                self.rooms.append(f"  %.{self._count} = alloca [{self._value(size)[0]} x i8], align 16")
                return f"%.{self._count}", "ptr"
        assert isinstance(node.func, ast.Name)
        name, values = node.func.id, [self._value(a) for a in node.args]
        if name in BUILTINS:
            return self._built_in(BUILTINS[name], [value for value, _ in values])
        callee = self.known.get(name)
        result = "void" if callee is None else _kind(callee.returns, "void")
        symbol = self._variable(name)[0] if callee is None else self._symbol(callee)
        kinds = [k for _, k in values] if callee is None else [_kind(a.annotation, NUMBER) for a in callee.args.args]
        given = [f"{kind} {value}" for kind, (value, _) in zip(kinds, values, strict=True)]
        return self._built_in((f"call {result} {symbol}({', '.join(given)})", result.replace("void", "")), [])

    def _built_in(self, template: tuple[str, str], given: Sequence[str]) -> Value:
        text, kind = template[0].format(*given) if given else template[0], template[1]
        if kind:
            return self._op(text, kind)
        self._line(text)
        return "", ""


def _nothing(function: _Function, node: ast.stmt) -> None:
    return None


_STATEMENTS: dict[type, Callable[[_Function, Any], None]] = {
    ast.Assign: _Function._assign,
    ast.AugAssign: _Function._augmented,
    ast.If: _Function._if,
    ast.While: _Function._while,
    ast.For: _Function._for,
    ast.Break: _Function._leave,
    ast.Continue: _Function._leave,
    ast.Return: _Function._return,
    ast.Expr: _Function._alone,
    ast.Pass: _nothing,
}
