"""Terms: tensor programs over a grammar, with symbolic shapes.

A term says what is computed (maps and a scalar body); which operation of the
target spells it is chosen when it is built (`spell.py`). Terms are immutable
and compared by a digest of their structure, so shared subterms cost nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from affine.expr import Cond, Lin
from grammar.meaning import Body, Map


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
    """A node of a tensor program; equality is structural, by digest."""

    type: TensorType

    def parts(self) -> tuple[object, ...]:
        """What distinguishes this node from others of its class, operands left out."""
        raise NotImplementedError

    @property
    def operands(self) -> tuple[Term, ...]:
        """The terms this one is computed from."""
        return ()

    @cached_property
    def digest(self) -> bytes:
        """A hash of the whole term's structure."""
        h = hashlib.blake2b(repr((type(self).__name__, self.type, self.parts())).encode(), digest_size=16)
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


@dataclass(frozen=True, eq=False)
class Input(Term):
    """A tensor or scalar that is given, by name."""

    name: str

    def parts(self) -> tuple[object, ...]:
        return (self.name,)


@dataclass(frozen=True, eq=False)
class Literal(Term):
    """A scalar constant, as exact text."""

    text: str

    def parts(self) -> tuple[object, ...]:
        return (self.text,)


@dataclass(frozen=True, eq=False)
class Mask(Term):
    """A truth tensor made from indices: one of `alternatives` holds at (d0, d1, …)."""

    alternatives: tuple[tuple[Cond, ...], ...]

    def parts(self) -> tuple[object, ...]:
        return (self.alternatives,)


@dataclass(frozen=True, eq=False)
class Position(Term):
    """An integer tensor whose element at (d0, d1, …) is `form`."""

    form: Lin

    def parts(self) -> tuple[object, ...]:
        return (self.form,)


@dataclass(frozen=True, eq=False)
class Window(Term):
    """The box of `source` that starts at `offsets`; dimension k is `source`'s dimension `kept[k]`.

    The other dimensions of `source` are fixed at their offset.
    """

    source: Term
    offsets: tuple[Lin, ...]
    kept: tuple[int, ...]
    strides: tuple[int, ...]

    def parts(self) -> tuple[object, ...]:
        return (self.offsets, self.kept, self.strides)

    @property
    def operands(self) -> tuple[Term, ...]:
        return (self.source,)


@dataclass(frozen=True, eq=False)
class Insert(Term):
    """`into` with the box that a `Window` of the same fields would read replaced by `piece`."""

    into: Term
    piece: Term
    offsets: tuple[Lin, ...]
    kept: tuple[int, ...]
    strides: tuple[int, ...]

    def parts(self) -> tuple[object, ...]:
        return (self.offsets, self.kept, self.strides)

    @property
    def operands(self) -> tuple[Term, ...]:
        return (self.into, self.piece)


@dataclass(frozen=True, eq=False)
class Either(Term):
    """`yes` where all `conds`, on sizes alone, hold; else `no`."""

    conds: tuple[Cond, ...]
    yes: Term
    no: Term

    def parts(self) -> tuple[object, ...]:
        return (self.conds,)

    @property
    def operands(self) -> tuple[Term, ...]:
        return (self.yes, self.no)


@dataclass(frozen=True, eq=False)
class Undefined(Term):
    """A tensor whose contents nobody reads."""

    def parts(self) -> tuple[object, ...]:
        return ()


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

    def parts(self) -> tuple[object, ...]:
        return (self.body, self.maps, self.init is None)

    @property
    def operands(self) -> tuple[Term, ...]:
        return self.inputs if self.init is None else (*self.inputs, self.init)

    def extents(self) -> tuple[Lin, ...]:
        """The extent of each iteration dimension."""
        found: dict[int, Lin] = {}
        types = [t.type for t in self.inputs] + [self.type]
        for m, t in zip(self.maps, types, strict=True):
            found.update((e, d) for e, d in zip(m, t.dims, strict=True) if isinstance(e, int))
        return tuple(found[d] for d in range(len(found)))


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
    """The same node over other operands."""
    if isinstance(term, Apply):
        inputs, init = operands[: len(term.inputs)], operands[len(term.inputs) :]
        return Apply(term.type, term.body, term.maps, inputs, init[0] if init else None)
    if isinstance(term, Window):
        return Window(term.type, operands[0], term.offsets, term.kept, term.strides)
    if isinstance(term, Either):
        return Either(term.type, term.conds, *operands)
    if isinstance(term, Insert):
        return Insert(term.type, *operands, term.offsets, term.kept, term.strides)
    return term


def substitute(roots: tuple[Term, ...], replace: dict[bytes, Term]) -> tuple[Term, ...]:
    """The roots with every node whose digest is in `replace` exchanged."""
    new: dict[bytes, Term] = {}
    for node in nodes(roots):
        if node.digest in replace:
            new[node.digest] = replace[node.digest]
        else:
            operands = tuple(new[o.digest] for o in node.operands)
            changed = any(a is not b for a, b in zip(operands, node.operands, strict=True))
            new[node.digest] = rebuild(node, operands) if changed else node
    return tuple(new[r.digest] for r in roots)
