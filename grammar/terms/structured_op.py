"""Structured operations: what one production computes, as maps, iterators and a scalar body.

This is linalg's view (one loop per iteration dimension, one map per operand, one scalar function), to which every
target operation is lowered by its own dialect's pipeline.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raising.grammar.terms.scalar_ops import SCALARS
from raising.support.record import dataclass

_WIDTH = re.compile(r"\d+")

Linear = tuple[tuple[int, int], ...]  # Σ coefficient · iteration dimension, as (dimension, coefficient) pairs
Map = tuple["int | Linear", ...]  # dimension r of the operand is read at map[r], mostly one iteration dimension


def dims_of(m: Map) -> tuple[int, ...]:
    """The iteration dimensions that a map mentions, in order of appearance."""
    found: dict[int, None] = {}
    for entry in m:
        found |= dict.fromkeys((entry,) if isinstance(entry, int) else tuple(d for d, _ in entry))
    return tuple(found)


def is_projection(m: Map) -> bool:
    """True if each dimension of the operand is one iteration dimension of its own."""
    return all(isinstance(e, int) for e in m) and len(set(m)) == len(m)


def renamed(m: Map, order: Sequence[int]) -> Map:
    """A map with iteration dimension order[k] called k."""
    where = {d: k for k, d in enumerate(order)}
    return tuple(where[e] if isinstance(e, int) else tuple(sorted((where[d], c) for d, c in e)) for e in m)


def is_linear(maps: Sequence[Map]) -> bool:
    """True if some operand is read at a sum or a multiple of iteration dimensions."""
    return any(not isinstance(e, int) for m in maps for e in m)


def coefficients(maps: Sequence[Map]) -> tuple[int, ...]:
    """The coefficients of all sums in `maps`, in order."""
    return tuple(c for m in maps for e in m if not isinstance(e, int) for _, c in e)


def with_coefficients(maps: Sequence[Map], values: Sequence[int]) -> tuple[Map, ...]:
    """The maps with other coefficients, in the order of `coefficients`."""
    rest = iter(values)
    return tuple(tuple(e if isinstance(e, int) else tuple((d, next(rest)) for d, _ in e) for e in m) for m in maps)


def maps_text(maps: Sequence[Map], rank: int) -> str:
    """Maps from `rank` iteration dimensions as MLIR writes an array of them."""

    def entry(e: int | Linear) -> str:
        pairs = ((e, 1),) if isinstance(e, int) else e
        return " + ".join(f"d{d}" if c == 1 else f"d{d} * {c}" for d, c in pairs)

    dims = ", ".join(f"d{k}" for k in range(rank))
    return "[" + ", ".join(f"affine_map<({dims}) -> ({', '.join(map(entry, m))})>" for m in maps) + "]"


@dataclass(frozen=True)
class Instr:
    """One scalar operation. `args` number earlier values; `attrs` are (name, MLIR text) pairs.

    `type` is given where neither the operands nor the body's result tell the
    type of the value: a cast in the middle of a body.
    """

    op: str
    args: tuple[int, ...]
    attrs: tuple[tuple[str, str], ...] = ()
    type: str = ""


@dataclass(frozen=True)
class Body:
    """A scalar function in SSA form.

    Values 0 … arity-1 are the block arguments (inputs, then the output's old
    element); value arity+i is the result of `instrs[i]`.
    """

    arity: int
    instrs: tuple[Instr, ...]
    result: int

    def uses(self, value: int) -> int:
        """How often `value` is used, the result counted."""
        return sum(i.args.count(value) for i in self.instrs) + (self.result == value)

    def ordered(self, commutative: frozenset[str]) -> Body:
        """The same function with the operands of commutative operations in ascending order."""
        instrs = tuple(
            Instr(i.op, tuple(sorted(i.args)), i.attrs, i.type) if i.op in commutative else i for i in self.instrs
        )
        return Body(self.arity, instrs, self.result)

    @property
    def reads_output(self) -> bool:
        """True if the old element of the output takes part: the production accumulates."""
        return self.uses(self.arity - 1) > 0


COPY = Body(2, (), 0)  # the element as it is


@dataclass(frozen=True)
class Meaning:
    """One structured computation: a map per operand (the output is last) and a body.

    Iteration dimensions that the output's map lacks are reduced.
    """

    maps: tuple[Map, ...]
    body: Body

    @property
    def num_dims(self) -> int:
        """The number of iteration dimensions."""
        return 1 + max((d for m in self.maps for d in dims_of(m)), default=-1)

    @property
    def reduced(self) -> tuple[int, ...]:
        """Iteration dimensions that do not reach the output."""
        return tuple(d for d in range(self.num_dims) if d not in self.maps[-1])

    def canonical(self) -> Meaning:
        """The same computation with dimensions numbered by first appearance, the output's first."""
        order: list[int] = []
        for m in (self.maps[-1], *self.maps[:-1]):
            order += [d for d in dims_of(m) if d not in order]
        return Meaning(tuple(renamed(m, order) for m in self.maps), self.body)


