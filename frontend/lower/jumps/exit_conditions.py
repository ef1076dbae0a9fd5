"""Which statements of an iteration a condition needs, and whether no iteration changes what another one asks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.traverse import Body, Node, bodies, inside, nodes_of, operands, own_expressions, statements
from raising.frontend.core.types import Int
from raising.frontend.core.variable_uses import assigned_names, declared_names, names_in, written_names
from raising.frontend.lower.jumps.counted_exits import Counted, is_load_of

_TRAPS = ("div", "rem", "floordiv", "floormod")


def is_plain(node: Node) -> bool:
    """True for what may be evaluated where the source does not."""
    part: object
    for part in inside(node):
        if isinstance(part, ex.Binary) and part.op in _TRAPS and isinstance(part.type, Int):
            return False
        if isinstance(part, ex.AddressOf | ex.RoutineName):
            return False
    return True


def reads_memory(node: Node) -> bool:
    """True if an expression asks what lies in memory."""
    return any(isinstance(part, ex.Deref | ex.Member) for part in inside(node))


def needed(unit: st.Unit, body: Body, asked: Iterable[ex.Expr], last: st.If) -> Body | None:
    """The statements of an iteration in front of `last` that give the variables values that `asked` mentions.

    None if they do more than that, or depend on an earlier iteration.
    """
    front: list[st.Stmt] = []
    for item in body:
        if any(s is last for s in statements((item,))):
            break
        front.append(item)
    names = set[str]().union(*(names_in(e) for e in asked))
    kept: list[st.Stmt] = []
    for item in reversed(front):
        if written_names((item,)) & names:
            if not _is_local(unit, item):
                return None
            kept.insert(0, item)
            names |= {node.name for node in nodes_of((item,)) if isinstance(node, ex.Name)}
    own = declared_names(tuple(kept))
    if written_names(body) & names - own or not written_names(tuple(kept)) <= own:
        return None
    return tuple(kept)


def is_pure(unit: st.Unit, callee: str | ex.Expr, depth: int = 4) -> bool:
    """True for a function that only works on its own variables and on what it is given, and may be called anywhere."""
    function = unit.routines.get(callee) if isinstance(callee, str) and depth else None
    if function is None or function.body is None:
        return False
    for s in statements(function.body):
        if isinstance(s, st.Call) and not is_pure(unit, s.callee, depth - 1):
            return False
        if not isinstance(s, st.Declare | st.Assign | st.If | st.Return | st.Call):
            return False
        for e in own_expressions(s):
            if not is_plain(e) or reads_memory(e) or not names_in(e) <= function.variables.keys():
                return False
    return True


def _is_local(unit: st.Unit, item: st.Stmt) -> bool:
    """True for statements that only write variables, and may run where the source does not run them."""
    for s in statements((item,)):
        if isinstance(s, st.Assign):
            if not isinstance(s.target, ex.Name):
                return False
        elif not isinstance(s, st.Declare | st.If | st.Loop) and not (
            isinstance(s, st.Call) and is_pure(unit, s.callee)
        ):
            return False
        if not all(map(is_plain, own_expressions(s))):
            return False
    return True


# ---- memory -----------------------------------------------------------------------------------------


def independent(unit: st.Unit, function: st.Function, loop: Counted, last: st.If, asked: Iterable[Node]) -> bool:
    """True if nothing that the loop writes to memory is what `asked` reads for the exit `last`.

    An iteration may write its own element behind the exit.
    """
    written: list[tuple[ex.Lvalue, bool]] = []
    front = {id(s) for s in _in_front(loop.body, last)}
    ends = {id(s) for e in loop.exits for s in e.then}  # nothing is asked again behind these
    for s in (s for s in statements(loop.body) if id(s) not in ends):
        if isinstance(s, st.Call) and not is_pure(unit, s.callee):
            return False
        if isinstance(s, st.Assign) and not isinstance(s.target, ex.Name):
            written.append((s.target, id(s) not in front))
        if any(isinstance(p, ex.AddressOf) for e in own_expressions(s) for p in inside(e)):
            return False
    if not written:
        return True
    reads = [p for e in asked for p in _places(e)]
    bases = _Bases(function)
    return all(_apart(bases, loop, place, read, behind) for place, behind in written for read in reads)


def _in_front(body: Body, last: st.If) -> Iterator[st.Stmt]:
    """The statements that may run before one in the same iteration."""
    for item in body:
        if item is last:
            return
        if any(s is last for s in statements((item,))):
            sides = bodies(item)
            yield from _in_front(next(side for side in sides if any(s is last for s in statements(side))), last)
            return
        yield from statements((item,))


def _places(node: Node) -> Iterator[ex.Lvalue]:
    """The places in memory that an expression reads."""
    for part in inside(node):
        if isinstance(part, ex.Load) and not isinstance(part.source, ex.Name):
            yield part.source


def _apart(bases: _Bases, loop: Counted, written: ex.Lvalue, read: ex.Lvalue, behind: bool) -> bool:
    if behind and spelled(written) == spelled(read) and _is_own_element(loop, written):
        return True
    one, other = bases.of(written), bases.of(read)
    return one is not None and other is not None and one != other


def _is_own_element(loop: Counted, place: ex.Lvalue) -> bool:
    """True for `a[i]`, which is another element in each iteration."""
    if not isinstance(place, ex.Deref) or not isinstance(place.pointer, ex.Offset):
        return False
    index: ex.Expr = place.pointer.index
    while isinstance(index, ex.Convert):
        index = index.operand
    written = written_names(loop.body)
    return is_load_of(index, loop.counter.name) and not names_in(place.pointer.pointer) & written


def spelled(node: Node) -> object:
    """A node without its places in the source."""
    own = tuple(getattr(node, key, None) for key in ("name", "op", "value", "field", "type", "which"))
    return type(node), own, tuple(spelled(part) for part in operands(node))


class _Bases:
    """The memory that the pointers of a function may point to."""

    def __init__(self, function: st.Function) -> None:
        self._function = function
        body = function.body or ()
        set_again = assigned_names(body)
        self._fixed: dict[str, ex.Expr | None] = {
            s.variable.name: s.initial if isinstance(s.initial, ex.Expr) else None
            for s in statements(body)
            if isinstance(s, st.Declare) and s.variable.name not in set_again
        }
        self._moved = set_again

    def of(self, node: ex.Expr | ex.Lvalue, depth: int = 8) -> str | None:
        """The parameter or array that a place lies in; None for one that is not known."""
        while isinstance(node, ex.Deref | ex.Offset | ex.Convert | ex.Decay):
            if isinstance(node, ex.Deref | ex.Offset):
                node = node.pointer
            else:
                node = node.operand if isinstance(node, ex.Convert) else node.array
        if isinstance(node, ex.Load):
            node = node.source
            if not isinstance(node, ex.Name) or node.name in self._moved or not depth:
                return None
            variable = self._function.variables.get(node.name)
            if variable is not None and variable.storage == "parameter":
                return node.name
            value = self._fixed.get(node.name)
            return None if value is None else self.of(value, depth - 1)
        return f"[{node.name}]" if isinstance(node, ex.Name) else None
