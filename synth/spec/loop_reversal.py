"""Loop reversal: a loop is run in the other direction so that subscripts run forwards, for framing only.

A loop that counts down reaches the program as a subscript `N - 1 - i`. Reversed it is `i`, and what looked like an
operation that no dialect has is a window of a plain one. What a part computes is always sampled in its own order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raising.affine.ir.affine_expr import Lin, var
from raising.affine.ir.program import Load, Loop, Node, Program, Store, walk
from raising.affine.ir.rewriting import with_all_forms, with_loops
from raising.affine.polyhedral.bounding_box import box_of
from raising.affine.polyhedral.scop import accesses
from raising.synth.spec.padding import unguarded

_Score = tuple[int, int, int]  # subscripts in which a variable runs backwards: of stores, among others, alone


def reversed_spec(program: Program) -> Program:
    """The program with each loop in the direction in which the fewest subscripts run backwards, those of stores first.

    Loops with steps, and those whose range has no affine bounds over all sizes, stay as they are.
    """
    program = _from_zero(program)
    loops = {n.iv: n for n in walk(program.body) if isinstance(n, Loop)}
    sums = {iv: total for iv, total in _ranges(program).items() if loops[iv].step == 1}
    chosen = {iv: sums[iv] - var(iv) for iv in sums if _score(program, iv, -1) < _score(program, iv, 1)}
    return replace(program, body=_turned(program.body, chosen)) if chosen else program


def _from_zero(program: Program) -> Program:
    """The program with loops that begin at another one's variable counted from there, where that makes fewer subscripts
    run backwards, and no more of them sum variables: of `x[i] * x[i - k]`, with i from k on, `x[i + k] * x[i]`.
    """
    for loop in [n for n in walk(program.body) if isinstance(n, Loop)]:
        ivs = {n.iv for n in walk(program.body) if isinstance(n, Loop)}
        if loop.step != 1 or len(loop.lower) > 1 or not loop.lower[0].names() & ivs:
            continue
        moved = replace(program, body=_counted(program.body, loop.iv, loop.lower[0]))
        if _tangled(moved) < _tangled(program):
            program = moved
    return program


def _counted(body: tuple[Node, ...], iv: str, first: Lin) -> tuple[Node, ...]:
    """A body with the loop over `iv` from 0 on, which ran from `first` on."""
    shifted = {iv: var(iv) + first}

    def count(loop: Loop) -> tuple[Node, ...]:
        if loop.iv != iv:
            return (loop,)
        inner = with_all_forms(loop.body, lambda form: form.substitute(shifted.get))
        return (replace(loop, lower=(Lin(0),), upper=tuple(f - first for f in loop.upper), body=inner),)

    return with_loops(body, count)


def _tangled(program: Program) -> tuple[int, int]:
    """How many subscripts sum loop variables, and how often one runs backwards."""
    ivs = {n.iv for n in walk(program.body) if isinstance(n, Loop)}
    forms = [f for n in walk(program.body) if isinstance(n, Load | Store) for f in n.subscripts]
    return sum(len(f.names() & ivs) > 1 for f in forms), sum(c < 0 for f in forms for n, c in f.terms if n in ivs)


def _ranges(program: Program) -> dict[str, Lin]:
    """Each loop variable's first and last value over all iterations, added."""
    found: dict[str, Lin] = {}
    for access in accesses(unguarded(program)):
        box = box_of(access.domain, program, (1,) * len(access.ivs))
        if box is not None:
            found |= {iv: low + high for iv, low, high in zip(access.ivs, box.low, box.high, strict=True)}
    return found


def _score(program: Program, iv: str, sign: int) -> _Score:
    """How often `iv`, times `sign`, runs backwards."""
    stores, among, alone = 0, 0, 0
    for node, factor, others in _uses(program, iv):
        backwards = factor * sign < 0
        stores += backwards and isinstance(node, Store)
        among += backwards and others
        alone += backwards
    return stores, among, alone


def _uses(program: Program, iv: str) -> Iterator[tuple[Load | Store, int, bool]]:
    """Each subscript with `iv`: its access, the factor, and whether there are other loop variables in it."""
    ivs = {n.iv for n in walk(program.body) if isinstance(n, Loop)}
    for node in walk(program.body):
        for form in node.subscripts if isinstance(node, Load | Store) else ():
            factor = dict(form.terms).get(iv, 0)
            if factor and isinstance(node, Load | Store):
                yield node, factor, len(form.names() & ivs) > 1


def _turned(body: tuple[Node, ...], chosen: dict[str, Lin]) -> tuple[Node, ...]:
    """A body with the loops in `chosen` run in the other direction: the form says what each variable stands for."""

    def turn(loop: Loop) -> tuple[Node, ...]:
        if loop.iv not in chosen:
            return (loop,)
        ends = chosen[loop.iv] + var(loop.iv) + 1
        return (replace(loop, lower=tuple(ends - f for f in loop.upper), upper=tuple(ends - f for f in loop.lower)),)

    return with_loops(with_all_forms(body, lambda form: form.substitute(chosen.get)), turn)
