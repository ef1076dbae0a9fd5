"""The reading of one accepted instance of an operation: what it does, by the trace of its lowering."""

from __future__ import annotations

from raising.grammar.terms.structured_op import Meaning
from raising.support.record import dataclass


@dataclass(frozen=True)
class Reading:
    """The effect of one instance. `arguments[k]` is the function argument that input k of the meaning is.

    `start` is the argument from which a reduction starts; -1 if it starts from the neutral element.
    `units` has, per input and for the result, the dimensions of extent one that its map leaves out.
    A movement of elements has a `family` and measured `facts` instead of a size-free meaning.
    """

    meaning: Meaning
    arguments: tuple[int, ...] = ()
    start: int = -1
    family: str = ""
    facts: tuple[tuple[str, tuple[int | None, ...]], ...] = ()
    units: tuple[tuple[int, ...], ...] = ()
