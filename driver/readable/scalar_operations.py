"""Operations of `arith` and `math` in Python, on numbers and on whole arrays."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mlir import ir

from raising.affine.ir.real_functions import REALS
from raising.readable.python_nodes import Node, attribute, binary, call, compare, constant, dotted
from raising.readable.python_values import Expr, Unsaid, joined, repeated

OPERATORS: dict[str, type[ast.operator]] = {
    "arith.addf": ast.Add,
    "arith.addi": ast.Add,
    "arith.subf": ast.Sub,
    "arith.subi": ast.Sub,
    "arith.mulf": ast.Mult,
    "arith.muli": ast.Mult,
    "arith.divf": ast.Div,
    "arith.andi": ast.BitAnd,
    "arith.ori": ast.BitOr,
    "arith.xori": ast.BitXor,
    "arith.divui": ast.FloorDiv,
    "arith.floordivsi": ast.FloorDiv,
    "arith.remui": ast.Mod,
    "arith.shrsi": ast.RShift,
    "arith.shrui": ast.RShift,
    "arith.shli": ast.LShift,
}
FUNCTIONS = {
    "arith.maxsi": "maximum",
    "arith.minsi": "minimum",
    "arith.maxui": "maximum",
    "arith.minui": "minimum",
    "math.absi": "abs",
    "math.isnan": "isnan",
    "math.isinf": "isinf",
    "math.isfinite": "isfinite",
} | {op: row.names_in_numpy[0] for op, row in REALS.items() if row.names_in_numpy}
_COMPARED: tuple[type[ast.cmpop], ...] = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_FLOAT_COMPARED = {1: ast.Eq, 2: ast.Gt, 3: ast.GtE, 4: ast.Lt, 5: ast.LtE, 13: ast.NotEq}
_UNORDERED = {9: ast.LtE, 10: ast.Lt, 11: ast.GtE, 12: ast.Gt}  # the opposite, to be negated
_UNSIGNED_PREDICATES = range(6, 10)
_CASTS = {"arith.extf", "arith.truncf", "arith.sitofp", "arith.uitofp", "arith.fptosi", "arith.fptoui"}
_CASTS |= {"arith.extsi", "arith.extui", "arith.trunci", "arith.index_cast", "arith.index_castui"}
_OF_SIGN = {"arith.divsi", "arith.remsi", "arith.floordivsi", "arith.ceildivsi", "arith.shrsi", "arith.shli"}
_WRAPPING = {"arith.addi", "arith.subi", "arith.muli", "arith.shli", "math.ipowi"}
_POWERS = ("math.ipowi", "math.fpowi")
_WITHOUT = {"arith.divui", "arith.remui", "arith.shrui", "arith.ceildivui"}


def dtype_of(kind: Any) -> str:
    """NumPy's name of an element type."""
    known = {"f16": "float16", "f32": "float32", "f64": "float64", "i1": "bool", "index": "int64"}
    text = str(kind.element_type if isinstance(kind, ir.RankedTensorType) else kind)
    if text in known:
        return known[text]
    if text in ("i8", "i16", "i32", "i64"):
        return f"int{text[1:]}"
    raise Unsaid(f"NumPy has no elements of type {text}")


