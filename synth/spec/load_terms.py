"""The loads of a part as inputs of the search: whole arrays, or the box that a load reads, as a window.

A load that runs down is offered forwards, too. One that reads only part of its box (a triangle) is offered with zeros
elsewhere, so that an operation over all of the box may take it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any

from raising.affine.ir.affine_expr import Lin, var
from raising.affine.polyhedral.bounding_box import Box
from raising.affine.polyhedral.distribution import Part
from raising.affine.polyhedral.scop import Access, Scop, conjunctions, telling_set
from raising.grammar.terms.pointwise import filled
from raising.grammar.terms.structured_op import Body
from raising.grammar.terms.term import Apply, Input, Insert, Literal, Reverse, TensorType, Term, Window, mask_of
from raising.support.record import dataclass
from raising.synth.spec.constant_boxes import Reach
from raising.synth.spec.loop_values import Value, load_value
from raising.synth.spec.padding import padded
from raising.synth.spec.spec import type_of

Boxes = Mapping[str, Box | None]
"""What each load and store spans, by its name, and what the stores to an array do, by its name."""


@dataclass(frozen=True)
class LoadTerms:
    """One load: the terms it offers as inputs, and what it reads as a value over its loops."""

    load: str
    terms: list[Term]
    value: Value | None


class Loads:
    """The loads of a part; `scop` is its program, perhaps rewritten, and `select` chooses by a mask."""

    def __init__(self, part: Part, scop: Scop, select: Body | None) -> None:
        self.part, self.scop, self.select = part, scop, select
        read = {i.name for i in part.inputs}
        loads = [load for load in scop.loads.values() if load.node.array in read]
        self.inputs = [(Input(type_of(part.program, load.node.array), load.node.array), load) for load in loads]

    def whole(self) -> list[LoadTerms]:
        """Every load as one of a whole array."""
        return [self._of_array(term, load, False) for term, load in self.inputs]

    def in_boxes(self, boxes: Boxes, reaches: Mapping[str, Reach | None]) -> list[LoadTerms]:
        """Every load as one of its box, if it has one; boxes of constant extent may have to `reach` beyond an array."""
        return [self._of_box(term, load, boxes[load.name], reaches) for term, load in self.inputs]

    def from_padded(self, wide: Mapping[str, Term], boxes: Boxes) -> list[LoadTerms]:
        """Every load as one of its box, but for those of arrays with zeros around them, by the loads' names."""
        return [
            self._of_padded(wide[load.name], load)
            if load.name in wide
            else self._of_box(term, load, boxes[load.name], {})
            for term, load in self.inputs
        ]

    def padded(self, free: Scop, values: dict[str, Lin]) -> dict[str, Term]:
        """Each load that conditions keep inside of its array, as one from an array with zeros around it.

        `free` is the program without these conditions.
        """
        wide = {e.name: padded(t, e, free.loads[e.name], self.scop.program, values) for t, e in self.inputs}
        return {name: term for name, term in wide.items() if term is not None}

    # ---- one load ----------------------------------------------------------------------------------

    def _of_array(self, term: Input, load: Access, framed: bool, holes: bool = False) -> LoadTerms:
        """A load of a whole array: as it stands, and in the order in which its loops visit it.

        With `holes`, what it reads is known not to be a smaller box.
        """
        every = tuple(range(term.type.rank))
        forwards = _forwards(term, load, every)
        value = load_value(forwards, load, every, self.scop.program, framed)
        terms = [term, *self._masked(term, load, None, holes)]
        return LoadTerms(load.name, terms if forwards is term else [forwards, *terms], value)

    def _of_padded(self, wide: Term, load: Access) -> LoadTerms:
        """A load from an array with zeros around it."""
        value = load_value(wide, load, tuple(range(wide.type.rank)), self.scop.program, True)
        return LoadTerms(load.name, [wide], value)

    def _of_box(self, term: Input, load: Access, box: Box | None, reaches: Mapping[str, Reach | None]) -> LoadTerms:
        """A load of a box; of the whole array if that is the box, or there is none."""
        if box is None or box.covers(term.type.dims):
            return self._of_array(term, load, box is not None, holes=True)
        window = _window(term, box, reaches.get(load.name))
        windows = [window, *self._masked(window, load, box)]
        terms = [_forwards(t, load, box.kept) for t in windows]
        summed = reaches and self.part.carried  # elsewhere what is beside the elements read goes nowhere
        value = load_value(terms[-1] if summed else terms[0], load, box.kept, self.part.program, True)
        return LoadTerms(load.name, [*terms, *windows], value)  # the windows, too: what they are for may run down

    # ---- zeros beside what is read -----------------------------------------------------------------

    def _masked(self, term: Term, load: Access, box: Box | None, holes: bool = False) -> Iterator[Term]:
        """The input with zeros where the load does not read, and where none like it does, if that is not everywhere."""
        node = load.node
        loads = [a for a in self.scop.loads.values() if a.node.array == node.array]
        alike = [a.relation.range() for a in loads if a.node.subscripts == node.subscripts]
        if self.select is None or not self._may_be_masked(term, load, box, holes):
            return
        yield from self._with_zeros(self.select, term, load, box, load.relation.range())
        if len(alike) > 1 and box is None:
            yield from self._with_zeros(self.select, term, load, box, functools.reduce(lambda a, b: a.union(b), alike))

    def _may_be_masked(self, term: Term, load: Access, box: Box | None, holes: bool) -> bool:
        """Whether zeros may be of use: not for what is added to where it is written, for strides, nor for boxes of
        vectors.
        """
        writes = [s.write.node for s in self.scop.writers.get(load.node.array, [])]
        inner = bool(self.scop.program.outer)
        if any(not inner or w.subscripts == load.node.subscripts for w in writes):
            return False
        if min(len(load.ivs), term.type.rank) < (1 if inner or holes else 2):
            return False
        return box is None or (all(s == 1 for s in box.strides) and (inner or len(box.kept) == len(box.low)))

    def _with_zeros(self, select: Body, term: Term, load: Access, box: Box | None, read: Any) -> Iterator[Term]:
        """The input with zeros where it is not `read` (an isl set), if that is not everywhere."""
        array, context = load.node.array, telling_set(self.scop.program)
        region = read.intersect_params(context).coalesce()
        every = self.scop.box(array) if box is None else box.region(array, self.scop.program)
        every = every.intersect_params(context)
        if every.is_subset(region):
            return
        names = tuple(f"e{k}" for k in range(len(load.node.subscripts)))
        alternatives = conjunctions(region.gist(every).coalesce(), names)
        if not alternatives:
            return
        if box is None:
            indices = {name: var(f"d{k}") for k, name in enumerate(names)}
        else:
            indices = dict(zip(names, box.low, strict=True))
            indices |= {f"e{dim}": var(f"d{k}") + box.low[dim] for k, dim in enumerate(box.kept)}
        identity = tuple(range(term.type.rank))
        zero = Literal(TensorType(term.type.element, ()), "0")
        truth = mask_of(term.type.dims, alternatives, indices)
        yield Apply(term.type, select, (identity, identity, (), identity), (truth, term, zero))


def _window(term: Term, box: Box, reach: Reach | None) -> Window:
    """A box of a tensor, of zeros where it leaves the tensor."""
    kind = TensorType(term.type.element, box.extents)
    if reach is None or reach.inside:
        return Window(kind, term, box.low, box.kept, box.strides)
    dims = tuple(a + n + b for a, n, b in zip(reach.before, term.type.dims, reach.after, strict=True))
    wide, rank = TensorType(term.type.element, dims), len(dims)
    padded = Insert(wide, filled(wide, "0"), term, reach.before, tuple(range(rank)), (1,) * rank)
    low = tuple(a + b for a, b in zip(box.low, reach.before, strict=True))
    return Window(kind, padded, low, box.kept, box.strides)


def _forwards(window: Term, load: Access, kept: tuple[int, ...]) -> Term:
    """A window in the order in which its loops visit it."""
    forms = [load.node.subscripts[dim] for dim in kept]
    down = tuple(k for k, f in enumerate(forms) if any(c < 0 for n, c in f.terms if n in load.ivs))
    return Reverse(window.type, window, down) if down else window
