"""Terms: tensor programs over a grammar, with symbolic shapes.

A term says what is computed (maps and a scalar body); which operation of the target spells it is chosen when it is
built (`raising.grammar.select.selector`). Terms are immutable and compared by a digest of their structure, so shared
subterms cost nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from typing import Any

from raising.affine.ir.affine_expr import Cond, Lin
from raising.grammar.terms.procedure import Procedure
from raising.grammar.terms.structured_op import Body, Map
from raising.support.record import dataclass


@dataclass(frozen=True)
class TensorType:
    """Element type and extents; no extents is a scalar."""

    element: str
    dims: tuple[Lin, ...]

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.dims)

    def __str__(self) -> str:
        return "x".join([*(f"({d})" if len(d.terms) > 1 or d.const else str(d) for d in self.dims), self.element])


@dataclass(frozen=True, eq=False)
class Term:
    """A node of a tensor program; equality is structural, by digest.

    The fields of a node that are terms, or tuples of terms, are its operands.
    """

    type: TensorType

    @cached_property
    def operands(self) -> tuple[Term, ...]:
        """The terms this one is computed from."""
        found: list[Term] = []
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, Term):
                found.append(value)
            elif _holds_terms(value):
                found += value
        return tuple(found)

    @cached_property
    def digest(self) -> bytes:
        """A hash of the whole term's structure."""
        values = [getattr(self, f.name) for f in fields(self)]
        own = [v for v in values if not isinstance(v, Term) and not _holds_terms(v)]
        h = hashlib.blake2b(repr((type(self).__name__, own)).encode(), digest_size=16)
        for operand in self.operands:
            h.update(operand.digest)
        return h.digest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Term) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def nodes(self) -> Iterator[Term]:
        """Every distinct node, operands before users."""
        yield from nodes((self,))


def _holds_terms(value: object) -> bool:
    return isinstance(value, tuple) and len(value) > 0 and isinstance(value[0], Term)


@dataclass(frozen=True, eq=False)
class Input(Term):
    """A tensor or scalar that is given, by name."""

    name: str


@dataclass(frozen=True, eq=False)
class Literal(Term):
    """A scalar constant, as exact text."""

    text: str


@dataclass(frozen=True, eq=False)
class Mask(Term):
    """A truth tensor made from indices: one of `alternatives` holds at (d0, d1, …)."""

    alternatives: tuple[tuple[Cond, ...], ...]


def mask_of(dims: tuple[Lin, ...], alternatives: Sequence[Sequence[Cond]], place: Mapping[str, Lin]) -> Mask:
    """The mask of conditions on other names, each of which is a form over (d0, d1, …)."""
    moved = tuple(tuple(c.substitute(place.get) for c in conds) for conds in alternatives)
    return Mask(TensorType("i1", dims), moved)


@dataclass(frozen=True, eq=False)
class Position(Term):
    """An integer tensor whose element at (d0, d1, …) is `form`."""

    form: Lin


@dataclass(frozen=True, eq=False)
class Window(Term):
    """The box of `source` that starts at `offsets`; dimension k is `source`'s dimension `kept[k]`.

    The other dimensions of `source` are fixed at their offset.
    """

    source: Term
    offsets: tuple[Lin, ...]
    kept: tuple[int, ...]
    strides: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Reverse(Term):
    """`source` with the order along some dimensions reversed."""

    source: Term
    axes: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Reshape(Term):
    """`source` with neighbouring dimensions as one, or with one as several: its elements in their order.

    `groups` counts the dimensions of the tensor of higher rank for each dimension of the other.
    """

    source: Term
    groups: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Insert(Term):
    """`into` with the box that a `Window` of the same fields would read replaced by `piece`."""

    into: Term
    piece: Term
    offsets: tuple[Lin, ...]
    kept: tuple[int, ...]
    strides: tuple[int, ...]


def box_extents(box: Window | Insert) -> tuple[Lin, ...]:
    """The extent of a box along each dimension of the tensor that it lies in: one along dimensions not kept."""
    piece = box.type if isinstance(box, Window) else box.piece.type
    kept = dict(zip(box.kept, piece.dims, strict=True))
    return tuple(kept.get(k, Lin(1)) for k in range(len(box.offsets)))


@dataclass(frozen=True, eq=False)
class Either(Term):
    """`yes` where all `conds`, on sizes alone, hold; else `no`."""

    conds: tuple[Cond, ...]
    yes: Term
    no: Term


@dataclass(frozen=True, eq=False)
class Undefined(Term):
    """A tensor whose contents nobody reads."""


