"""What is known while one function of the core is lowered: its choices, and the state at a place.

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
from raising.frontend.lower.ir.node_writer import NodeWriter
from raising.frontend.lower.ir.nodes import Array, Assumption, Cond, Parameter, Quotient, Range
from raising.frontend.lower.ir.polynomial import Poly, const
from raising.frontend.lower.ir.types import CType, Number
from raising.frontend.lower.known.field_uses import NONE, Bodies
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

MAX_STEPS = 500_000  # expressions and statements of one function, each counted as often as it is lowered
MAX_ALL_STEPS = 1_000_000  # of a file

VALUES: dict[type, Callable[[State, Any], Value]] = {}
"""By the class of an expression of the core: its value."""
STATEMENTS: dict[type, Callable[[State, Any], None]] = {}
"""By the class of a statement of the core: its effect."""


@dataclass
class Budget:
    """Counts the work of reading a file, and ends a function that takes too much of it.

    One function may take a `share` of what one may take at most, so that the others of the file have the rest. What is
    known of functions' `bodies` is found once for all that are read.
    """

    share: float = 1.0
    steps: int = 0
    last: int = MAX_ALL_STEPS
    bodies: Bodies = field(default_factory=Bodies)

    def begin(self) -> None:
        """Begin with a function: it has a share of the steps that are left for all."""
        self.last = min(self.steps + self._most, MAX_ALL_STEPS)

    @property
    def _most(self) -> int:
        return int(self.share * MAX_STEPS)

    def spend(self, loc: Loc) -> None:
        """One more expression or statement."""
        self.steps += 1
        if self.steps > self.last:
            raise Refused(loc, f"it takes too long to read, {self._most} steps or {MAX_ALL_STEPS} for a file")


@dataclass(frozen=True)
class Choices:
    """How a function is lowered, where there are several ways; what one way refuses another one may read.

    Variables in `demoted` are data, and no integers that are followed. Quotients of sizes are data, or (`naming`) sizes
    of their own. With `splitting`, loops whose counters are divided become two. With `computed`, integers that are
    data may be positions however they are computed. Loops of a known number of iterations are unrolled where nothing
    else reads them, and those in `unrolled` in any case; none are if it is None. A `literal` function follows and
    assumes nothing, as every variable lies in memory; if it stands `alone`, it also reads no parameter before the
    source reads it.
    """

    demoted: frozenset[str] = frozenset()
    naming: bool = False
    splitting: bool = False
    computed: bool = False
    unrolled: frozenset[Loc] | None = None
    literal: bool = False
    alone: bool = False


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


@dataclass(frozen=True)
class Table:
    """The contents of an array that never changes, and the least and the greatest integer in it if these are known."""

    initial: ex.Aggregate
    span: tuple[int, int] | None


@dataclass(frozen=True)
class Point:
    """A state to go back to, if nothing but expressions was lowered since: these change no variable."""

    nodes: int
    assumptions: int
    facts: Facts


@dataclass(frozen=True)
class Mark:
    """A state to go back to, whatever was lowered since."""

    point: Point
    arrays: dict[str, Array]
    values: dict[str, Held]
    entities: dict[str, Entity]
    names: dict[str, int]
    outside: dict[str, Entity]
    quotients: dict[str, Quotient]
    tables: dict[str, Table]
    asked: tuple[Parameter, ...]


class State(NodeWriter):
    """The state of lowering one function."""

    def __init__(
        self,
        unit: st.Unit,
        frame: Frame,
        budget: Budget,
        choices: Choices,
        splits: dict[str, tuple[Poly, ...]] | None = None,
    ) -> None:
        super().__init__(unit.globals)
        self.unit, self.frame, self.budget, self.choices = unit, frame, budget, choices
        # what variables hold
        self.values: dict[str, Held] = {}
        self.records: dict[str, Records] = {}
        self.outside: dict[str, Entity] = {}  # the unit's variables, once they are used
        self.tables: dict[str, Table] = {}  # the contents of the function's arrays that never change
        self.spans: dict[int, tuple[int, int]] = {}  # numbered values that lie between two numbers
        self.in_spans: list[Poly] = []  # what that says of positions, as forms >= 0
        self.uses = NONE
        # what is known of integers
        self.facts = Facts()
        self.limits: tuple[Poly, ...] = ()  # what the types of parameters say, as forms >= 0
        self.bounds: dict[str, tuple[tuple[Poly, ...], tuple[Poly, ...]]] = {}
        self.assumptions: list[Assumption] = []
        self.asked: tuple[Parameter, ...] = ()  # addresses of structs that may be null pointers
        self.quotients: dict[str, Quotient] = {}  # by the name of the size
        # where in the function this is
        self.declaring = ""  # the variable whose first value is lowered
        self.trial = False  # nothing is assumed: what is lowered will be thrown away
        self.asking = False  # a loop's condition is lowered outside of its iterations
        self.iterators: frozenset[str] = frozenset()
        self.depth = 0  # of loops
        self.owned: list[tuple[str, int]] = []  # arrays that live until their block ends, and since which node
        self.chained = 0  # alternatives that are branches inside each other
        # loops: what they change, which can be split, and by which sizes (each found by where it stands)
        self.assigned: dict[int, tuple[object, frozenset[str]]] = {}  # the variables that statements change
        self.whole_loops: dict[str, str] = {}  # the variables of loops that can be split, and where each stands
        self.splits = splits  # None: no loop is split here

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

    # ---- trying ------------------------------------------------------------------------------------

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

    def point(self) -> Point:
        """The state to go back to with `forget`."""
        return Point(len(self.nodes), len(self.assumptions), self.facts)

    def forget(self, point: Point) -> None:
        """Take back what expressions added since."""
        del self.nodes[point.nodes :]
        del self.assumptions[point.assumptions :]
        self.facts = point.facts

    def mark(self) -> Mark:
        """The state to go back to with `restore`."""
        values, entities, names = dict(self.values), dict(self.frame.entities), dict(self._names)
        outside, quotients = dict(self.outside), dict(self.quotients)
        tables = dict(self.tables)
        return Mark(self.point(), dict(self.arrays), values, entities, names, outside, quotients, tables, self.asked)

    def restore(self, mark: Mark) -> None:
        """Forget what was done since the mark, in the same block of the same function."""
        self.forget(mark.point)
        self.arrays, self.values = dict(mark.arrays), dict(mark.values)
        self.frame.entities, self._names = dict(mark.entities), dict(mark.names)
        self.outside, self.quotients = dict(mark.outside), dict(mark.quotients)
        self.tables, self.asked = dict(mark.tables), mark.asked

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
