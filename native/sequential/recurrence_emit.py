"""Linear recurrences on vectors: the code of a `Scan`.

The states before an iteration are s, those behind it M s + f, where f does not depend on s. A vector of f becomes one
of states in log2(lanes) steps: T += M^k (T moved up by k lanes), for k = 1, 2, 4, ...; then the states before the
vector are added, times the powers of M. The next vector waits for one sum: the last states are those before, times
M^lanes, and the last lane of T. Where M is known at run time only, its powers are looked at there.
Source: Hillis, Steele, "Data Parallel Algorithms", CACM 29(12), 1986; for matrices Blelloch, "Prefix Sums and Their
Applications", 1990, section 1.4.

    before  for j: y[j] = y[j - 1] + b[j]
    after   for j by 8: v = b[j .. j + 8]; v += (v moved up by 1); v += (v by 2); v += (v by 4)
                        y[j .. j + 8] = v + y[j - 1]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Term
from raising.native.loops.body import Body, Memory, Point, load, run_at, subscripted
from raising.native.loops.emit_loops import Writer
from raising.native.loops.vector_ops import Lane, widened
from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Access
from raising.native.sequential.extremum_emit import folded, wraps
from raising.native.sequential.recurrence_plan import GROWTH, NOTHING, Scan, State, Weight, tiny
from raising.support.mlir.op_writer import OpWriter
from raising.support.mlir.operand_segments import segmented
from raising.support.record import dataclass

_FEW = 4
"""Vectors, at least, that are worth the powers of weights which are known at run time only."""

_Entry = float | str
"""A number, or the name of a scalar."""
_Matrix = dict[tuple[int, int], _Entry]
"""The entries of a matrix over states that are not 0."""


@contextmanager
def in_memory(loop: Any, first: Sequence[Any]) -> Iterator[list[Any]]:
    """Memory of one element for each scalar that a loop carries, whose first values are given.

    What is written before the loop meanwhile finds them there, and the loop's results are what it leaves.
    """
    function = loop.parent
    while function.name != "func.func":
        function = function.parent
    with loop.location:
        top = OpWriter(ir, ir.InsertionPoint.at_block_begin(function.regions[0].blocks[0]))
        kinds = [ir.MemRefType.get([], value.type) for value in first]
        cells = [top.op("memref.alloca", [kind], **segmented(ir, 0, 0))[0] for kind in kinds]
        write = OpWriter(ir, ir.InsertionPoint(loop))
        for value, cell in zip(first, cells, strict=True):
            write.op("memref.store", [], [value, cell])
        yield cells
        for result, cell in zip(loop.results, cells, strict=True):
            result.replace_all_uses_with(write.one("memref.load", result.type, cell))


def write_scan(scan: Scan, times: tuple[str, str], writer: Writer, *rows: Mapping[Term, str]) -> None:
    """A loop over whole vectors, then one over what is left; `times` are the names of its ends.

    Several rows, each with its names, that do not need one another go on at once: no vector of one waits for another's.
    """
    code = writer.code
    low, high = (rows[0][each] for each in times)
    count = code.formula(f"{high} - {low}")
    whole = code.formula(f"{high} - remsi({count}, {scan.lanes})")
    enough = code.formula(f"{count} >= {scan.lanes if scan.fixed else _FEW * scan.lanes}")
    end = code.fresh("e")
    with code.region(f"{end} = scf.if {enough} -> (index) {{"):
        powers, fits = _powers(code, scan, rows[0])
        last = code.formula(f"{whole} if {fits} else {low}") if fits else whole
        _vectors(code, scan, powers, (low, last), rows)
        code.line(f"scf.yield {last} : index")
    with code.region("} else {", "}"):
        code.line(f"scf.yield {low} : index")
    _one_by_one(code, scan, (end, high), rows)


def _vectors(
    code: Lines, scan: Scan, powers: _Powers, ends: tuple[str, str], rows: Sequence[Mapping[Term, str]]
) -> None:
    """The loop over whole vectors, or one by one where a sum might wrap around that the loop does not make."""
    starts = [Point({**names, 0: ends[0]}, (), -1, 1) for names in rows]
    first = [_spread(code, scan, load(code, each.first, start).name) for start in starts for each in scan.states]
    size = len(scan.states)
    with code.loop((*ends, code.index(scan.lanes)), [(name, scan.kind) for name in first]) as state:
        points = [Point({**names, 0: state.induction}, (), 0, scan.lanes) for names in rows]
        blocks = [
            _Block(code, scan, powers, point, state.start[k * size : (k + 1) * size]) for k, point in enumerate(points)
        ]
        for group in scan.groups:
            for block in blocks:
                block.solve(group)
        wraps = [truth for block in blocks for truth in block.wraps]
        if wraps:
            state.values = _guarded(code, blocks[0], wraps)
        else:
            state.values = [name for block in blocks for name in block.store()]
    for place, each in enumerate(scan.states):
        if each.cell:
            _keep(code, scan, each, state.results[place], rows[0])


def _guarded(code: Lines, block: _Block, wraps: Sequence[str]) -> list[str]:
    """The states behind a vector of iterations, that is stored if none of these truths holds."""
    scan, point = block.scan, block.point
    flags, any_ = f"vector<{scan.lanes}xi1>", wraps[0]
    for truth in wraps[1:]:
        any_ = code.op(f"arith.ori {any_}, {truth} : {flags}")
    any_ = code.op(f"vector.reduction <or>, {any_} : {flags} into i1")
    kinds = ", ".join([scan.kind] * len(scan.states))
    found = code.fresh("g")
    with code.region(f"{found}:{len(scan.states)} = scf.if {any_} -> ({kinds}) {{"):
        for state, before in zip(scan.states, block.before, strict=True):
            if state.cell:
                _keep(code, scan, state, before, point.names)
        low = point.names[0]
        end = code.formula(f"{low} + {scan.lanes}")
        _one_by_one(code, scan, (low, end), [point.names])
        behind = Point({**point.names, 0: end}, (), -1, 1)
        names = [_spread(code, scan, load(code, state.first, behind).name) for state in scan.states]
        code.line(f"scf.yield {', '.join(names)} : {kinds}")
    with code.region("} else {", "}"):
        code.line(f"scf.yield {', '.join(block.store())} : {kinds}")
    return [f"{found}#{k}" for k in range(len(scan.states))]


def _keep(code: Lines, scan: Scan, state: State, lanes: str, names: Mapping[Term, str]) -> None:
    """Store a state, which is in all lanes, in its cell."""
    value = code.op(f"vector.extract {lanes}[0] : {scan.element} from {scan.kind}")
    code.line(f"memref.store {value}, {subscripted(code, state.first, names)} : {state.first.array.type}")


def _one_by_one(code: Lines, scan: Scan, ends: tuple[str, str], rows: Sequence[Mapping[Term, str]]) -> None:
    """Iterations as the loop has them."""
    with code.loop((*ends, code.index(1))) as state:
        for names in rows:
            memory = Memory(code)
            run_at(code, scan.nest, Point({**names, 0: state.induction}, (), -1, 1), memory)
            memory.flush()


def _spread(code: Lines, scan: Scan, scalar: str) -> str:
    return code.op(f"vector.broadcast {scalar} : {scan.element} to {scan.kind}", "b")


# ---- a vector of iterations ----------------------------------------------------------------------


class _Block:
    """A vector of iterations of one row: `before` has, in all lanes, the states behind the vector before it."""

    def __init__(self, code: Lines, scan: Scan, powers: _Powers, point: Point, before: Sequence[str]) -> None:
        self.code, self.scan, self.powers, self.point, self.before = code, scan, powers, point, before
        self.memory = Memory(code, reads=scan.nest.reads)
        self.behind: dict[int, str] = {}
        self.last: dict[int, str] = {}
        self.wraps: list[str] = []
        self.known: dict[Access, Lane] = {}

    def solve(self, group: tuple[int, ...]) -> None:
        """Compute the states of a group behind each iteration; those that it needs are known."""
        if group[0] in self.scan.extrema:
            self._solve_extremum(group[0])
        else:
            self._solve_sums(group)
        for number in group:
            read = self.scan.states[number].read
            if read is not None:
                self.known[read] = Lane(self._ahead(number), self.scan.element, True)

    def _solve_extremum(self, number: int) -> None:
        scan, before = self.scan, self.before[number]
        body = Body(self.code, scan.nest, self.point, self.memory, self.known)
        vectors = partial(_vector_of, self.code, body, scan.lanes)
        what = self.code, scan.extrema[number], (scan.element, scan.lanes), vectors
        self.wraps += wraps(*what, before)
        fold = folded(*what).up_to_each_lane()
        self.behind[number], self.last[number] = fold.from_state(before), fold.last().from_state(before)

    def _solve_sums(self, group: tuple[int, ...]) -> None:
        members = set(group)
        own = any(i in members for i, _ in self.scan.weights)
        added = dict(zip(group, [self._added(k, members if own else set()) for k in group], strict=True))
        added = self._summed(added) if own else added
        last, before = {k: self._spread(name) for k, name in added.items()}, {k: self.before[k] for k in group}
        self.last |= self._times(last, before, self.powers.whole) if own else last
        self.behind |= self._times(added, before, self.powers.each) if own else added

    def _added(self, number: int, members: set[int]) -> str:
        """What a state becomes where the group's own states are -0, which changes no sum."""
        state, scan = self.scan.states[number], self.scan
        if isinstance(state.next, int):
            return _dense(self.code, scan, [-0.0] * scan.lanes) if state.next in members else self._ahead(state.next)
        nothing = Lane(_dense(self.code, scan, [-0.0] * scan.lanes), scan.element, True)
        own = {read: nothing for k in members if (read := scan.states[k].read) is not None}
        body = Body(self.code, scan.nest, self.point, self.memory, {**self.known, **own})
        return widened(self.code, body.value(state.next), scan.lanes)

    def _summed(self, added: dict[int, str]) -> dict[int, str]:
        """In each lane, what all lanes up to it add."""
        code, scan, step = self.code, self.scan, 1
        nothing = _dense(code, scan, [0.0] * scan.lanes)
        while step < scan.lanes:
            order = list(range(scan.lanes - step, 2 * scan.lanes - step))
            moved = {j: code.op(_shuffled(scan, nothing, name, order), "w") for j, name in added.items()}
            added = self._times(added, moved, self.powers.steps[step])
            step *= 2
        return added

    def _spread(self, name: str) -> str:
        """The last lane of a vector, in all lanes."""
        return self.code.op(_shuffled(self.scan, name, name, [self.scan.lanes - 1] * self.scan.lanes), "b")

    def _times(
        self, added: dict[int, str], others: dict[int, str], power: dict[tuple[int, int], str]
    ) -> dict[int, str]:
        """The vectors, each with the sum of others by a matrix."""
        found, (suffix, flags) = dict(added), ("i", "") if self.scan.exact else ("f", " fastmath<contract>")
        for (i, j), weight in power.items():
            if i in added:
                product = self.code.op(f"arith.mul{suffix} {weight}, {others[j]}{flags} : {self.scan.kind}")
                found[i] = self.code.op(f"arith.add{suffix} {found[i]}, {product}{flags} : {self.scan.kind}")
        return found

    def _ahead(self, number: int) -> str:
        """A state in front of each iteration."""
        lanes = self.scan.lanes
        order = list(range(lanes - 1, 2 * lanes - 1))
        return self.code.op(_shuffled(self.scan, self.before[number], self.behind[number], order), "w")

    def store(self) -> list[str]:
        """Store what the iterations do, and give the states behind them."""
        scan, point = self.scan, self.point
        made = {
            state.next: Lane(self.behind[k], scan.element, True)
            for k, state in enumerate(scan.states)
            if isinstance(state.next, str)
        }
        body = Body(self.code, scan.nest, point, self.memory, self.known, _values=made)
        results = [(w, body.value(name)) for w, name in zip(scan.nest.writes, scan.nest.yields, strict=True) if w.map]
        for write, value in results:
            self.memory.write(write, value, point)
        self.memory.flush()
        return [self.last[k] for k in range(len(scan.states))]


