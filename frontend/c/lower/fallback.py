"""A function as C has it, with nothing assumed: what runs where a guard does not hold.

Every variable lies in a memory of its own, every array is flat, pointers are
offsets, and loops ask their condition before each iteration. Integers that
are not constants are numbered values with C's types, so they wrap around as
C says; in subscripts such a value is a name.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from pycparser import c_ast

from raising.frontend.c.ir.module import Refused, place
from raising.frontend.c.ir.nodes import Alternatives, Array, Function, Own, Parameter, While
from raising.frontend.c.ir.polynomial import Poly, const, var
from raising.frontend.c.ir.types import LONG, ArrayOf, CType, Number, Pointer
from raising.frontend.c.lower.arithmetic import Numeric
from raising.frontend.c.lower.expressions import COMPARISONS
from raising.frontend.c.lower.function import Lowering
from raising.frontend.c.lower.induction_variables import leaving_first
from raising.frontend.c.lower.typed_values import (
    Data,
    Demote,
    Entity,
    Extremum,
    NeedsInduction,
    Places,
    Ptr,
    Sym,
    Target,
    Truth,
    Value,
    Variable,
)
from raising.frontend.c.syntax.parse import Unit
from raising.support.source import Loc

OFFSET = Number("int", 64)
"""The type of what a pointer variable holds: how many elements it lies behind the start of its array."""


def original(unit: Unit, node: Any) -> Function:
    """The typed program of a function definition as it is written; `Refused` if it is outside of the subset."""
    try:
        return _Original(unit, frozenset()).function(node)
    except (Demote, NeedsInduction):
        raise Refused(place(node.decl), "a pointer of it cannot be followed without the assumptions") from None


class _Original(Lowering):
    """Lowers a function literally."""

    def __init__(self, unit: Unit, demoted: frozenset[str]) -> None:
        super().__init__(unit, demoted)
        self._owned: list[list[tuple[str, int]]] = []

    # ---- variables ---------------------------------------------------------------------------------

    def variable(self, name: str, t: Number | Pointer, loc: Loc) -> Variable:
        """A new variable, in a memory of its own."""
        key = f"{self.path}{name}:{loc.line}:{loc.col}"
        return Variable(key, t, self.cell(name, OFFSET if isinstance(t, Pointer) else t, loc))

    def point(self, variable: Variable, pointer: Ptr, loc: Loc) -> None:
        """Which array it points into is known; how far is a value."""
        assert variable.cell is not None
        offset = pointer.subscripts[0] if pointer.subscripts else const(0)
        self.write(variable.cell, (), self.data(self.integer(offset, OFFSET, loc), loc).id, loc)
        self.values[variable.key] = Ptr(pointer.array, (const(0),) if pointer.subscripts else (), pointer.to)

    def load(self, target: Target | Value, loc: Loc) -> Value:
        """The value at a target."""
        if not isinstance(target, Variable) or isinstance(target.type, Number):
            return super().load(target, loc)
        pointer, cell = self.values.get(target.key), target.cell
        if not isinstance(pointer, Ptr) or cell is None:
            raise Refused(loc, "a pointer whose array is not known")
        offset = self._index(Data(self.read(cell, (), loc), OFFSET), loc)
        return Ptr(pointer.array, (offset,) if pointer.subscripts else (), pointer.to)

    def integer(self, form: Poly, t: Number, loc: Loc) -> Sym | Data:
        """A distance or size as a number."""
        return Sym(form, t) if form.constant is not None else Data(self.index_of(form, t.mlir, loc), t)

    def _index(self, value: Numeric, loc: Loc) -> Poly:
        """A number as a subscript."""
        if isinstance(value, Sym):
            return value.form
        data = self.data(value, loc)
        cast = "index_cast" if data.type.signed else "index_castui"
        return var(f"%{self.let(f'arith.{cast} {{0}} : {data.type.mlir} to index', (data.id,), 'index', loc)}")

    # ---- arrays ------------------------------------------------------------------------------------

    def _parameter(self, node: Any) -> Parameter:
        found = super()._parameter(node)
        if found.value is None:
            self.arrays[found.name] = replace(self.arrays[found.name], shape=(None,), flat=True)
        return found

    def _global(self, node: Any) -> Entity:
        found = super()._global(node)
        array = self.arrays.get(node.name)
        if array is not None and array.kind == "global" and array.shape:
            self.arrays[node.name] = replace(array, shape=(None,), flat=True)
        return found

    def local_array(self, name: str, array: Array) -> Array:
        """One of constant length lies on the stack, any other lives as long as its block."""
        length = const(1)
        for extent in array.shape:
            if extent is None:
                raise Refused(array.loc, f"the length of array '{name}' is not known")
            length = length * extent
        if length.constant is None:
            self._owned[-1].append((array.name, len(self.nodes)))
        kind = "local" if length.constant is not None else "owned"
        return replace(array, shape=(length,), flat=True, kind=kind)

    def subscripts(self, name: str, index: tuple[Poly, ...], shape: tuple[Poly | None, ...]) -> tuple[Poly, ...]:
        """The one subscript of a flat array."""
        place_ = const(0)
        for digit, extent in zip(index, shape, strict=True):
            place_ = place_ * (extent if extent is not None else const(1)) + digit
        return (place_,)

    def length(self, node: Any) -> Sym:
        """The value of an expression that gives an array its length."""
        return Sym(self._index(self.numeric(self.value(node), place(node)), place(node)), LONG)

    @contextmanager
    def scope(self) -> Iterator[None]:
        """A block of declarations; what it owns is given back at its end."""
        self._owned.append([])
        with super().scope():
            yield
        for name, start in reversed(self._owned.pop()):
            inside = tuple(self.nodes[start:])
            del self.nodes[start:]
            self.add(Own(name, inside, self.arrays[name].loc))

    # ---- pointers ----------------------------------------------------------------------------------

    def moved(self, pointer: Value, by: Value, sign: int, loc: Loc) -> Ptr | Places:
        """A pointer plus or minus an integer."""
        if isinstance(by, Data | Truth | Extremum):
            by = Sym(self._index(by, loc), LONG)
        return super().moved(pointer, by, sign, loc)

    def address(self, node: Any, loc: Loc) -> Ptr:
        """`&node`."""
        if isinstance(node, c_ast.ArrayRef):
            base, index = self.value(node.name), self.value(node.subscript)
            base, index = (base, index) if isinstance(base, Ptr) else (index, base)
            return self.pointer(self.moved(base, index, 1, loc), loc)
        target = self.target(node)
        if isinstance(target, Variable) and target.cell is not None and isinstance(target.type, Number):
            return Ptr(target.cell, (), target.type)
        if isinstance(target, Variable):
            raise Refused(loc, "the address of a pointer is taken")
        return super().address(node, loc)

    def cast_pointer(self, pointer: Ptr, to: CType, loc: Loc) -> Ptr:
        """A pointer converted to a pointer to another type with the same elements."""
        if not pointer.subscripts and isinstance(to, ArrayOf):
            raise Refused(loc, "a variable is used as an array")
        return super().cast_pointer(pointer, to, loc)

    # ---- conditions and loops ----------------------------------------------------------------------

    def _related(self, op: str, node: Any) -> Alternatives | None:
        found = super()._related(op, node)
        known = found is not None and all(c.form.constant is not None for conds in found for c in conds)
        return found if known else None

    def data_comparison(self, node: Any) -> Truth | None:
        """A comparison of which at least one side is data, or both are pointers."""
        if not isinstance(node, c_ast.BinaryOp) or node.op not in COMPARISONS:
            return None
        mark, loc = self.mark(), place(node)
        a, b = self.value(node.left), self.value(node.right)
        if isinstance(a, Ptr) and isinstance(b, Ptr):
            gap = self.integer(self.difference(a, b, loc), LONG, loc)
            return self.compared(node.op, gap, Sym(const(0), LONG), loc)
        self.restore(mark)
        return super().data_comparison(node)

    def _counted(self, node: Any, cond: Any, step: Any, body: Any, first: bool) -> None:
        loc = place(node)
        cond, body, first = leaving_first(cond, body, first)
        known = dict(self.values)
        with self.block() as test:
            if not first:
                self.statement(body)
            truth = self._truth_anywhere(cond)
        with self.block() as inside:
            if first:
                self.statement(body)
            if step is not None:
                self.value(step)
        if any(self.values.get(key) != held for key, held in known.items()):
            raise Refused(loc, "a pointer moves to another array in a loop")
        self.add(While(tuple(test), truth, tuple(inside), loc))
