"""Pointers that point to the first element of their memory, as arrays of MLIR do.

C may use what lies in front of where a pointer points (`x[i - k]`, a delay line, a shift to the other side). That it
does not is assumed where the bounds of the loops do not say so.

    before  for (i = s; i < n; i++) x[i] = 0;
    after   the same, assumed: 'x' is not used in front of where it points
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raising.frontend.lower.ir import nodes as tp
from raising.frontend.lower.ir.inequalities import Facts
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.nodes import parts
from raising.frontend.lower.ir.polynomial import Atom, Poly, Quot, is_data
from raising.frontend.lower.ir.types import LONG
from raising.frontend.lower.passes.delinearise import inner_facts

Found = dict[tuple[str, Poly], tp.Assumption]


def with_first_elements(function: tp.Function) -> tp.Function:
    """The function, with what is assumed of positions in memory that a pointer points to; `Refused` if that fails."""
    known = function.facts.with_forms(form for a in function.assumptions for c in a.conds for form in c.forms)
    found: Found = {}
    for node, form in _unknown(function, function.body, known):
        if form.constant is not None:
            raise Refused(node.loc, f"'{node.array}' is used in front of where it points")
        text = f"'{node.array}' is not used in front of where it points"
        found.setdefault((node.array, form), tp.Assumption(node.loc, text, ranges=(tp.Range(form, 0, LONG.range[1]),)))
    return replace(function, assumptions=(*function.assumptions, *_of_arrays(found)))


def _of_arrays(found: Found) -> Iterator[tp.Assumption]:
    """One assumption for each array."""
    for name in dict.fromkeys(array for array, _ in found):
        mine = [one for (array, _), one in found.items() if array == name]
        yield replace(mine[0], ranges=tuple(r for one in mine for r in one.ranges))


def _unknown(
    function: tp.Function, nodes: tuple[tp.Node, ...], known: Facts
) -> Iterator[tuple[tp.Read | tp.Write, Poly]]:
    """The accesses whose first position is not known to be at least 0."""
    for node in nodes:
        if isinstance(node, tp.Read | tp.Write) and node.subscripts and function.arrays[node.array].kind == "parameter":
            first = node.subscripts[0]
            if not is_data(first) and not known.proves(first) and not _never(first, known):
                yield node, first
        for part, inside in zip(parts(node), inner_facts(node, known), strict=True):
            yield from _unknown(function, part, inside)


# ---- where a proof by single facts is not found -----------------------------------------------------


def _never(form: Poly, known: Facts) -> bool:
    """Whether no integers meet the linear facts and make a linear form negative."""
    facts = [fact for fact in known.forms if fact.is_linear]
    if not form.is_linear:
        return False
    import islpy  # loaded only where it is asked

    names = sorted({name for one in (form, *facts) for name in one.names()})
    ids = {name: f"x{k}" for k, name in enumerate(names)}
    conds = " and ".join(f"{_text(one, ids)} >= 0" for one in (*facts, -form - 1))
    return bool(islpy.Set(f"{{ [{', '.join(ids.values())}] : {conds} }}").is_empty())


def _text(form: Poly, ids: dict[str, str]) -> str:
    """A linear form as isl writes it."""
    return " + ".join(f"{c} * {_atom(mono[0], ids)}" if mono else str(c) for mono, c in form.terms) or "0"


def _atom(atom: Atom, ids: dict[str, str]) -> str:
    if isinstance(atom, str):
        return ids[atom]
    inner = _text(atom.inner, ids)
    return f"floor(({inner}) / {atom.divisor})" if isinstance(atom, Quot) else f"(({inner}) mod {atom.divisor})"
