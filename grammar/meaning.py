"""Meaning: what one production computes, as maps, iterators and a scalar body.

This is the structured-operation view of linalg (one loop per iteration
dimension, one map per operand, one scalar function), to which every target
operation is lowered by its own dialect's pipeline.
"""

from __future__ import annotations

from dataclasses import dataclass

Map = tuple[int, ...]  # a projected permutation: result r of the operand is iteration dimension map[r]


@dataclass(frozen=True)
class Instr:
    """One scalar operation. `args` number earlier values; `attrs` are (name, MLIR text) pairs."""

    op: str
    args: tuple[int, ...]
    attrs: tuple[tuple[str, str], ...] = ()


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
            Instr(i.op, tuple(sorted(i.args)), i.attrs) if i.op in commutative else i for i in self.instrs
        )
        return Body(self.arity, instrs, self.result)

    @property
    def reads_output(self) -> bool:
        """True if the old element of the output takes part: the production accumulates."""
        return self.uses(self.arity - 1) > 0


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
        return 1 + max((d for m in self.maps for d in m), default=-1)

    @property
    def reduced(self) -> tuple[int, ...]:
        """Iteration dimensions that do not reach the output."""
        return tuple(d for d in range(self.num_dims) if d not in self.maps[-1])

    def canonical(self) -> Meaning:
        """The same computation with dimensions numbered by first appearance, the output's first."""
        order: list[int] = []
        for m in (self.maps[-1], *self.maps[:-1]):
            order += [d for d in m if d not in order]
        return Meaning(tuple(tuple(order.index(d) for d in m) for m in self.maps), self.body)


@dataclass(frozen=True)
class Production:
    """One thing the target can say: an operation with its attributes fixed, and what that means.

    `elements` has one entry per operand, the output last: `f64` stands for any
    floating-point type, `i32` for any signless integer, `i1` for itself.
    With `free_maps` the operation takes its maps as an attribute, and
    `meaning.maps` is only the sample on which it was probed.

    `zero_rank` says how inputs with an empty map may be typed: `scalar` (f64),
    `tensor` (tensor<f64>), `both`, or nothing if the production has no such input.
    """

    op: str
    attrs: tuple[tuple[str, str], ...]
    elements: tuple[str, ...]
    meaning: Meaning
    free_maps: bool = False
    zero_rank: str = ""


@dataclass(frozen=True)
class Excluded:
    """An operation that is not used, and why."""

    operation: str
    why: str
