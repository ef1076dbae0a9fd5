"""Signatures: what a dialect definition says about its operations.

Every reader of definitions (TableGen today) yields the same `Op` values, so
nothing after this file knows where a dialect was written down.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Operand:
    """One operand or result: its name, type constraint and arity (`one | optional | variadic`)."""

    name: str
    constraint: str
    arity: str = "one"


@dataclass(frozen=True)
class Attr:
    """One attribute or property; `kind` is its storage class, the key of the value generators."""

    name: str
    kind: str
    optional: bool = False
    default: str | None = None
    cases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Op:
    """The signature of one operation, as its definition states it."""

    dialect: str
    name: str
    operands: tuple[Operand, ...]
    attrs: tuple[Attr, ...]
    results: tuple[Operand, ...]
    regions: tuple[str, ...]
    traits: tuple[str, ...]
    summary: str = ""

    @property
    def full_name(self) -> str:
        """The name as it stands in a module, such as `linalg.matmul`."""
        return f"{self.dialect}.{self.name}"
