"""First contents of variables: constant expressions as numbers, structs as bytes, elements of constant tables."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import Any

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core import types as core_types
from raising.frontend.core.types import Record, Type, innermost
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.nodes import Array, Let, Node
from raising.frontend.lower.ir.polynomial import Poly, const
from raising.frontend.lower.ir.types import INT, Number
from raising.frontend.lower.known.followed_integers import converted
from raising.frontend.lower.known.numbers_as_data import Numeric, data, wrapped
from raising.frontend.lower.known.record_memory import bytes_of, fields_of
from raising.frontend.lower.known.resolved_types import resolved
from raising.frontend.lower.known.state import Budget, Choices, Frame, State, Table
from raising.frontend.lower.known.typed_values import Sym
from raising.support.source import Loc

MAX_BYTES = 1 << 20
"""Of a struct that is not all zero at first."""

_ALIGNED = 16
_FLOATS = {16: "<e", 32: "<f", 64: "<d"}


def outside_of_functions(unit: st.Unit, variable: st.Variable) -> State:
    """A state in which the first contents of a variable are evaluated."""
    function = st.Function(variable.name, variable.type, (), (), variable.loc, {})
    return State(unit, Frame(function), Budget(), Choices())


def record_spelled(unit: st.Unit, node: st.Global) -> tuple[str, str, str]:
    """The type of a struct, or of an array of them, as bytes; its first contents between `dense<` and `>`; attributes.

    Its C type is left empty: only the file knows it. `Refused` for a struct that holds the address of something.
    """
    variable, loc = node.variable, node.variable.loc
    size = bytes_of(unit, variable.type, loc)
    inner = innermost(variable.type)
    assert isinstance(inner, Record)
    if unit.records[inner.name].union:
        raise Refused(loc, f"variable '{variable.source}' is a union")
    kind, attributes = f"memref<{size}xi8>", f'alignment = {_ALIGNED} : i64, c_type = ""'
    if node.defined and node.initial is None:
        raise Refused(loc, f"a first value of variable '{variable.source}' is not a constant number")
    places = [*_placed(unit, variable.type, node.initial, 0)] if node.initial is not None else []
    if not places:
        return kind, "0", attributes
    if size > MAX_BYTES:
        raise Refused(loc, f"variable '{variable.source}' has initial values and more than {MAX_BYTES} bytes")
    contents = bytearray(size)
    _write(outside_of_functions(unit, variable), contents, places, f"variable '{variable.source}'")
    return kind, f'"0x{contents.hex().upper()}"' if any(contents) else "0", attributes


def _placed(unit: st.Unit, t: Type, initial: ex.Initial, at: int) -> Iterator[tuple[int, Type, ex.Expr]]:
    """(byte, type, value) of each number that an initialiser names."""
    if not isinstance(initial, ex.Aggregate):
        if isinstance(t, Record | core_types.Array):
            raise Refused(initial.loc, "a first value that is a struct or a string")
        yield at, t, initial
        return
    for k, item in initial.items:
        if isinstance(t, core_types.Array):
            yield from _placed(unit, t.element, item, at + k * bytes_of(unit, t.element, initial.loc))
        elif isinstance(t, Record):
            one = fields_of(unit, t.name)[k]
            if one.bits is not None:
                raise Refused(item.loc, f"'{one.name}' is a bit-field")
            yield from _placed(unit, one.type, item, at + one.offset // 8)
        else:
            raise Refused(item.loc, "first values of a type that is not supported")


def _write(state: State, contents: bytearray, places: list[tuple[int, Type, ex.Expr]], what: str) -> None:
    """Evaluate values, those of one type together, and put them where they belong."""
    kinds: dict[Number, list[tuple[int, ex.Expr]]] = {}
    for at, t, value in places:
        number = resolved(state, t, value.loc)
        if isinstance(value, ex.Literal) and value.value == 0:
            continue  # null pointers as well
        if not isinstance(number, Number):
            raise Refused(value.loc, f"a first value of {what} is not a constant number")
        kinds.setdefault(number, []).append((at, value))
    for number, given in kinds.items():
        texts = constants(state, [e for _, e in given], number, what)
        for (at, value), text in zip(given, texts, strict=True):
            packed = _packed(text, number, value.loc)
            contents[at : at + len(packed)] = packed


def _packed(text: str, number: Number, loc: Loc) -> bytes:
    """A number as MLIR spells it, as bytes."""
    size = max(number.width // 8, 1)
    if text.startswith("0x"):
        return int(text, 16).to_bytes(size, "little")
    if not number.is_float:
        value = {"true": 1, "false": 0}.get(text) if text in ("true", "false") else int(text)
        assert value is not None
        return (value % (1 << 8 * size)).to_bytes(size, "little")
    if number.width not in _FLOATS:
        raise Refused(loc, "a first value of a type that is not supported")
    return struct.pack(_FLOATS[number.width], float(text))


def constants(state: State, expressions: list[ex.Expr], number: Number, what: str) -> list[str]:
    """The values of constant expressions as MLIR spells them; `Refused` if one is no constant."""
    with state.block() as nodes:
        made = [data(state, converted(state, state.value(e), number, e.loc), e.loc).id for e in expressions]
    texts = _folded(nodes, made, number.mlir)
    if texts is None:
        raise Refused(expressions[0].loc, f"a first value of {what} is not a constant number")
    return texts


def _folded(nodes: Iterable[Node], results: list[int], kind: str) -> list[str] | None:
    """What operations without operands from outside compute, as MLIR folds and spells it; None if it cannot."""
    from mlir import ir  # takes longer to load than most files take to read, and few have such values
    from mlir.passmanager import PassManager

    lines = []
    for node in nodes:
        if not isinstance(node, Let):
            return None
        lines.append(f"%a{node.dst} = {node.text.format(*(f'%a{k}' for k in node.args))}")
    back = ", ".join(f"%a{k}" for k in results)
    kinds = ", ".join([kind] * len(results))
    with ir.Context() as context:
        context.enable_multithreading(False)
        module = ir.Module.parse("\n".join([f"func.func @f() -> ({kinds}) {{", *lines, f"return {back} : {kinds} }}"]))
        PassManager.parse("builtin.module(canonicalize)").run(module.operation)
        return _numbers(module)


def _numbers(module: Any) -> list[str] | None:
    *_, end = module.body.operations[0].regions[0].blocks[0].operations
    made = [value.owner for value in end.operands]
    if any(op.name != "arith.constant" for op in made):
        return None
    return [str(op.attributes["value"]).rpartition(" : ")[0] or str(op.attributes["value"]) for op in made]


# ---- elements of arrays ---------------------------------------------------------------------------------


def initial_value(initial: ex.Initial, at: tuple[int, ...]) -> ex.Expr | None:
    """The initial value of an element, if the source says one."""
    given: ex.Initial | None = initial
    for k in at:
        if isinstance(given, ex.Aggregate):
            given = dict(given.items).get(k)
        elif given is not None:
            given = build.part(given, k, given.loc)  # of a complex number
    return None if isinstance(given, ex.Aggregate) else given


def table_entry(state: State, array: Array, subscripts: tuple[Poly, ...]) -> Numeric | None:
    """What an array that never changes holds at a position of numbers, if the source says a number there.

    A position outside of the array has no value.
    """
    table = state.tables.get(array.name)
    at = tuple(form.constant for form in subscripts)
    extents = tuple(None if extent is None else extent.constant for extent in array.shape)
    if table is None or len(at) != len(extents):
        return None
    if not all(k is not None and n is not None and 0 <= k < n for k, n in zip(at, extents, strict=True)):
        return None
    given = initial_value(table.initial, tuple(k for k in at if k is not None))
    if given is None:
        return converted(state, Sym(const(0), INT), array.element, array.loc)
    return converted(state, state.value(given), array.element, given.loc) if isinstance(given, ex.Literal) else None


def table_of(initial: ex.Aggregate, element: Number) -> Table:
    """The contents of an array that never changes; with its least and greatest integer if the source says numbers."""
    given = [value for _, value in build.listed(initial)] if element.kind == "int" else []
    held = [0, *(wrapped(int(one.value), element) for one in given if isinstance(one, ex.Literal))]
    return Table(initial, (min(held), max(held)) if 0 < len(given) == len(held) - 1 else None)