@dataclass(frozen=True)
class Production:
    """One thing the target can say: an operation with its attributes fixed, and what that means.

    `elements` has one entry per operand, the output last: `f64` stands for any
    floating-point type, `i32` for any signless integer, `i1` for itself; `f32` and
    `i8` beside these for narrower ones.
    With `free_maps` the operation takes its maps as an attribute, and
    `meaning.maps` is only the sample on which it was probed.

    `zero_rank` says how inputs with an empty map may be typed: `scalar` (f64),
    `tensor` (tensor<f64>), `both`, or nothing if the production has no such input.

    `operands` says what the operation's SSA operands are. Empty: destination
    style, the inputs and then the output tensor. Otherwise one entry per
    operand: the number of an input of the meaning, `init` (a tensor of rank
    zero that an accumulation starts from), or, in quotes, the text of an
    operation that makes a constant (its element types are replaced like those of
    `region`; `{dims}` is a comma separated list, the value of the role called
    `#K` after the operand's position K, and `{n}` its length). Without an `init`
    an accumulation starts from the combiner's neutral element.

    `factors` names attributes that hold coefficients of `meaning.maps`: (attribute,
    the coefficients of the sample that its elements stand for, format with `{}` for
    the list). The sample's coefficients are distinct primes, which tell them apart.

    `units` lists, per entry of `meaning.maps`, the dimensions that the operand
    (or result) has besides those of its map: they are of extent one.

    `region` is the text of the operation's region in generic form, or nothing;
    the element types in it are those of `elements`, to be replaced alike.

    With a `family` the operation is a way of moving elements of tensors of any
    rank, `meaning` is only a sample, and `roles` says what each attribute holds:
    (attribute, role, format). The format has one `{}` for the value (a comma
    separated list for the roles that have one value per dimension), and may
    have `{type}` for the type of the result.

    family     result                                              roles
    `window`   input[start + i*stride] for i < extent               start, stride, limit, extent
    `reverse`  input with the order along `axes` reversed           axes
    `insert`   input 0 at start + i*(gap+1), elsewhere input 1      start, gap, rest, edges
               (of one element) or, without that, the body's constant
    `concat`   all operands (any number) in a row along `axis`      axis
    `index`    the position along `axis`, through the body's casts  axis
               (in the body, the instruction `position` with dim = 0)
    `fill`     one value everywhere                                 value
    `reshape`  the elements in the same order                       extent
    `tile`     the input repeated `times` along each dimension      times

    `edges` is start and rest of each dimension in turn; `extent` the result's shape.
    `limit` is start + (extent-1)*stride + 1; `rest` is how many elements follow
    the last one placed: extent of result - 1 - (start + (n-1)*(gap+1)).
    """

    op: str
    attrs: tuple[tuple[str, str], ...]
    elements: tuple[str, ...]
    meaning: Meaning
    free_maps: bool = False
    zero_rank: str = ""
    operands: tuple[str, ...] = ()
    region: str = ""
    family: str = ""
    roles: tuple[tuple[str, str, str], ...] = ()
    units: tuple[tuple[int, ...], ...] = ()
    factors: tuple[tuple[str, tuple[int, ...], str], ...] = ()


def element_fits(pattern: str, element: str, bound: dict[str, str]) -> bool:
    """Whether an element type is of a pattern's kind, and the one that the pattern stands for already in `bound`.

    Two patterns of one kind (`i8` and `i32`) stand for types whose widths are in the same order.
    """
    if "i1" in (pattern, element) or element == "index":
        return pattern == element
    if pattern[0] != ("f" if element == "bf16" else element[0]) or bound.setdefault(pattern, element) != element:
        return False
    others = ((p, e) for p, e in bound.items() if p != pattern and p[0] == pattern[0])
    return all(_order(pattern, p) == _order(element, e) for p, e in others)


def _order(first: str, second: str) -> int:
    """Which of two element types is the wider one: 1, 0 or -1."""
    a, b = (_WIDTH.search(name) for name in (first, second))
    assert a is not None and b is not None
    return (int(a[0]) > int(b[0])) - (int(a[0]) < int(b[0]))


@dataclass(frozen=True)
class Excluded:
    """An operation that is not used, and why."""

    operation: str
    why: str


def combiner(body: Body) -> str | None:
    """The associative-commutative operation by which a body accumulates; None if it does not."""
    if not body.reads_output:
        return None
    last = body.instrs[body.result - body.arity] if body.result >= body.arity else None
    out = body.arity - 1
    if last is None or last.args.count(out) != 1 or body.uses(out) != 1 or body.uses(body.result) != 1:
        raise ValueError("the body uses its old output other than by one combining operation")
    if last.op not in SCALARS or SCALARS[last.op].neutral is None:
        raise ValueError(f"'{last.op}' is not a known associative-commutative operation")
    return last.op


def scalar_part(body: Body) -> tuple[Body, str | None]:
    """A body without its accumulation (over the inputs only), and the combiner."""
    op = combiner(body)
    if op is None:
        return body, None
    last = body.instrs[body.result - body.arity]
    rest = next(a for a in last.args if a != body.arity - 1)
    return Body(body.arity, body.instrs, rest), op


CONSTANT = "arith.constant"  # may stand in a body beside the operations of the table
