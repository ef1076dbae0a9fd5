"""Sizes that are unsigned integers of 64 bits, which an index holds up to 2^63 only.

`if (i < n)` holds for each `i` where `n` is 2^63 or more; as an index, `n` is negative there. So it is assumed to be
less, except where memory says so: a loop up to `n` that touches another element each time cannot run so often, because
no object has so many (C11 6.5.6p9, `PTRDIFF_MAX`). A loop that does nothing at all may run as often as it likes.

    before  if (i < n) a[i] = 0;                       for (i = 0; i < n; i++) a[i] = 0;
    after   the same, assumed n < 2^63                  the same
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from raising.frontend.lower.ir import nodes as tp
from raising.frontend.lower.ir.nodes import forms_of, parts, walk
from raising.frontend.lower.ir.polynomial import Poly, Quot, var
from raising.frontend.lower.ir.types import SIZE
from raising.frontend.lower.passes.touched_memory import Touched, certain

Names = frozenset[str]
_LARGEST = SIZE.range[1] >> 1


def with_sizes_of_memory(function: tp.Function) -> tp.Function:
    """The function, and that each such size is less than 2^63 where nothing else tells."""
    sizes = frozenset(p.name for p in function.parameters if p.value is not None and p.type == SIZE)
    if not sizes:
        return function
    root = sizes & _of_memory(function.body)
    taken = set(_taken(function, function.body, root)) | _of_quotients(function)
    wanted = [p for p in function.parameters if p.name in (sizes & taken) - root]
    assumed = (
        tp.Assumption(p.loc, f"{p.name} < 2^63: it is a size", ranges=(tp.Range(var(p.name), 0, _LARGEST),))
        for p in wanted
    )
    return replace(function, assumptions=(*function.assumptions, *assumed))


def _of_quotients(function: tp.Function) -> Names:
    return frozenset(name for q in function.quotients for form in (q.left, q.right) for name in form.names())


def _taken(function: tp.Function, nodes: tuple[tp.Node, ...], known: Names) -> Iterator[str]:
    """The names whose values as indices are asked for, of which memory does not say that they are small."""
    known |= _of_memory(nodes)
    for node in nodes:
        inside = known
        if isinstance(node, tp.For) and _only_fills(function, node):
            inside = known | _added(node.upper)
        for form in (*_asked(node), *_shape(function, node)):
            yield from form.names() - inside
        for part in parts(node):
            yield from _taken(function, part, inside)


def _asked(node: tp.Node) -> tuple[Poly, ...]:
    """The forms that a node asks for; one that becomes a number again is right in 64 bits unless it was divided."""
    forms = forms_of(node)
    if isinstance(node, tp.IndexOf):
        return tuple(form for form in forms if any(not isinstance(atom, str) for atom in form.atoms()))
    return forms


def _shape(function: tp.Function, node: tp.Node) -> tuple[Poly, ...]:
    array = function.arrays.get(node.array) if isinstance(node, tp.Read | tp.Write) else None
    return () if array is None else tuple(extent for extent in array.shape[1:] if extent is not None)


# ---- what memory says -------------------------------------------------------------------------------


def _of_memory(nodes: tuple[tp.Node, ...]) -> Names:
    """The names that a loop of this block runs up to which touches another element each time, whenever it runs."""
    found: set[str] = set()
    for one in certain(nodes):
        for k, (iv, lower, upper, _) in enumerate(one.loops):
            others = one.loops[:k] + one.loops[k + 1 :]
            if _moves(one, iv) and all(_runs(low, high) for _, low, high, _ in others) and _from_constant(lower):
                found |= _added(upper)
    return frozenset(found)


def _moves(one: Touched, iv: str) -> bool:
    """Whether the element is another one in each iteration, as others of the subscripts stay."""
    return any(form.is_linear and form.coefficient(iv) and _once(form, iv) for form in one.subscripts)


def _once(form: Poly, iv: str) -> bool:
    return sum(iv in _names(mono) for mono, _ in form.terms) == 1


def _names(mono: tuple[object, ...]) -> Names:
    return frozenset().union(*(frozenset({a}) if isinstance(a, str) else a.inner.names() for a in mono))  # type: ignore[attr-defined]


def _runs(lower: tuple[Poly, ...], upper: tuple[Poly, ...]) -> bool:
    trips = [(high - low).constant for low in lower for high in upper]
    return all(count is not None and count > 0 for count in trips)


def _from_constant(lower: tuple[Poly, ...]) -> bool:
    return all(form.constant is not None for form in lower)


def _added(upper: tuple[Poly, ...]) -> Names:
    """The names that a bound grows with, if it is a single one."""
    if len(upper) != 1:
        return frozenset()
    grows: set[str] = set()
    for mono, c in upper[0].terms:
        if c > 0:
            for atom in mono:
                grows |= {atom} if isinstance(atom, str) else _added((atom.inner,)) if isinstance(atom, Quot) else set()
    return frozenset(grows)


# ---- loops that only fill memory --------------------------------------------------------------------


def _only_fills(function: tp.Function, loop: tp.For) -> bool:
    """Whether all that a loop does is to store to another element in each iteration, in loops of fixed bounds."""
    inside = Counter(_memories(loop.body))
    uses = Counter(_memories(function.body))
    kinds = {name: array.kind for name, array in function.arrays.items()}
    own = frozenset(name for name in inside if inside[name] == uses[name] and kinds[name] in ("cell", "local"))
    return _from_constant(loop.lower) and all(_fills(node, loop.iv, own) for node in loop.body)


def _memories(nodes: tuple[tp.Node, ...]) -> Iterator[str]:
    return (node.array for node in walk(nodes) if isinstance(node, tp.Read | tp.Write))


def _fills(node: tp.Node, iv: str, own: Names) -> bool:
    """Whether all that a node in the loop does is such a store, or one to memory `own` that nothing else uses."""
    match node:
        case tp.Write():
            return node.array in own or _moves(Touched(node.array, node.subscripts), iv)
        case tp.Own():
            return all(_fills(inner, iv, own) for inner in node.body)
        case tp.For():
            fixed = all(iv not in form.names() for form in (*node.lower, *node.upper))
            return fixed and all(_fills(inner, iv, own) for inner in node.body)
    return not parts(node)
