"""How a target without a constant operation of its own makes one: by an operation that its configuration names."""

from __future__ import annotations

from grammar.ask import Instance, Typed
from grammar.bench import NotStructured
from grammar.meaning import Excluded, Production
from grammar.model import Attr, Op, Operand
from grammar.tensors import Workshop

_VALUES = {"f64": "1.5", "i32": "3", "i1": "true"}
_SHAPE = (2, 3)


def filling(shop: Workshop) -> tuple[list[Production], list[Excluded]]:
    """A production per element type for tensors of one value, if the target names an operation for them."""
    fill = shop.target.fill
    if fill is None:
        return [], []
    dialect, _, name = fill.operation.partition(".")
    op = Op(dialect, name, (), (Attr(fill.attribute, "ElementsAttr"),), (Operand("result", ""),), (), ())
    found, excluded = [], []
    for element, value in _VALUES.items():
        kind = Typed(element, _SHAPE)
        text = fill.form.replace("{type}", str(kind)).replace("{}", value)
        try:
            reading = shop.read(Instance(op, (), ((fill.attribute, text),), "", kind))[0]
            if reading.family != "fill":
                raise NotStructured("does not make a tensor of one value")
        except NotStructured as why:
            excluded.append(Excluded(op.full_name, f"{element}: {why}"))
            continue
        roles = ((fill.attribute, "value", fill.form),)
        found.append(Production(op.full_name, (), (element,), reading.meaning, family="fill", roles=roles))
    return found, excluded
