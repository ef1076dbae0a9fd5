"""Writes dialects that xDSL knows, defined in Python, as IRDL text for `irdl.read`.

xDSL's own conversion writes `any` for every constraint and leaves attributes
out; this one keeps bases, exact values, unions and the variables that tie
operands together. What IRDL cannot say becomes `any`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from raising.grammar.dialects.irdl import OperationText
from raising.grammar.dialects.target_dialect import Source, UnusableTarget

_ARITIES = {"Operand": "", "Result": "", "Opt": "optional ", "Var": "variadic "}
_FLOAT = re.compile(r"b?t?f\d\w*")
_LEGAL = re.compile(r"[a-z0-9_]+")


def registered(name: str, path: str) -> Source:
    """The IRDL of a dialect that is known to the installed xDSL, by name; `path` is who asks for it."""
    from xdsl.universe import Universe

    known = Universe.get_multiverse().all_dialects
    if name not in known:
        raise UnusableTarget(f"{path}: xDSL knows no dialect '{name}'")
    return Source(f"xDSL's dialect '{name}'", irdl_text(known[name]()))


def irdl_text(dialect: Any) -> str:
    """An `xdsl.ir.Dialect` as a module in the `irdl` dialect."""
    from xdsl.irdl import IRDLOperation, ParametrizedAttribute

    lines = [f"irdl.dialect @{dialect.name} {{"]
    own = [a for a in dialect.attributes if issubclass(a, ParametrizedAttribute)]
    for attribute in own:
        lines += _definition(attribute)
    for op in dialect.operations:
        if issubclass(op, IRDLOperation) and _LEGAL.fullmatch(op.name.partition(".")[2]):
            lines.append(_operation(op.get_irdl_definition(), frozenset(own)))
    return "\n".join([*lines, "}", ""])


def _short(name: str) -> str:
    return name.partition(".")[2] or name


def _definition(attribute: Any) -> Iterator[str]:
    from xdsl.ir import TypeAttribute

    parameters = [name.rstrip("_") for name, _ in attribute.get_irdl_definition().parameters]
    yield f"  irdl.{'type' if issubclass(attribute, TypeAttribute) else 'attribute'} @{_short(attribute.name)} {{"
    if parameters:
        yield "    %any = irdl.any"
        yield f"    irdl.parameters({', '.join(f'{p}: %any' for p in parameters)})"
    yield "  }"


def _operation(op: Any, own: frozenset[Any]) -> str:
    text = _Operation(_short(op.name), own)
    for kind, given in (("operands", op.operands), ("results", op.results)):
        text.use(kind, (f"{_name(name)}: {_arity(value)}{text.constraint(value.constr)}" for name, value in given))
    required = [
        (name, value)
        for name, value in {**op.attributes, **op.properties}.items()
        if not type(value).__name__.startswith("Opt") and value.default_value is None
    ]
    text.use("attributes", (f'"{name}" = {text.constraint(value.constr)}' for name, value in required))
    text.use("regions", (f"{_name(name)}: {text.add('region')}" for name, _ in op.regions))
    return str(text)


def _name(name: str) -> str:
    return name.rstrip("_") or name


def _arity(value: Any) -> str:
    kind = type(value).__name__
    return next(mark for start, mark in _ARITIES.items() if kind.startswith(start))


class _Operation(OperationText):
    """An operation with the constraints of xDSL; a variable is written once."""

    def __init__(self, name: str, own: frozenset[Any]) -> None:
        super().__init__(name)
        self.own = own
        self.variables: dict[str, str] = {}

    def constraint(self, item: Any) -> str:
        """The SSA name of a constraint."""
        kind = type(item).__name__
        inner = {"RangeLengthConstraint": "constraint", "RangeOf": "constr", "SingleOf": "constr"}
        inner |= {"MessageConstraint": "constr", "RangeVarConstraint": "constraint"}
        if kind in inner:
            return self.constraint(getattr(item, inner[kind]))
        if kind in ("VarConstraint", "TypeVarConstraint"):
            return self._variable(item)
        if kind == "EqAttrConstraint":
            return self.add(f"is {item.attr}")
        if kind in ("AnyOf", "AllOf"):
            parts = [self.constraint(c) for c in item.attr_constrs]
            return self.add(f"{'any_of' if kind == 'AnyOf' else 'all_of'}({', '.join(parts)})")
        if kind == "AttrSetConstraint":
            parts = [self.add(f"is {text}") for text in sorted(map(str, item.values))]
            return self.add(f"any_of({', '.join(parts)})")
        base = getattr(item, "attr", None) if kind == "BaseAttr" else getattr(item, "base_attr", None)
        return self.add(self._base(base))

    def _variable(self, item: Any) -> str:
        name = getattr(item, "name", "") or str(getattr(item, "type_var", ""))
        if name not in self.variables:
            self.variables[name] = self.constraint(getattr(item, "constraint", None) or item.base_constraint)
        return self.variables[name]

    def _base(self, base: Any) -> str:
        if base in self.own:
            dialect, _, name = base.name.partition(".")
            return f"base @{dialect}::@{name}"
        known = _builtin(base) if base is not None else ""
        return f'base "{known}"' if known else "any"


def _builtin(base: Any) -> str:
    """A class of xDSL's builtin dialect as MLIR calls it; nothing for any other."""
    from xdsl.dialects.builtin import Builtin
    from xdsl.ir import TypeAttribute

    if base not in (*Builtin.attributes, *_abstract()):
        return ""
    mark = "!" if issubclass(base, TypeAttribute) else "#"
    if _FLOAT.fullmatch(base.name):
        return f"{mark}builtin.{base.name}"
    bare = re.sub("(Type|Attr|Base)$", "", base.__name__)
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", bare).lower()
    return f"{mark}builtin.{snake}"


def _abstract() -> tuple[Any, ...]:
    from xdsl.dialects.builtin import DenseArrayBase, IntegerType, TensorType

    return DenseArrayBase, IntegerType, TensorType
