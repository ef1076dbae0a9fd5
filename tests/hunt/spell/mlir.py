"""A tree as MLIR: loops of scf or affine over memory; counters and sizes have the type index, where C has long."""

from __future__ import annotations

from collections.abc import Sequence

from tests.hunt.drawn.tree import (
    COMPARISONS,
    FLOATS,
    Array,
    Bin,
    Cast,
    Decl,
    Elem,
    Expr,
    Fn,
    For,
    Function,
    If,
    Jump,
    Num,
    Scalar,
    Sel,
    Set,
    Stmt,
    Un,
    Var,
    common,
    promoted,
    type_of,
    types,
    walk,
)

_SIGNED = {"<": "slt", "<=": "sle", ">": "sgt", ">=": "sge", "==": "eq", "!=": "ne"}
_ORDERED = {"<": "olt", "<=": "ole", ">": "ogt", ">=": "oge", "==": "oeq", "!=": "une"}
_NAMES = {"+": "add", "-": "sub", "*": "mul", "/": "div", "&": "and", "|": "or", "^": "xor", "<<": "shl"}
_FUNCTIONS = {"fabs": "absf", "sqrt": "sqrt", "exp": "exp"}


def function(tree: Function, name: str) -> str:
    """A module with the function."""
    return _Spelling(tree).text(name)


def element(kind: str) -> str:
    """The type of MLIR for an element; integers have no sign."""
    return kind if kind in FLOATS else "i1" if kind == "bool" else f"i{kind[1:]}"


