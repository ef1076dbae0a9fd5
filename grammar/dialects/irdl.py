"""Reads operation signatures from IRDL, MLIR's dialect of dialect definitions, and registers such dialects.

A dialect registered from IRDL has MLIR's own verifier for its constraints, so
it is probed like any other. The reader takes over what each `irdl.operation`
states; nothing here knows a dialect. Runs upstream's MLIR: call it in a child
process.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from raising.grammar.dialects.bindings import SEGMENTS
from raising.grammar.dialects.op_signature import Attr, Op, Operand
from raising.grammar.dialects.target_dialect import Source, UnusableTarget
from raising.grammar.terms.structured_op import Excluded
from raising.support.mlir.walk import operations

_KINDS = {"dense_array": "DenseI64ArrayAttr", "dense_int_or_fp_elements": "ElementsAttr"}
PURE = "raise.pure"
_NAME = re.compile(r"[a-z0-9_]+")


def read(source: Source) -> tuple[tuple[Op, ...], tuple[Excluded, ...]]:
    """The operations that a text in IRDL defines, and those that cannot be checked."""
    from mlir import ir

    with ir.Context() as context, ir.Location.unknown():
        context.attach_diagnostic_handler(lambda _: True)
        module = _parsed(ir, source)
        kept, excluded = [], []
        for dialect, op in list(_operations(module)):
            name = f"{dialect}.{_symbol(op)}"
            found = _operation(dialect, op)
            kept.append(found)
            why = _uncheckable(op)
            excluded += [Excluded(name, f"{source.file}: {why}")] if why else []
        if not kept:
            raise UnusableTarget(f"{source.file}: defines no operation in IRDL")
        return tuple(kept), tuple(excluded)


def register(context: Any, source: Source) -> None:
    """Registers the dialects that a text in IRDL defines; operations that cannot be checked are left out."""
    from mlir import ir
    from mlir.dialects import irdl

    with context, ir.Location.unknown():
        module = _parsed(ir, source)
        for op in [item for item in module.body.operations if item.operation.name == "irdl.dialect"]:
            if _is_known(context, _symbol(op)):
                raise UnusableTarget(f"{source.file}: MLIR has a dialect '{_symbol(op)}' of its own")
        for _, op in [(d, o) for d, o in _operations(module) if _uncheckable(o)]:
            op.erase()
        _loosen(ir, module)
        try:
            irdl.load_dialects(module)
        except RuntimeError as error:
            raise UnusableTarget(f"{source.file}: {error}: a base or a reference in it is unknown") from None


def declared_pure(source: Source) -> frozenset[str]:
    """The operations that a text in IRDL says to have no effects: by an attribute, theirs or the dialect's."""
    from mlir import ir

    with ir.Context() as context, ir.Location.unknown():
        context.attach_diagnostic_handler(lambda _: True)
        module = _parsed(ir, source)
        whole = {_symbol(d) for d in module.body.operations if PURE in d.operation.attributes}
        operations = list(_operations(module))
        return frozenset(f"{d}.{_symbol(op)}" for d, op in operations if d in whole or PURE in op.attributes)


def _loosen(ir: Any, module: Any) -> None:
    """Makes a union with a base in it `any`: loading such a union ends the process (MLIR 22)."""
    for op in operations(module, lambda op: op.name == "irdl.any_of" and _has_base(op)):
        with ir.InsertionPoint(op):
            loose = ir.Operation.create("irdl.any", results=[op.results[0].type])
        op.results[0].replace_all_uses_with(loose.results[0])
        op.erase()


def _has_base(op: Any) -> bool:
    return op.name in ("irdl.base", "irdl.any") or any(_has_base(v.owner) for v in op.operands)


def text_of(ops: Iterable[Op]) -> str:
    """IRDL for operations whose definition came from elsewhere: names and numbers of operands, any types.

    Operations with names that IRDL does not allow, or with successors, are left out.
    """
    dialects: dict[str, list[str]] = {}
    for op in ops:
        if _NAME.fullmatch(op.name):
            dialects.setdefault(op.dialect, []).append(_written(op))
    return "\n".join(f"irdl.dialect @{name} {{\n" + "\n".join(ops) + "\n}" for name, ops in dialects.items())


