"""The algebra of fragments: the parts of a product, the planes of a condition, substitution."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field, replace

from raising.affine.ir.affine_expr import Affine, dim
from raising.native.nest.fragment import Fragment
from raising.native.nest.nest import Access, Scalar
from raising.support.record import dataclass

_PREDICATE = re.compile(r"predicate = (\d+)")
_BOUNDS = {2: (-1, -1), 3: (-1, 0), 4: (1, -1), 5: (1, 0)}
"""For `arith.cmpi` slt, sle, sgt, sge of d and 0: the factor and constant with factor * d + constant >= 0."""


@dataclass
class Rewrite:
    """A fragment while it is written again from its result on; `swap` may give another value for a name."""

    source: Fragment
    swap: Callable[[str], str | None]
    reads: list[Access] = field(default_factory=list)
    body: list[Scalar] = field(default_factory=list)
    done: dict[str, str] = field(default_factory=dict)

    def value(self, name: str) -> str:
        """The name of a value in the copy."""
        if name not in self.done:
            self.done[name] = self._copied(name)
        return self.done[name]

    def _copied(self, name: str) -> str:
        instead = self.swap(name)
        if instead is not None:
            return instead
        if name.startswith("in"):
            return self.read(self.source.reads[int(name[2:])])
        if not re.fullmatch(r"v\d+", name):
            return name
        scalar = self.source.body[int(name[1:])]
        return self.add(replace(scalar, args=tuple(self.value(arg) for arg in scalar.args)))

    def read(self, access: Access) -> str:
        """The name of an access."""
        if access not in self.reads:
            self.reads.append(access)
        return f"in{self.reads.index(access)}"

    def add(self, scalar: Scalar) -> str:
        """The name of an operation, which is not repeated."""
        if scalar not in self.body:
            self.body.append(scalar)
        return f"v{self.body.index(scalar)}"

    def finish(self, result: str, element: str, captured: Mapping[str, str]) -> Fragment:
        """The copy, with the scalars around it that it uses."""
        used = {result, *(arg for scalar in self.body for arg in scalar.args)}
        kept = tuple((name, kind) for name, kind in captured.items() if name in used)
        return Fragment(tuple(self.reads), tuple(self.body), result, element, kept)


def type_of(fragment: Fragment, name: str) -> str:
    """The type of a value."""
    if name.startswith("in"):
        return fragment.reads[int(name[2:])].array.element
    if name.startswith("%"):
        return dict(fragment.captured)[name]
    return fragment.element if name == "sum" else fragment.body[int(name[1:])].result


def part(fragment: Fragment, name: str) -> Fragment:
    """The part of a fragment that one value is computed from."""
    copy = Rewrite(fragment, lambda _: None)
    return copy.finish(copy.value(name), type_of(fragment, name), dict(fragment.captured))


def product(fragment: Fragment, names: list[str]) -> Fragment:
    """The product of some values of a fragment."""
    copy = Rewrite(fragment, lambda _: None)
    result, *rest = (copy.value(name) for name in names)
    kind = type_of(fragment, names[0])
    operation = "arith.muli" if kind.startswith("i") else "arith.mulf"
    for value in rest:
        result = copy.add(Scalar(operation, (result, value), "", (kind, kind), kind))
    return copy.finish(result, kind, dict(fragment.captured))


def combine(left: Fragment, right: Fragment, *, add: bool) -> Fragment:
    """The sum or the product of two fragments."""
    copy = Rewrite(left, lambda _: None)
    other = Rewrite(right, lambda _: None, copy.reads, copy.body)
    sides, kind = (copy.value(left.result), other.value(right.result)), left.element
    name = f"arith.{'add' if add else 'mul'}{'i' if kind.startswith('i') else 'f'}"
    result = copy.add(Scalar(name, sides, "", (kind, kind), kind))
    return copy.finish(result, kind, {**dict(left.captured), **dict(right.captured)})


def with_sum(fragment: Fragment, access: Access) -> Fragment:
    """A fragment with the sum of a contraction in place of an element that it reads."""

    def swap(name: str) -> str | None:
        return "sum" if name.startswith("in") and fragment.reads[int(name[2:])] == access else None

    copy = Rewrite(fragment, swap)
    return copy.finish(copy.value(fragment.result), fragment.element, dict(fragment.captured))


def inline(outer: Fragment, access: Access, inner: Fragment) -> Fragment:
    """The outer fragment with the inner one in place of an element that it reads, or of the sum if access is None."""
    copy = Rewrite(outer, lambda _: None)
    start = Rewrite(inner, lambda _: None, copy.reads, copy.body)
    value = start.value(inner.result)
    copy.swap = lambda name: value if name.startswith("in") and outer.reads[int(name[2:])] == access else None
    result = copy.value(outer.result)
    captured = {**dict(outer.captured), **dict(inner.captured)}
    return tidy(copy.finish(result, outer.element, captured))


def tidy(fragment: Fragment) -> Fragment:
    """The same without what nothing uses."""
    return part(fragment, fragment.result) if fragment.result != "sum" else fragment


def after_sum(outer: Fragment, inner: Fragment) -> Fragment:
    """`outer` of a sum, where that sum is `inner` of another one."""
    copy = Rewrite(outer, lambda _: None)
    start = Rewrite(inner, lambda _: None, copy.reads, copy.body)
    value = start.value(inner.result)
    copy.swap = lambda name: value if name == "sum" else None
    return copy.finish(copy.value(outer.result), outer.element, {**dict(outer.captured), **dict(inner.captured)})


def moved(fragment: Fragment, dims: Mapping[int, Affine]) -> Fragment | None:
    """The fragment over other dimensions, where these are given.

    None if it uses the number of a dimension that is no single one there.
    """
    body = []
    for scalar in fragment.body:
        if scalar.name == "linalg.index":
            terms = dims.get(int(scalar.properties), dim(int(scalar.properties)))
            if len(terms.dims) != 1 or terms != dim(next(iter(terms.dims))):
                return None
            scalar = replace(scalar, properties=str(next(iter(terms.dims))))
        body.append(scalar)
    reads = tuple(moved_access(access, dims) for access in fragment.reads)
    return replace(fragment, reads=reads, body=tuple(body))


def moved_access(access: Access, dims: Mapping[int, Affine]) -> Access:
    """The access over other dimensions."""
    return replace(access, map=tuple(index.substitute(dict(dims.items())) for index in access.map))


def dims_of(fragment: Fragment) -> frozenset[int]:
    """The dimensions that a fragment's value depends on."""
    numbers = {int(scalar.properties) for scalar in fragment.body if scalar.name == "linalg.index"}
    return frozenset(numbers).union(*(access.dims for access in fragment.reads))


