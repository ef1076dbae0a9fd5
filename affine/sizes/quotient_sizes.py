"""Quotients of sizes as sizes: a loop that takes every second element runs over a size of its own.

`for (i = 0; i < n; i += 2)` reads x[2 t] for t below ceil(n / 2), and `n / 2` is where a half begins. Neither is an
affine form of n. Each such quotient becomes a size `q`, which n determines: d q <= inner <= d q + d - 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from raising.affine.ir.affine_expr import Cond, Floor, Lin, var
from raising.affine.ir.program import Guard, Loop, Node, Program
from raising.affine.ir.rewriting import with_all_forms, with_forms
from raising.affine.sizes.symbolic_sizes import Generalised


def unit_steps(program: Program) -> Program:
    """The program with loops of step 1 for those with larger ones whose trip count is a form of sizes."""
    return replace(program, body=_steps(program.body, {}, frozenset(program.sizes)))


def _steps(nodes: tuple[Node, ...], new: Mapping[str, Lin], sizes: frozenset[str]) -> tuple[Node, ...]:
    return tuple(_step(node, new, sizes) for node in nodes)


def _step(node: Node, new: Mapping[str, Lin], sizes: frozenset[str]) -> Node:
    node = with_forms(node, lambda form: form.substitute(new.get))
    if not isinstance(node, Loop | Guard):
        return node
    if isinstance(node, Loop) and node.step > 1 and len(node.lower) == len(node.upper) == 1:
        span = node.upper[0] - node.lower[0]
        if span.names() <= sizes:
            new = {**new, node.iv: node.lower[0] + var(node.iv).scaled(node.step)}
            trips = (span + (node.step - 1)).floordiv(node.step)
            node = replace(node, lower=(Lin(0),), upper=(trips,), step=1)
    return replace(node, body=_steps(node.body, new, sizes))


def with_quotients(general: Generalised) -> Generalised:
    """The program with a size in place of each quotient of sizes in bounds, conditions, subscripts and extents."""
    names = _Quotients(general)
    program = general.program
    arrays = {a.name: replace(a, shape=names.forms(a.shape)) for a in program.arrays.values()}
    body = with_all_forms(program.body, names.form)
    outer = tuple(with_forms(loop, names.form) for loop in program.outer)
    context = tuple(Cond(names.form(c.form), c.equality) for c in program.context)
    if not names.derived:
        return general
    program = replace(
        program,
        arrays=arrays,
        body=body,
        outer=outer,
        sizes=(*program.sizes, *names.derived),
        context=(*context, *names.context()),
        derived=tuple(names.derived.items()),
    )
    return Generalised(program, {**general.values, **names.values()})


class _Quotients:
    """Names the quotients that occur, each by the form that it stands for."""

    def __init__(self, general: Generalised) -> None:
        inside = {loop.iv for loop in general.program.outer}
        self.sizes = {n for n in general.program.sizes if n not in inside}
        self.given = general.values
        self.derived: dict[str, Lin] = {}

    def form(self, form: Lin) -> Lin:
        """A form with sizes for quotients."""
        return form.with_atoms(
            lambda a: var(a) if isinstance(a, str) else self._quotient(self.form(a.inner), a.divisor)
        )

    def _quotient(self, inner: Lin, divisor: int) -> Lin:
        quotient = inner.floordiv(divisor)
        if not inner.names() <= self.sizes or not quotient.quotients():
            return quotient
        name = next((n for n, f in self.derived.items() if f == quotient), f"Q{len(self.derived)}")
        self.derived[name] = quotient
        self.sizes.add(name)
        return var(name)

    def forms(self, forms: tuple[Lin, ...]) -> tuple[Lin, ...]:
        return tuple(self.form(f) for f in forms)

    def context(self) -> tuple[Cond, ...]:
        """What is known of each quotient: its numerator is in its range."""
        found: list[Cond] = []
        for name, form in self.derived.items():
            ((atom, _),) = form.terms
            assert isinstance(atom, Floor)
            rest = atom.inner - var(name).scaled(atom.divisor)
            found += [Cond(rest), Cond(-rest + (atom.divisor - 1))]
        return tuple(found)

    def values(self) -> dict[str, Lin]:
        """What each quotient is in the source."""
        known = dict(self.given)
        for name, form in self.derived.items():
            known[name] = form.substitute(known.get)
        return {name: known[name] for name in self.derived}
