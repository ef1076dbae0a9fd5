"""Quotients of sizes that leave no remainder: with `hs = dim / heads`, rows of `dim` are `heads` times `hs` elements.

That `heads` divides `dim` is assumed (and tested in front of the loops, where that is asked for): `dim` becomes the
product everywhere. A quotient of such products is then a product itself (`dim * kv_heads / heads`).

    before  hs = dim / heads, k[t * dim + h * hs + i]
    after   k[t * heads * hs + h * hs + i]                    assumed heads * hs == dim
"""

from __future__ import annotations

from dataclasses import replace

from raising.frontend.lower.ir import nodes as tp
from raising.frontend.lower.ir.inequalities import Facts
from raising.frontend.lower.ir.nodes import forms_of, map_nodes, substituted, walk
from raising.frontend.lower.ir.polynomial import Poly, divided, var


def with_exact_quotients(function: tp.Function) -> tp.Function:
    """The function with quotients of single sizes taken to be exact; the same one if there are none."""
    values, assumptions = _values(function, _needed(function))
    if not values:
        return function
    forms = tuple(form.substitute(values) for form in function.facts.forms)
    shapes = {
        name: replace(a, shape=tuple(e if e is None else e.substitute(values) for e in a.shape))
        for name, a in function.arrays.items()
    }
    bounds = {
        iv: (tuple(f.substitute(values) for f in low), tuple(f.substitute(values) for f in high))
        for iv, (low, high) in function.bounds.items()
    }
    return replace(
        function,
        arrays=shapes,
        body=map_nodes(substituted(function.body, values), lambda node: () if _never_runs(node) else (node,)),
        assumptions=(*function.assumptions, *assumptions),
        facts=Facts(function.facts.free, forms),
        bounds=bounds,
    )


def _needed(function: tp.Function) -> frozenset[str]:
    """The names that accesses and loops have, and those that their quotients are computed from."""
    forms = [form for node in walk(function.body) for form in forms_of(node)]
    forms += [extent for array in function.arrays.values() for extent in array.shape if extent is not None]
    needed = {name for form in forms for name in form.names()}
    everything, _ = _values(function, None)
    for quotient in reversed(function.quotients):
        if quotient.name in needed & everything.keys():
            needed |= quotient.left.names()
    return frozenset(needed)


def _values(function: tp.Function, needed: frozenset[str] | None) -> tuple[dict[str, Poly], list[tp.Assumption]]:
    """Sizes in terms of exact quotients, for the needed names (None: for all), and the assumptions."""
    values: dict[str, Poly] = {}
    assumptions: list[tp.Assumption] = []
    for quotient in function.quotients:
        left, right = quotient.left.substitute(values), quotient.right.substitute(values)
        found, rest = divided(left, right)
        if rest.constant == 0:
            _learn(values, quotient.name, found)
        elif (name := _alone(left)) and name not in right.names() and (needed is None or name in needed):
            _learn(values, name, right * var(quotient.name))
            assumptions.append(_assumption(quotient))
    return values, assumptions


def _learn(values: dict[str, Poly], name: str, form: Poly) -> None:
    """Give a name a value, which takes the place of the name in the values of others."""
    for other, known in values.items():
        values[other] = known.substitute({name: form})
    values[name] = form


def _alone(form: Poly) -> str:
    """The name that a form is; empty for any other."""
    ((mono, c), *rest) = form.terms or (((), 0),)
    return str(mono[0]) if not rest and c == 1 and len(mono) == 1 and isinstance(mono[0], str) else ""


def _assumption(quotient: tp.Quotient) -> tp.Assumption:
    """The assumption that a division leaves no remainder."""
    rest = quotient.left - quotient.right * var(quotient.name)
    text = f"{quotient.left} is a multiple of {quotient.right}: rows are not cut off"
    return tp.Assumption(quotient.loc, text, (tp.Cond(rest, True),))


def _never_runs(node: tp.Node) -> bool:
    """A loop over what is left of a quotient that is exact."""
    trips = (high - low for low in node.lower for high in node.upper) if isinstance(node, tp.For) else ()
    return any(count.constant is not None and count.constant <= 0 for count in trips)


def with_least_bounds(function: tp.Function) -> tp.Function:
    """The function with loops to `n - n / d * d` for those to the minimum of that and `d`, which is more."""
    rests = {(q.left - q.right * var(q.name), q.right) for q in function.quotients}

    def shortened(node: tp.Node) -> tuple[tp.Node]:
        return (replace(node, upper=node.upper[:1]) if isinstance(node, tp.For) and node.upper in rests else node,)

    return replace(function, body=map_nodes(function.body, shortened)) if rests else function
