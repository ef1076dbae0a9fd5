"""The run-time test of what is assumed of a function: `@f.holds`, from the parameters of `f` to a truth value.

Loop variables are bounded by interval arithmetic at run time. It is done on doubles, which are exact on integers up to
2^53; the test fails if any number in it is beyond 2^52. A test that fails without need costs time only, because the
fallback then runs the loops as C has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial, reduce

from raising.frontend.lower.emit.mlir import Emitter
from raising.frontend.lower.emit.position_bounds import bounds_text, range_of_type
from raising.frontend.lower.emit.text import Unplaced
from raising.frontend.lower.ir import nodes as tp
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.nodes import walk
from raising.frontend.lower.ir.polynomial import ADDRESS, MARK, Atom, Poly, Quot, const, is_data

Bound = int | str
"""A number that is known, or the SSA name of an f64."""
Interval = tuple[Bound, Bound]

_LIMIT = 1 << 52
_FOLDED: dict[str, Callable[[int, int], int]] = {
    "addf": lambda a, b: a + b,
    "subf": lambda a, b: a - b,
    "mulf": lambda a, b: a * b,
    "maximumf": max,
    "minimumf": min,
}


def holds_text(function: tp.Function) -> str:
    """The function `@NAME.holds`."""
    emitter = Emitter(function, Unplaced())
    lines, result = _Check(function, emitter).text()
    parameters = ", ".join(emitter.parameter(k) for k in range(len(function.parameters)))
    body = "\n".join(f"    {line}" for line in [*lines, f"return {result} : i1"])
    return f"  func.func private @{function.name}.holds({parameters}) -> i1 {{\n{body}\n  }}"


class _Check:
    def __init__(self, function: tp.Function, emitter: Emitter) -> None:
        self.function, self.emitter = function, emitter
        self._lines: dict[str, str] = {}
        self._parameters = {p.name: p for p in function.parameters if p.value is not None}
        self._intervals: dict[Poly, Interval] = {}
        self._tests: dict[str, None] = {}
        self._positions: dict[str, tuple[int, int]] = {}
        self._written_to = {n.array for n in walk(function.body) if isinstance(n, tp.Write)}

    def text(self) -> tuple[list[str], str]:
        """The operations in order, and the name of the truth value that every test holds.

        Positions that are data are asked for their bounds only where all holds that does not depend on them.
        """
        assumptions = dict.fromkeys(self.function.assumptions)
        later = [one for one in assumptions if any(map(is_data, self._forms(one)))]
        for one in assumptions:
            if one not in later:
                self.test(one)
        first = self._result()
        lines = self._written(0)
        if not later:
            return lines, first
        done, self._tests = len(lines), {}
        marks = {name for one in later for form in self._forms(one) for name in form.names() if name.startswith(MARK)}
        front, bounds = self._bounds_of(sorted(marks), later[0])
        for one in later:
            self.test(one)
        inside = [f"scf.yield {self._result()} : i1"]
        whole = [f"%holds = scf.if {first} -> (i1) {{", *bounds, *self._written(done), *inside]
        return [*lines, *front, *whole, "} else {", f"scf.yield {first} : i1", "}"], "%holds"

    def _bounds_of(self, marks: list[str], asked: tp.Assumption) -> tuple[list[str], list[str]]:
        """The loops that find bounds of positions that are data, where their types do not tell them."""
        known = {mark: range_of_type(self.function, int(mark[len(MARK) :])) for mark in marks}
        self._positions = {mark: bounds for mark, bounds in known.items() if bounds is not None}
        unknown = [int(mark[len(MARK) :]) for mark in marks if mark not in self._positions]
        try:
            return bounds_text(self.function, unknown) if unknown else ([], [])
        except Refused as why:
            told = f"that {asked.text} cannot be tested at run time: {why.reason}"
            raise Refused(asked.loc, told) from None

    def _written(self, done: int) -> list[str]:
        """The operations in order, behind the first ones that are `done`."""
        return [f"{name} = {text}" for text, name in list(self._lines.items())[done:]]

    def _result(self) -> str:
        whole = self._line("arith.constant true")
        for test in self._tests:
            whole = self._line(f"arith.andi {whole}, {test} : i1")
        return whole

    # ---- assumptions -------------------------------------------------------------------------------

    def test(self, assumption: tp.Assumption) -> None:
        """Test one assumption."""
        for cond in assumption.conds:
            low, _ = self._interval(cond.form)
            self._require("oeq" if cond.equality else "oge", low, 0)
        for one in assumption.ranges:
            self._in_range(one)
        for pair in assumption.apart:
            a, b = (self.function.arrays[name] for name in pair)
            if self._subscripts(a) and self._subscripts(b):  # what was read in vain is gone
                self._apart(a, b)

    def _forms(self, assumption: tp.Assumption) -> Iterator[Poly]:
        """The forms over integers that a test computes."""
        yield from (cond.form for cond in assumption.conds)
        yield from (one.form for one in assumption.ranges)
        for name in {name for pair in assumption.apart for name in pair}:
            yield from self._subscripts(self.function.arrays[name])

    def _in_range(self, one: tp.Range) -> None:
        low, high = self._interval(one.form)
        self._require("oge", low, max(one.low, -_LIMIT))
        self._require("ole", high, min(one.high, _LIMIT))

    def _apart(self, a: tp.Array, b: tp.Array) -> None:
        boxed = {a.name, b.name} <= self._written_to
        (low_a, end_a), (low_b, end_b) = self._span(a, boxed), self._span(b, boxed)
        distance = self._line(f"arith.subi {self._address(b)}, {self._address(a)} : i64")
        gap = self._line(f"arith.sitofp {distance} : i64 to f64")  # far beyond the limit it may be rounded
        before = self._compared("ole", end_a, self._line(f"arith.addf {gap}, {self._spelled(low_b)} : f64"))
        after = self._compared("ole", self._line(f"arith.addf {gap}, {self._spelled(end_b)} : f64"), low_a)
        self._tests[self._line(f"arith.ori {before}, {after} : i1")] = None

    def _span(self, array: tp.Array, boxed: bool) -> Interval:
        """The first byte that is accessed, and the one after the last, counted from the start of the memory.

        Code for tensors may write back, as it was, what lies in the box from the start of the memory to the last row
        and column (`boxed`): of two arrays that are written, neither may lie in that of the other.
        """
        intervals = [self._interval(form) for form in self._subscripts(array)]
        if boxed:
            intervals += [(0, 0), self._last(array)]
        low, high = intervals[0]
        for other_low, other_high in intervals[1:]:
            low, high = self._op("minimumf", low, other_low), self._op("maximumf", high, other_high)
        size = max(array.element.width // 8, 1)
        return self._op("mulf", low, size), self._op("mulf", self._op("addf", high, 1), size)

    def _last(self, array: tp.Array) -> Interval:
        """The last element of the last row of the box, as both ends."""
        last: Bound = 0
        for extent, *subscripts in zip(array.shape, *self._used(array), strict=True):
            rows = self._interval(extent)[1] if extent is not None else 0
            highest = [self._interval(subscript)[1] for subscript in subscripts]
            greatest = reduce(partial(self._op, "maximumf"), highest)
            last = self._op("addf", self._op("mulf", last, rows), greatest)
        return last, last

    def _used(self, array: tp.Array) -> list[tuple[Poly, ...]]:
        """The subscripts of all accesses of an array."""
        used = (n for n in walk(self.function.body) if isinstance(n, tp.Read | tp.Write))
        return [n.subscripts for n in used if n.array == array.name]

    def _subscripts(self, array: tp.Array) -> list[Poly]:
        """The positions that the loops access, in elements from the start of the memory."""
        if array.kind == "place":
            return [const(0)]
        flat: dict[Poly, None] = {}
        for subscripts in self._used(array):
            form = const(0)
            for extent, subscript in zip(array.shape, subscripts, strict=True):
                form = form * (extent if extent is not None else const(0)) + subscript
            flat[form] = None
        return list(flat)

    def _address(self, array: tp.Array) -> str:
        name, type_ = f"%{array.name}", self.emitter.memref(array.name)
        if array.kind == "global":
            name = self._line(f"memref.get_global @{array.name} : {type_}")
        index = self._line(f"memref.extract_aligned_pointer_as_index {name} : {type_} -> index")
        return self._line(f"arith.index_cast {index} : index to i64")

    # ---- intervals ---------------------------------------------------------------------------------

    def _interval(self, form: Poly) -> Interval:
        """Bounds of a form over all iterations."""
        if form not in self._intervals:
            low: Bound = 0
            high: Bound = 0
            for mono, c in form.terms:
                term: Interval = (1, 1)
                for atom in mono:
                    term = self._product(term, self._atom(atom))
                term = self._product((c, c), term)
                low, high = self._op("addf", low, term[0]), self._op("addf", high, term[1])
            self._intervals[form] = low, high
        return self._intervals[form]

    def _atom(self, atom: Atom) -> Interval:
        if isinstance(atom, str):
            return self._name(atom)
        low, high = self._interval(atom.inner)
        quotients = self._floor(low, atom.divisor), self._floor(high, atom.divisor)
        if isinstance(atom, Quot):
            return quotients
        if low != high:
            return 0, atom.divisor - 1
        rest = self._op("subf", low, self._op("mulf", quotients[0], atom.divisor))
        return rest, rest

    def _name(self, name: str) -> Interval:
        if name.startswith(MARK):
            return self._position(name)
        if name.startswith(ADDRESS):
            array = self.function.arrays[name.removeprefix(ADDRESS)]
            start = self._exact(f"arith.sitofp {self._address(array)} : i64 to f64")
            value = self._op("addf", start, array.lead_bytes)
            return value, value
        if name in self._parameters:
            value = self._value(self._parameters[name])
            return value, value
        if name in self.emitter.quotients:
            value = self._quotient(self.emitter.quotients[name])
            return value, value
        lower, upper = self.function.bounds[name]
        low, high = self._interval(lower[0])[0], self._interval(upper[0])[1]
        for form in lower[1:]:
            low = self._op("maximumf", low, self._interval(form)[0])
        for form in upper[1:]:
            high = self._op("minimumf", high, self._interval(form)[1])
        return low, self._op("subf", high, 1)

    def _position(self, mark: str) -> Interval:
        """The bounds of a position that is data."""
        if mark in self._positions:
            return self._positions[mark]
        found = (self._line(f"memref.load %{end}.{mark[len(MARK) :]}[] : memref<i64>") for end in ("low", "high"))
        low, high = (self._exact(f"arith.sitofp {value} : i64 to f64") for value in found)
        return low, high

    def _quotient(self, quotient: tp.Quotient) -> str:
        """Exact on integers below the limit; by zero it is none of them, and the test fails."""
        left, right = (self._spelled(self._interval(form)[0]) for form in (quotient.left, quotient.right))
        exact = self._line(f"arith.divf {left}, {right} : f64")
        return self._exact(f"math.{'trunc' if quotient.operation == 'divsi' else 'floor'} {exact} : f64")

    def _product(self, a: Interval, b: Interval) -> Interval:
        if isinstance(a[0], int) and a[0] == a[1]:
            low, high = self._op("mulf", b[0], a[0]), self._op("mulf", b[1], a[0])
            return (low, high) if a[0] >= 0 else (high, low)
        products = list(dict.fromkeys(self._op("mulf", x, y) for x in dict.fromkeys(a) for y in dict.fromkeys(b)))
        low = high = products[0]
        for one in products[1:]:
            low, high = self._op("minimumf", low, one), self._op("maximumf", high, one)
        return low, high

    # ---- text --------------------------------------------------------------------------------------

    def _value(self, parameter: tp.Parameter) -> str:
        sign = "s" if parameter.type.signed else "u"
        return self._exact(f"arith.{sign}itofp %{parameter.name} : {parameter.type.mlir} to f64")

    def _line(self, text: str) -> str:
        """The name of what an operation gives; each is written once."""
        if text not in self._lines:
            self._lines[text] = f"%holds.{len(self._lines)}"
        return self._lines[text]

    def _exact(self, text: str) -> str:
        """The name of the result of an operation on integers; the test fails if the result is beyond the limit."""
        name = self._line(text)
        size = self._line(f"math.absf {name} : f64")
        self._require("olt", size, _LIMIT)
        return name

    def _spelled(self, bound: Bound) -> str:
        return bound if isinstance(bound, str) else self._line(f"arith.constant {bound}.0 : f64")

    def _op(self, name: str, a: Bound, b: Bound) -> Bound:
        if isinstance(a, int) and isinstance(b, int):
            return _FOLDED[name](a, b)
        neutral = {"addf": 0, "subf": 0, "mulf": 1}.get(name)
        if b == neutral or (a == b and name in ("minimumf", "maximumf")):
            return a
        if a == neutral and name in ("addf", "mulf"):
            return b
        if 0 in (a, b) and name == "mulf":
            return 0
        if name in ("minimumf", "maximumf"):
            return self._line(f"arith.{name} {self._spelled(a)}, {self._spelled(b)} : f64")
        return self._exact(f"arith.{name} {self._spelled(a)}, {self._spelled(b)} : f64")

    def _floor(self, a: Bound, divisor: int) -> Bound:
        if isinstance(a, int):
            return a // divisor
        quotient = self._line(f"arith.divf {a}, {self._spelled(divisor)} : f64")
        return self._exact(f"math.floor {quotient} : f64")

    def _compared(self, predicate: str, a: Bound, b: Bound) -> str:
        return self._line(f"arith.cmpf {predicate}, {self._spelled(a)}, {self._spelled(b)} : f64")

    def _require(self, predicate: str, a: Bound, b: Bound) -> None:
        self._tests[self._compared(predicate, a, b)] = None