def factors(fragment: Fragment, name: str) -> list[str]:
    """The values whose product a value is."""
    scalar = operation(fragment, name)
    if scalar is None or scalar.name not in ("arith.mulf", "arith.muli"):
        return [name]
    return [factor for arg in scalar.args for factor in factors(fragment, arg)]


def operation(fragment: Fragment, name: str) -> Scalar | None:
    """The operation that computes a value; None for a read, the sum, or a scalar around."""
    return fragment.body[int(name[1:])] if re.fullmatch(r"v\d+", name) else None


def is_zero(fragment: Fragment, name: str) -> bool:
    """Whether a value is the constant 0."""
    scalar = operation(fragment, name)
    if scalar is None or scalar.name != "arith.constant":
        return False
    return re.search(r"value = (0|-?0\.0+e\+00) :", scalar.properties) is not None


def affine_value(fragment: Fragment, name: str, symbols: bool = False) -> Affine | None:
    """An index over the dimensions, and with `symbols` over indices around the nest; None if it is not affine."""
    scalar = operation(fragment, name)
    if scalar is not None:
        return scalar.index(lambda arg: affine_value(fragment, arg, symbols))
    return dim(name) if symbols and dict(fragment.captured).get(name) == "index" else None


def bounds(fragment: Fragment, name: str, symbols: bool = False) -> list[Affine] | None:
    """Expressions that are all >= 0 exactly where a condition holds; None if it is not of that kind."""
    scalar = operation(fragment, name)
    if scalar is None:
        return None
    if scalar.name == "arith.andi":
        sides = [bounds(fragment, arg, symbols) for arg in scalar.args]
        return None if None in sides else [bound for side in sides for bound in side or []]
    found = _PREDICATE.search(scalar.properties)
    if scalar.name != "arith.cmpi" or found is None:
        return None
    left, right = (affine_value(fragment, arg, symbols) for arg in scalar.args)
    if left is None or right is None:
        return None
    if int(found[1]) == 0:
        return [left - right, right - left]
    factor, constant = _BOUNDS.get(int(found[1]), (0, 0))
    return [(left - right) * factor + constant] if factor else None


def nonzero(fragment: Fragment, name: str, symbols: bool = False) -> list[Affine]:
    """Expressions that are >= 0 wherever a value is not known to be 0."""
    scalar = operation(fragment, name)
    if scalar is None:
        return []
    if scalar.name in ("arith.mulf", "arith.muli"):
        return [bound for arg in scalar.args for bound in nonzero(fragment, arg, symbols)]
    if scalar.name != "arith.select":
        return []
    condition, then, other = scalar.args
    known = bounds(fragment, condition, symbols)
    if known is not None and is_zero(fragment, other):
        return known + nonzero(fragment, then, symbols)
    if known is not None and len(known) == 1 and is_zero(fragment, then):
        return [known[0] * -1 - 1, *nonzero(fragment, other, symbols)]
    return []
