"""Declarations: the types that they name, and what each name means from there on."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

from pycparser import c_ast

from raising.frontend.c.ir.module import Refused, place
from raising.frontend.c.ir.nodes import Array
from raising.frontend.c.ir.polynomial import Poly, const
from raising.frontend.c.ir.types import (
    INT,
    ArrayOf,
    CType,
    Number,
    Pointer,
    RecordOf,
    Void,
    extents,
    from_names,
    scalar_of,
)
from raising.frontend.c.known.typed_values import Data, Element, Entity, Memory, Sym, Truth, Variable
from raising.frontend.c.lower.lvalues import Memories
from raising.support.source import Loc

MAX_INITIAL = 4096  # elements of an initialised array


class Declarations(Memories):
    """Gives names their meaning."""

    def type_of(self, node: Any) -> CType:
        """The type that a declarator says."""
        if {"volatile", "_Atomic"} & {*(getattr(node, "quals", None) or ())}:
            raise Refused(place(node), "volatile or atomic memory")
        if isinstance(node, c_ast.TypeDecl | c_ast.Typename):
            return self.type_of(node.type)
        if isinstance(node, c_ast.PtrDecl):
            constant = "const" in (getattr(node.type, "quals", None) or ())
            return Pointer(self.type_of(node.type), "restrict" in (node.quals or ()), constant)
        if isinstance(node, c_ast.ArrayDecl):
            element = self.type_of(node.type)
            return ArrayOf(element, None if node.dim is None else self._extent(node.dim))
        if isinstance(node, c_ast.Enum):
            return INT
        if isinstance(node, c_ast.IdentifierType):
            return self._named_type(node)
        kind = type(node).__name__
        what = {"Struct": "a struct", "Union": "a union", "FuncDecl": "a pointer to a function"}.get(kind, kind)
        raise Refused(place(node), f"{what} is not supported")

    def _named_type(self, node: Any) -> CType:
        found = from_names(node.names)
        if found is not None:
            return found
        if len(node.names) == 1 and node.names[0] in self.unit.typedefs:
            return self.type_of(self.unit.typedefs[node.names[0]])
        raise Refused(place(node), f"type '{' '.join(node.names)}' is not supported")

    def _extent(self, node: Any) -> Poly:
        value = self.length(node)
        if value.form.constant is not None and value.form.constant <= 0:
            raise Refused(place(node), f"an array of length {value.form.constant}")
        return value.form

    def length(self, node: Any) -> Sym:
        """The value of an expression that gives an array its length."""
        value = self.value(node)
        if not isinstance(value, Sym):
            raise Refused(place(node), "the length of an array depends on data")
        return value

    def enumerators(self, node: Any) -> None:
        """The constants of an enumeration, in the innermost scope."""
        following = const(0)
        for item in node.values.enumerators:
            if item.value is not None:
                value = self.value(item.value)
                if not isinstance(value, Sym) or value.form.constant is None:
                    raise Refused(place(item), "an enumerator that is not a constant")
                following = value.form
            self.scopes[-1][item.name] = Sym(following, INT)
            following = following + 1

    def find(self, name: str) -> Entity | None:
        """What a name means here; a global is declared at its first use."""
        found = super().find(name)
        if found is None and name in self.unit.globals:
            found = self.scopes[0][name] = self._global(self.unit.globals[name])
        return found

    def _global(self, node: Any) -> Entity:
        t, loc = self.type_of(node.type), place(node)
        constant = is_constant(node)
        if constant and isinstance(t, Number) and node.init is not None:
            value = self.converted(self.value(node.init), t, loc)
            return value if isinstance(value, Sym) else self.data(value, loc)
        scalar = scalar_of(t)
        if scalar is None:
            raise Refused(loc, f"global '{node.name}' is of a type that is not supported")
        if any(e is None for e in extents(t)) or constant:
            raise Refused(loc, f"global '{node.name}' is an array without a length, or of constants that are not here")
        self.arrays[node.name] = Array(node.name, scalar, extents(t), "global", loc, flat=len(extents(t)) == 1)
        return Memory(node.name, t)

    def declaration(self, node: Any) -> None:
        """A declaration in a block."""
        loc = place(node)
        if isinstance(node.type, c_ast.Enum) and node.type.values is not None:
            self.enumerators(node.type)
        if isinstance(node.type, c_ast.FuncDecl | c_ast.Enum):
            return
        if "extern" in node.storage:
            self.scopes[-1].pop(node.name, None)
            return
        t = self.type_of(node.type)
        if "static" in node.storage and not is_constant(node):
            raise Refused(loc, f"'{node.name}' keeps its value between calls")
        if isinstance(t, ArrayOf):
            self._array(node, t, loc)
        elif isinstance(t, Number | Pointer):
            variable = self.variable(node.name, t, loc)
            if node.init is not None:
                variable = self._initialised(variable, node, loc)
            self.declare(node.name, variable)
        else:
            raise Refused(loc, f"'{node.name}' is of type void")

    def _initialised(self, variable: Variable, node: Any, loc: Loc) -> Variable:
        """The variable with its first value; one that is data from the start is never symbolic."""
        init = node.init.exprs[0] if isinstance(node.init, c_ast.InitList) else node.init
        value = self.value(init)
        if variable.cell is None and isinstance(variable.type, Number):
            value = self.converted(value, variable.type, loc)
            if isinstance(value, Data | Truth):
                variable = replace(variable, cell=self.cell(node.name, variable.type, loc))
        self.store(variable, value, loc)
        return variable

    def variable(self, name: str, t: Number | Pointer, loc: Loc) -> Variable:
        """A new variable, symbolic if it is a pointer or an integer that can be followed."""
        key = f"{self.path}{name}:{loc.line}:{loc.col}"
        if isinstance(t, Pointer):
            if key in self.demoted:
                raise Refused(loc, f"pointer '{name}' changes in a way that cannot be followed")
            return Variable(key, t)
        if t.is_float or t.kind == "bool" or key in self.demoted:
            return Variable(key, t, self.cell(name, t, loc))
        self.values.pop(key, None)
        return Variable(key, t)

    # ---- arrays ------------------------------------------------------------------------------------

    def _array(self, node: Any, t: ArrayOf, loc: Loc) -> None:
        element = scalar_of(t)
        if element is None:
            raise Refused(loc, f"array '{node.name}' holds pointers or structs")
        values = _initial(node.init) if node.init is not None else None
        if t.extent is None and values is not None:
            count = len(node.init.exprs) if isinstance(node.init, c_ast.InitList) else 0
            t = ArrayOf(t.element, const(count))
        shape = extents(t)
        name = self.unique(node.name)
        self.arrays[name] = self.local_array(
            node.name, Array(name, element, shape, "local", loc, len(shape) == 1 and self.unit.has_flat_memory)
        )
        self.declare(node.name, Memory(name, t))
        if values is not None:
            self._fill(name, element, shape, node.init, loc)

    def _fill(self, name: str, element: Number, shape: tuple[Poly | None, ...], init: Any, loc: Loc) -> None:
        sizes = [e.constant for e in shape if e is not None and e.constant is not None]
        total = 1
        for size in sizes:
            total *= size
        if len(sizes) != len(shape) or total > MAX_INITIAL:
            raise Refused(loc, f"the initial values of array '{name}' are too many")
        given = dict(_elements(init, tuple(sizes)))
        for index in product(*map(range, sizes)):
            value = self.value(given[index]) if index in given else Sym(const(0), INT)
            subscripts = self.subscripts(name, tuple(const(i) for i in index), shape)
            self.store(Element(name, subscripts, element), value, loc)

    def local_array(self, name: str, array: Array) -> Array:
        """An array that a block declares under a name; its length has to be known before the loops."""
        for extent in array.shape:
            if extent is None or not extent.names() <= self.facts.free:
                raise Refused(array.loc, f"the length of array '{name}' is not a size that is known before the loops")
        return array

    def subscripts(self, name: str, index: tuple[Poly, ...], shape: tuple[Poly | None, ...]) -> tuple[Poly, ...]:
        """Where the array of this shape has an element."""
        return index

    def local_typedef(self, node: Any) -> None:
        """A `typedef` in a block."""
        self.unit.typedefs.setdefault(node.name, node.type)

    def parameter_type(self, node: Any) -> Number | Pointer | ArrayOf:
        """The type of a function's parameter."""
        t = self.type_of(node.type)
        if isinstance(t, Void):
            raise Refused(place(node), "a parameter of type void")
        assert not isinstance(t, RecordOf)  # Python has none
        return t


def is_constant(node: Any) -> bool:
    """True for a declaration of something that cannot be written."""
    t = node.type
    while isinstance(t, c_ast.ArrayDecl):
        t = t.type
    return "const" in (node.quals or ()) or "const" in (getattr(t, "quals", None) or ())


def _initial(init: Any) -> Any:
    if not isinstance(init, c_ast.InitList):
        raise Refused(place(init), "an array is initialised by something that is not a list")
    return init


def _elements(init: Any, sizes: tuple[int, ...]) -> list[tuple[tuple[int, ...], Any]]:
    """(subscripts, expression) of each element that an initialiser names."""
    found: list[tuple[tuple[int, ...], Any]] = []
    flat = 0
    for position, item in enumerate(init.exprs):
        if isinstance(item, c_ast.NamedInitializer):
            raise Refused(place(item), "a designated initialiser")
        if isinstance(item, c_ast.InitList):
            if len(sizes) < 2:
                raise Refused(place(item), "an initialiser with more braces than dimensions")
            found += [((position, *index), e) for index, e in _elements(item, sizes[1:])]
            continue
        index, rest = [], flat
        for size in reversed(sizes):
            index.append(rest % size)
            rest //= size
        found.append((tuple(reversed(index)), item))
        flat += 1
    return found
