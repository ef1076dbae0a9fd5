"""Sequential loops over tensors as text: a target's template with its placeholders filled.

A template names `{iv}`, `{lower}`, `{upper}` and `{step}`; `{results}` (`%r:2`), `{carried}` (`%a = %x, %b = %y`),
`{types}`, `{body}` and what it yields, `{values}`; and for loops with blocks of their own `{inits}`
(`%x, %y`) and `{arguments}` (`%a: t, %b: u`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from raising.affine.ir.affine_expr import Lin
from raising.grammar.select.selector import Argument
from raising.grammar.terms.term import Input, Insert, Recur, TensorType, Term
from raising.support.record import dataclass

if TYPE_CHECKING:
    from raising.grammar.emit.term_builder import Builder


@dataclass(frozen=True)
class LoopText:
    """A loop over tensors `inits` of given types, whose results are named after `name`."""

    template: str
    name: str
    inits: Sequence[str]
    types: Sequence[str]
    before: int = 0  # results of the loop that are none of the tensors (a counter)

    @property
    def results(self) -> list[str]:
        """The names of the tensors after the loop."""
        total = self.before + len(self.inits)
        return [self.name if total == 1 else f"{self.name}#{self.before + k}" for k in range(len(self.inits))]

    def filled(
        self, bounds: Mapping[str, str], names: Sequence[str], body: Sequence[str], values: Sequence[str]
    ) -> str:
        """The loop; `names` are the tensors' inside, `values` what an iteration yields."""
        total = self.before + len(self.inits)
        places = {
            **bounds,
            "results": self.name if total == 1 else f"{self.name}:{total}",
            "carried": ", ".join(f"{n} = {i}" for n, i in zip(names, self.inits, strict=True)),
            "arguments": ", ".join(f"{n}: {t}" for n, t in zip(names, self.types, strict=True)),
            "inits": ", ".join(self.inits),
            "types": ", ".join(self.types),
            "values": ", ".join(values),
            "body": "\n".join(body),
        }
        return placed(self.template.strip(), places)


def placed(template: str, places: Mapping[str, str]) -> str:
    """A template with its places filled, in order."""
    for place, value in places.items():
        template = template.replace(f"{{{place}}}", value)
    return template


# ---- with destinations ---------------------------------------------------------------------------


def looped(builder: Builder, term: Recur) -> list[Argument]:
    """The tensors that a loop leaves behind, after appending the loop to the builder."""
    step = term.step
    inits = [_carried(builder, builder.values[t.digest], t.type) for t in term.inits]
    bounds = {
        "iv": f"%{step.iv}",
        "lower": _extreme(builder, "arith.maxsi", step.lower),
        "upper": _extreme(builder, "arith.minsi", step.upper),
        "step": builder.once(f"arith.constant {step.step} : index"),
    }
    inner = builder.inside(step)
    names = [builder.fresh() for _ in inits]
    for given, outer in zip(step.given, term.given, strict=True):
        inner.values[given.digest] = builder.values[outer.digest]
    for carried, name, init in zip(step.carried, names, inits, strict=True):
        inner.values[carried.digest] = Argument(name, init.type)
    built = inner.build(step.results)
    values = [""] * len(names)
    for k in readers_first([b.name for b in built], names):
        values[k] = _yielded(inner, built[k], step.results[k], step.carried[k]).name
    types = [i.type for i in inits]
    text = LoopText(builder.selector.target.loop, builder.fresh(), [i.name for i in inits], types)
    builder.lines.append(text.filled(bounds, names, inner.lines, values))
    return [Argument(name, kind) for name, kind in zip(text.results, types, strict=True)]


def readers_first(values: Sequence[Any], names: Sequence[Any]) -> list[int]:
    """The positions of results in an order in which no carried memory is overwritten that another result is read from.

    Where values change places there is none; these keep their order.
    """
    left, order = list(range(len(names))), list[int]()
    while left:
        read = {values[k]: k for k in left if values[k] != names[k]}
        free = [k for k in left if names[k] not in read]
        order += free or left
        left = [k for k in left if k not in order]
    return order


def _carried(builder: Builder, value: Argument, kind: TensorType) -> Argument:
    """A value as a loop carries it: scalars as they are."""
    return builder.as_tensor(value, kind) if kind.rank else builder.as_scalar(value, kind.element)


def _yielded(inner: Builder, value: Argument, term: Term, carried: Input) -> Argument:
    """A result of an iteration, in the memory of what the loop carries: bufferization asks for that."""
    found = _carried(inner, value, term.type)
    if found.is_scalar or _lands_in(term, carried):
        return found
    name, into = inner.fresh(), inner.values[carried.digest]
    inner.lines.append(
        f"{name} = bufferization.materialize_in_destination {found.name} in {into.name} "
        f": ({found.type}, {into.type}) -> {into.type}"
    )
    return Argument(name, into.type)


def _lands_in(term: Term, place: Input) -> bool:
    """True if a term is a tensor with some boxes replaced, one by one or in loops."""
    while isinstance(term, Insert | Recur):
        term = term.into if isinstance(term, Insert) else term.inits[term.number]
    return term == place


def _extreme(builder: Builder, op: str, forms: Sequence[Lin]) -> str:
    """The largest or smallest of some forms."""
    first, *rest = [builder.index(builder.resolved(f)) for f in forms]
    for name in rest:
        first = builder.once(f"{op} {first}, {name} : index")
    return first
