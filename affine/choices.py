"""Choices that are accumulations: the larger of two numbers as a maximum, `c ? s + x : s` as `s + (c ? x : 0)`.

A comparison and a selection do not accumulate; a maximum does, and so does a sum. (Where a number is NaN, or the
smaller of two zeros, a maximum may differ.) What is added where nothing is to be added changes no bit.
"""

from __future__ import annotations

from dataclasses import replace

from affine.program import Compute, Guard, Load, Loop, Node, Program, Scalar, Store, walk
from affine.record import dataclass

_GREATER = {"arith.cmpf": (2, 3), "arith.cmpi": (4, 5)}  # predicates by their number: ogt, oge; sgt, sge
_LESS = {"arith.cmpf": (4, 5), "arith.cmpi": (2, 3)}  # olt, ole; slt, sle
_LARGEST = {"arith.cmpf": "arith.maximumf", "arith.cmpi": "arith.maxsi"}
_SMALLEST = {"arith.cmpf": "arith.minimumf", "arith.cmpi": "arith.minsi"}
_NOTHING = {"addf": "-0.0", "subf": "0.0", "mulf": "1.0", "addi": "0", "subi": "0", "muli": "1"}
_NOTHING |= {"ori": "0", "xori": "0"}
_COMMUTE = ("addf", "mulf", "addi", "muli", "ori", "xori")


def accumulating(program: Program) -> Program:
    """The program with such choices as accumulations; the same one if there is none."""
    rewrite = _Rewrite(dict(program.scalars))
    body = rewrite.block(program.body, {})
    return program if body == program.body else replace(program, body=body, scalars=rewrite.scalars)


@dataclass
class _Rewrite:
    """Blocks while they are written again, and the scalars so far."""

    scalars: dict[str, Scalar]

    def block(self, nodes: tuple[Node, ...], known: dict[str, Compute]) -> tuple[Node, ...]:
        """A block; `known` are computations before it."""
        out: list[Node] = []
        same: dict[tuple[object, ...], str] = {}  # what has been loaded, and the first name of it
        first: dict[str, str] = {}
        for node in nodes:
            if isinstance(node, Load):
                first[node.dst] = same.setdefault((node.array, node.subscripts), node.dst)
            written = _written(node)
            same = {key: name for key, name in same.items() if key[0] not in written}
            if isinstance(node, Compute) and node.op == "arith.select":
                found = self._choice(node, known, first)
                known[node.dst] = found[-1]
                out += found
            elif isinstance(node, Loop | Guard):
                out.append(replace(node, body=self.block(node.body, dict(known))))
            else:
                if isinstance(node, Compute):
                    known[node.dst] = node
                out.append(node)
        return tuple(out)

    def _choice(self, node: Compute, known: dict[str, Compute], first: dict[str, str]) -> list[Compute]:
        """A selection as an extremum, or as a sum of what was loaded and of a selection; else as it is."""
        extremum = self._extremum(node, known, first)
        if extremum is not None:
            return [extremum]
        test, *sides = node.args
        for changed, kept in (sides, sides[::-1]):
            step = known.get(changed)
            added = _added(step, kept, first) if step is not None and kept in first else None
            if step is not None and added is not None:
                nothing = self._nothing(step)
                arms = (added, nothing) if changed == sides[0] else (nothing, added)
                mask = replace(node, dst=f"{node.dst}_m", args=(test, *arms))
                return [
                    self._extremum(mask, known, first) or mask,
                    replace(step, dst=node.dst, args=(kept, mask.dst), loc=node.loc),
                ]
        return [node]

    def _nothing(self, step: Compute) -> str:
        """The constant that changes nothing as the second operand."""
        text = _NOTHING[step.op.removeprefix("arith.")]
        name = f"nothing_{text}_{step.element}"
        self.scalars[name] = Scalar(name, step.element, text)
        return name

    def _extremum(self, node: Compute, known: dict[str, Compute], first: dict[str, str]) -> Compute | None:
        test = known.get(node.args[0])
        if test is None or test.op not in _GREATER:
            return None
        number = int(dict(test.attrs).get("predicate", "-1").split(":")[0])
        sides = tuple(self._value(a, first) for a in test.args)
        chosen = tuple(self._value(a, first) for a in node.args[1:])
        if sides not in (chosen, chosen[::-1]) or number not in (*_GREATER[test.op], *_LESS[test.op]):
            return None
        largest = (number in _GREATER[test.op]) == (sides == chosen)
        op = (_LARGEST if largest else _SMALLEST)[test.op]
        return Compute(node.dst, op, node.args[1:], (), node.element, node.loc)

    def _value(self, name: str, first: dict[str, str]) -> object:
        """What tells a value from others: its name, that of the first load of it, or the number that it is."""
        scalar = self.scalars.get(name)
        if scalar is None or scalar.literal is None:
            return first.get(name, name)
        return float(scalar.literal) if scalar.element.startswith(("f", "bf")) else int(scalar.literal)


def _written(node: Node) -> set[str]:
    return {n.array for n in walk((node,)) if isinstance(n, Store)}


def _added(step: Compute, kept: str, first: dict[str, str]) -> str | None:
    """What an operation adds to a loaded value; None if it does not."""
    short = step.op.removeprefix("arith.")
    if short not in _NOTHING or len(step.args) != 2:
        return None
    one, other = step.args
    if first.get(one) == first[kept]:
        return other if first.get(other) != first[kept] else None
    return one if first.get(other) == first[kept] and short in _COMMUTE else None
