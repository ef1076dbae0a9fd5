"""Two circuits proved equal, root by root: by algebra modulo 2^w, or by z3 on bit-vectors."""

from __future__ import annotations

import random
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from raising.eqsat.hardware.circuit import Circuit, computed, z3_value
from raising.eqsat.hardware.modular_algebra import Algebra, TooLarge
from raising.support.record import dataclass

_SAMPLES = 64
_UNITS = 20_000_000  # of z3's own work, some seconds for each root: the clock decides nothing


@dataclass(frozen=True)
class Equality:
    """How many roots were proved equal by algebra and by z3, and what is left: unknown, or refuted by inputs."""

    algebra: int
    z3: int
    unknown: int
    refuted: dict[int, int] | None = None

    @property
    def proved(self) -> bool:
        """Whether all roots are."""
        return not self.unknown and self.refuted is None

    def __str__(self) -> str:
        if self.refuted is not None:
            return f"NOT EQUAL for inputs {self.refuted}"
        ways = [(self.algebra, "by algebra modulo 2^w"), (self.z3, "by z3"), (self.unknown, "NOT PROVED")]
        return ", ".join(f"{n} {how}" for n, how in ways if n) or "nothing is computed"


def equal(one: Circuit, other: Circuit) -> Equality:
    """Compare circuits on the same inputs whose roots are in the same order."""
    pairs = list(zip(one.roots, other.roots, strict=True))
    refuted = _sampled(one, other)
    if refuted is not None:
        return Equality(0, 0, 0, refuted)
    left = _left_by_algebra(one, other)
    answers = _asked(one, other, [pairs[n] for n in left])
    for answer in answers:
        if isinstance(answer, dict):
            return Equality(0, 0, 0, answer)
    known = sum(answer is True for answer in answers)
    return Equality(len(pairs) - len(left), known, len(left) - known)


def _sampled(one: Circuit, other: Circuit) -> dict[int, int] | None:
    """Inputs on which the circuits differ, if a few samples with many zeros and ones among them show it."""
    widths = {c.nets[n].value: c.width(n) for c in (one, other) for n in c.used() if c.nets[n].op == "in"}
    rng = random.Random(0)
    for _ in range(_SAMPLES):
        inputs = {k: _number(rng, w) for k, w in widths.items()}
        values = [computed(c, inputs) for c in (one, other)]
        if any(values[0][a] != values[1][b] for a, b in zip(one.roots, other.roots, strict=True)):
            return inputs
    return None


def _number(rng: random.Random, width: int) -> int:
    top = (1 << width) - 1
    return rng.choice((0, 1, top, top >> 1, 1 << (width - 1), *(rng.getrandbits(width) for _ in range(5))))


def _left_by_algebra(one: Circuit, other: Circuit) -> list[int]:
    """The positions of roots that algebra does not show to be equal."""
    algebra = Algebra()
    try:
        roots = [algebra.roots(c) for c in (one, other)]
    except TooLarge:
        return list(range(len(one.roots)))
    return [n for n, (a, b) in enumerate(zip(*roots, strict=True)) if a != b]


def _asked(one: Circuit, other: Circuit, pairs: Sequence[tuple[int, int]]) -> list[bool | dict[int, int]]:
    """For each pair of nets whether z3 proves them equal, or inputs on which they differ."""
    if not pairs:
        return []
    z3 = import_module("z3")
    inputs: dict[int, Any] = {}
    nets = [_bit_vectors(c, inputs, z3) for c in (one, other)]
    found: list[bool | dict[int, int]] = []
    for a, b in pairs:
        solver = z3.SolverFor("QF_BV")
        solver.set("rlimit", _UNITS)
        solver.add(nets[0][a] != nets[1][b])
        answer = solver.check()
        if answer == z3.sat:
            model = solver.model()
            found.append({k: model.eval(v, model_completion=True).as_long() for k, v in inputs.items()})
        else:
            found.append(bool(answer == z3.unsat))
    return found


def _bit_vectors(circuit: Circuit, inputs: dict[int, Any], z3: Any) -> dict[int, Any]:
    found: dict[int, Any] = {}
    for n in circuit.used():
        net = circuit.nets[n]
        if net.op == "in":
            found[n] = inputs.setdefault(net.value, z3.BitVec(f"in{net.value}", net.width))
        else:
            found[n] = z3_value(net, [found[a] for a in net.args], [circuit.width(a) for a in net.args], z3)
    return found
