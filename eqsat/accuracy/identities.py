"""The rules of `identities.toml`: equal over the real numbers wherever both sides have values."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from raising.eqsat.accuracy.real_ops import OPS
from raising.eqsat.ruleset.expression import Expr, Node, Number, Var, parse, walk
from raising.support.record import dataclass

_ZERO = "$zero"


@dataclass(frozen=True)
class Identity:
    """One row: both sides are equal where they have values; the right side may have none where `needs` is zero."""

    name: str
    left: Expr
    right: Expr
    needs: Expr | None
    source: str
    once: bool = False


class WrongIdentity(ValueError):
    """A row of operations that are not known."""


@cache
def identities() -> tuple[Identity, ...]:
    """The rows of `identities.toml` as rules."""
    data = tomllib.loads((Path(__file__).parent / "identities.toml").read_text())
    return tuple(_row(entry) for entry in data["identity"])


def _row(entry: dict[str, Any]) -> Identity:
    needs = parse(entry["needs"]) if "needs" in entry else None
    row = Identity(
        entry["name"], parse(entry["left"]), parse(entry["right"]), needs, entry["source"], bool(entry.get("once"))
    )
    unknown = [e.op for side in (row.left, row.right) for e in walk(side) if isinstance(e, Node) and e.op not in OPS]
    if unknown:
        raise WrongIdentity(f"{row.name}: unknown operation '{unknown[0]}'")
    return row


def as_egglog(expr: Expr, pattern: bool) -> str:
    """An expression as a term, or as a pattern in which names are variables."""
    if isinstance(expr, Var):
        return f"v.{expr.name}" if pattern else f'(r.var "{expr.name}")'
    if isinstance(expr, Number):
        return f"(r.num {float(expr.value)!r})"
    return f"(r.{expr.op} {' '.join(as_egglog(a, pattern) for a in expr.args)})"


def _rewrite(row: Identity) -> str:
    """A rule; what it needs not to be zero must not be known to be, nor two terms equal whose difference it needs."""
    guard = ""
    match row.needs:
        case Var(name):
            guard = f" :when ((!= v.{name} {_ZERO}))"
        case Node("sub", (Var(one), Var(other))):
            guard = f" :when ((!= v.{one} v.{other}))"
    ruleset = "r.once" if row.once else "r.rules"
    return f"(rewrite {as_egglog(row.left, True)} {as_egglog(row.right, True)}{guard} :ruleset {ruleset})"


@cache
def program() -> str:
    """The declarations and all rules."""
    lines = [
        "(sort Real) (ruleset r.once)",
        "(constructor r.var (String) Real)",
        "(constructor r.num (f64) Real)",
        "(ruleset r.rules)",
    ]
    arities = {"atan2": 2, "powf": 2, "add": 2, "sub": 2, "mul": 2, "div": 2}
    lines += [f"(constructor r.{name} ({' '.join(['Real'] * arities.get(name, 1))}) Real)" for name in OPS]
    lines.append(f"(let {_ZERO} (r.num 0.0))")
    lines += [_rewrite(row) for row in identities()]
    for name, sign in (("add", "+"), ("sub", "-"), ("mul", "*")):
        lines.append(f"(rewrite (r.{name} (r.num x) (r.num y)) (r.num ({sign} x y)) :ruleset r.rules)")
    return "\n".join(lines)