class OperationText:
    """One operation in IRDL: a line for each constraint, and behind these what uses them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._constraints: list[str] = []
        self._uses: list[str] = []

    def add(self, what: str) -> str:
        """The name of a constraint, which is written on a line of its own."""
        self._constraints.append(f"%{len(self._constraints)} = irdl.{what}")
        return f"%{len(self._constraints) - 1}"

    def use(self, kind: str, items: Iterable[str]) -> None:
        """Say which constraints the operands, results, attributes or regions have."""
        listed = ", ".join(items)
        if listed:
            self._uses.append(f"irdl.{kind} {{{listed}}}" if kind == "attributes" else f"irdl.{kind}({listed})")

    def __str__(self) -> str:
        body = "\n".join(f"    {line}" for line in [*self._constraints, *self._uses])
        return f"  irdl.operation @{self.name} {{\n{body}\n  }}"


def _written(op: Op) -> str:
    """One operation; each value has a constraint of its own, as those that share one have to be equal."""
    marks = {"one": "", "optional": "optional ", "variadic": "variadic "}
    text = OperationText(op.name)
    for kind, values in (("operands", op.operands), ("results", op.results)):
        text.use(kind, (f"{kind[0]}{k}: {marks[v.arity]}{text.add('any')}" for k, v in enumerate(values)))
    text.use("attributes", (f'"{a.name}" = {text.add("any")}' for a in op.required))
    text.use("regions", (f"g{k}: {text.add('region')}" for k in range(len(op.regions))))
    return str(text)


# ---- reading -------------------------------------------------------------------------------------


def _parsed(ir: Any, source: Source) -> Any:
    try:
        return ir.Module.parse(source.text)
    except ir.MLIRError as error:
        raise UnusableTarget(complaint(str(error), source.file)) from None


def complaint(said: str, file: str) -> str:
    """The first error of MLIR's parser with its place in `file`."""
    line = next((part for part in said.splitlines() if "error:" in part), said)
    place, _, text = line.removeprefix("error: ").partition(": ")
    where = re.search(r":(\d+:\d+)$", place)
    return f"{file}:{where[1]}: {text}" if where else f"{file}: {line.removeprefix('error: ')}"


def _is_known(context: Any, dialect: str) -> bool:
    try:
        context.d[dialect]
    except (IndexError, KeyError, ValueError):
        return False
    return True


def _operations(module: Any) -> Iterable[tuple[str, Any]]:
    """Each dialect's name with each operation that it defines."""
    for dialect in module.body.operations:
        if dialect.operation.name == "irdl.dialect":
            for op in list(dialect.regions[0].blocks[0].operations):
                if op.operation.name == "irdl.operation":
                    yield _symbol(dialect), op.operation


def _symbol(op: Any) -> str:
    return str(op.attributes["sym_name"].value)


def _body(op: Any) -> list[Any]:
    return [item.operation for item in op.regions[0].blocks[0].operations]


def _uncheckable(op: Any) -> str:
    if any(item.name == "irdl.c_pred" for item in _body(op)):
        return "a constraint in C++ (irdl.c_pred) cannot be checked"
    return ""


def _operation(dialect: str, op: Any) -> Op:
    parts = {item.name: item for item in _body(op)}
    operands = _operands(parts.get("irdl.operands"))
    regions = parts.get("irdl.regions")
    loose = sum(o.arity != "one" for o in operands)
    return Op(
        dialect=dialect,
        name=_symbol(op),
        operands=operands,
        attrs=_attributes(parts.get("irdl.attributes")),
        results=_operands(parts.get("irdl.results")),
        regions=tuple(_texts(regions, "names")) if regions is not None else (),
        traits=(SEGMENTS,) if loose > 1 else (),
    )


def _texts(op: Any, name: str) -> list[str]:
    return [str(text.value) for text in op.attributes[name]]


def _operands(op: Any) -> tuple[Operand, ...]:
    if op is None:
        return ()
    arities = re.findall(r"single|optional|variadic", str(op.attributes["variadicity"]).partition("<")[2][15:])
    marks = {"single": "one"}
    return tuple(
        Operand(name, constraint(value.owner), marks.get(arity, arity))
        for name, value, arity in zip(_texts(op, "names"), op.operands, arities, strict=True)
    )


def _attributes(op: Any) -> tuple[Attr, ...]:
    if op is None:
        return ()
    pairs = zip(_texts(op, "attributeValueNames"), op.operands, strict=True)
    return tuple(_attribute(name, value.owner) for name, value in pairs)


def _attribute(name: str, op: Any) -> Attr:
    values = _values(op)
    kind = "Attr"
    base = re.fullmatch(r"#builtin\.(\w+)", constraint(op))
    if base:
        kind = _KINDS.get(base[1], "".join(part.title() for part in base[1].split("_")) + "Attr")
    return Attr(name, kind, cases=values, values=values)


def _values(op: Any) -> tuple[str, ...]:
    """The attributes that a constraint lists one by one; none if it does not."""
    if op.name == "irdl.is":
        return (str(op.attributes["expected"]),)
    if op.name != "irdl.any_of":
        return ()
    parts = [_values(v.owner) for v in op.operands]
    return tuple(v for part in parts for v in part) if all(parts) else ()


def constraint(op: Any) -> str:
    """A constraint as it is shown."""
    if op.name == "irdl.is":
        return str(op.attributes["expected"])
    if op.name in ("irdl.any_of", "irdl.all_of"):
        return (" | " if op.name == "irdl.any_of" else " & ").join(_grouped(v.owner) for v in op.operands)
    named = [op.attributes[n] for n in ("base_name", "base_ref", "base_type") if n in op.attributes]
    return str(named[0]).strip('"') if named else op.name.removeprefix("irdl.")


def _grouped(op: Any) -> str:
    text = constraint(op)
    return f"({text})" if " " in text and op.name != "irdl.is" else text
