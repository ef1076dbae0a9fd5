"""Pieces of MLIR's generic form: types with dimensions of extent one, attributes, texts for other element types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from affine.expr import Lin
from grammar.meaning import Production
from grammar.term import Apply, TensorType


def with_units(kind: TensorType, positions: Sequence[int]) -> TensorType:
    """A type with further dimensions of extent one at some positions."""
    dims = iter(kind.dims)
    rank = kind.rank + len(positions)
    return TensorType(kind.element, tuple(Lin(1) if k in positions else next(dims) for k in range(rank)))


def attributes(attrs: Mapping[str, str]) -> str:
    """As a dictionary: dialects defined at run time have no properties."""
    text = ", ".join(f"{k} = {v}" for k, v in attrs.items())
    return f" {{{text}}}" if text else ""


def typed(p: Production, text: str, term: Apply) -> str:
    """A text written for the pattern's element types, for the term's own."""
    actual = (*(t.type.element for t in term.inputs), term.type.element)
    for pattern, element in dict(zip(p.elements, actual, strict=True)).items():
        if pattern != element:
            text = text.replace(f"<{pattern}>", f"<{element}>").replace(f"x{pattern}>", f"x{element}>")
    return text
