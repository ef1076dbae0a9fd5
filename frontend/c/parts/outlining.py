"""Parts of functions as functions of their own, over what they read and write.

What a part uses of the function around it becomes parameters (`passed_variables`), as long as it stays the same while
the part runs (`possible_writes`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from raising.frontend.c.parts import passed_variables as how
from raising.frontend.c.parts.array_lengths import Lengths
from raising.frontend.c.parts.held_pointers import HeldPointer, held_pointers, loads_in, replaced
from raising.frontend.c.parts.passed_variables import Passed, call_text
from raising.frontend.c.parts.possible_writes import PossibleWrites, copied_pointers
from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core import types as core_types
from raising.frontend.core.known_callees import called
from raising.frontend.core.leaving_jumps import leaves
from raising.frontend.core.live_variables import Liveness
from raising.frontend.core.reaching_values import ReachingValues
from raising.frontend.core.traverse import Body, bodies, statements, with_expressions
from raising.frontend.core.variable_uses import changed_names, declared, declared_names, mentioned, names_in
from raising.frontend.lower.ir.module import Refused
from raising.support.record import dataclass
from raising.support.source import Loc

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
        """The part as a function of another name."""
        call = self.call.replace(f"{self.function.name}(", f"{name}(", 1)
        return replace(self, function=replace(self.function, name=name), call=call)


class Outliner:
    """Makes functions of the parts of one function."""

    def __init__(self, unit: st.Unit, function: st.Function) -> None:
        self.unit = unit
        self.function = function
        self.live = Liveness(function)
        self.values = ReachingValues(function)
        self._changed = changed_names(function.body or ())
        self._copied = copied_pointers(function.body or ())
        self.writes = PossibleWrites(unit)

    def known(self, part: Part) -> Mapping[str, ex.Expr]:
        """The values of numbers at the start of a part that are known over variables which C sees there."""
        used, found = mentioned(part.body), self.values.before(part.body[0])
        shared = (node.variable for node in self.unit.globals.values())
        sources = Counter(v.source for v in (*self.function.variables.values(), *shared))

        def seen(name: str) -> bool:
            variable = self.function.variables[name]
            around = variable.storage == "parameter" or (variable.storage == "local" and name in part.behind)
            return name in used or (around and sources[variable.source] == 1)

        needed = self.live.before(part.body, part.behind)
        return {n: form for n, form in found.items() if n in used & needed and all(map(seen, names_in(form)))}

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
        roots = frozenset[str]().union(*map(names_in, known.values()))
        core = self._without(part.body, held)
        used, changed = self._used(part, core, roots), changed_names(part.body)
        needed = self.live.before(part.body, part.behind) | roots
        passed = [self._passed(part, v, v.name in changed, v.name in needed, known.get(v.name)) for v in used]
        passed += [Passed(((p.variable, p.text),)) for p in held]
        parameters = tuple(parameter for p in passed for parameter, _ in p.parameters)
        body = tuple(s for p in passed for s in p.before) + core + tuple(s for p in passed for s in p.behind)
        by_pointer = {v.name for v in used if isinstance(v.type, core_types.Array | core_types.Record)}
        pointers = {p.name: p for p in parameters if p.name in by_pointer}
        body = tuple(with_expressions(item, lambda node: _pointing(node, pointers)) for item in body)
        declared = {item.variable.name: item.variable for item in statements(body) if isinstance(item, st.Declare)}
        variables = {p.name: p for p in parameters} | declared
        function = st.Function(name, core_types.VOID, parameters, body, part.loc, variables)
        assumed = tuple(f"'{p.text}' can be read in front of the loops" for p in held)
        return Outlined(function, frozenset().union(*(p.own for p in passed)), call_text(name, passed), assumed)

    def held(self, part: Part) -> tuple[HeldPointer, ...]:
        """The pointers in memory that a part may take as parameters: they stay the same while it runs."""
        changed = set().union(*map(changed_names, self.writes.run_by(part.body)))
        local = declared_names(part.body)
        visible = self._visible()

        def is_unchanged(load: ex.Load) -> bool:
            """Whether all that a pointer is read through stays the same."""
            for inner in loads_in(load):
                name = inner.source.name if isinstance(inner.source, ex.Name) else None
                if name in changed or name in local:
                    return False
                shared = name is None or name in self.live.always or name in self.unit.globals
                if shared and self.writes.may_store(part.body, inner.type):
                    return False
            return True

        taken = {*self.function.variables, *self.unit.globals, *(v.source for v in visible.values())}
        return held_pointers(part.body, visible, is_unchanged, taken)

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
        for variable in map(declared, statements(part.body)):
            if variable is not None and variable.name in part.behind:
                raise Refused(part.loc, f"variable '{variable.source}' is declared in the region and used after it")

    def _used(self, part: Part, body: Body, roots: frozenset[str]) -> list[st.Variable]:
        """The variables from around a part that its `body` needs, with `roots`, in the order of their declarations."""
        names = mentioned(body) | roots
        names -= declared_names(part.body)
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

    def _passed(self, part: Part, variable: st.Variable, changes: bool, read: bool, known: ex.Expr | None) -> Passed:
        """How to pass a variable that a part `changes`, or `read`s before it sets it, or whose value is `known`."""
        name, needed = variable.name, read or not changes
        read_after = changes and (name in part.behind or name in self.live.always)
        if isinstance(variable.type, core_types.Array):
            return how.array_parameter(variable)
        if isinstance(variable.type, core_types.Record):
            return how.record_parameter(variable)
        if known is not None:
            return how.computed(variable, known, changes, read_after)
        if not changes:
            self._check_unchanged(part, variable)
        if isinstance(variable.type, core_types.Pointer):
            return self._pointer(part, variable, read_after, needed)
        if read_after:
            return how.by_address(variable, needed, own=name not in self.live.always)
        constant = replace(variable, constant=variable.constant and not changes)
        return how.by_value(constant) if needed else how.not_passed(variable)

    def _pointer(self, part: Part, pointer: st.Variable, read_after: bool, needed: bool) -> Passed:
        if read_after and (not needed or pointer.name in self.live.always):
            source = f"&{pointer.source}" if pointer.reference else pointer.source
            raise Refused(part.loc, f"pointer '{source}' changes in the region and is used after it")
        if not needed:
            return how.not_passed(pointer)
        if pointer.name in self._copied:
            assert isinstance(pointer.type, core_types.Pointer)
            pointer = replace(pointer, type=replace(pointer.type, restrict=False))
        return how.moving_pointer(pointer) if read_after else how.by_value(pointer)

    def _check_unchanged(self, part: Part, variable: st.Variable) -> None:
        """`Refused` if what is passed by value may change through a pointer while the part runs."""
        if variable.constant or variable.name not in self.live.always or variable.name in self.writes.never_written:
            return
        if self.writes.may_store(part.body, variable.type):
            told = f"variable '{variable.source}', whose address others may have, may change while the loops run"
            raise Refused(part.loc, told)


def _jump(item: st.Stmt) -> st.Stmt:
    """The jump that leaves a statement."""
    while not isinstance(item, st.Return | st.Break | st.Continue):
        item = next(part for inner in bodies(item) for part in inner if leaves(part))
    return item


def _pointing(node: ex.Expr | ex.Lvalue, pointers: dict[str, st.Variable]) -> ex.Expr | ex.Lvalue:
    """Arrays and structs that are parameters are reached through pointers."""
    if isinstance(node, ex.Decay) and isinstance(node.array, ex.Name) and node.array.name in pointers:
        return build.read(pointers[node.array.name], node.loc)
    if isinstance(node, ex.AddressOf) and isinstance(node.target, ex.Name) and node.target.name in pointers:
        return build.read(pointers[node.target.name], node.loc)
    if isinstance(node, ex.Name) and node.name in pointers:
        return build.deref(build.read(pointers[node.name], node.loc), node.loc)
    return node