@dataclass(frozen=True, eq=False)
class Apply(Term):
    """A structured computation. `maps` has one entry per input, the output's last.

    A body that accumulates starts from `init`, or from the combiner's neutral
    element where `init` is None.
    """

    body: Body
    maps: tuple[Map, ...]
    inputs: tuple[Term, ...]
    init: Term | None = None

    def extents(self) -> tuple[Lin, ...]:
        """The extent of each iteration dimension."""
        found: dict[int, Lin] = {}
        types = [t.type for t in self.inputs] + [self.type]
        for m, t in zip(self.maps, types, strict=True):
            found.update((e, d) for e, d in zip(m, t.dims, strict=True) if isinstance(e, int))
        return tuple(found[d] for d in range(len(found)))


@dataclass(frozen=True, eq=False)
class Call(Term):
    """An operation of the target that is a recurrence, on its operands."""

    procedure: Procedure
    inputs: tuple[Term, ...]


@dataclass(frozen=True, repr=False)
class Step:
    """One iteration of a loop `for iv = max(lower) to min(upper) step step`, as a closed program.

    Inside, `iv` is a size. `carried` stand for the tensors before the iteration, `given` for what
    all iterations read; `results` are the carried tensors after it, in their order.
    """

    iv: str
    lower: tuple[Lin, ...]
    upper: tuple[Lin, ...]
    step: int
    carried: tuple[Input, ...]
    given: tuple[Input, ...]
    results: tuple[Term, ...]

    def trips(self, sizes: Mapping[str, int]) -> range:
        """The values of `iv`."""
        low = max(f.evaluate(sizes) for f in self.lower)
        return range(low, min(f.evaluate(sizes) for f in self.upper), self.step)

    def __repr__(self) -> str:
        terms = [t.digest.hex() for t in (*self.carried, *self.given, *self.results)]
        return f"Step({self.iv}, {self.lower}, {self.upper}, {self.step}, {len(self.carried)}, {terms})"


@dataclass(frozen=True, eq=False)
class Recur(Term):
    """Tensor `number` of those that a loop carries, after the loop: its iterations run one after the other.

    `inits` are the carried tensors before the loop, `given` what `step.given` stand for.
    """

    step: Step
    inits: tuple[Term, ...]
    given: tuple[Term, ...]
    number: int

    @property
    def loop(self) -> tuple[object, ...]:
        """The common parts of the results of one loop."""
        return repr(self.step), tuple(t.digest for t in (*self.inits, *self.given))


def reshaped(term: Term, kind: TensorType, groups: tuple[int, ...]) -> Term:
    """A term as one of another type with the same elements; what was reshaped before it is not reshaped twice."""
    if isinstance(term, Reshape) and term.source.type == kind:
        return term.source
    return Reshape(kind, term, groups)


def within(roots: tuple[Term, ...]) -> Iterator[Term]:
    """Every distinct node below `roots`, those in the iterations of loops included."""
    loops: dict[str, Step] = {}
    for node in nodes(roots):
        yield node
        if isinstance(node, Recur):
            loops[repr(node.step)] = node.step
    for step in loops.values():
        yield from within(step.results)


def nodes(roots: tuple[Term, ...]) -> Iterator[Term]:
    """Every distinct node below `roots`, operands before users, in a fixed order."""
    seen: set[bytes] = set()
    stack: list[tuple[Term, bool]] = [(r, False) for r in reversed(roots)]
    while stack:
        term, ready = stack.pop()
        if ready:
            yield term
        elif term.digest not in seen:
            seen.add(term.digest)
            stack.append((term, True))
            stack.extend((o, False) for o in reversed(term.operands))


def rebuild(term: Term, operands: tuple[Term, ...]) -> Term:
    """The same node over other operands; the node itself if they are its own."""
    if all(a is b for a, b in zip(operands, term.operands, strict=True)):
        return term
    pending = iter(operands)
    changed: dict[str, Any] = {}
    for f in fields(term):
        value = getattr(term, f.name)
        if isinstance(value, Term):
            changed[f.name] = next(pending)
        elif _holds_terms(value):
            changed[f.name] = tuple(next(pending) for _ in value)
    return replace(term, **changed)


def rewritten_terms(roots: tuple[Term, ...], change: Callable[[Term, Term], Term]) -> tuple[Term, ...]:
    """Terms in which each node is what `change` makes of it, and of the node over rewritten operands."""
    new: dict[bytes, Term] = {}
    for node in nodes(roots):
        new[node.digest] = change(node, rebuild(node, tuple(new[o.digest] for o in node.operands)))
    return tuple(new[r.digest] for r in roots)


def substitute(roots: tuple[Term, ...], replace: dict[bytes, Term]) -> tuple[Term, ...]:
    """The roots with every node whose digest is in `replace` exchanged."""
    return rewritten_terms(roots, lambda node, rebuilt: replace.get(node.digest, rebuilt))
