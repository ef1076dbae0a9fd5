"""Extrema over what was before, on vectors: the code of an `Extremum`.

A vector of a, w and the truth whether the state counts becomes that of all iterations up to each lane in log2(lanes)
steps, as `raising.native.sequential.recurrence_emit` does for sums; the states before the vector come last, so that the
next vector waits for a sum and an extremum only.

    before  for j: t[j] = max(a[j], t[j - 1] + w)
    after   for j by 8: v = a[j .. j + 8]; v = max(v, (v moved up by 1) + w); by 2, + 2 w; by 4, + 4 w
                        t[j .. j + 8] = max(v, t[j - 1] + w * (1, 2, ..., 8))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from raising.native.loops.vector_ops import Lane, element_bits, printed, vector_type
from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Scalar
from raising.native.sequential.extremum_states import Extremum, largest_value, largest_weight
from raising.support.record import dataclass


@dataclass(frozen=True)
class Fold:
    """Vectors of an extremum: `value`, and `weight` and `kept` where there are any; `kept` is all ones or zeros."""

    code: Lines
    operation: Scalar
    element: str
    lanes: int
    value: str
    weight: str = ""
    kept: str = ""

    @property
    def _kind(self) -> str:
        return vector_type(self.element, self.lanes)

    @property
    def _word(self) -> str:
        """The type of a vector of truths that are all ones or zeros."""
        return vector_type(f"i{element_bits(self.element)}", self.lanes)

    def up_to_each_lane(self) -> Fold:
        """In each lane, what all iterations up to it are together."""
        found, step = self, 1
        while step < self.lanes:
            found, step = found._after(step), 2 * step
        return found

    def from_state(self, before: str) -> str:
        """The states behind each iteration, from the one before all of them, in all lanes."""
        best = self._best(self._added(before, self.weight))
        return self._chosen(self._holds(self.kept), best) if self.kept else best

    def last(self) -> Fold:
        """The last lane in all lanes."""
        order, kept = [self.lanes - 1] * self.lanes, self.kept
        value = self._shuffled(self.value, self.value, order, self._kind)
        weight = self._shuffled(self.weight, self.weight, order, self._kind) if self.weight else ""
        return replace(self, value=value, weight=weight, kept=kept and self._shuffled(kept, kept, order, self._word))

    def _after(self, step: int) -> Fold:
        """Each lane together with the one so many lanes before it, if there is one."""
        lanes = range(self.lanes)
        own = [lane if lane < step else lane - step for lane in lanes]
        moved = self._shuffled(self.value, self.value, own, self._kind)
        if not self.weight and not self.kept:
            return replace(self, value=self._best(moved))
        there = self._dense([str(lane >= step).lower() for lane in lanes], vector_type("i1", self.lanes))
        if self.kept:
            flags = vector_type("i1", self.lanes)
            there = self.code.op(f"arith.andi {there}, {self._holds(self.kept)} : {flags}", "m")
        value = self._chosen(there, self._best(self._added(moved, self.weight)))
        order = [self.lanes - step + lane for lane in lanes]
        weight, kept = self.weight, self.kept
        if weight:
            before = self._shuffled(self._dense([self._zero] * self.lanes, self._kind), weight, order, self._kind)
            weight = self._added(weight, before)
        if kept:
            before = self._shuffled(self._dense(["-1"] * self.lanes, self._word), kept, order, self._word)
            kept = self.code.op(f"arith.andi {kept}, {before} : {self._word}", "k")
        return replace(self, value=value, weight=weight, kept=kept)

    @property
    def _zero(self) -> str:
        return "0.000000e+00" if self.element.startswith("f") else "0"

    def _best(self, other: str) -> str:
        sides = [Lane(name, self.element, True) for name in (self.value, other)]
        return printed(self.code, self.operation, sides, self.lanes).name

    def _added(self, value: str, weight: str) -> str:
        if not weight:
            return value
        name = "addf" if self.element.startswith("f") else "addi"
        return self.code.op(f"arith.{name} {value}, {weight} : {self._kind}", "v")

    def _holds(self, kept: str) -> str:
        return self.code.op(f"arith.cmpi slt, {kept}, {self._dense(['0'] * self.lanes, self._word)} : {self._word}")

    def _chosen(self, condition: str, one: str) -> str:
        flags = vector_type("i1", self.lanes)
        return self.code.op(f"arith.select {condition}, {one}, {self.value} : {flags}, {self._kind}", "v")

    def _dense(self, values: Sequence[str], kind: str) -> str:
        return self.code.constant(f"dense<[{', '.join(values)}]> : {kind}")

    def _shuffled(self, one: str, two: str, order: list[int], kind: str) -> str:
        return self.code.op(f"vector.shuffle {one}, {two} {order} : {kind}, {kind}", "w")


def folded(code: Lines, extremum: Extremum, shape: tuple[str, int], vector: Callable[[str], str]) -> Fold:
    """The vectors of an extremum; the `shape` is the element and the lanes, `vector` has the values of the body."""
    element, lanes = shape
    fold = Fold(code, extremum.operation, element, lanes, vector(extremum.value))
    kept = extremum.kept and vector(extremum.kept)
    if kept:
        kept = code.op(f"arith.extsi {kept} : {vector_type('i1', lanes)} to {fold._word}", "k")
    return replace(fold, weight=extremum.weight and vector(extremum.weight), kept=kept)


def wraps(
    code: Lines, extremum: Extremum, shape: tuple[str, int], vector: Callable[[str], str], before: str
) -> list[str]:
    """Vectors of truths, of which one holds if a sum might wrap around that the loop itself does not make."""
    element, lanes = shape
    if not extremum.guarded:
        return []
    limits = [(vector(name), largest_value(element)) for name in extremum.values]
    limits += [(vector(name), largest_weight(element)) for name in extremum.weights]
    return [_beyond(code, name, limit, (element, lanes)) for name, limit in [*limits, (before, largest_value(element))]]


def _beyond(code: Lines, name: str, limit: int, shape: tuple[str, int]) -> str:
    """For each lane whether it is no number up to a limit, with or without a sign."""
    element, lanes = shape
    kind = vector_type(element, lanes)
    half, whole = (code.constant(f"dense<{number}> : {kind}") for number in (limit, 2 * limit))
    moved = code.op(f"arith.addi {name}, {half} : {kind}")
    return code.op(f"arith.cmpi ugt, {moved}, {whole} : {kind}")
