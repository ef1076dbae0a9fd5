"""The statements that a function becomes: in order, with what has to be evaluated before an expression."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, TypeVar

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.types import BOOL, I64, Type
from raising.frontend.python.typed_nodes import Typed
from raising.support.source import Loc

T = TypeVar("T")


class Emission:
    """The statements so far, and the variables that they declare."""

    fresh: ClassVar[dict[str, type[list[Any] | dict[Any, Any] | set[Any]]]] = {
        "out": list, "variables": dict, "counting": dict, "_numbers": dict, "upwards": set,
    }  # fmt: skip
    out: list[st.Stmt]
    variables: dict[str, st.Variable]
    counting: dict[str, st.Variable]  # what a counter of a loop means inside of it
    _numbers: dict[str, int]
    upwards: set[str]  # variables that count a loop and are never negative

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Forget all statements."""
        vars(self).update({name: make() for name, make in self.fresh.items()})

    def captured(self, make: Callable[[], T]) -> tuple[tuple[st.Stmt, ...], T]:
        """The statements that something adds, which are left to the caller, and what it gives."""
        outer, self.out = self.out, []
        try:
            value = make()
            return tuple(self.out), value
        finally:
            self.out = outer

    def rehearsed(self, make: Callable[[], T]) -> T:
        """The result of `make`, without the statements that it adds."""
        kept = {name: getattr(self, name) for name in self.fresh}
        vars(self).update({name: copy(value) for name, value in kept.items()}, out=[])
        try:
            return make()
        finally:
            vars(self).update(kept)

    # ---- variables ---------------------------------------------------------------------------------

    def variable(self, name: str, t: Type, loc: Loc) -> st.Variable:
        """A variable of the source by its name, as it is known where it is used."""
        return self.counting.get(name) or self.variables.get(name) or st.Variable(name, t, "local", loc, name)

    def declare(self, variable: st.Variable, initial: ex.Expr | None, loc: Loc) -> None:
        """A variable begins to exist."""
        self.variables[variable.name] = variable
        self.out.append(st.Declare(variable, initial, loc))

    def counter(self, name: str, loc: Loc) -> st.Variable:
        """The variable that a loop counts with; a second loop over one name has a second variable."""
        free = name not in self.variables
        return st.Variable(name, I64, "local", loc, name) if free else replace(self.hidden(name, I64, loc), source=name)

    def hidden(self, name: str, t: Type, loc: Loc, constant: bool = False) -> st.Variable:
        """A variable that the source does not have, with a name that nothing else has."""
        k = self._numbers[name] = self._numbers.get(name, 0) + 1
        return st.Variable(f"{name}.{k}", t, "hidden", loc, constant=constant)

    def kept(self, value: ex.Expr) -> ex.Expr:
        """A value as it is now, whatever later statements change."""
        if isinstance(value, ex.Literal) or self._stays(value):
            return value
        variable = self.hidden("t", value.type, value.loc, constant=True)
        self.declare(variable, value, value.loc)
        return build.read(variable, value.loc)

    def _stays(self, value: ex.Expr) -> bool:
        """True for a variable that never changes."""
        name = value.source if isinstance(value, ex.Load) else None
        return isinstance(name, ex.Name) and name.name in self.variables and self.variables[name.name].constant

    def keep(self, value: Typed) -> Typed:
        """A value under a name of its own, with its kind."""
        return replace(value, node=self.kept(value.node))

    def in_order(self, makers: Sequence[Callable[[], Typed]]) -> list[Typed]:
        """Values from left to right; those before one that takes statements are kept."""
        found: list[Typed] = []
        for make in makers:
            made, value = self.captured(make)
            if made:
                found = [self.keep(earlier) for earlier in found]
                self.out += made
            found.append(value)
        return found

    # ---- what is evaluated only sometimes ----------------------------------------------------------

    def logical(self, op: ex.LogicalOp, left: ex.Expr, right: Callable[[], ex.Expr], loc: Loc) -> ex.Expr:
        """`left and right`, `left or right`: a branch where the right side takes statements."""
        made, value = self.captured(right)
        if not made:
            return ex.Logical(op, left, value, BOOL, loc)
        decided: tuple[tuple[st.Stmt, ...], ex.Expr] = (), build.truth(op == "or", loc)
        sides = ((made, value), decided) if op == "and" else (decided, (made, value))
        return self.branched(left, sides[0], sides[1], loc)

    def branched(
        self,
        test: ex.Expr,
        then: tuple[tuple[st.Stmt, ...], ex.Expr],
        otherwise: tuple[tuple[st.Stmt, ...], ex.Expr],
        loc: Loc,
    ) -> ex.Expr:
        """One of two values, behind the statements that each takes."""
        variable = self.hidden("t", then[1].type, loc)
        self.declare(variable, None, loc)
        sides = [(*made, st.Assign(build.name(variable, loc), value, loc)) for made, value in (then, otherwise)]
        self.out.append(st.If(test, sides[0], sides[1], loc))
        return build.read(variable, loc)

    # ---- loops -------------------------------------------------------------------------------------

    def count(
        self, counter: st.Variable, low: ex.Expr, high: ex.Expr, step: int, body: Callable[[], object], loc: Loc
    ) -> None:
        """`for (counter = low; counter < high; counter += step) body`, downwards if the step is negative.

        All three are of 64 bits; `high` must not change in the loop.
        """
        self.declare(counter, low, loc)
        if step > 0 and isinstance(low, ex.Literal) and low.value >= 0:
            self.upwards.add(counter.name)
        else:
            self.upwards.discard(counter.name)
        made, _ = self.captured(body)
        here = build.read(counter, loc)
        test = build.compare("lt" if step > 0 else "gt", here, high, loc)
        following = build.binary("add", here, build.integer(step, I64, loc), loc)
        self.out.append(
            st.Loop((), test, made, (st.Assign(build.name(counter, loc), following, loc),), True, "for", loc)
        )

    def count_all(
        self, counters: Sequence[st.Variable], extents: Sequence[ex.Expr], body: Callable[[], object], loc: Loc
    ) -> None:
        """Loops from 0 to each extent, inside each other."""
        if not counters:
            body()
            return
        inner = partial(self.count_all, counters[1:], extents[1:], body, loc)
        self.count(counters[0], build.integer(0, I64, loc), extents[0], 1, inner, loc)
