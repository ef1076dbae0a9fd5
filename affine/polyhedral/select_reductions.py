"""Conditional updates as reductions: `x > m ? x : m` is a maximum, `c ? s + x : s - y` is `s + (c ? x : -y)`.

The search knows reductions by one associative operation, and a selection is none. (A maximum may differ from the
selection where a number is NaN, or where both are zeros of different sign.) C compares narrow integers after it has
extended them, which keeps their order; where the result is cut again to what they were, it is that of themselves. The
larger of two numbers is one value, however it is asked for. A branch that adds nothing adds the neutral element, which
changes no bit; several terms that one branch adds are summed first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from raising.affine.ir.program import Compute, Guard, Load, Loop, Node, Program, Scalar, Store, walk
from raising.affine.ir.rewriting import with_operands
from raising.affine.ir.value_names import without_unused
from raising.support.mlir.predicates import CMPF, CMPI, FIRST_UNSIGNED, number_of
from raising.support.record import dataclass

_EXTENSIONS = ("arith.extsi", "arith.extui")
_EXTREMA = tuple(f"arith.{name}{kind}" for name in ("max", "min") for kind in ("si", "ui"))
_EXTREMA_OF_FLOATS = ("arith.minimumf", "arith.maximumf")
_LEFT_OVER = (*_EXTENSIONS, *_EXTREMA, "arith.cmpi", "arith.cmpf")
_NOTHING = {"addf": "-0.0", "subf": "0.0", "mulf": "1.0", "addi": "0", "subi": "0", "muli": "1"}
_NOTHING |= {"ori": "0", "xori": "0", "andi": "-1"}
_INVERSE = {"subf": "addf", "subi": "addi"}
_UNDOES = {op: inverse for inverse, op in _INVERSE.items()}
_MOST_STEPS = 8  # of one branch


@dataclass(frozen=True)
class _Steps:
    """A loaded value combined with terms by `op`, one after the other; a term is (is it subtracted?, its name)."""

    op: str = ""
    terms: tuple[tuple[bool, str], ...] = ()


def accumulating(program: Program) -> Program:
    """The program with its conditional updates as reductions; the same program if there are none."""
    elements = {name: array.element for name, array in program.arrays.items()}
    rewrite = _Rewrite(dict(program.scalars), elements)
    body = rewrite.block(program.body, {})
    if body == program.body:
        return program
    body = without_unused(_merged(body, {}), lambda value: isinstance(value, Compute) and value.op in _LEFT_OVER)
    return replace(program, body=body, scalars=rewrite.scalars)


def _merged(nodes: tuple[Node, ...], names: dict[str, str]) -> tuple[Node, ...]:
    """A block with one value for operations on the same values; `names` are those that others go by."""
    out: list[Node] = []
    seen: dict[tuple[str, tuple[str, ...]], str] = {}
    for node in (with_operands(node, lambda name: names.get(name, name)) for node in nodes):
        if isinstance(node, Loop | Guard):
            out.append(replace(node, body=_merged(node.body, names)))
        elif isinstance(node, Compute) and node.op in (*_EXTREMA, *_EXTREMA_OF_FLOATS):
            names[node.dst] = seen.setdefault((node.op, node.args), node.dst)
            out += [node] if names[node.dst] == node.dst else []
        else:
            out.append(node)
    return tuple(out)


@dataclass
class _Rewrite:
    """The pass over blocks; `scalars` collects the constants that it needs, `elements` has the types of arrays."""

    scalars: dict[str, Scalar]
    elements: Mapping[str, str]
    loaded: dict[str, str] = field(default_factory=dict)

    def block(self, nodes: tuple[Node, ...], known: dict[str, Compute]) -> tuple[Node, ...]:
        """A block; `known` are computations before it."""
        out: list[Node] = []
        same: dict[tuple[object, ...], str] = {}  # what has been loaded, and the first name of it
        first: dict[str, str] = {}
        for node in nodes:
            if isinstance(node, Load):
                first[node.dst] = same.setdefault((node.array, node.subscripts), node.dst)
                self.loaded[node.dst] = self.elements[node.array]
            written = {n.array for n in walk((node,)) if isinstance(n, Store)}
            same = {key: name for key, name in same.items() if key[0] not in written}
            if isinstance(node, Compute) and node.op == "arith.select":
                found = self._choice(node, known, first)
                known[node.dst] = found[-1]
                out += found
            elif isinstance(node, Loop | Guard):
                out.append(replace(node, body=self.block(node.body, dict(known))))
            else:
                if isinstance(node, Compute):
                    node = known[node.dst] = self._cut(node, known)
                out.append(node)
        return tuple(out)

    def _cut(self, node: Compute, known: dict[str, Compute]) -> Compute:
        """The larger or smaller of two numbers that were extended, where it is cut to what they were."""
        made = known.get(node.args[0]) if node.op == "arith.trunci" else None
        sides = [known.get(arg) for arg in made.args] if made is not None and made.op in _EXTREMA else []
        extensions = {side.op if side is not None else "" for side in sides}
        if made is None or len(extensions) != 1 or not extensions <= {*_EXTENSIONS}:
            return node
        args = tuple(side.args[0] for side in sides if side is not None)
        if any((known[arg].element if arg in known else self.loaded.get(arg)) != node.element for arg in args):
            return node
        stem = made.op[: -len("si")]
        kind = "ui" if extensions == {"arith.extui"} else made.op[-len("si") :]
        return replace(node, op=stem + kind, args=args, attrs=())

    def _choice(self, node: Compute, known: dict[str, Compute], first: dict[str, str]) -> list[Compute]:
        """A selection as a maximum or minimum, or as one update by a selected term; else the selection itself."""
        extremum = self._extremum(node, known, first)
        if extremum is not None:
            return [extremum]
        yes, no = (_made(side, known, first) for side in node.args[1:])
        for kept in (k for k in yes if k in no):
            one, other = yes[kept], no[kept]
            ops = {s.op for s in (one, other)} - {""}
            if len(ops) == 1:
                return self._accumulated(node, kept, ops.pop(), (one, other), known, first)
        return [node]

    def _accumulated(
        self,
        node: Compute,
        kept: str,
        op: str,
        sides: tuple[_Steps, _Steps],
        known: dict[str, Compute],
        first: dict[str, str],
    ) -> list[Compute]:
        """The update of a loaded value `kept` by one operation, with a selection between the two sides' terms."""
        away = all(negative for side in sides for negative, _ in side.terms)
        step = _UNDOES[op] if away else op
        out: list[Compute] = []
        arms = [self._together(side, node, op, step, out) for side in sides]
        mask = replace(node, dst=f"{node.dst}_m", args=(node.args[0], *arms))
        mask = self._extremum(mask, known | {n.dst: n for n in out}, first) or mask
        return [*out, mask, replace(node, dst=node.dst, op=f"arith.{step}", args=(kept, mask.dst), attrs=())]

    def _together(self, side: _Steps, node: Compute, op: str, step: str, out: list[Compute]) -> str:
        """The name of all terms of a side combined, an operand of `step`; operations for that go to `out`."""
        total = ""
        for negative, name in side.terms:
            turned = negative and step == op
            if not total and not turned:
                total = name
                continue
            args, by = (total, name), _UNDOES[op] if turned else op
            if not total:
                args = (self._nothing(op if op == "addi" else "addf", node.element), name)
            total = f"{node.dst}_{len(out)}"
            out.append(replace(node, dst=total, op=f"arith.{by}", args=args, attrs=()))
        return total or self._nothing(step, node.element)

    def _nothing(self, step: str, element: str) -> str:
        """The name of the neutral element as the second operand of an operation."""
        text = "1" if element == "i1" and step == "andi" else _NOTHING[step]
        name = f"nothing_{text}_{element}"
        self.scalars[name] = Scalar(name, element, text)
        return name

    def _extremum(self, node: Compute, known: dict[str, Compute], first: dict[str, str]) -> Compute | None:
        """A choice between two compared numbers as the larger or the smaller one of them."""
        test = known.get(node.args[0])
        if test is None or node.element == "i1":
            return None
        order, chosen = _order(test), [self._value(a, first) for a in node.args[1:]]
        sides, extension = [self._value(a, first) for a in test.args], ""
        if sides not in (chosen, chosen[::-1]) and (extension := self._extension(test, known)):
            chosen = [self._value(a, first, node.element, extension) for a in node.args[1:]]
            sides = [self._value(known[a].args[0] if a in known else a, first) for a in test.args]
        if order is None or sides not in (chosen, chosen[::-1]):
            return None
        larger, kind = order
        kind = "ui" if extension == "arith.extui" else kind
        most = larger == (sides == chosen)
        name = {"f": ("minimumf", "maximumf"), "si": ("minsi", "maxsi"), "ui": ("minui", "maxui")}[kind][most]
        return Compute(node.dst, f"arith.{name}", node.args[1:], (), node.element, node.loc)

    def _extension(self, test: Compute, known: dict[str, Compute]) -> str:
        """The extension that all numbers were compared after, but for constants; nothing if there is none."""
        open_sides = [a for a in test.args if self._literal(a) is None]
        found = {known[a].op if a in known else "" for a in open_sides}
        name = found.pop() if len(found) == 1 else ""
        return name if name in _EXTENSIONS else ""

    def _literal(self, name: str) -> str | None:
        scalar = self.scalars.get(name)
        return None if scalar is None else scalar.literal

    def _value(self, name: str, first: dict[str, str], narrow: str = "", extension: str = "") -> object:
        """What equal values have in common: their constant, the name of their first load, or their name.

        Constants of a `narrow` type are as they are after the `extension`.
        """
        literal = self._literal(name)
        if literal is None:
            return first.get(name, name)
        if self.scalars[name].element.startswith(("f", "bf")):
            return float(literal)
        return _extended(int(literal), narrow, extension) if extension else int(literal)


