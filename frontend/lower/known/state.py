"""What lowering one function of the core knows at a place, and how it writes nodes.

The modules of this package are functions over a `State`; each fills its part of the tables `VALUES` and `STATEMENTS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import field
from typing import Any

from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core import types as core_types
from raising.frontend.core.variable_uses import changed_names
from raising.frontend.lower.ir.inequalities import Facts
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.nodes import Array, Assumption, Cond, IndexOf, Let, Node, Quotient, Range, Read, Write
from raising.frontend.lower.ir.polynomial import Poly, const
from raising.frontend.lower.ir.types import CType, Number
from raising.frontend.lower.known.field_uses import NONE
from raising.frontend.lower.known.record_memory import Records
from raising.frontend.lower.known.typed_values import (
    After,
    Demote,
    Entity,
    Held,
    NeedsInduction,
    Ptr,
    Unknown,
    Value,
    Variable,
)
from raising.support.record import dataclass
from raising.support.source import Loc

MAX_NODES = 50_000  # of one function after inlining
MAX_STEPS = 500_000  # expressions and statements of one function, each counted as often as it is lowered
MAX_ALL_STEPS = 1_000_000  # of a file

VALUES: dict[type, Callable[[State, Any], Value]] = {}
"""By the class of an expression of the core: its value."""
STATEMENTS: dict[type, Callable[[State, Any], None]] = {}
"""By the class of a statement of the core: its effect."""


@dataclass
class Budget:
    """How much was read of a file, and how far reading a function may go."""

    steps: int = 0
    last: int = MAX_ALL_STEPS

    def begin(self) -> None:
        """A function begins."""
        self.last = min(self.steps + MAX_STEPS, MAX_ALL_STEPS)

    def spend(self, loc: Loc) -> None:
        """One more expression or statement."""
        self.steps += 1
        if self.steps > self.last:
            raise Refused(loc, f"it takes too long to read, {MAX_STEPS} steps or {MAX_ALL_STEPS} for a file")


@dataclass
class Frame:
    """A function while it is lowered: what its names mean, and how it came to be called.

    `result` is the variable of what it returns; None if it returns nothing, or only at its end.
    """

    function: st.Function
    path: str = ""
    calls: tuple[str, ...] = ()
    entities: dict[str, Entity] = field(default_factory=dict)
    types: dict[core_types.Type, CType] = field(default_factory=dict)
    result: Variable | Ptr | None = None
    in_loop: bool = False
    _changing: frozenset[str] | None = None

    @property
    def changing(self) -> frozenset[str]:
        """The variables that the function assigns to, or takes the address of."""
        if self._changing is None:
            self._changing = frozenset(changed_names(self.function.body or ()))
        return self._changing


@dataclass
class Mark:
    """A state to go back to."""

    nodes: int
    arrays: dict[str, Array]
    values: dict[str, Held]
    assumptions: int
    entities: dict[str, Entity]
    names: dict[str, int]
    facts: Facts
    outside: dict[str, Entity]
    quotients: dict[str, Quotient]


class State:
    """The state of lowering one function."""

    def __init__(
        self,
        unit: st.Unit,
        frame: Frame,
        demoted: frozenset[str],
        budget: Budget,
        literal: bool = False,
        naming: bool = False,
        splits: dict[str, tuple[Poly, ...]] | None = None,
    ) -> None:
        self.unit = unit
        self.literal = literal  # nothing is followed and nothing assumed: every variable lies in memory
        self.alone = False  # no parameter of a literal function is read before C reads it
        self.naming = naming  # quotients of sizes are sizes of their own, not data
        self.quotients: dict[str, Quotient] = {}  # by the name of the size
        self.splits = splits  # by which sizes loops are split, each found by where it stands; None: no loop is
        self.whole_loops: dict[str, str] = {}  # the variables of those that can be, and where each stands
        self.declaring = ""  # the variable whose first value is lowered
        self.frame = frame
        self.demoted = demoted
        self.budget = budget
        self.nodes: list[Node] = []
        self.arrays: dict[str, Array] = {}
        self.values: dict[str, Held] = {}
        self.records: dict[str, Records] = {}
        self.uses = NONE
        self.assumptions: list[Assumption] = []
        self.outside: dict[str, Entity] = {}  # the unit's variables, once they are used
        self.facts = Facts()
        self.limits: tuple[Poly, ...] = ()  # what the types of parameters say, as forms >= 0
        self.bounds: dict[str, tuple[tuple[Poly, ...], tuple[Poly, ...]]] = {}
        self.computed = False  # integers that are data may be positions however they are computed
        self.trial = False  # nothing is assumed: what is lowered will be thrown away
        self.asking = False  # a loop's condition is lowered outside of its iterations
        self.iterators: frozenset[str] = frozenset()
        self.depth = 0  # of loops
        self.owned: list[tuple[str, int]] = []  # arrays that live until their block ends, and since which node
        self.chained = 0  # alternatives that are branches inside each other
        self.assigned: dict[int, tuple[object, frozenset[str]]] = {}  # the variables that statements change
        self._count = 0
        self._size = 0
        self._names = dict.fromkeys(unit.globals, 0)

    # ---- reading by class --------------------------------------------------------------------------

    def value(self, expr: ex.Expr) -> Value:
        """The value of an expression."""
        self.budget.spend(expr.loc)
        handler = VALUES.get(type(expr))
        if handler is None:
            raise Refused(expr.loc, f"a {type(expr).__name__} expression is not supported")
        return handler(self, expr)

    def statement(self, stmt: st.Stmt) -> None:
        """The effect of a statement."""
        self.budget.spend(stmt.loc)
        STATEMENTS[type(stmt)](self, stmt)

    # ---- names and numbers -------------------------------------------------------------------------

    def number(self) -> int:
        """A number that no other value has."""
        self._count += 1
        return self._count

    def unique(self, name: str) -> str:
        """A name for an array or loop that no other has, after a name of the source."""
        name = name.partition(".")[0]
        last = self._names.get(name)
        if last is None:
            self._names[name] = 0
            return name
        while f"{name}_{last + 1}" in self._names:
            last += 1
        self._names[name], self._names[f"{name}_{last + 1}"] = last + 1, 0
        return f"{name}_{last + 1}"

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
    def knowing(self, forms: tuple[Poly, ...]) -> Iterator[None]:
        """`forms` are >= 0 inside."""
        outer, self.facts = self.facts, self.facts.with_forms(forms)
        try:
            yield
        finally:
            self.facts = outer

    @contextmanager
    def trying(self, trial: bool = True) -> Iterator[None]:
        """A context in which nothing is assumed (if `trial`)."""
        outer, self.trial = self.trial, self.trial or trial
        try:
            yield
        finally:
            self.trial = outer

    def mark(self) -> Mark:
        """The state to go back to with `restore`."""
        entities = dict(self.frame.entities)
        lengths = len(self.nodes), len(self.assumptions)
        values, names = dict(self.values), dict(self._names)
        outside, quotients = dict(self.outside), dict(self.quotients)
        return Mark(lengths[0], dict(self.arrays), values, lengths[1], entities, names, self.facts, outside, quotients)

    def restore(self, mark: Mark) -> None:
        """Forget what was done since the mark, in the same block of the same function."""
        self.forget(mark.nodes, mark.assumptions)
        self.arrays, self.values = dict(mark.arrays), dict(mark.values)
        self.frame.entities, self._names, self.facts = dict(mark.entities), dict(mark.names), mark.facts
        self.outside, self.quotients = dict(mark.outside), dict(mark.quotients)

    def forget(self, nodes: int, assumptions: int) -> None:
        """Take back what an expression added, which changes no variable."""
        del self.nodes[nodes:]
        del self.assumptions[assumptions:]

    # ---- variables ---------------------------------------------------------------------------------

    def held(self, variable: Variable, loc: Loc) -> Value:
        """The symbolic value of a variable."""
        held = self.values.get(variable.key)
        if isinstance(held, Unknown) and held.loop:
            raise NeedsInduction(held.loop, variable.key)
        if held is None or isinstance(held, Unknown):
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
