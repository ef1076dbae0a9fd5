"""Whether two programs are the same but for names: such programs compute the same, whatever that is."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping

from raising.affine.ir.affine_expr import Cond, Lin, var
from raising.affine.ir.degenerate_loops import simplify
from raising.affine.ir.program import Compute, Guard, IndexValue, Load, Loop, Node, Program, Store, walk
from raising.affine.ir.value_names import without_unused
from raising.validate.reading.pair import Pair


def same_text(pair: Pair, accesses: bool = False) -> bool:
    """Whether both programs do the same, operation by operation, to memories that correspond one to one.

    Arguments and sizes correspond by their names; values, loops and memories that a program makes correspond by the
    order in which they are used. Values that nothing uses do not count, but for loads if it is about `accesses`.
    """
    sides = _Text(pair.source, pair.scopes, accesses), _Text(pair.target, pair.scopes, accesses)
    one, other = (list(s.lines()) for s in sides)
    return one == other and all(sides[0].name(a) == sides[1].name(b) for a, b in pair.outputs)


class _Text:
    """A program in names that do not depend on who wrote it."""

    def __init__(self, program: Program, scopes: Mapping[str, int], accesses: bool) -> None:
        self.program, self.scopes, self.accesses = program, scopes, accesses
        self.numbers: dict[str, str] = {}

    def lines(self) -> Iterator[Hashable]:
        """The nodes, each with how deep it is."""
        body = simplify(self.program).body
        return self._lines(without_unused(body, lambda n: not (self.accesses and isinstance(n, Load))), 0)

    def name(self, name: str) -> str:
        """A name: that of an argument or a size as it is, others by the order in which they are used."""
        array, scalar = self.program.arrays.get(name), self.program.scalars.get(name)
        if name in self.program.sizes or (array is not None and array.kind == "argument"):
            return name
        if scalar is not None:
            return name if scalar.literal is None else f"{scalar.literal} : {scalar.element}"
        return self.numbers.setdefault(name, f"#{len(self.numbers)}")

    def _lines(self, nodes: tuple[Node, ...], depth: int) -> Iterator[Hashable]:
        for node in nodes:
            if isinstance(node, Loop | Guard) and all(isinstance(n, Loop | Guard) for n in walk(node.body)):
                continue  # nothing is left in it
            yield (depth, type(node).__name__, *self._parts(node))
            if isinstance(node, Loop | Guard):
                yield from self._lines(node.body, depth + 1)

    def _parts(self, node: Node) -> tuple[Hashable, ...]:
        match node:
            case Loop():
                bounds = self._forms(node.lower), self._forms(node.upper)
                return self.name(node.iv), *bounds, node.step, bool(node.parallel)
            case Guard():
                return (frozenset(Cond(self._form(c.form), c.equality) for c in node.conds),)
            case Load():
                return (*self._element(node), self.name(node.dst))
            case Store():
                return (*self._element(node), self.name(node.value))
            case Compute():
                return node.op, node.attrs, node.element, tuple(map(self.name, node.args)), self.name(node.dst)
            case IndexValue():
                return node.element, self._form(node.form), self.name(node.dst)

    def _element(self, node: Load | Store) -> tuple[Hashable, ...]:
        array = self.program.arrays[node.array]
        memory = array.element, self._forms(array.shape), array.kind, array.clamped, self.scopes.get(node.array)
        return self.name(node.array), memory, self._forms(node.subscripts)

    def _forms(self, forms: tuple[Lin, ...]) -> tuple[Lin, ...]:
        return tuple(map(self._form, forms))

    def _form(self, form: Lin) -> Lin:
        return form.substitute(lambda n: var(self.name(n)))
