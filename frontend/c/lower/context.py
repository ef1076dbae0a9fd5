"""What lowering one function knows at a place, and how it writes nodes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from raising.frontend.c.ir.inequalities import Facts
from raising.frontend.c.ir.module import Refused
from raising.frontend.c.ir.nodes import Array, Assumption, Choose, Cond, IndexOf, Let, Node, Range, Read, Write
from raising.frontend.c.ir.polynomial import Poly, const
from raising.frontend.c.ir.types import CType, Number
from raising.frontend.c.known.typed_values import (
    After,
    Demote,
    Entity,
    Held,
    NeedsInduction,
    Unknown,
    Value,
    Variable,
)
from raising.frontend.c.lower.syntax_unit import Unit
from raising.support.record import dataclass
from raising.support.source import Loc

T = TypeVar("T")
MAX_NODES = 50_000  # of one function after inlining
MAX_STEPS = 500_000  # expressions of one function, each counted as often as it is lowered
MAX_ALL_STEPS = 1_000_000  # of a file
MAX_SCOPES = 120  # nested blocks and calls


@dataclass
class _Mark:
    """A state to go back to."""

    nodes: int
    arrays: dict[str, Array]
    values: dict[str, Held]
    assumptions: int
    scopes: list[dict[str, Entity]]
    names: dict[str, int]


class Context(ABC):
    """The state of lowering one function; subclasses lower what C has, one kind of thing each."""

    def __init__(self, unit: Unit, demoted: frozenset[str]) -> None:
        self.unit = unit
        self.demoted = demoted
        self.nodes: list[Node] = []
        self.arrays: dict[str, Array] = {}
        self.values: dict[str, Held] = {}
        self.assumptions: list[Assumption] = []
        self.scopes: list[dict[str, Entity]] = [{}]
        self.facts = Facts()
        self.limits: tuple[Poly, ...] = ()  # what the types of parameters say, as forms >= 0
        self.bounds: dict[str, tuple[tuple[Poly, ...], tuple[Poly, ...]]] = {}
        self.trial = False  # nothing is assumed: what is lowered will be thrown away
        self.asking = False  # a loop's condition is lowered outside of its iterations
        self.calls: tuple[str, ...] = ()
        self.path = ""
        self.last_step = min(unit.steps + MAX_STEPS, MAX_ALL_STEPS)
        self._count = 0
        self._size = 0
        self._names = dict.fromkeys(unit.globals, 0)

    # ---- what the subclasses define ----------------------------------------------------------------

    @abstractmethod
    def value(self, node: Any) -> Value:
        """The value of an expression."""

    @abstractmethod
    def statement(self, node: Any) -> None:
        """The effect of a statement."""

    @abstractmethod
    def branch(self, node: Any, then: Callable[[], None], orelse: Callable[[], None] | None) -> None:
        """`then` where a condition holds, else `orelse`."""

    @abstractmethod
    def split(self, cases: tuple[tuple[tuple[Cond, ...], T], ...], act: Callable[[T], None], loc: Loc) -> None:
        """An action on the value of the case that holds."""

    @abstractmethod
    def called(self, node: Any) -> Value:
        """The value of a call."""

    @abstractmethod
    def type_of(self, node: Any) -> CType:
        """The type that a declarator says."""

    # ---- names and numbers -------------------------------------------------------------------------

    def number(self) -> int:
        """A number that no other value has."""
        self._count += 1
        return self._count

    def unique(self, name: str) -> str:
        """A name for an array or loop that no other has, after a name of the source."""
        k = self._names[name] = self._names.get(name, -1) + 1
        return f"{name}_{k}" if k else name

    # ---- nodes -------------------------------------------------------------------------------------

    def add(self, node: Node) -> None:
        """Append a node."""
        self._size += 1
        if self._size > MAX_NODES:
            raise Refused(node.loc, f"the function has more than {MAX_NODES} operations after inlining")
        self.nodes.append(node)

    def let(self, text: str, args: tuple[int, ...], type_: str, loc: Loc) -> int:
        """Append an operation; `text` has `{0}` … for its arguments."""
        dst = self.number()
        self.add(Let(dst, text, args, type_, loc))
        return dst

    def read(self, array: str, subscripts: tuple[Poly, ...], loc: Loc) -> int:
        """Append a load."""
        dst = self.number()
        self.add(Read(dst, array, subscripts, loc))
        return dst

    def write(self, array: str, subscripts: tuple[Poly, ...], value: int, loc: Loc) -> None:
        """Append a store."""
        self.add(Write(array, subscripts, value, loc))

    def index_of(self, form: Poly, type_: str, loc: Loc) -> int:
        """Append an affine integer as data."""
        dst = self.number()
        self.add(IndexOf(dst, form, type_, loc))
        return dst

    def cell(self, name: str, type_: Number, loc: Loc) -> str:
        """A memory for one scalar."""
        array = self.unique(name)
        self.arrays[array] = Array(array, type_, (), "cell", loc)
        return array

    @contextmanager
    def block(self) -> Iterator[list[Node]]:
        """Collect the nodes that are appended inside."""
        outer, self.nodes = self.nodes, []
        try:
            yield self.nodes
        finally:
            self.nodes = outer

    @contextmanager
    def scope(self) -> Iterator[None]:
        """A block of declarations."""
        if len(self.scopes) > MAX_SCOPES:
            raise Refused(Loc(), "blocks and calls are nested too deeply")
        self.scopes.append({})
        depth = len(self.scopes)
        try:
            yield
        finally:
            del self.scopes[depth - 1 :]

    @contextmanager
    def knowing(self, forms: tuple[Poly, ...]) -> Iterator[None]:
        """`forms` are >= 0 inside."""
        outer, self.facts = self.facts, self.facts.with_forms(forms)
        try:
            yield
        finally:
            self.facts = outer

    def mark(self) -> _Mark:
        """The state to go back to with `restore`."""
        scopes = [dict(s) for s in self.scopes]
        return _Mark(
            len(self.nodes), dict(self.arrays), dict(self.values), len(self.assumptions), scopes, dict(self._names)
        )

    def restore(self, mark: _Mark) -> None:
        """Forget what was done since the mark, in the same block."""
        del self.nodes[mark.nodes :]
        del self.assumptions[mark.assumptions :]
        self.arrays, self.values, self.scopes = dict(mark.arrays), dict(mark.values), [dict(s) for s in mark.scopes]
        self._names = dict(mark.names)

    # ---- variables ---------------------------------------------------------------------------------

    def find(self, name: str) -> Entity | None:
        """What a name means here."""
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def declare(self, name: str, entity: Entity) -> None:
        """Give a name its meaning in this block."""
        if name in self.scopes[-1]:
            raise Refused(Loc(), f"'{name}' is declared twice")
        self.scopes[-1][name] = entity

    def held(self, variable: Variable, loc: Loc) -> Value:
        """The symbolic value of a variable."""
        held = self.values.get(variable.key)
        if isinstance(held, Unknown):
            if held.loop:
                raise NeedsInduction(held.loop, variable.key)
            raise Demote(variable.key)
        if held is None:
            raise Demote(variable.key)
        if not isinstance(held, After):
            return held
        if not self.holds(held.need, "what its variable holds after a loop", loc):
            raise Demote(variable.key)
        return held.value

    # ---- facts -------------------------------------------------------------------------------------

    def holds(self, form: Poly, why: str, loc: Loc) -> bool:
        """True if `form >= 0` is known, or follows from sizes that a caller can test: then it is assumed."""
        if self.trial or self.facts.proves(form):
            return True
        needed = self.facts.reduce(form)
        if needed is None:
            return False
        self.assumptions.append(Assumption(loc, f"{needed.at_least_zero}: {why}", (Cond(needed),)))
        self.facts = self.facts.with_forms((needed,))
        return True

    def fits(self, form: Poly, t: Number, loc: Loc) -> None:
        """An integer stays within a type that would wrap around: it is known, or assumed."""
        low, high = t.range
        if self.trial or form.constant is not None:
            return
        facts = self.facts.with_forms(self.limits)
        if facts.proves(form - low) and facts.proves(const(high) - form):
            return
        text = f"{'' if t.signed else 'un'}signed integers of {t.width} bits do not wrap around"
        self.assumptions.append(Assumption(loc, text, ranges=(Range(form, low, high),)))

    def choose(self, cond: int, then: Callable[[], None], orelse: Callable[[], None] | None, loc: Loc) -> None:
        """A branch on a truth value."""
        bodies = self.bodies((then, orelse), ((), ()), ())
        if any(bodies):
            self.add(Choose(cond, bodies[0], bodies[1], loc))

    @abstractmethod
    def bodies(
        self,
        emit: tuple[Callable[[], None], Callable[[], None] | None],
        known: tuple[tuple[Poly, ...], tuple[Poly, ...]],
        conds: tuple[Cond, ...],
    ) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
        """The nodes of two branches, and the values of variables after them."""
