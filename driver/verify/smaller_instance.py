"""A smaller instance of two functions: the same two programs, with smaller numbers in place of their sizes.

Numbers are replaced in the text of both modules alike, so that their order and small differences stay. The instance
counts only if it is the same pair of programs once sizes are symbols, and stays inside of its arrays: then a proof for
all sizes covers it too, and running it runs the same passes on the same operations as in the files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from raising.affine.ir.program import Program
from raising.affine.sizes.size_classes import NEAR
from raising.frontend.mlir.reader import InputError
from raising.segment.search_cache import placeless
from raising.validate.base.unreadable import Unreadable
from raising.validate.proof.in_bounds import check_inbounds
from raising.validate.reading.pair import Pair, generalised, read_pair, steps

_LEAST = 8  # what the least size becomes
_APART = NEAR + 1  # between sizes that are not near each other

_TOKEN = re.compile(
    r"""
    "(?:[^"\\]|\\.)*"                           # a text
  | \d+\ :\ i\d+                                # an integer that is no index
  | 0x[0-9a-fA-F]+ | \d+\.\d*(?:[eE][+-]?\d+)?  # a number that is no size
  | (?P<dims>(?<=[<x?])(?:\d+|\?)x(?:(?:\d+|\?)x)*)
  | [%@#!^]?[A-Za-z_$][\w$.]* | [%#^]\d+        # a name
  | (?P<size>\d+)
    """,
    re.VERBOSE,
)


def smaller_instance(source: str, target: str, function: str) -> tuple[str, str] | None:
    """Both modules at smaller sizes; None if there is no such instance, or it is not known to be one."""
    try:
        general = _read(source, target, function)
        kept = max([NEAR, *steps(general)])
        numbers = {n for text in (source, target) for n in _sizes(text) if n > kept}
        chosen = _chosen(sorted(numbers), max(_LEAST, 2 * kept))
        small = _with_sizes(source, chosen), _with_sizes(target, chosen)
        again = _read(*small, function)
    except (InputError, Unreadable):
        return None
    if _form(again) != _form(general) or small == (source, target):
        return None
    bounds = check_inbounds(again)
    return small if bounds.source is bounds.target is None else None


def _read(source: str, target: str, function: str) -> Pair:
    return generalised(read_pair(source, target, (function, function)))


def _form(pair: Pair) -> object:
    """A pair without its places in the files and the numbers that its sizes have there."""
    return _symbolic(pair.source), _symbolic(pair.target), pair.outputs, sorted(pair.values), pair.scopes


def _symbolic(program: Program) -> object:
    kept = program.arrays, program.scalars, program.sizes, program.context, program.outer
    return placeless(program.body), *kept


# ---- numbers in a text ---------------------------------------------------------------------------


def _sizes(text: str) -> Iterator[int]:
    """The numbers of a text that may be sizes."""
    for found in _TOKEN.finditer(text):
        if found["size"] or found["dims"]:
            yield from map(int, re.findall(r"\d+", found[0]))


def _with_sizes(text: str, chosen: dict[int, int]) -> str:
    """The text with other numbers for its sizes."""

    def number(found: re.Match[str]) -> str:
        return str(chosen.get(int(found[0]), found[0]))

    def token(found: re.Match[str]) -> str:
        return re.sub(r"\d+", number, found[0]) if found["size"] or found["dims"] else found[0]

    return _TOKEN.sub(token, text)


def _chosen(numbers: list[int], least: int) -> dict[int, int]:
    """Smaller numbers in the same order: those near each other stay as far apart, others come closer."""
    chosen: dict[int, int] = {}
    last, new = 0, least - _APART
    for n in numbers:
        new += min(n - last, _APART) if chosen else _APART
        new = min(new, n)
        chosen[n], last = new, n
    return chosen
