"""Parts of functions as functions of their own, over what they read and write.

What a part uses of the function around it becomes parameters: arrays and pointers as they are, numbers by value. A
number that the part changes and that may be read afterwards is passed by address, as `NAME_at`; of a pointer, it is
the number of elements by which it moves, as `NAME_by`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from raising.frontend.c.parts.array_lengths import Lengths
from raising.frontend.c.parts.held_pointers import HeldPointer, held_pointers, loads_in, replaced
from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core import types as core_types
from raising.frontend.core.live_variables import Liveness, addressed, mentioned
from raising.frontend.core.reaching_values import ReachingValues
from raising.frontend.core.traverse import bodies, inside, operands, own_expressions, statements, with_expressions
from raising.frontend.lower.from_core.statement_order import leaves
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.known.state import assigned_names
from raising.support.record import dataclass
from raising.support.source import Loc

Body = tuple[st.Stmt, ...]
COUNT = core_types.I64
NOTHING: Mapping[str, ex.Expr] = {}


@dataclass(frozen=True)
class Part:
    """Some statements of a function, one behind the other; `behind` are the variables that may be read after them.

    `span` is where they stand in the file, None if they are not the whole of a piece of text there.
    """

    body: Body
    loc: Loc
    behind: frozenset[str]
    span: st.Span | None = None

    @property
    def end(self) -> Loc:
        """The place of the last statement in it."""
        return max((item.loc for item in statements(self.body)), key=lambda loc: (loc.line, loc.col))


@dataclass(frozen=True)
class Outlined:
    """A part as a function; `own` are those of its parameters that are objects of their own, and overlap no other.

    `call` is the statement of C that does what the part does.
    """

    function: st.Function
    own: frozenset[str]
    call: str
    assumed: tuple[str, ...] = ()

    def named(self, name: str) -> Outlined:
        """The same as a function of another name."""
        call = self.call.replace(f"{self.function.name}(", f"{name}(", 1)
        return replace(self, function=replace(self.function, name=name), call=call)


@dataclass(frozen=True)
class _Passed:
    """How a variable comes into a part: its parameters, each with what is passed for it, and what stands around.

    `own` are those that are arrays of their own.
    """

    parameters: tuple[tuple[st.Variable, str], ...] = ()
    before: Body = ()
    behind: Body = ()
    own: frozenset[str] = frozenset()
    moves: str = ""


class Outliner:
    """Makes functions of the parts of one function."""

    def __init__(self, unit: st.Unit, function: st.Function) -> None:
        self.unit = unit
        self.function = function
        self.live = Liveness(function)
        self.values = ReachingValues(function)
        self._changed = assigned_names(function.body or ())
        self._copied = _copied(function.body or ())

    def known(self, part: Part) -> Mapping[str, ex.Expr]:
        """The values of numbers at the start of a part that are known over variables which C sees there."""
        used, found = mentioned(part.body), self.values.before(part.body[0])
        sources = Counter(v.source for v in (*self.function.variables.values(), *_shared(self.unit)))

        def seen(name: str) -> bool:
            variable = self.function.variables[name]
            around = variable.storage == "parameter" or (variable.storage == "local" and name in part.behind)
            return name in used or (around and sources[variable.source] == 1)

        needed = self.live.before(part.body, part.behind)
        return {n: form for n, form in found.items() if n in used & needed and all(map(seen, _names(form)))}

    def outlined(
        self, part: Part, name: str, known: Mapping[str, ex.Expr] = NOTHING, held: tuple[HeldPointer, ...] = ()
    ) -> Outlined:
        """A part as a function of this name; `Refused` for one that is no function of what it uses.

        Variables that are `known` at its start are computed in it; pointers in memory that are `held` are parameters.
        """
        leaving = next((item for item in part.body if leaves(item)), None)
        if leaving is not None:
            raise Refused(_jump(leaving).loc, "control leaves the region before its end")
        self._check_declared(part)
        roots = frozenset().union(*map(_names, known.values()))
        core = self._without(part.body, held)
        used, changed = self._used(part, core, roots), assigned_names(part.body)
        needed = self.live.before(part.body, part.behind) | roots
        passed = [self._passed(part, v, v.name in changed, v.name in needed, known.get(v.name)) for v in used]
        passed += [_Passed(((p.variable, p.text),)) for p in held]
        parameters = tuple(parameter for p in passed for parameter, _ in p.parameters)
        body = tuple(s for p in passed for s in p.before) + core + tuple(s for p in passed for s in p.behind)
        by_pointer = {v.name for v in used if isinstance(v.type, core_types.Array | core_types.Record)}
        pointers = {p.name: p for p in parameters if p.name in by_pointer}
        body = tuple(with_expressions(item, lambda node: _pointing(node, pointers)) for item in body)
        declared = {item.variable.name: item.variable for item in statements(body) if isinstance(item, st.Declare)}
        variables = {p.name: p for p in parameters} | declared
        function = st.Function(name, core_types.VOID, parameters, body, part.loc, variables)
        assumed = tuple(f"'{p.text}' can be read in front of the loops" for p in held)
        return Outlined(function, frozenset().union(*(p.own for p in passed)), _call_text(name, passed), assumed)

    def held(self, part: Part) -> tuple[HeldPointer, ...]:
        """The pointers in memory that a part may take as parameters: they stay the same while it runs."""
        around = [part.body, *(f.body or () for f in called(self.unit, part.body))]
        changed = set().union(*map(assigned_names, around))
        declared = {item.variable.name for item in statements(part.body) if isinstance(item, st.Declare)}
        visible = self._visible()

        def steady(load: ex.Load) -> bool:
            for inner in loads_in(load):
                if isinstance(inner.source, ex.Name):
                    name = inner.source.name
                    shared = name in self.live.always or name in self.unit.globals
                    if name in changed or name in declared or (shared and self._is_written(around, inner.type)):
                        return False
                elif self._is_written(around, inner.type):
                    return False
            return True

        taken = {*self.function.variables, *self.unit.globals, *(v.source for v in visible.values())}
        return held_pointers(part.body, visible, steady, taken)

    def _is_written(self, around: list[Body], t: core_types.Type) -> bool:
        return any(_may_write(self.unit, body, t) for body in around)

    def _visible(self) -> dict[str, st.Variable]:
        """The variables that C may see: those of the function, and of the file."""
        own = {n: v for n, v in self.function.variables.items() if v.storage in ("parameter", "local", "static")}
        return {n: g.variable for n, g in self.unit.globals.items()} | own

    def _without(self, body: Body, held: tuple[HeldPointer, ...]) -> Body:
        """Statements with parameters in place of pointers in memory."""
        if not held:
            return body
        pointers, visible = {p.text: p.variable for p in held}, self._visible()
        return tuple(with_expressions(item, lambda node: replaced(node, pointers, visible)) for item in body)

    # ---- what a part uses --------------------------------------------------------------------------

    def _check_declared(self, part: Part) -> None:
        for item in statements(part.body):
            variable = (
                item.variable if isinstance(item, st.Declare) else item.result if isinstance(item, st.Call) else None
            )
            if variable is not None and variable.name in part.behind:
                raise Refused(part.loc, f"variable '{variable.source}' is declared in the region and used after it")

    def _used(self, part: Part, body: Body, roots: frozenset[str]) -> list[st.Variable]:
        """The variables from around a part that its `body` needs, with `roots`, in the order of their declarations."""
        names = mentioned(body) | roots
        names -= {item.variable.name for item in statements(part.body) if isinstance(item, st.Declare)}
        names -= {s.result.name for s in statements(part.body) if isinstance(s, st.Call) and s.result is not None}
        lengths = Lengths(self.function, part.loc)
        found = {n: lengths.visible(self._as_it_is(v)) for n, v in self.function.variables.items() if n in names}
        for variable in list(found.values()):
            for n in lengths.names(variable):
                found.setdefault(n, self.function.variables[n])
        shared = [g.variable for n, g in self.unit.globals.items() if n in names and self._is_passed(part, g)]
        return [*shared, *(found[n] for n in self.function.variables if n in found)]

    def _as_it_is(self, variable: st.Variable) -> st.Variable:
        """A pointer that changes points to as many elements as were declared at the start of the function only."""
        moved = isinstance(variable.type, core_types.Pointer) and variable.name in self._changed
        return replace(variable, length=None, promised=False) if moved else variable

    def _is_passed(self, part: Part, node: st.Global) -> bool:
        """Whether a variable of the file is passed: it can be a size then, and is the same variable as in the file."""
        variable = node.variable
        plain = isinstance(variable.type, core_types.Int | core_types.Float | core_types.Pointer | core_types.Record)
        if not plain or variable.storage == "thread" or not variable.source.isidentifier():
            return False
        if variable.constant and node.defined and isinstance(variable.type, core_types.Int | core_types.Float):
            return False
        return not any(variable.name in mentioned(f.body or ()) for f in called(self.unit, part.body))

    # ---- how it is passed --------------------------------------------------------------------------

    def _passed(self, part: Part, variable: st.Variable, changes: bool, read: bool, known: ex.Expr | None) -> _Passed:
        """How a variable is passed that a part `changes`, and `read`s before it has a value there, perhaps `known`."""
        name, needed = variable.name, read or not changes
        after = changes and (name in part.behind or name in self.live.always)
        if isinstance(variable.type, core_types.Array):
            return self._array(variable)
        if isinstance(variable.type, core_types.Record):
            to = core_types.Pointer(variable.type, variable.constant)
            return _Passed(((replace(variable, type=to, storage="parameter"), f"&{variable.source}"),))
        if known is not None:
            return _computed(variable, known, changes, after)
        if not changes:
            self._check_steady(part, variable)
        if isinstance(variable.type, core_types.Pointer):
            return self._pointer(part, variable, after, needed)
        if after:
            own = name not in self.live.always
            return _by_address(variable, needed, own)
        parameter = replace(variable, storage="parameter", constant=variable.constant and not changes)
        declared = st.Declare(replace(variable, storage="local", constant=False), None, variable.loc)
        return _Passed(((parameter, variable.source),)) if needed else _Passed(before=(declared,))

    def _array(self, array: st.Variable) -> _Passed:
        assert isinstance(array.type, core_types.Array)
        pointer = core_types.Pointer(array.type.element)
        parameter = replace(array, storage="parameter", type=pointer, length=array.type.extent)
        return _Passed(((parameter, array.source),), own=frozenset({array.name}))

    def _pointer(self, part: Part, pointer: st.Variable, after: bool, needed: bool) -> _Passed:
        name, loc = pointer.name, pointer.loc
        source = f"&{pointer.source}" if pointer.reference else pointer.source
        assert isinstance(pointer.type, core_types.Pointer)
        if after and (not needed or name in self.live.always):
            raise Refused(part.loc, f"pointer '{source}' changes in the region and is used after it")
        if not needed:
            return _Passed(before=(st.Declare(replace(pointer, storage="local", constant=False), None, loc),))
        if name in self._copied:
            pointer = replace(pointer, type=replace(pointer.type, restrict=False))
        parameter = replace(pointer, storage="parameter")
        if not after:
            return _Passed(((parameter, source),))
        start = st.Variable(f"{name}.start", pointer.type, "local", loc, constant=True)
        begin = st.Declare(start, build.read(parameter, loc), loc)
        by = st.Variable(f"{name}_by", core_types.Pointer(COUNT, restrict=True), "parameter", loc, f"{source}_by")
        moved = ex.Distance(build.read(parameter, loc), build.read(start, loc), COUNT, loc)
        end = st.Assign(build.deref(build.read(by, loc), loc), moved, loc)
        return _Passed(((parameter, source), (by, f"&{by.source}")), (begin,), (end,), moves=source)

    @cached_property
    def _fixed(self) -> set[str]:
        """The variables of the file that nothing ever writes: no other file sees them, and nothing points to them."""
        routines = self.unit.routines
        changed = set().union(*(assigned_names(f.body or ()) | addressed(f.body or ()) for f in routines.values()))
        for node in self.unit.globals.values():
            held = st.Declare(node.variable, node.initial, node.variable.loc)
            changed |= addressed((held,))
        unread = {name for name, f in routines.items() if f.refusals}

        def is_read(name: str) -> bool:
            """Whether all functions that can name it were read whole: of a static one of a function, that one."""
            inside = name.partition(".")[0]
            return inside not in unread if inside in routines and inside != name else not unread

        own = (n for n, g in self.unit.globals.items() if not g.external and g.defined and n not in changed)
        return {n for n in own if is_read(n)}

    def _check_steady(self, part: Part, variable: st.Variable) -> None:
        """`Refused` if what is passed by value may change through a pointer while the part runs."""
        if variable.constant or variable.name not in self.live.always or variable.name in self._fixed:
            return
        around = [part.body, *(f.body or () for f in called(self.unit, part.body))]
        if any(_may_write(self.unit, body, variable.type) for body in around):
            told = f"variable '{variable.source}', whose address others may have, may change while the loops run"
            raise Refused(part.loc, told)


def _computed(variable: st.Variable, known: ex.Expr, changes: bool, after: bool) -> _Passed:
    """A number whose value at the start of a part is known."""
    local = replace(variable, storage="local", constant=not changes)
    declared = (st.Declare(local, known, variable.loc),)
    if not after:
        return _Passed(before=declared)
    at, there = _address(variable, True)
    return _Passed(((at, f"&{variable.source}"),), declared, (st.Assign(there, build.read(local, at.loc), at.loc),))


def _address(variable: st.Variable, own: bool) -> tuple[st.Variable, ex.Lvalue]:
    """The parameter that says where a variable lies, and what is there."""
    pointer, loc = core_types.Pointer(variable.type, restrict=own), variable.loc
    at = replace(variable, name=f"{variable.name}_at", type=pointer, storage="parameter")
    at = replace(at, source=f"{variable.source}_at")
    return at, build.deref(build.read(at, loc), loc)


def _by_address(variable: st.Variable, needed: bool, own: bool) -> _Passed:
    loc = variable.loc
    local = replace(variable, storage="local", constant=False)
    at, there = _address(variable, own)
    behind = (st.Assign(there, build.read(local, loc), loc),)
    if needed and isinstance(variable.type, core_types.Int):  # by value, too, so that it can be where a counter starts
        value = replace(local, storage="parameter")
        return _Passed(((value, variable.source), (at, f"&{variable.source}")), (), behind)
    fetch = (st.Assign(build.name(local, loc), build.load(there, loc), loc),) if needed else ()
    return _Passed(((at, f"&{variable.source}"),), (st.Declare(local, None, loc), *fetch), behind)


def _call_text(name: str, passed: list[_Passed]) -> str:
    """The call of a part that is a function, as a statement of C."""
    call = f"{name}({', '.join(argument for p in passed for _, argument in p.parameters)});"
    moving = [p.moves for p in passed if p.moves]
    if not moving:
        return call
    counts = ", ".join(f"{p}_by" for p in moving)
    return f"{{ long {counts}; {call} {' '.join(f'{p} += {p}_by;' for p in moving)} }}"


def _jump(item: st.Stmt) -> st.Stmt:
    """The jump that leaves a statement."""
    while not isinstance(item, st.Return | st.Break | st.Continue):
        item = next(part for inner in bodies(item) for part in inner if leaves(part))
    return item


def _names(form: ex.Expr) -> frozenset[str]:
    return frozenset(part.name for part in inside(form) if isinstance(part, ex.Name))


def _shared(unit: st.Unit) -> list[st.Variable]:
    return [node.variable for node in unit.globals.values()]


# ---- what other code may do ---------------------------------------------------------------------------


def called(unit: st.Unit, body: Body) -> list[st.Function]:
    """The functions that statements call, and those that these call; each once."""
    found: dict[str, st.Function] = {}
    pending = [body]
    while pending:
        for item in statements(pending.pop()):
            if isinstance(item, st.Call) and isinstance(item.callee, str) and item.callee not in found:
                found[item.callee] = unit.routines[item.callee]
                pending.append(found[item.callee].body or ())
    return list(found.values())


def _may_write(unit: st.Unit, body: Body, t: core_types.Type) -> bool:
    """Whether statements store through a pointer to a type that may be the same memory as a `t` (C11 6.5p7)."""
    for item in statements(body):
        if isinstance(item, st.Call) and not (isinstance(item.callee, str) and unit.routines[item.callee].body):
            return True
        if isinstance(item, st.Assign) and not isinstance(item.target, ex.Name) and _may_be(item.target.type, t):
            return True
    return False


def _may_be(written: core_types.Type, t: core_types.Type) -> bool:
    match written, t:
        case core_types.Pointer(), core_types.Pointer():
            return True
        case core_types.Int(), core_types.Int():
            return written.width in (8, t.width)
        case core_types.Float(), core_types.Float():
            return written.width == t.width
        case (core_types.Int(width=8), _) | (core_types.Float(), core_types.Complex()):
            return True
    return written == t or isinstance(written, core_types.Array | core_types.Record | core_types.Complex)


def _copied(body: Body) -> set[str]:
    """The pointers whose value goes elsewhere, so that another pointer may be based on them (C11 6.7.3.1)."""
    found: set[str] = set()
    for item in statements(body):
        for expression in own_expressions(item):
            found |= set(_values(expression, False))
    return found


def _values(node: ex.Expr | ex.Lvalue | ex.Initial, dereferenced: bool) -> Iterator[str]:
    """The pointer variables in an expression whose value is not only followed or compared."""
    if isinstance(node, ex.Load) and isinstance(node.source, ex.Name):
        if isinstance(node.type, core_types.Pointer) and not dereferenced:
            yield node.source.name
        return
    for part in operands(node):
        follows = isinstance(node, ex.Deref | ex.Compare | ex.Distance)
        stays = dereferenced and isinstance(node, ex.Offset) and part is node.pointer
        yield from _values(part, follows or stays)


def _pointing(node: ex.Expr | ex.Lvalue, pointers: dict[str, st.Variable]) -> ex.Expr | ex.Lvalue:
    """Arrays and structs that are parameters are reached through pointers."""
    if isinstance(node, ex.Decay) and isinstance(node.array, ex.Name) and node.array.name in pointers:
        return build.read(pointers[node.array.name], node.loc)
    if isinstance(node, ex.AddressOf) and isinstance(node.target, ex.Name) and node.target.name in pointers:
        return build.read(pointers[node.target.name], node.loc)
    if isinstance(node, ex.Name) and node.name in pointers:
        return build.deref(build.read(pointers[node.name], node.loc), node.loc)
    return node