def _vector_of(code: Lines, body: Body, lanes: int, name: str) -> str:
    """A value of a body in all lanes."""
    return widened(code, body.value(name), lanes)


def _shuffled(scan: Scan, one: str, two: str, order: list[int]) -> str:
    return f"vector.shuffle {one}, {two} {order} : {scan.kind}, {scan.kind}"


def _dense(code: Lines, scan: Scan, values: Sequence[float]) -> str:
    listed = ", ".join(str(int(value)) if scan.exact else f"{value:.17e}" for value in values)
    return code.constant(f"dense<[{listed}]> : {scan.kind}")


# ---- powers of the weights -----------------------------------------------------------------------


@dataclass(frozen=True)
class _Powers:
    """Vectors by pairs of states: `each` has the power of lane k + 1 in lane k, `steps[s]` the s-th in all lanes.

    `whole` has that of a whole vector in all lanes.
    """

    each: dict[tuple[int, int], str]
    steps: dict[int, dict[tuple[int, int], str]]
    whole: dict[tuple[int, int], str]


def _powers(code: Lines, scan: Scan, names: Mapping[Term, str]) -> tuple[_Powers, str]:
    """The powers of the weights, and the truth that none is too large or lost; no name if that is known."""
    there = ((pair, weight) for pair, weight in scan.weights.items() if weight != NOTHING)
    first: _Matrix = {pair: _entry(code, scan, weight, names) for pair, weight in there}
    found = [first]
    while (count := len(found)) < scan.lanes:  # of halves, so that few of them wait for one another
        found.append(_product(code, scan, found[count // 2], found[(count - 1) // 2]))
    pairs = sorted({pair for power in found for pair in power})
    each = {pair: _vector(code, scan, [power.get(pair, 0.0) for power in found]) for pair in pairs}
    uniform = [{pair: _vector(code, scan, [power[pair]] * scan.lanes) for pair in pairs if pair in power}
               for power in (found[(1 << k) - 1] for k in range(scan.lanes.bit_length()))]  # fmt: skip
    steps = {1 << k: power for k, power in enumerate(uniform[:-1])}
    return _Powers(each, steps, uniform[-1]), _fits(code, scan, found, each)


def _entry(code: Lines, scan: Scan, weight: Weight, names: Mapping[Term, str]) -> _Entry:
    """A weight as a number or a scalar."""
    total: _Entry = 0.0
    for factors, number in weight.terms:
        product: _Entry = number
        for factor in factors:
            product = _scalar(code, scan, "mulf", product, names[factor])
        total = _scalar(code, scan, "addf", total, product)
    return total


def _product(code: Lines, scan: Scan, left: _Matrix, right: _Matrix) -> _Matrix:
    found: _Matrix = {}
    for (i, k), one in left.items():
        for (other, j), two in right.items():
            if other == k:
                found[i, j] = _scalar(code, scan, "addf", found.get((i, j), 0.0), _scalar(code, scan, "mulf", one, two))
    return {pair: entry for pair, entry in found.items() if entry != 0.0}


def _scalar(code: Lines, scan: Scan, name: str, one: _Entry, two: _Entry) -> _Entry:
    """The sum or the product of two entries, computed here where both are numbers."""
    same = 0.0 if name == "addf" else 1.0
    if isinstance(one, float) and isinstance(two, float):
        return one + two if name == "addf" else one * two
    if same in (one, two):
        return two if one == same else one
    return code.op(f"arith.{name} {_named(code, scan, one)}, {_named(code, scan, two)} : {scan.element}")


def _named(code: Lines, scan: Scan, entry: _Entry) -> str:
    return entry if isinstance(entry, str) else code.constant(f"{entry:.17e} : {scan.element}")


def _vector(code: Lines, scan: Scan, entries: Sequence[_Entry]) -> str:
    numbers = [entry for entry in entries if isinstance(entry, float)]
    if len(numbers) == len(entries):
        return _dense(code, scan, numbers)
    if len(set(entries)) == 1:
        return _spread(code, scan, _named(code, scan, entries[0]))
    listed = ", ".join(_named(code, scan, entry) for entry in entries)
    return code.op(f"vector.from_elements {listed} : {scan.kind}", "k")


def _fits(code: Lines, scan: Scan, powers: list[_Matrix], each: Mapping[tuple[int, int], str]) -> str:
    """The truth that the powers which are known at run time only neither grow nor are lost."""
    truths: list[str] = []
    for group in scan.groups:
        open_ = [pair for pair in each if pair[0] in group and any(isinstance(p.get(pair), str) for p in powers)]
        for pair in open_:
            size = code.op(f"math.absf {each[pair]} : {scan.kind}")
            limit = _dense(code, scan, [1.0 if len(group) == 1 else GROWTH] * scan.lanes)
            small = code.op(f"arith.cmpf ole, {size}, {limit} : {scan.kind}")
            kind = f"vector<{scan.lanes}xi1>"
            truths.append(code.op(f"vector.reduction <and>, {small} : {kind} into i1"))
        if len(group) == 1 and open_:
            last = code.op(f"math.absf {_named(code, scan, powers[-1][open_[0]])} : {scan.element}")
            truths.append(code.op(f"arith.cmpf oge, {last}, {_named(code, scan, tiny(scan.element))} : {scan.element}"))
    for truth in truths[1:]:
        truths[0] = code.formula(f"{truths[0]} and {truth}")
    return truths[0] if truths else ""
