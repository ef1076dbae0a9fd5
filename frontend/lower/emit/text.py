"""Pieces of MLIR text: places, extents, affine expressions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from raising.frontend.lower.ir.nodes import Array
from raising.frontend.lower.ir.polynomial import Atom, Mono, Poly, Rem, const
from raising.support.source import Loc

_LARGE = 1 << 12  # elements; larger local arrays are not put on the stack


class Locations:
    """Places as aliases, which are defined before the module."""

    def __init__(self) -> None:
        self._aliases: dict[str, str] = {}

    def of(self, loc: Loc, name: str = "") -> str:
        """` loc(…)` for an operation or, with a name, for a parameter or array."""
        text = f"{_string(loc.file)}:{loc.line}:{loc.col}" if loc.line else "unknown"
        alias = self._aliases.setdefault(text, f"#loc{len(self._aliases)}")
        return f" loc({_string(name)}({alias}))" if name else f" loc({alias})"

    def lines(self) -> Iterator[str]:
        """The definitions of all locations that were used."""
        return (f"{alias} = loc({text})" for text, alias in self._aliases.items())


class Unplaced(Locations):
    """No places: what nobody will be told about."""

    def of(self, loc: Loc, name: str = "") -> str:
        """The location of a place, which is left out here."""
        return ""


def _string(text: str) -> str:
    shown = "".join(chr(b) if 32 <= b < 127 and b not in (34, 92) else f"\\{b:02X}" for b in text.encode())
    return f'"{shown}"'


def extent(form: Poly | None) -> str:
    """An extent in the type of a memref."""
    return "?" if form is None or form.constant is None else str(form.constant)


def is_large(array: Array) -> bool:
    """True for an array that is not put on the stack."""
    size = const(1)
    for extent in array.shape:
        size = size * (extent if extent is not None else const(0))
    return size.constant is None or size.constant > _LARGE


def spelled(form: Poly, names: Mapping[str, str]) -> str:
    """An affine expression over the names of its operands."""
    parts = []
    for mono, c in sorted(form.terms, key=lambda t: not t[0]):
        factors = [names[product(mono)]] if len(mono) > 1 else [_atom(a, names) for a in mono]
        parts.append(" * ".join([*factors, *([str(c)] if c != 1 or not mono else [])]))
    return " + ".join(parts) or "0"


def product(mono: Mono) -> str:
    """The name of a product of sizes, which is a size of its own."""
    return ".".join(map(str, mono))


def operands(form: Poly) -> frozenset[str]:
    """The names that a form is affine over: variables, sizes and products of sizes."""
    found: set[str] = set()
    for mono, _ in form.terms:
        if len(mono) > 1:
            found.add(product(mono))
        for atom in mono if len(mono) == 1 else ():
            found |= {atom} if isinstance(atom, str) else operands(atom.inner)
    return frozenset(found)


def _atom(atom: Atom, names: Mapping[str, str]) -> str:
    if isinstance(atom, str):
        return names[atom]
    word = "mod" if isinstance(atom, Rem) else "floordiv"
    return f"(({spelled(atom.inner, names)}) {word} {atom.divisor})"
