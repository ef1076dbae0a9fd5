"""Lvalues: the variables, array elements and pointers that a value is read from and written to."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pycparser import c_ast

from raising.frontend.c.ir.module import Refused, place
from raising.frontend.c.ir.nodes import Cond
from raising.frontend.c.ir.polynomial import Poly, const
from raising.frontend.c.ir.types import LONG, UNTYPED, ArrayOf, CType, Number, Pointer, Void
from raising.frontend.c.known.integer_domains import MAX_CASES, cases_of, known_in, never
from raising.frontend.c.known.typed_values import (
    Cases,
    Data,
    Demote,
    Element,
    Elements,
    Extremum,
    Memory,
    Places,
    Ptr,
    Sym,
    Target,
    Value,
    Variable,
)
from raising.frontend.c.lower.piecewise import Piecewise
from raising.support.source import Loc


class Memories(Piecewise):
    """Targets of reads and writes, and arithmetic of pointers."""

    def target(self, node: Any) -> Target | Value:
        """What an expression names: a variable, an element, or a value that is no place (an array decays)."""
        loc = place(node)
        if isinstance(node, c_ast.ID):
            return self._named(node.name, loc)
        if isinstance(node, c_ast.ArrayRef):
            base, index = self.value(node.name), self.value(node.subscript)
            if not isinstance(base, Ptr | Places):
                base, index = index, base
            return self._pointed(self.moved(base, index, 1, loc), loc)
        if isinstance(node, c_ast.UnaryOp) and node.op == "*":
            return self._pointed(self.value(node.expr), loc)
        if isinstance(node, c_ast.StructRef):
            raise Refused(loc, "a member of a struct or union")
        return self.value(node)

    def _named(self, name: str, loc: Loc) -> Target | Value:
        entity = self.find(name)
        if entity is None:
            raise Refused(loc, f"'{name}' is not declared, or of a kind that is not supported")
        if isinstance(entity, Memory):
            return self.start_of(entity)
        return entity

    def start_of(self, memory: Memory) -> Ptr | Element:
        """The pointer that an array's name decays to; a global scalar is an element."""
        if isinstance(memory.type, Number):
            return Element(memory.array, (), memory.type)
        assert isinstance(memory.type, ArrayOf | Pointer)
        to = memory.type.element if isinstance(memory.type, ArrayOf) else memory.type.to
        return Ptr(memory.array, (const(0),), to)

    def pointer(self, value: Value, loc: Loc) -> Ptr:
        """The value if it is a pointer."""
        if isinstance(value, Ptr):
            return value
        raise Refused(loc, "a number is used as a pointer, or the pointer is not known")

    def moved(self, pointer: Value, by: Value, sign: int, loc: Loc) -> Ptr | Places:
        """A pointer plus or minus an integer; either may be known in cases."""
        if isinstance(pointer, Places) or isinstance(by, Extremum | Cases):
            return self._moved_by_cases(pointer, by, sign, loc)
        return self._moved(self.pointer(pointer, loc), by, sign, loc)

    def _moved_by_cases(self, pointer: Value, by: Value, sign: int, loc: Loc) -> Places:
        starts = pointer.cases if isinstance(pointer, Places) else (((), self.pointer(pointer, loc)),)
        found: list[tuple[tuple[Cond, ...], Ptr]] = []
        for start_conds, start in starts:
            for step_conds, step in cases_of(by):
                conds = (*start_conds, *step_conds)
                if not any(never(c, self.facts) for c in conds):
                    with self.knowing(known_in((conds,))):
                        found.append((conds, self._moved(start, Sym(step, LONG), sign, loc)))
        if not 0 < len(found) <= MAX_CASES:
            why = f"has more than {MAX_CASES} cases" if found else "depends on data"
            raise Refused(loc, f"a subscript {why}; it must be an affine function of loop variables and sizes")
        return Places(tuple(found))

    def _moved(self, pointer: Ptr, by: Value, sign: int, loc: Loc) -> Ptr:
        if not isinstance(by, Sym):
            raise Refused(loc, "a subscript depends on data; it must be an affine function of loop variables and sizes")
        if self.unit.language != "C" and not self.holds(by.form, "subscripts are not negative", loc):
            raise Refused(loc, "a subscript that may be negative, and then counts from the end of the array")
        step = by.form * sign * self._elements(pointer, loc)
        return Ptr(pointer.array, (*pointer.subscripts[:-1], pointer.subscripts[-1] + step), pointer.to)

    def _elements(self, pointer: Ptr, loc: Loc) -> Poly:
        """How far one step goes, in units of the last subscript."""
        return size_of(pointer.to, loc) if self.arrays[pointer.array].flat else const(1)

    def _pointed(self, pointer: Value, loc: Loc) -> Element | Ptr | Elements | Places:
        """What a pointer points to, in each case."""
        if not isinstance(pointer, Places):
            return self.pointed(self.pointer(pointer, loc), loc)
        found = [(conds, self.pointed(p, loc)) for conds, p in pointer.cases]
        elements = tuple((conds, e) for conds, e in found if isinstance(e, Element))
        return Elements(elements) if elements else Places(tuple((c, p) for c, p in found if isinstance(p, Ptr)))

    def pointed(self, pointer: Ptr, loc: Loc) -> Element | Ptr:
        """What a pointer points to; an array there decays."""
        if isinstance(pointer.to, Number):
            array = self.arrays[pointer.array]
            if array.element.mlir != pointer.to.mlir or len(array.shape) != len(pointer.subscripts):
                raise Refused(loc, "memory is used as another type than its own")
            return Element(pointer.array, pointer.subscripts, pointer.to)
        if isinstance(pointer.to, ArrayOf):
            subscripts = pointer.subscripts
            if not self.arrays[pointer.array].flat:
                subscripts = (*subscripts, const(0))
            return Ptr(pointer.array, subscripts, pointer.to.element)
        raise Refused(loc, "a pointer to a pointer or to void is followed")

    def address(self, node: Any, loc: Loc) -> Ptr:
        """`&node`."""
        target = self.target(node)
        if isinstance(target, Element):
            return Ptr(target.array, target.subscripts, target.type)
        if isinstance(target, Variable):
            if target.cell is None or not isinstance(target.type, Number):
                raise Demote(target.key)
            return Ptr(target.cell, (), target.type)
        if isinstance(target, Ptr) and len(target.subscripts) > 1:
            outer = target.subscripts[:-1]
            return Ptr(target.array, outer, ArrayOf(target.to, self.arrays[target.array].shape[len(outer)]))
        raise Refused(loc, "the address of this expression is taken")

    def cast_pointer(self, pointer: Ptr, to: CType, loc: Loc) -> Ptr:
        """A pointer converted to a pointer to another type with the same elements."""
        if to == pointer.to or isinstance(to, Void):
            return pointer
        array = self.arrays[pointer.array]
        inner: CType = to
        while isinstance(inner, ArrayOf):
            inner = inner.element
        if array.element == UNTYPED and isinstance(inner, Number):
            array = self.arrays[pointer.array] = replace(array, element=inner)
        if not isinstance(inner, Number) or inner.mlir != array.element.mlir:
            raise Refused(loc, "memory is used as another type than its own")
        if array.flat:
            return Ptr(pointer.array, pointer.subscripts, to)
        if isinstance(to, Number):
            rest = len(array.shape) - len(pointer.subscripts)
            return Ptr(pointer.array, pointer.subscripts + (const(0),) * rest, to)
        raise Refused(loc, "an array is used with another shape than its own")

    def difference(self, a: Ptr, b: Ptr, loc: Loc) -> Poly:
        """How many elements `a` lies behind `b`, in units of the last subscript."""
        if a.array != b.array or a.subscripts[:-1] != b.subscripts[:-1] or a.to != b.to:
            raise Refused(loc, "pointers into different arrays are compared")
        return a.subscripts[-1] - b.subscripts[-1]

    def point(self, variable: Variable, pointer: Ptr, loc: Loc) -> None:
        """A pointer variable points there from now on."""
        self.values[variable.key] = pointer

    def integer(self, form: Poly, t: Number, loc: Loc) -> Sym | Data:
        """A distance or size as a number."""
        return Sym(form, t)

    # ---- reading and writing -----------------------------------------------------------------------

    def load(self, target: Target | Value, loc: Loc) -> Value:
        """The value at a target."""
        if isinstance(target, Element):
            return Data(self.read(target.array, target.subscripts, loc), target.type)
        if isinstance(target, Elements):
            t = target.cases[0][1].type
            cell = self.cell("case", t, loc)
            self.split(target.cases, lambda e: self.write(cell, (), self.read(e.array, e.subscripts, loc), loc), loc)
            return Data(self.read(cell, (), loc), t)
        if isinstance(target, Variable):
            if target.cell is None:
                return self.held(target, loc)
            assert isinstance(target.type, Number)
            return Data(self.read(target.cell, (), loc), target.type)
        return target

    def store(self, target: Target | Value, value: Value, loc: Loc) -> Value:
        """Assign; the value as it was stored."""
        if isinstance(target, Element):
            stored = self.data(self.converted(value, target.type, loc), loc)
            self.write(target.array, target.subscripts, stored.id, loc)
            return stored
        if isinstance(target, Elements):
            stored = self.data(self.converted(value, target.cases[0][1].type, loc), loc)
            self.split(target.cases, lambda e: self.write(e.array, e.subscripts, stored.id, loc), loc)
            return stored
        if not isinstance(target, Variable):
            raise Refused(loc, "the target of this assignment is not a variable or an element of an array")
        if isinstance(target.type, Pointer):
            to = target.type.to
            if isinstance(value, Places):
                cases = Places(tuple((c, self.cast_pointer(p, to, loc)) for c, p in value.cases))
                self.values[target.key] = cases
                return cases
            kept = self.cast_pointer(self.pointer(value, loc), to, loc)
            self.point(target, kept, loc)
            return kept
        number = self.converted(value, target.type, loc)
        if target.cell is not None:
            stored = self.data(number, loc)
            self.write(target.cell, (), stored.id, loc)
            return number if isinstance(number, Sym) else stored
        if not isinstance(number, Sym | Extremum | Cases):
            raise Demote(target.key)
        self.values[target.key] = number
        return number


def size_of(t: CType, loc: Loc) -> Poly:
    """How many numbers an object of a type holds."""
    size = const(1)
    while isinstance(t, ArrayOf):
        if t.extent is None:
            raise Refused(loc, "an array without a length is stepped over")
        size, t = size * t.extent, t.element
    return size
