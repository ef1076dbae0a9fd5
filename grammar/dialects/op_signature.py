"""Signatures: what a dialect definition says about its operations.

Every reader of definitions yields the same `Op` values, so nothing after this file knows where a dialect was written
down.
"""

from __future__ import annotations

from raising.support.record import dataclass


@dataclass(frozen=True)
class Operand:
    """One operand or result: its name, type constraint and arity (`one | optional | variadic`)."""

    name: str
    constraint: str
    arity: str = "one"


@dataclass(frozen=True)
class Attr:
    """One attribute or property; `kind` is its storage class, the key of the value generators.

    For an enumeration, `cases` are its cases by name and `values` the same as MLIR writes the attribute.
    """

    name: str
    kind: str
    optional: bool = False
    default: str | None = None
    cases: tuple[str, ...] = ()
    values: tuple[str, ...] = ()


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
    def required(self) -> tuple[Attr, ...]:
        """The attributes that must be given."""
        return tuple(a for a in self.attrs if not a.optional and a.default is None)

    @property
    def full_name(self) -> str:
        """The name as it stands in a module, such as `linalg.matmul`."""
        return f"{self.dialect}.{self.name}"


@dataclass(frozen=True)
class ScalarOp:
    """A scalar operation and the element types it accepts, the result's last."""

    op: Op
    types: tuple[tuple[str, ...], ...]

    @property
    def rule(self) -> str:
        """How the result's type follows: `same-as-operand-N`, `i1`, or `cast` if it is chosen freely."""
        if "CastOpInterface" in self.op.traits:
            return "cast"
        for i in range(len(self.op.operands)):
            if all(t[-1] == t[i] for t in self.types):
                return f"same-as-operand-{i}"
        return "i1" if all(t[-1] == "i1" for t in self.types) else "cast"
