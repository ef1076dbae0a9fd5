"""Small changes to the text of a raised program: other operations, operands, numbers, places and maps."""

from __future__ import annotations

import re
from collections.abc import Iterator

_FAMILIES = (
    ("linalg.add", "linalg.sub", "linalg.mul", "linalg.div"),
    ("stablehlo.add", "stablehlo.subtract", "stablehlo.multiply", "stablehlo.divide"),
    ("stablehlo.maximum", "stablehlo.minimum"),
    ("arith.addf", "arith.subf", "arith.mulf", "arith.divf"),
    ("linalg.matvec", "linalg.vecmat"),
    ("GE", "GT", "LT", "LE", "EQ"),
)
_NUMBER = re.compile(r"(?<=dense<)-?\d[\d.e+-]*(?=>)|(?<=arith.constant )-?\d[\d.e+-]*(?= :)|(?<=dims = \[)\d(?=[,\]])")
_PLACE = re.compile(r"\[(%\w+|\d+), (%\w+|\d+)\](?= \[)|\[(\d+):(\d+)\]")
_OPERANDS = re.compile(r"(?<=ins\()(%[\w#]+), (%[\w#]+)(?= :)|(?<= )(%[\w#]+), (%[\w#]+)(?=(?:, \w+ = .*)? : )")
_MAP = re.compile(r"-> \((d\d), (d\d)\)")


def edits(text: str) -> Iterator[tuple[str, str, str]]:
    """Every changed text of one change, with its kind and what was done; not all of them are valid."""
    for family in _FAMILIES:
        for found in re.finditer(rf"(?<![\w.])({'|'.join(map(re.escape, family))})(?![\w.])", text):
            for other in family:
                if other != found[0]:
                    yield "term: operation", f"{found[0]} -> {other} at {found.start()}", _with(text, found, other)
    for found in _NUMBER.finditer(text):
        other = str(int(found[0]) + 1) if found[0].lstrip("-").isdigit() else repr(float(found[0]) + 1.0)
        yield "term: number", f"{found[0]} -> {other} at {found.start()}", _with(text, found, other)
    for kind, pattern in (("operands", _OPERANDS), ("place", _PLACE), ("map", _MAP)):
        for found in pattern.finditer(text):
            one, other = (g for g in found.groups() if g is not None)
            if one != other:
                turned = found[0].replace(one, "#").replace(other, one).replace("#", other)
                yield f"term: {kind}", f"{found[0]} -> {turned} at {found.start()}", _with(text, found, turned)


def _with(text: str, found: re.Match[str], other: str) -> str:
    return text[: found.start()] + other + text[found.end() :]
