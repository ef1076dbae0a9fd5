"""Instances of operations in destination style, to be compiled: inputs, then the tensor that is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raising.grammar.dialects.op_signature import Op
from raising.grammar.dialects.target_dialect import Target
from raising.grammar.measure.instance_reading import Reading
from raising.grammar.measure.verifier import Instance, Typed, shape_of
from raising.grammar.measure.workbench import ITERATORS, MAPS
from raising.grammar.select.selector import iterators_attribute, region_text
from raising.grammar.terms.structured_op import Production, maps_text
from raising.support.record import dataclass

SIZES = (4, 2, 3, 5)  # of up to four iteration dimensions; more than that are small
_SMALL = (2, 3) * 5


@dataclass(frozen=True)
class Destination(Instance):
    """An instance whose last operand is its destination; inputs in `bare` are scalars, not tensors of rank zero."""

    bare: tuple[int, ...] = ()

    def text(self) -> str:
        """A module with one function that returns this operation's result, in generic form."""
        given = ", ".join(f"%a{k}: {t}" for k, t in enumerate(self.operands))
        lines = [f"%e{k} = tensor.extract %a{k}[] : {self.operands[k]}" for k in self.bare]
        names = ", ".join(f"%e{k}" if k in self.bare else f"%a{k}" for k in range(len(self.operands)))
        kinds = ", ".join(t.element if k in self.bare else str(t) for k, t in enumerate(self.operands))
        attrs = "{" + ", ".join(f"{n} = {t}" for n, t in self.attributes()) + "}"
        call = f'%r = "{self.op.full_name}"({names}) ({{\n{self.region}\n}}) {attrs} : ({kinds}) -> {self.result}'
        end = f"func.return %r : {self.result}"
        return "\n".join([f"func.func @main({given}) -> {self.result} {{", *lines, call, end, "}\n"])


def destination(p: Production, op: Op, target: Target) -> tuple[Destination, Reading]:
    """An instance of a production at small sizes, and what it should be read as.

    Where an attribute holds coefficients they are those of the production's sample.
    """
    dims = p.meaning.num_dims
    sizes = SIZES if dims <= len(SIZES) else _SMALL
    operands = tuple(Typed(e, shape_of(m, sizes)) for e, m in zip(p.elements, p.meaning.maps, strict=True))
    count = len(operands) - 1
    bare = tuple(k for k, m in enumerate(p.meaning.maps[:-1]) if not m and p.zero_rank in ("scalar", "both"))
    held = [(name, form.format(", ".join(map(str, values)))) for name, values, form in p.factors]
    region = region_text(p.meaning.body, p.elements, target.terminator)
    found = Destination(op, operands, (*p.attrs, *held), region, operands[-1], (count, 1), (), bare)
    start = count if p.meaning.body.reads_output else -1
    reading = Reading(p.meaning, tuple(range(count)), start, units=((),) * (count + 1))
    return (_with_maps(found, p, target, dims) if p.free_maps else found), reading


def _with_maps(instance: Destination, p: Production, target: Target, dims: int) -> Destination:
    added: Sequence[tuple[str, str]] = [
        (a.name, maps_text(p.meaning.maps, dims))
        if a.kind == MAPS
        else (a.name, iterators_attribute(target, p.meaning.maps[-1], dims))
        for a in instance.op.attrs
        if a.kind in (MAPS, ITERATORS)
    ]
    return replace(instance, attrs=(*instance.attrs, *added))
