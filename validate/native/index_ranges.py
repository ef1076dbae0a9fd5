"""Intervals of index values: constants, arguments, loop variables and arithmetic on them, and conditions on these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Cond, Lin, between, var
from raising.affine.ir.integer_functions import SPANS
from raising.affine.ir.spans import Span, modulo, of_form
from raising.frontend.mlir.attributes import map_forms, set_conds, set_maps
from raising.support.mlir.affine_expressions import evaluated
from raising.support.mlir.walk import constant_number
from raising.validate.native.argument_types import Unsupported
from raising.validate.native.positions_in_range import LOADS, MOST

Symbol = tuple[int, int | None]
"""A function argument by number (None), or one dimension of it."""

_CASTS = ("arith.index_cast", "arith.index_castui", "arith.extsi", "arith.extui", "arith.trunci")
_LOOPS = ("affine.for", "scf.for", "affine.parallel", "scf.parallel")


def symbol_of(value: Any) -> Symbol | None:
    """The unknown that a value is, through casts: an argument, or the size of one."""
    if isinstance(value, ir.BlockArgument):
        owner = value.owner.owner.operation
        return (value.arg_number, None) if owner.name == "func.func" else None
    operation = value.owner
    if operation.name in _CASTS:
        return symbol_of(operation.operands[0])
    if operation.name == "memref.dim":
        source, dim = symbol_of(operation.operands[0]), constant_number(operation.operands[1])
        return (source[0], dim) if source and dim is not None else None
    return None


def loop_bound(value: Any) -> Symbol | None:
    """The unknown that bounds a loop variable, directly or through the loop of a triangle."""
    operation = _loop_of(value)
    if operation is None:
        return None
    if operation.name == "scf.for":
        return _bound_by(operation.operands[1])
    if operation.name != "affine.for":
        return None
    upper = operation.attributes["upperBoundMap"].value
    if len(upper.results) != 1:
        return None
    expression = upper.results[0]
    if isinstance(expression, ir.AffineAddExpr) and isinstance(expression.rhs, ir.AffineConstantExpr):
        expression = expression.lhs
    place = _operand_place(expression, upper.n_dims)
    first = operation.attributes["lowerBoundMap"].value.n_inputs
    return None if place is None else _bound_by(operation.operands[first + place])


def _bound_by(value: Any) -> Symbol | None:
    return symbol_of(value) or loop_bound(value)


def enclosing_loops(operation: Any) -> Iterator[Any]:
    """The variables of all loops around an operation, innermost first."""
    parent = operation.parent
    while parent is not None and parent.operation.name != "func.func":
        if parent.operation.name in _LOOPS:
            block = parent.operation.regions[0].blocks[0]
            count = len(block.arguments) if parent.operation.name.endswith("parallel") else 1
            yield from list(block.arguments)[:count]
        parent = parent.operation.parent


class Intervals:
    """The interval of each index value of a function, given a number for each unknown."""

    def __init__(self, function: Any, values: dict[Symbol, int]) -> None:
        self._function = function
        self.values = values
        self._known: dict[Any, Span] = {}
        self._names: dict[Any, str] = {}
        self._values: dict[str, Any] = {}
        self._subscripts: dict[Any, list[Span]] = {}
        self._told: dict[Any, tuple[Cond, ...]] = {}
        self._taken: dict[tuple[Any, bool], bool] = {}

    def of(self, value: Any) -> Span:
        """The least and the greatest number that a value can be."""
        if value not in self._known:
            self._known[value] = self._compute(value)
        return self._known[value]

    def never_runs(self, operation: Any) -> bool:
        """Whether a loop around the operation has no iteration."""
        return any(low > high for low, high in map(self.of, enclosing_loops(operation)))

    def never_holds(self, operation: Any) -> bool:
        """Whether the operation is in a branch of an `affine.if` that is not taken."""
        return any(not self._may_take(*branch) for branch in _branches_around(operation))

    def _may_take(self, test: Any, first: bool) -> bool:
        if (test, first) not in self._taken:
            self._taken[test, first] = self._may_be(test, first)
        return self._taken[test, first]

    def _may_be(self, test: Any, first: bool) -> bool:
        """Whether all conditions of a test may hold, or else whether one of them may not."""
        operands = [self.of(value) for value in test.operands]
        told = [(_apply(map_, operands)[0], equal) for map_, equal in set_maps(test.attributes["condition"])]
        if first:
            return all(high >= 0 and (low <= 0 or not equal) for (low, high), equal in told)
        return any(low < 0 or (equal and high > 0) for (low, high), equal in told)

    def subscripts(self, access: Any, first: int) -> list[Span]:
        """The intervals of all subscripts of a load or store whose operands start at `first`."""
        if access not in self._subscripts:
            self._subscripts[access] = self._subscripts_of(access, first)
        return self._subscripts[access]

    def _subscripts_of(self, access: Any, first: int) -> list[Span]:
        values = list(access.operands)[first:]
        spans, forms = [self.of(v) for v in values], self._forms(values)
        if "map" in access.attributes:
            subscripts = access.attributes["map"].value
            spans, forms = _apply(subscripts, spans), map_forms(subscripts, forms)
        conditions = [c for test, holds in _branches_around(access) if holds for c in self._conditions(test)]
        conditions += [c for variable in enclosing_loops(access) for c in self._bounds(variable)]
        return [self._narrowed(span, form, conditions) for span, form in zip(spans, forms, strict=True)]

    def _conditions(self, test: Any) -> tuple[Cond, ...]:
        if test not in self._told:
            self._told[test] = set_conds(test.attributes["condition"], self._forms(test.operands))
        return self._told[test]

    def _bounds(self, variable: Any) -> tuple[Cond, ...]:
        """What the bounds of its loop say of a variable."""
        loop = _loop_of(variable)
        if loop not in self._told:
            self._told[loop] = self._bounded(loop, variable) if loop.name == "affine.for" else ()
        return self._told[loop]

    def _bounded(self, loop: Any, variable: Any) -> tuple[Cond, ...]:
        lower, upper = (loop.attributes[name].value for name in ("lowerBoundMap", "upperBoundMap"))
        given = self._forms(loop.operands)
        lows = map_forms(lower, given[: lower.n_inputs])
        highs = map_forms(upper, given[lower.n_inputs : lower.n_inputs + upper.n_inputs])
        return between(self._name(variable), lows, highs)

    def _narrowed(self, span: Span, form: Lin, conditions: Iterable[Cond]) -> Span:
        """The interval of a form where conditions hold: it is no less than what it exceeds each of them by."""
        low, high = span
        for condition in conditions:
            for told in (condition.form, -condition.form) if condition.equality else (condition.form,):
                low, high = max(low, self._span(form - told)[0]), min(high, self._span(form + told)[1])
        return low, high

    def _span(self, form: Lin) -> Span:
        """The interval of a form over the names of values."""
        found = of_form(form, {name: self.of(self._values[name]) for name in form.names()})
        assert found is not None
        return found

    def _forms(self, values: Iterable[Any]) -> tuple[Lin, ...]:
        """Each value as a form over names of its own."""
        return tuple(var(self._name(value)) for value in values)

    def _name(self, value: Any) -> str:
        name = self._names.setdefault(value, f"v{len(self._names)}")
        self._values[name] = value
        return name

    def _compute(self, value: Any) -> Span:
        symbol = symbol_of(value)
        if symbol is not None:
            return self._unknown(symbol)
        if isinstance(value, ir.BlockArgument):
            return self._loop_variable(value)
        return self._operation(value.owner)

    def _unknown(self, symbol: Symbol) -> Span:
        if symbol in self.values:
            return self.values[symbol], self.values[symbol]
        number, dim = symbol
        kind = self._function.regions[0].blocks[0].arguments[number].type
        if dim is None or kind.shape[dim] < 0:
            raise Unsupported("the size of an argument is not known")
        return kind.shape[dim], kind.shape[dim]

    def _loop_variable(self, value: Any) -> Span:
        operation = _loop_of(value)
        if operation is None:
            raise Unsupported("an index is carried through a loop or a branch")
        if operation.name.startswith("scf."):
            count = len(operation.regions[0].blocks[0].arguments) if operation.name != "scf.for" else 1
            low, high, step = (operation.operands[value.arg_number + k * count] for k in range(3))
            first = self.of(low)
            return first[0], _last(first, self.of(high)[1] - 1, constant_number(step) or 1)
        return self._affine_variable(operation, value.arg_number)

    def _affine_variable(self, operation: Any, number: int) -> Span:
        parallel = operation.name == "affine.parallel"
        names = ("lowerBoundsMap", "upperBoundsMap") if parallel else ("lowerBoundMap", "upperBoundMap")
        lower, upper = (operation.attributes[name].value for name in names)
        operands = [self.of(v) for v in operation.operands[: lower.n_inputs + upper.n_inputs]]
        lows = _apply(lower, operands[: lower.n_inputs])
        highs = _apply(upper, operands[lower.n_inputs :])
        if parallel:
            lows = _group(lows, operation.attributes["lowerBoundsGroups"], number)
            highs = _group(highs, operation.attributes["upperBoundsGroups"], number)
        low, last = max(low for low, _ in lows), min(high for _, high in highs) - 1
        if parallel or len(lows) > 1:
            return low, last
        return low, _last(lows[0], last, int(operation.attributes["step"].value))

    def _operation(self, operation: Any) -> Span:
        if operation.name in ("arith.constant", "index.constant"):
            number = int(operation.attributes["value"].value)
            return number, number
        if operation.name in LOADS:
            return 0, MOST - 1
        if operation.name not in (*SPANS, *_CASTS, "affine.apply", "affine.min", "affine.max"):
            raise Unsupported(f"an index is computed by {operation.name}")
        operands = [self.of(v) for v in operation.operands]
        if operation.name in _CASTS:
            return operands[0]
        if operation.name in SPANS:
            return _made(SPANS[operation.name], *operands)
        results = _apply(operation.attributes["map"].value, operands)
        choose = {"affine.min": min, "affine.max": max}.get(operation.name, max)
        return choose(low for low, _ in results), choose(high for _, high in results)


def _last(low: Span, high: int, step: int) -> int:
    """The last value up to `high` of a variable that goes in steps; it may end below that."""
    return high if low[0] < low[1] or high < low[0] or step < 1 else low[0] + (high - low[0]) // step * step


def _branches_around(operation: Any) -> Iterator[tuple[Any, bool]]:
    """The `affine.if` operations around an operation, and whether it is in the first branch of each."""
    inner, outer = operation.block, operation.parent
    while outer is not None and outer.operation.name != "func.func":
        if outer.operation.name == "affine.if":
            yield outer.operation, inner == outer.operation.regions[0].blocks[0]
        inner, outer = outer.operation.block, outer.operation.parent


def _loop_of(value: Any) -> Any:
    """The loop of which a value is the variable (not a carried value), or None."""
    if not isinstance(value, ir.BlockArgument):
        return None
    operation = value.owner.owner.operation
    is_variable = value.arg_number == 0 or operation.name.endswith("parallel")
    return operation if operation.name in _LOOPS and is_variable else None


def _operand_place(expression: Any, dims: int) -> int | None:
    if isinstance(expression, ir.AffineDimExpr):
        return int(expression.position)
    if isinstance(expression, ir.AffineSymbolExpr):
        return dims + int(expression.position)
    return None


def _group(bounds: list[Span], groups: Any, number: int) -> list[Span]:
    sizes = [int(size) for size in groups]
    start = sum(sizes[:number])
    return bounds[start : start + sizes[number]]


def _apply(affine_map: Any, operands: list[Span]) -> list[Span]:
    rank, of = affine_map.n_dims, operands.__getitem__
    return [evaluated(e, of, rank, lambda n: (n, n), _of_two) for e in affine_map.results]


_AFFINE: dict[str, Callable[..., Span | None]] = {
    "+": SPANS["arith.addi"],
    "*": SPANS["arith.muli"],
    "floordiv": SPANS["arith.floordivsi"],
    "ceildiv": SPANS["arith.ceildivsi"],
    "mod": modulo,
}


def _of_two(sign: str, left: Span, right: Span) -> Span:
    return _made(_AFFINE[sign], left, right)


def _made(rule: Callable[..., Span | None], *operands: Span) -> Span:
    found = rule(*operands)
    if found is None:
        raise Unsupported("an index is divided by what may be 0 or less, or read without its sign")
    return found