class _Spelling:
    def __init__(self, tree: Function) -> None:
        self.tree, self.types = tree, types(tree)
        self.lines: list[str] = []
        self.pad, self.made = "  ", 0
        self.memory = {p.name: _memory(p) for p in tree.params if isinstance(p, Array)}
        counters = {n.var for n in walk(tree.body) if isinstance(n, For)}
        self.indices = {p.name for p in tree.params if isinstance(p, Scalar) and p.size} | counters

    def text(self, name: str) -> str:
        given = ", ".join(f"%{p.name}: {self._parameter(p)}" for p in self.tree.params)
        self.statements(self.tree.body)
        return "\n".join([f"func.func @{name}({given}) {{", *self.lines, "  return", "}", ""])

    def _parameter(self, p: Array | Scalar) -> str:
        if isinstance(p, Array):
            return self.memory[p.name]
        return "index" if p.size else element(p.type)

    def put(self, text: str) -> None:
        self.lines.append(self.pad + text)

    def value(self, text: str) -> str:
        """A line that gives a value; its name."""
        self.made += 1
        self.put(f"%v{self.made} = {text}")
        return f"%v{self.made}"

    # ---- statements ----

    def statements(self, nodes: Sequence[Stmt]) -> None:
        for node in nodes:
            self._statement(node)

    def _statement(self, node: Stmt) -> None:
        match node:
            case Set():
                kind = type_of(node.target, self.types)
                value = node.value if node.op == "=" else Bin(node.op, node.target, node.value)
                self._store(node.target, self.converted(value, kind))
            case Decl():
                kind = f"memref<{element(node.type)}>"
                init = self.converted(node.init, node.type)
                self.put(f"%{node.name} = memref.alloca() : {kind}")
                self.memory[node.name] = kind
                self.put(f"memref.store {init}, %{node.name}[] : {kind}")
            case For():
                self._loop(node)
            case Jump():
                raise ValueError("loops of scf run to their end")
            case If():
                self.put(f"scf.if {self.truth(node.cond)} {{")
                self._block(node.then)
                if node.other:
                    self.put("} else {")
                    self._block(node.other)
                self.put("}")

    def _block(self, body: Sequence[Stmt]) -> None:
        self.pad += "  "
        self.statements(body)
        self.pad = self.pad[:-2]

    def _store(self, target: Var | Elem, value: str) -> None:
        name = target.name if isinstance(target, Var) else target.array
        places = [] if isinstance(target, Var) else [self.index(s) for s in target.subs]
        self.put(f"memref.store {value}, %{name}[{', '.join(places)}] : {self.memory[name]}")

    def _loop(self, node: For) -> None:
        low, high = self.index(node.low), self.index(node.high)
        if node.cmp == "<=":
            high = self.value(f"arith.addi {high}, {self._constant(1)} : index")
        elif node.cmp != "<" or node.step < 1:
            raise ValueError("loops of scf run upwards")
        if node.style == "while" and _is_symbol(node.low) and _is_symbol(node.high) and node.cmp == "<":
            self.put(f"affine.for %{node.var} = {low} to {high} step {node.step} {{")
        else:
            self.put(f"scf.for %{node.var} = {low} to {high} step {self._constant(node.step)} {{")
        self._block(node.body)
        self.put("}")

    # ---- positions ----

    def _constant(self, value: int) -> str:
        return self.value(f"arith.constant {value} : index")

    def index(self, node: Expr) -> str:
        """A subscript, bound, or what conditions on counters compare."""
        match node:
            case Num():
                return self._constant(int(node.value))
            case Var() if node.name in self.indices:
                return f"%{node.name}"
            case Bin() if node.op in ("+", "-", "*"):
                a, b = self.index(node.a), self.index(node.b)
                return self.value(f"arith.{_NAMES[node.op]}i {a}, {b} : index")
        raise ValueError(f"no position: {node}")

    def _is_index(self, node: Expr) -> bool:
        """Whether an expression is made of counters, sizes and constants."""
        match node:
            case Num():
                return node.type not in FLOATS
            case Var():
                return node.name in self.indices
            case Bin():
                return node.op in ("+", "-", "*") and self._is_index(node.a) and self._is_index(node.b)
        return False

    # ---- values ----

    def truth(self, node: Expr) -> str:
        """An expression as a condition."""
        if isinstance(node, Bin) and node.op in COMPARISONS:
            if self._is_index(node.a) and self._is_index(node.b):
                a, b = self.index(node.a), self.index(node.b)
                return self.value(f"arith.cmpi {_SIGNED[node.op]}, {a}, {b} : index")
            kind = common(type_of(node.a, self.types), type_of(node.b, self.types))
            a, b = self.converted(node.a, kind), self.converted(node.b, kind)
            if kind in FLOATS:
                return self.value(f"arith.cmpf {_ORDERED[node.op]}, {a}, {b} : {kind}")
            word = _SIGNED[node.op].replace("s", "u", 1) if kind[0] == "u" else _SIGNED[node.op]
            return self.value(f"arith.cmpi {word}, {a}, {b} : {element(kind)}")
        return self.cast(self.expression(node), type_of(node, self.types), "bool")

    def converted(self, node: Expr, kind: str) -> str:
        """An expression in a type."""
        return self.cast(self.expression(node), type_of(node, self.types), kind)

    def cast(self, value: str, old: str, new: str) -> str:
        """A value of one type in another, as C converts it."""
        a, b = element(old), element(new)
        if new == old or (a == b and "bool" not in (old, new)):
            return value
        if new == "bool":
            zero = self.value(f"arith.constant {'0.0' if old in FLOATS else '0'} : {a}")
            compare = "cmpf une" if old in FLOATS else "cmpi ne"
            return self.value(f"arith.{compare}, {value}, {zero} : {a}")
        unsigned = old[0] == "u" or old == "bool"
        if old in FLOATS:
            word = ("extf" if new == "f64" else "truncf") if new in FLOATS else f"fpto{'u' if new[0] == 'u' else 's'}i"
        elif new in FLOATS:
            word = f"{'u' if unsigned else 's'}itofp"
        elif int(b[1:]) < int(a[1:]):
            word = "trunci"
        else:
            word = f"ext{'u' if unsigned else 's'}i"
        return self.value(f"arith.{word} {value} : {a} to {b}")

    def expression(self, node: Expr) -> str:
        """An expression of the type that it has in C."""
        kind = type_of(node, self.types)
        match node:
            case Num():
                number = repr(float(node.value)) if kind in FLOATS else int(node.value)
                return self.value(f"arith.constant {number} : {element(kind)}")
            case Var() if node.name in self.indices:
                return self.value(f"arith.index_cast %{node.name} : index to i64")
            case Var() if node.name in self.memory:
                return self.value(f"memref.load %{node.name}[] : {self.memory[node.name]}")
            case Var():
                return f"%{node.name}"
            case Elem():
                places = ", ".join([self.index(s) for s in node.subs])
                return self.value(f"memref.load %{node.array}[{places}] : {self.memory[node.array]}")
            case Cast():
                return self.converted(node.a, kind)
            case Sel():
                truth, a, b = self.truth(node.c), self.converted(node.a, kind), self.converted(node.b, kind)
                return self.value(f"arith.select {truth}, {a}, {b} : {element(kind)}")
            case Fn():
                return self.value(f"math.{_FUNCTIONS[node.name]} {self.converted(node.args[0], 'f64')} : f64")
            case Un():
                return self._unary(node, kind)
        return self._binary(node, kind)

    def _unary(self, node: Un, kind: str) -> str:
        if node.op == "!":
            one = self.value("arith.constant true")
            return self.cast(self.value(f"arith.xori {self.truth(node.a)}, {one} : i1"), "bool", "i32")
        a = self.converted(node.a, kind)
        if kind in FLOATS:
            return self.value(f"arith.negf {a} : {kind}")
        zero = self.value(f"arith.constant {0 if node.op == '-' else -1} : {element(kind)}")
        return self.value(f"arith.{'subi' if node.op == '-' else 'xori'} {zero}, {a} : {element(kind)}")

    def _binary(self, node: Bin, kind: str) -> str:
        if node.op in COMPARISONS:
            return self.cast(self.truth(node), "bool", "i32")
        if node.op in ("&&", "||"):
            a, b = self.truth(node.a), self.truth(node.b)
            truth = self.value(f"arith.{'andi' if node.op == '&&' else 'ori'} {a}, {b} : i1")
            return self.cast(truth, "bool", "i32")
        a = self.converted(node.a, kind)
        b = self.converted(node.b, kind if node.op not in ("<<", ">>") else promoted(kind))
        if node.op == ">>":
            return self.value(f"arith.shr{'u' if kind[0] == 'u' else 's'}i {a}, {b} : {element(kind)}")
        return self.value(f"arith.{_NAMES[node.op]}{'f' if kind in FLOATS else 'i'} {a}, {b} : {element(kind)}")


def _is_symbol(node: Expr) -> bool:
    """Whether this may be a bound of affine.for as it is."""
    return isinstance(node, Num) or (isinstance(node, Var) and node.name in ("n", "m"))


def _memory(p: Array) -> str:
    dims = [str(int(d.value)) if isinstance(d, Num) else "?" for d in p.dims]
    return f"memref<{'x'.join([*dims, element(p.type)])}>"