class Scalars:
    """Says operations on numbers and arrays, with `np` or `jnp`."""

    def __init__(self, module: str, reassociates: bool) -> None:
        self.module, self.reassociates = module, reassociates

    def knows(self, name: str) -> bool:
        """Whether an operation is one of these."""
        return name.startswith("arith.") or name.startswith("math.")

    def function(self, name: str, *arguments: Node, **keywords: Node) -> Node:
        """A call of NumPy's."""
        return call(f"{self.module}.{name}", *arguments, **keywords)

    def said(self, op: Any, operands: Sequence[Expr]) -> Expr:
        """The result of an operation."""
        name, dtype = op.name, dtype_of(op.results[0].type)
        if name in _CASTS:
            return self._cast(name, operands[0], dtype)
        given = self._given(name, op, operands)
        rank = max((g.rank for g in given), default=0)
        node, dtype = self._node(name, op, given, dtype)
        scaled = _scaled(given) if name == "arith.mulf" and self.reassociates else None
        static, ones = all(g.static for g in given), repeated(given)
        weak = all(g.weak for g in given) and _is_of_python(node)
        return Expr(node, dtype, rank, joined(*given), weak=weak, static=static, ones=ones, scaled=scaled)

    def _given(self, name: str, op: Any, operands: Sequence[Expr]) -> list[Expr]:
        """The operands with signs as the operation reads them, and one type where none has a type of its own."""
        found = list(operands)
        unsigned = name in _WITHOUT or name in ("arith.maxui", "arith.minui")
        signed = name in _OF_SIGN or name in ("arith.maxsi", "arith.minsi", "math.absi")
        if name == "arith.cmpi":
            predicate = ir.IntegerAttr(op.attributes["predicate"]).value
            unsigned, signed = predicate in _UNSIGNED_PREDICATES, predicate in range(2, 6)
        if str(op.operands[-1].type) == "i1" or found[-1].dtype == "bool":
            if signed or name in _WITHOUT:
                raise Unsaid("a truth value is read with a sign" if signed else "a truth value is divided")
            unsigned = False
        kinds = {f.dtype for f in found if not f.weak}
        if not (unsigned or signed) and name != "arith.select":
            unsigned = any(k.startswith("uint") for k in kinds) and not any(k.startswith("float") for k in kinds)
        if unsigned:
            found = [self.with_sign(f, True) for f in found]
        elif signed:
            found = [self.with_sign(f, False) for f in found]
        return self._typed(name, str(op.results[0].type) == "index", found)

    def _typed(self, name: str, index: bool, found: list[Expr]) -> list[Expr]:
        tested = found[1:] if name == "arith.select" else found
        wide = ("float64", "bool") if name in _WRAPPING and not index else ("float64", "int64", "bool")
        if tested and all(t.weak for t in tested) and tested[0].dtype not in wide:
            at = len(found) - len(tested)
            found[at] = self.strong(found[at])
            if name == "arith.select":
                found[2] = self.strong(found[2])
        return found

    def strong(self, given: Expr) -> Expr:
        """A number with a type of its own."""
        if not given.weak:
            return given
        return given.but(self.function(given.dtype, given.node), weak=False)

    def with_sign(self, given: Expr, unsigned: bool) -> Expr:
        """The same bits as numbers with or without sign."""
        base = given.dtype.removeprefix("u")
        if not base.startswith("int") or given.dtype.startswith("uint") == unsigned:
            return given
        dtype = "u" + base if unsigned else base
        if given.weak and isinstance(given.node, ast.Constant | ast.UnaryOp):
            number = wrapped(ast.literal_eval(given.node), dtype)
            found = given.but(constant(number), dtype=dtype)
            return self.strong(found) if number >= 2**63 else found  # JAX takes Python's numbers to be below
        return self.converted(self.strong(given), dtype)

    def converted(self, given: Expr, dtype: str) -> Expr:
        """The value in another type."""
        if given.dtype == dtype and not given.weak:
            return given
        kind = dotted(f"{self.module}.{'bool_' if dtype == 'bool' else dtype}")
        whole = given.rank > 0 or (given.dtype.lstrip("u").startswith("int") and not given.weak)
        if whole:
            return given.but(call(attribute(given.node, "astype"), kind), dtype=dtype, view=False, weak=False)
        return given.but(call(kind, given.node), dtype=dtype, weak=False, view=False)

    def _cast(self, name: str, given: Expr, dtype: str) -> Expr:
        if name in ("arith.fptosi", "arith.fptoui") and dtype == "bool":
            raise Unsaid("a number is cut off to one bit")
        signed = name in ("arith.extsi", "arith.sitofp", "arith.index_cast")
        if given.dtype == "bool" and signed:
            found = self.converted(given, dtype)
            return found.but(binary(ast.Sub, constant(0), found.node))
        if signed or name in ("arith.extui", "arith.uitofp", "arith.index_castui"):
            given = self.with_sign(given, not signed)
        if name in ("arith.trunci", "arith.index_cast", "arith.index_castui"):
            return self._cut(name, given, dtype)
        return self.converted(given, "u" + dtype if name == "arith.fptoui" else dtype)

    def _cut(self, name: str, given: Expr, dtype: str) -> Expr:
        """An integer in an integer type that may be narrower."""
        if name != "arith.trunci" and dtype == "int64" and (given.weak or given.static):
            return (
                replace(given, dtype=dtype)
                if given.weak
                else given.but(call("int", given.node), dtype=dtype, weak=True)
            )
        if name != "arith.trunci" and given.weak and dtype == "int32" and isinstance(given.node, ast.Name):
            return self.strong(given.but(given.node, dtype=dtype))  # a counter, which NumPy asks to fit
        given = self.strong(given)
        if dtype == "bool" and given.dtype != "bool":  # the last bit, where NumPy asks whether any bit is set
            given = given.but(binary(ast.BitAnd, given.node, constant(1)))
        return self.converted(given, dtype)

    def _node(self, name: str, op: Any, given: Sequence[Expr], dtype: str) -> tuple[Node, str]:
        nodes = [g.node for g in given]
        kept = next((g.dtype for g in given if not g.weak), dtype) if dtype.startswith("int") else dtype
        if dtype == "bool" and name in ("arith.addi", "arith.subi"):
            name = "arith.xori"
        if name in OPERATORS:
            return binary(OPERATORS[name], *_number_first(name, given)), kept
        if name == "arith.negf":
            return ast.UnaryOp(ast.USub(), nodes[0]), dtype
        if name in ("arith.cmpi", "arith.cmpf"):
            return self._compared(op, nodes), "bool"
        if name == "arith.select":
            return self._selected(given), next((g.dtype for g in given[1:] if not g.weak), dtype)
        if name in _OF_SIGN | _WITHOUT:
            return self._divided(name, nodes), kept
        index = str(op.results[0].type) == "index" and not any(g.rank for g in given)
        if index and name in ("arith.maxsi", "arith.minsi") and (self.module == "np" or all(g.static for g in given)):
            return call("max" if name == "arith.maxsi" else "min", *nodes), kept
        if name in FUNCTIONS:
            return self.function(FUNCTIONS[name], *nodes), kept
        if name in _POWERS:
            return self._power(name, given, dtype), kept
        return self._more(name, nodes), dtype

    def _power(self, name: str, given: Sequence[Expr], dtype: str) -> Node:
        number, exponent = given
        node = binary(ast.Pow, number.node, exponent.node)
        if name == "math.fpowi":  # of float32 and an integer NumPy makes a float64
            return self.converted(Expr(node, "float64", number.rank | exponent.rank), dtype).node
        count = exponent.node.value if isinstance(exponent.node, ast.Constant) else None
        if not isinstance(count, int) or count < 0:
            raise Unsaid("a power of integers whose exponent may be negative")
        return node

    def _more(self, name: str, nodes: Sequence[Node]) -> Node:
        if name == "math.rsqrt":
            return binary(ast.Div, constant(1), self.function("sqrt", *nodes))
        if name == "math.fma":
            return binary(ast.Add, binary(ast.Mult, nodes[0], nodes[1]), nodes[2])
        if name == "math.round":
            whole = self.function("trunc", nodes[0])
            half = compare(ast.GtE, self.function("abs", binary(ast.Sub, nodes[0], whole)), constant(0.5))
            return binary(ast.Add, whole, self.function("copysign", half, nodes[0]))
        raise Unsaid(f"'{name}' has no form here")

    def _compared(self, op: Any, nodes: Sequence[Node]) -> Node:
        predicate = ir.IntegerAttr(op.attributes["predicate"]).value
        if op.name == "arith.cmpi":
            return compare(_COMPARED[predicate if predicate < 6 else predicate - 4], *nodes)
        if predicate in _FLOAT_COMPARED:
            return compare(_FLOAT_COMPARED[predicate], *nodes)
        if predicate in _UNORDERED:
            return self.function("logical_not", compare(_UNORDERED[predicate], *nodes))
        if predicate in (6, 8):
            either = binary(ast.BitOr, compare(ast.Lt, *nodes), compare(ast.Gt, *nodes))
        elif predicate in (7, 14):
            either = binary(ast.BitOr, *(self.function("isnan", n) for n in nodes))
        else:
            raise Unsaid("a comparison that is always true or false")
        return either if predicate in (6, 14) else self.function("logical_not", either)

    def _selected(self, given: Sequence[Expr]) -> Node:
        test, yes, no = given
        scalar = test.rank == yes.rank == no.rank == 0
        if scalar and (self.module == "np" or test.static):
            return ast.IfExp(test.node, yes.node, no.node)
        return self.function("where", *(g.node for g in given))

    def _divided(self, name: str, nodes: Sequence[Node]) -> Node:
        a, b = nodes
        if name in ("arith.ceildivui", "arith.ceildivsi"):
            rest = compare(ast.NotEq, binary(ast.Mod, a, b), constant(0))
            return binary(ast.Add, binary(ast.FloorDiv, a, b), rest)
        rest = self.function("fmod", a, b)
        return rest if name == "arith.remsi" else binary(ast.FloorDiv, binary(ast.Sub, a, rest), b)


def _number_first(name: str, given: Sequence[Expr]) -> tuple[Node, Node]:
    """The operands of a product with the number in front, as people write it."""
    a, b = given
    if name.startswith("arith.mul") and a.rank and not b.rank:
        return b.node, a.node
    return a.node, b.node


def _is_of_python(node: Node) -> bool:
    """Whether numbers of Python give a number of Python here."""
    of_python = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    return of_python or isinstance(node, ast.BinOp | ast.UnaryOp | ast.IfExp | ast.Compare)


def _scaled(given: Sequence[Expr]) -> tuple[Node, Node] | None:
    numbers = [g for g in given if not g.rank]
    arrays = [g for g in given if g.rank and not g.ones]
    return (numbers[0].node, arrays[0].node) if len(numbers) == len(arrays) == 1 else None


def wrapped(number: int, dtype: str) -> int:
    """The integer with the same bits in an integer type."""
    bits = int(dtype.lstrip("uint"))
    found = number % int(2**bits)
    return found - int(2**bits) * (not dtype.startswith("u") and found >= 2 ** (bits - 1))