def _extended(number: int, narrow: str, extension: str) -> int:
    """What an extension makes of a number of a narrow type."""
    count = 1 << int(narrow.removeprefix("i"))
    low = 0 if extension == "arith.extui" else -count // 2
    return (number - low) % count + low


def _order(test: Compute) -> tuple[bool, str] | None:
    """Whether a comparison asks for the larger number, and how they are ordered; None if by no order."""
    number = number_of(test.attrs)
    if test.op == "arith.cmpi":
        name, kind = CMPI[number], "ui" if number >= FIRST_UNSIGNED else "si"
    elif test.op == "arith.cmpf" and number < CMPF.index("ord"):
        name, kind = CMPF[number], "f"
    else:
        return None
    return (name.startswith("g"), kind) if name.startswith(("g", "l")) else None


def _made(name: str, known: dict[str, Compute], first: dict[str, str], most: int = _MOST_STEPS) -> dict[str, _Steps]:
    """For each loaded value from which operations of one kind compute `name`, by its first name: these operations."""
    found = {first[name]: _Steps()} if name in first else {}
    step = known.get(name)
    short = step.op.removeprefix("arith.") if step is not None else ""
    if step is None or short not in _NOTHING or len(step.args) != 2 or not most:
        return found
    op, (left, right) = _INVERSE.get(short, short), step.args
    for kept, steps in _made(left, known, first, most - 1).items():
        if steps.op in ("", op):
            found[kept] = _Steps(op, (*steps.terms, (short != op, right)))
    for kept, steps in _made(right, known, first, most - 1).items() if short == op else ():
        if steps.op in ("", op):
            found.setdefault(kept, _Steps(op, (*steps.terms, (False, left))))
    return found
