"""One circuit by a better one: saturation under the rules of `rules.toml`, and the choice of what is cheapest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raising.eqsat.egraph.engine import Limits, Ref, Row, Saturated, Schedule, saturate
from raising.eqsat.egraph.graph import EGraph, Node
from raising.eqsat.hardware.bit_rules import program
from raising.eqsat.hardware.choose import Chosen, choose
from raising.eqsat.hardware.circuit import PREDICATES, SHIFTS, Circuit, Net
from raising.eqsat.hardware.costs import Costs
from raising.support.graphs import postorder
from raising.support.record import dataclass

_ROUNDS = 12
_OPEN = {"add": "pair", "sub": "apart", "mul": "prod"}


@dataclass(frozen=True)
class Improved:
    """The circuit that was found, with gates and levels of both by the model, and how saturation went."""

    circuit: Circuit
    before: Chosen
    after: Chosen
    runs: tuple[Saturated, ...]


def improve(circuit: Circuit, goal: str, limits: Limits) -> Improved:
    """The best circuit by `goal` (`area`, `delay`, `area-delay`) that computes the same roots.

    Sums and products are grouped in other ways in a second run only: there are so many that other rules would not
    come to their end beside these.
    """
    first = _improved(circuit, goal, limits, _schedule())
    second = _improved(first.circuit, goal, limits, _schedule("h.regroup"))
    return Improved(second.circuit, first.before, second.after, (*first.runs, *second.runs))


def _improved(circuit: Circuit, goal: str, limits: Limits, schedule: Schedule) -> Improved:
    run = saturate([(program(), "rules"), (_as_egglog(circuit), "circuit")], schedule, limits, "h.most")
    rows = [r for r in run.rows if r.name.startswith("h.") and isinstance(r.output, Ref)]
    costs = Costs(run.rows)
    nodes = [Node(r.name, r.output.number, tuple(i.number for i in r.inputs if isinstance(i, Ref))) for r in rows]
    named = {r.name: r.output for r in run.rows if r.name.startswith("$h")}
    roots = tuple(named[f"$h{n}"].number for n in circuit.roots)
    classes = [named.get(f"$h{n}") for n in range(len(circuit.nets))]
    given = _given(circuit, rows, classes)
    _, after = choose(EGraph(tuple(nodes), roots), [costs.of(r) for r in rows], goal, given)
    return Improved(_decoded(rows, after.choice, roots), _priced(circuit, costs, classes), after, (run,))


def _priced(circuit: Circuit, costs: Costs, classes: Sequence[Ref | None]) -> Chosen:
    """The cost of the given circuit, with the facts that rules derived about the bits of its nets."""
    levels: dict[int, float] = {}
    area = 0.0
    for n in circuit.used():
        net = circuit.nets[n]
        args = tuple(classes[a] for a in net.args)
        numbers = (net.width,) if net.op == "const" else tuple(map(int, _numbers(circuit, net)))
        names = (_OPEN[net.op], "sum") if net.op in _OPEN else (net.op,)
        prices = [costs.of(Row(f"h.{name}", (*numbers, *args), classes[n])) for name in names]
        area += sum(price.area for price in prices)
        levels[n] = sum(price.delay for price in prices) + max((levels[a] for a in net.args), default=0.0)
    return Chosen({}, area, max((levels[r] for r in circuit.roots), default=0.0))


def _schedule(*more: str) -> Schedule:
    """Rules, those of other sets beside them; both arms of a choice at once early, in one round."""
    largest: Schedule = ("saturate", ("run", "h.most"))
    step: Schedule = ("seq", largest, ("run", "h.rules"), *(("run", name) for name in more))
    return ("seq", step, step, largest, ("run", "h.speculate"), ("repeat", _ROUNDS, step), largest)


def _as_egglog(circuit: Circuit) -> str:
    lines = []
    for n in circuit.used():
        net = circuit.nets[n]
        args = [f"$h{a}" for a in net.args]
        lines.append(f"(let $h{n} (h.{' '.join((net.op, *_numbers(circuit, net), *args))}))")
    return "\n".join(lines)


def _numbers(circuit: Circuit, net: Net) -> tuple[str, ...]:
    """The numbers of an operation as its signature has them."""
    widths = [circuit.width(a) for a in net.args]
    if net.op in PREDICATES:
        return (str(widths[0]),)
    if net.op in SHIFTS:
        return str(net.width), str(widths[1])
    if net.op == "cat":
        return str(widths[0]), str(widths[1])
    if net.op == "const":
        return str(net.width), f'(from-string "{net.value}")'
    last = {"ext": (net.value, *widths), "zext": widths, "sext": widths, "lsl": (net.value,), "in": (net.value,)}
    return tuple(map(str, (net.width, *last.get(net.op, ()))))


def _given(circuit: Circuit, rows: Sequence[Row], classes: Sequence[Ref | None]) -> dict[int, int]:
    """The circuit as it was, as a choice: of nets that turned out equal the first, so there is no cycle."""
    known = {(r.name, r.inputs): n for n, r in enumerate(rows)}
    found: dict[int, int] = {}
    for n in circuit.used():
        net, klass = circuit.nets[n], classes[n]
        if klass is None or klass.number in found:
            continue
        args = tuple(classes[a] for a in net.args)
        numbers = (net.width, net.value) if net.op == "const" else tuple(map(int, _numbers(circuit, net)))
        name = net.op
        if name in _OPEN:
            opened = known.get((f"h.{_OPEN[name]}", (*numbers, *args)))
            if opened is None:
                return {}
            found[rows[opened].output.number] = opened
            name, args = "sum", (rows[opened].output,)
        row = known.get((f"h.{name}", (*numbers, *args)))
        if row is None:
            return {}
        found[klass.number] = row
    return found


def _decoded(rows: Sequence[Row], choice: Mapping[int, int], roots: Sequence[int]) -> Circuit:
    """The chosen rows as a circuit."""
    found = Circuit()
    nets: dict[int, int] = {}
    open_: dict[int, tuple[list[int], list[int]]] = {}

    def children(klass: int) -> list[int]:
        return [i.number for i in rows[choice[klass]].inputs if isinstance(i, Ref)]

    for klass in postorder(roots, children):
        row = rows[choice[klass]]
        op, args = row.name[2:], children(klass)
        width = int(row.inputs[0])
        if row.output.sort == "Open":
            open_[klass] = _opened(found, op, width, args, nets, open_)
        elif op == "sum":
            nets[klass] = _added(found, width, *open_[args[0]])
        else:
            nets[klass] = _net(found, op, row, [nets[a] for a in args])
    found.roots = [nets[r] for r in roots]
    return found


def _opened(
    circuit: Circuit,
    op: str,
    width: int,
    args: Sequence[int],
    nets: Mapping[int, int],
    known: Mapping[int, tuple[list[int], list[int]]],
) -> tuple[list[int], list[int]]:
    """The summands of an open sum, and what is subtracted."""
    if op == "prod":
        return [circuit.add("mul", width, nets[args[0]], nets[args[1]])], []
    if op in ("pair", "apart"):
        one, other = nets[args[0]], nets[args[1]]
        return ([one, other], []) if op == "pair" else ([one], [other])
    plus, less = known[args[0]]
    if op == "minus":
        return less, plus
    if op == "join":
        more, fewer = known[args[1]]
        return [*plus, *more], [*less, *fewer]
    last = [nets[args[1]]]
    return ([*plus, *last], less) if op == "more" else (plus, [*less, *last])


def _added(circuit: Circuit, width: int, plus: Sequence[int], less: Sequence[int]) -> int:
    total = plus[0] if plus else circuit.const(0, width)
    for n in plus[1:]:
        total = circuit.add("add", width, total, n)
    for n in less:
        total = circuit.add("sub", width, total, n)
    return total


def _net(circuit: Circuit, op: str, row: Row, args: Sequence[int]) -> int:
    """A row that is an operation of circuits."""
    if op in PREDICATES:
        return circuit.add(op, 1, *args)
    if op == "cat":
        return circuit.add(op, int(row.inputs[0]) + int(row.inputs[1]), *args)
    value = int(row.inputs[1]) if op in ("const", "in", "ext", "lsl") else 0
    if op in ("zext", "sext") and circuit.width(args[0]) == int(row.inputs[0]):
        return args[0]
    return circuit.add(op, int(row.inputs[0]), *args, value=value)
