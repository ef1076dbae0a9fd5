"""Reaching values: the integer variables whose value at a statement is known as an expression over others.

A forward data-flow analysis over structured statements, in the manner of available expressions (Aho, Lam, Sethi and
Ullman, *Compilers*, 2nd ed., 9.2.6). After `t = 0; u = t + n * m;` it is 0 of `t` and `n * m` of `u`, as long as none
of `t`, `u`, `n` and `m` is assigned again. Where paths meet, what all of them agree on
stays; a label to which a jump leads back forgets all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.traverse import Body, Node, bodies, inside, replaced, statements
from raising.frontend.core.types import Int
from raising.frontend.core.variable_uses import addressed, names_in, overwritten
from raising.support.record import dataclass

MAX_NODES = 24  # of the value of one variable

_OWN = ("parameter", "local", "hidden")
_RING = ("add", "sub", "mul")


@dataclass(frozen=True)
class _Value:
    """An expression over variables that have not been assigned since, and their names."""

    form: ex.Expr
    names: frozenset[str]


_Known = dict[str, _Value]


class ReachingValues:
    """The known values of one function, by statement; statements are told apart by identity.

    Only variables that nothing else can change take part: those of the function whose address is never taken.
    """

    def __init__(self, function: st.Function) -> None:
        body = function.body or ()
        others = addressed(body)
        self._own = {n for n, v in function.variables.items() if v.storage in _OWN and n not in others}
        self._before: dict[int, tuple[st.Stmt, _Known]] = {}
        self._labelled = {id(s) for s in statements(body) if any(isinstance(p, st.Label) for p in statements((s,)))}
        self._gotos = Counter(s.label for s in statements(body) if isinstance(s, st.Goto))
        self._jumps: dict[str, list[_Known | None]] = {}
        self._block(body, {})

    def before(self, stmt: st.Stmt) -> Mapping[str, ex.Expr]:
        """The values of variables before a statement of the function; none if control does not come there."""
        _, known = self._before.get(id(stmt), (stmt, {}))
        return {name: value.form for name, value in known.items()}

    def _block(self, body: Body, known: _Known | None) -> _Known | None:
        """The values that are known after a block; None if control does not come there."""
        for stmt in body:
            if known is not None:
                self._before[id(stmt)] = stmt, known
            if isinstance(stmt, st.Label):
                known = self._arriving(stmt, known)
            elif id(stmt) in self._labelled:  # control may come in from anywhere
                self._stmt(stmt, {})
                known = {}
            elif known is not None:
                known = self._stmt(stmt, known)
        return known

    def _arriving(self, label: st.Label, known: _Known | None) -> _Known:
        """The values that are known behind a label: none, if one of the jumps to it has not been seen."""
        seen = self._jumps.get(label.label, [])
        return (_agreed([known, *seen]) or {}) if len(seen) == self._gotos[label.label] else {}

    def _stmt(self, stmt: st.Stmt, known: _Known) -> _Known | None:
        match stmt:
            case st.Goto():
                self._jumps.setdefault(stmt.label, []).append(known)
                return None
            case st.Return() | st.Break() | st.Continue():
                return None
            case st.Refused():
                return {}
            case st.If():
                return _agreed([self._block(side, known) for side in (stmt.then, stmt.otherwise)])
            case st.Loop() | st.Switch():
                kept = _without(known, (name for part in statements((stmt,)) for name in overwritten(part)))
                for inner in bodies(stmt):
                    self._block(inner, kept)
                return kept
            case st.Region():
                return self._block(stmt.body, known)
        return self._assigned(stmt, known)

    def _assigned(self, stmt: st.Stmt, known: _Known) -> _Known:
        """The values that are known after a statement without others in it."""
        names = overwritten(stmt)
        if not names:
            return known
        value = stmt.value if isinstance(stmt, st.Assign) else stmt.initial if isinstance(stmt, st.Declare) else None
        found = self._followed(value, known) if value is not None else None
        kept = _without(known, names)
        if found is not None and found.names.isdisjoint(names) and names <= self._own:
            kept = kept | dict.fromkeys(names, found)
        return kept

    def _followed(self, value: object, known: _Known) -> _Value | None:
        """A value over variables of unknown value; None if it is no polynomial over such, or a large one."""

        if not isinstance(value, ex.Expr) or not self._is_followed(value):
            return None
        form = replaced(value, lambda node: _value_of(node, known))
        return _Value(form, frozenset(names_in(form))) if sum(1 for _ in inside(form)) <= MAX_NODES else None

    def _is_followed(self, node: ex.Expr) -> bool:
        if not isinstance(node.type, Int):
            return False
        match node:
            case ex.Literal():
                return True
            case ex.Load():
                return isinstance(node.source, ex.Name) and node.source.name in self._own
            case ex.Unary():
                return node.op == "neg" and self._is_followed(node.operand)
            case ex.Convert():
                return self._is_followed(node.operand)
            case ex.Binary():
                scaled = node.op == "shl" and isinstance(node.right, ex.Literal)
                return (node.op in _RING or scaled) and all(map(self._is_followed, (node.left, node.right)))
        return False


def _value_of(node: Node, known: _Known) -> Node:
    """The known value of a variable that is loaded; any other node as it is."""
    name = node.source.name if isinstance(node, ex.Load) and isinstance(node.source, ex.Name) else None
    return known[name].form if name in known else node


def _without(known: _Known, names: Iterable[str]) -> _Known:
    gone = frozenset(names)
    return {name: value for name, value in known.items() if name not in gone and value.names.isdisjoint(gone)}


def _agreed(sides: list[_Known | None]) -> _Known | None:
    """The values that are known where paths meet."""
    found = [side for side in sides if side is not None]
    if len(found) < 2:
        return found[0] if found else None
    return {name: value for name, value in found[0].items() if all(other.get(name) is value for other in found[1:])}
