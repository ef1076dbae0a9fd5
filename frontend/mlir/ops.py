"""The operations of the static-control subset, one small reader each, in a table by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Lin, const
from raising.affine.ir.constraints import Alternatives
from raising.frontend.mlir.attributes import Refusal, form, literal, location, map_forms, radices
from raising.frontend.mlir.branches_on_data import selected
from raising.frontend.mlir.flat_rows import mapped
from raising.frontend.mlir.loop_nest import INDEX_AS, Extremum, NestReader
from raising.frontend.mlir.memory_views import VIEWS, digits, number
from raising.frontend.mlir.other_loops import affine_parallel, counting_while, scf_parallel, scf_range, scf_reduce
from raising.frontend.mlir.plain_scalars import read_plain
from raising.support.mlir.operand_segments import segments
from raising.support.mlir.walk import blocks_of


def _constant(r: NestReader, op: Any) -> None:
    result, text = op.results[0], literal(op.attributes["value"])
    if text is None:
        raise Refusal(location(op), "constant is not a scalar")
    if str(result.type) == "index":
        r.index[result] = const(int(text))
    else:
        r.data[result] = r.constant(text, str(result.type))


Bounds = tuple[tuple[Lin, ...], tuple[Lin, ...], int, list[Any]]
FOR_LOOPS = ("affine.for", "scf.for")


def for_bounds(r: NestReader, op: Any) -> Bounds:
    """Lower and upper bounds, step and initial values of a `for` loop."""
    return _affine_bounds(r, op) if op.name == "affine.for" else _scf_bounds(r, op)


def _affine_bounds(r: NestReader, op: Any) -> Bounds:
    lows, highs, initial = segments(op)
    lower = r.map_bound(op.attributes["lowerBoundMap"], lows, "max", op)
    upper = r.map_bound(op.attributes["upperBoundMap"], highs, "min", op)
    step = int(ir.IntegerAttr(op.attributes["step"]).value)
    return lower, upper, step, initial


def _scf_bounds(r: NestReader, op: Any) -> Bounds:
    if "unsignedCmp" in op.attributes:
        raise Refusal(location(op), "a loop compares its variable without sign")
    operands = list(op.operands)
    step = r.form_of(operands[2], op)
    if not step.is_const:
        raise Refusal(location(op), "loop step is not constant")
    return *scf_range(r, op, *operands[:2]), step.const, operands[3:]


def _for(r: NestReader, op: Any) -> None:
    lower, upper, step, inits = for_bounds(r, op)
    block = op.regions[0].blocks[0]
    arguments = list(block.arguments)
    cells = r.carry(inits, op)
    r.loop(arguments[0], (lower, upper, step), lambda: r.block(block, cells, arguments[1:]), op)
    r.results(op, cells)


def _branches(r: NestReader, op: Any, alternatives: Alternatives) -> None:
    cells = [r.carried(str(v.type), op) for v in op.results]
    for region, chosen in zip(op.regions, (alternatives, r.negated(alternatives)), strict=True):
        if len(region.blocks):
            block = region.blocks[0]
            r.guarded(chosen, lambda block=block: r.block(block, cells), location(op))  # type: ignore[misc]
    r.results(op, cells)


def _affine_if(r: NestReader, op: Any) -> None:
    _branches(r, op, r.set_alternatives(op))


def _scf_if(r: NestReader, op: Any) -> None:
    condition = op.operands[0]
    loops = any(inner.name in FOR_LOOPS for block in blocks_of(op) for inner in block)
    found = r.truth.get(condition, r.truth_of_integers(condition) if loops else None)
    if found is not None:
        _branches(r, op, found)
    else:
        selected(r, op)


def _select(r: NestReader, op: Any) -> None:
    condition, yes, no = op.operands
    if condition not in r.truth:
        return r.compute(op, ())
    cell, loc = r.carried(str(op.results[0].type), op), location(op)
    for value, alternatives in ((yes, r.truth[condition]), (no, r.negated(r.truth[condition]))):
        name = r.number_of(value, op)
        r.guarded(alternatives, lambda name=name: r.store(cell, (), name, loc), loc)  # type: ignore[misc]
    r.data[op.results[0]] = r.load(cell, (), loc)
    return None


def _affine_load(r: NestReader, op: Any) -> None:
    memory, *rest = op.operands
    forms = _subscripts(r, op, memory, rest, ir.AffineMapAttr(op.attributes["map"]).value)
    if str(op.results[0].type) == "index":
        return r.bind_index(op.results[0], memory, forms)
    r.data[op.results[0]] = r.load(r.array_behind(memory, op), forms, location(op))
    return None


def _affine_store(r: NestReader, op: Any) -> None:
    value, memory, *rest = op.operands
    forms = _subscripts(r, op, memory, rest, ir.AffineMapAttr(op.attributes["map"]).value)
    r.store(r.array_behind(memory, op), forms, r.name_of(value, op), location(op))


def _memref_load(r: NestReader, op: Any) -> None:
    memory, *rest = op.operands
    if str(op.results[0].type) == "index":
        return r.bind_index(op.results[0], memory, _subscripts(r, op, memory, rest))
    forms = _subscripts(r, op, memory, rest, places=True)
    r.data[op.results[0]] = r.read_at(r.array_behind(memory, op), forms, op)
    return None


def _memref_store(r: NestReader, op: Any) -> None:
    value, memory, *rest = op.operands
    forms = _subscripts(r, op, memory, rest)
    r.store(r.array_behind(memory, op), forms, r.name_of(value, op), location(op))


def _subscripts(
    r: NestReader, op: Any, memory: Any, values: Sequence[Any], affine_map: Any = None, places: bool = False
) -> list[Lin]:
    """The subscripts of an access in the array behind a memory, with `places` perhaps over positions that are data."""
    if (found := _in_rows(r, op, memory, values, affine_map)) is not None:
        return found
    forms: Sequence[Lin] = r.places_of(values, op) if places else r.forms_of(values, op)
    return r.placed(memory, forms if affine_map is None else map_forms(affine_map, forms))


def _in_rows(r: NestReader, op: Any, memory: Any, values: Sequence[Any], affine_map: Any) -> list[Lin] | None:
    """The subscripts of an access of flat memory that is read in rows, see `flat_rows`; None of another one."""
    name = r.flat.strided[memory].array if memory in r.flat.strided else r.memory.get(memory)
    if name is None or not r.flat.concerns(r.arrays[name]):
        if memory in r.flat.strided:
            raise Refusal(location(op), f"memory of type {memory.type} is a view with steps that are sizes")
        return None
    operands = [r.polynomial(v) for v in values]
    if affine_map is not None:
        operands = [mapped(e, operands, affine_map.n_dims) for e in affine_map.results]
    form = None if memory in r.views else r.flat.form(memory, operands)
    if r.flat.first:
        r.flat.note(name, form, r.known)
        return None if form is None or form.is_linear else [const(0)]
    found = r.flat.digits(name, form, r.known, r.sizes())
    if found is None:
        raise Refusal(location(op), "a subscript of rows in flat memory is not known to stay in its row")
    return found


def _alloc(r: NestReader, op: Any) -> None:
    given, kind = iter(r.forms_of(list(op.operands), op)), ir.MemRefType(op.results[0].type)
    r.bind_array(op.results[0], "local", [next(given) if kind.is_dynamic_dim(d) else None for d in range(kind.rank)])


def _dim(r: NestReader, op: Any) -> None:
    position = r.form_of(op.operands[1], op)
    if op.operands[0] in r.flat.strided:
        size = r.flat.extent(op.operands[0], position.const) if position.is_const else None
        r.index[op.results[0]] = r.size_from_scalar(op.results[0]) if size is None else size
        return
    name = r.array_of(op.operands[0], op)
    shape = r.arrays[name].shape
    if name in r.flat.rows:
        r.index[op.results[0]] = r.size_from_scalar(op.results[0])  # the length of flat memory is none of its extents
        return
    if not position.is_const or not 0 <= position.const < len(shape) or op.operands[0] in r.views:
        raise Refusal(location(op), "memref.dim of an unknown dimension")
    r.index[op.results[0]] = shape[position.const]


def _apply(r: NestReader, op: Any) -> None:
    affine_map = ir.AffineMapAttr(op.attributes["map"]).value
    operands = [r.polynomial(v) for v in op.operands]
    product = mapped(affine_map.results[0], operands, affine_map.n_dims)
    is_product = product is not None and not product.is_linear
    if is_product:
        r.flat.products[op.results[0]] = product
    with suppress(*([ValueError, Refusal] if is_product else [])):  # of use in subscripts of flat memory all the same
        r.index[op.results[0]] = map_forms(affine_map, r.forms_of(list(op.operands), op))[0]


def _delinearize(r: NestReader, op: Any) -> None:
    found = digits(r.form_of(op.operands[0], op), radices(op, len(op.results) - 1))
    r.index.update(zip(op.results, found, strict=True))


def _linearize(r: NestReader, op: Any) -> None:
    given = r.forms_of(list(op.operands), op)
    r.index[op.results[0]] = number(given, radices(op, len(given) - 1))


def _extremum(kind: str) -> Callable[[NestReader, Any], None]:
    def read(r: NestReader, op: Any) -> None:
        forms = map_forms(ir.AffineMapAttr(op.attributes["map"]).value, r.forms_of(list(op.operands), op))
        r.index[op.results[0]] = forms[0] if len(forms) == 1 else Extremum(kind, forms)

    return read


_OF_ARITH = {"arith.minsi": "min", "arith.maxsi": "max"}
_LOOPS = (*FOR_LOOPS, "scf.parallel")


def _arith_extremum(r: NestReader, op: Any) -> bool:
    """What `affine.min` is once affine operations are lowered, if a loop ends there; any other one is data."""
    kind, found = _OF_ARITH.get(op.name), [r.index.get(v) for v in op.operands]
    if kind is None or not _bounds_a_loop(op):
        return False
    parts = [f.forms if isinstance(f, Extremum) and f.kind == kind else (f,) for f in found]
    forms = [f for part in parts for f in part if isinstance(f, Lin)]
    if len(forms) < sum(map(len, parts)):
        return False
    r.index[op.results[0]] = Extremum(kind, tuple(forms))
    return True


def _bounds_a_loop(op: Any) -> bool:
    users = [use.owner.operation for use in op.results[0].uses]
    return any(user.name in _LOOPS or (user.name == op.name and _bounds_a_loop(user)) for user in users)


_INDEX_EXPRS: dict[str, Callable[[Any, Any], Any]] = {
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
    "arith.floordivsi": lambda a, b: ir.AffineExpr.get_floor_div(a, b),
    "arith.ceildivsi": lambda a, b: ir.AffineExpr.get_ceil_div(a, b),
}
_RING = ("arith.addi", "arith.subi", "arith.muli")
_OF_NATURALS: dict[str, Callable[[Any, Any], Any]] = {
    **dict.fromkeys(("arith.divsi", "arith.divui"), lambda a, b: ir.AffineExpr.get_floor_div(a, b)),
    **dict.fromkeys(("arith.remsi", "arith.remui"), lambda a, b: ir.AffineExpr.get_mod(a, b)),
}
"""Quotients and remainders of numbers that are not negative, where rounding down and towards zero are the same."""


def _index_arithmetic(r: NestReader, op: Any) -> bool:
    """Index arithmetic stays affine where it can; False if in a loop it is to be a number that is data."""
    if not (op.name in _INDEX_EXPRS or _of_naturals(r, op)) or str(op.results[0].type) != "index":
        return False
    operands = [r.index.get(v) for v in op.operands]
    if all(isinstance(f, Lin) for f in operands):
        made = _INDEX_EXPRS.get(op.name) or _OF_NATURALS[op.name]
        expr = made(ir.AffineDimExpr.get(0), ir.AffineDimExpr.get(1))
        with suppress(ValueError):  # not affine
            r.index[op.results[0]] = form(expr, operands, len(operands))  # type: ignore[arg-type]
            return True
    note_product(r, op)
    known = all(v in r.data or isinstance(f, Lin) for v, f in zip(op.operands, operands, strict=True))
    return not (r.depth and known)  # else it is refused where it is used


def note_product(r: NestReader, op: Any) -> None:
    """Keep what index arithmetic that is not affine computes, if that is a polynomial."""
    factors = [r.polynomial(v) for v in op.operands]
    if op.name in _RING and None not in factors:
        r.flat.products[op.results[0]] = _INDEX_EXPRS[op.name](*factors)


def _of_naturals(r: NestReader, op: Any) -> bool:
    """Whether an operation divides what is not negative by a constant that is positive."""
    divisor = r.index.get(op.operands[1]) if op.name in _OF_NATURALS else None
    return isinstance(divisor, Lin) and divisor.is_const and divisor.const > 0 and r.is_natural(op.operands[0])


def _index_cast(r: NestReader, op: Any) -> None:
    source, result = op.operands[0], op.results[0]
    is_position = str(result.type) == "index" and r.data.get(source) in r.loaded
    if op.name == "arith.index_castui" and "i64" not in (str(source.type), str(result.type)) and not is_position:
        r.unsigned.append(location(op))
    if str(result.type) != "index":
        chosen = str(source.type) == "index" and source in r.data and source not in r.index  # a number of 64 bits
        if chosen and str(result.type) == INDEX_AS:
            return r.same(result, source)
        return r.compute(op, (), "arith.trunci" if chosen else "")
    if is_position:
        return r.bind_position(result, source, op.name == "arith.index_castui")
    if isinstance(r.index.get(source), Lin):
        r.index[result] = r.index[source]
    elif source in r.data and r.data[source] in r.values:
        r.index[result] = r.index.setdefault(source, r.size_from_scalar(source))
    elif source in r.data and op.name == "arith.index_cast":
        return r.compute(op, (), "arith.extsi") if str(source.type) != INDEX_AS else r.same(result, source)
    r.signs.setdefault(str(r.index.get(source)), set()).add(op.name)
    return None


READERS: dict[str, Callable[[NestReader, Any], None]] = {
    "arith.constant": _constant,
    "affine.for": _for,
    "affine.parallel": affine_parallel,
    "affine.if": _affine_if,
    "affine.load": _affine_load,
    "affine.store": _affine_store,
    "affine.apply": _apply,
    "affine.delinearize_index": _delinearize,
    "affine.linearize_index": _linearize,
    "affine.min": _extremum("min"),
    "affine.max": _extremum("max"),
    "scf.for": _for,
    "scf.parallel": scf_parallel,
    "scf.reduce": scf_reduce,
    "scf.while": counting_while,
    "scf.if": _scf_if,
    "memref.load": _memref_load,
    "memref.store": _memref_store,
    "memref.alloc": _alloc,
    "memref.alloca": _alloc,
    "memref.dim": _dim,
    **VIEWS,
    "memref.dealloc": lambda r, op: None,
    "arith.select": _select,
    "arith.index_cast": _index_cast,
    "arith.index_castui": _index_cast,
}

_WIDER = ("arith.extsi", "arith.extui")
_REASONS = {
    "func.call": "calls a function",
    "scf.while": "loops while a condition on data holds",
}


def read_op(r: NestReader, op: Any) -> None:
    """One operation of a nest; `Refusal` if it is outside of the subset."""
    reader = READERS.get(op.name)
    try:
        if reader is not None:
            reader(r, op)
        elif not (r.note_truth(op) or _arith_extremum(r, op) or _index_arithmetic(r, op)):
            _scalar(r, op)
    except ValueError as error:
        raise Refusal(location(op), str(error)) from error


def _scalar(r: NestReader, op: Any) -> None:
    if not r.depth and any(v in r.flat.products for v in op.operands):
        r.flat.products.update(dict.fromkeys(op.results))  # such as how many rows there are: a view asks for it
        return None
    if not op.name.startswith(("arith.", "math.")) or len(op.results) != 1 or len(op.regions):
        raise Refusal(
            location(op), _REASONS.get(op.name, f"operation '{op.name}' is not a static-control loop program")
        )
    if op.name in ("arith.sitofp", "arith.extsi") and str(op.operands[0].type) == "i1":
        return _sign_of_truth(r, op)
    attrs = tuple((str(a), str(op.attributes[a])) for a in sorted(map(_attr_name, op.attributes)) if a == "predicate")
    read_plain(r, op, attrs)
    if op.name in _WIDER and (position := r.loaded.get(r.data.get(op.operands[0], ""))) is not None:
        r.loaded[r.data[op.results[0]]] = replace(position, unsigned=op.name == "arith.extui")
    return None


def _sign_of_truth(r: NestReader, op: Any) -> None:
    """A truth value widened with its sign: -1 where it holds, else 0."""
    kind = str(op.results[0].type)
    point = ".0" if op.name == "arith.sitofp" else ""
    args = [r.name_of(op.operands[0], op), *(r.constant(f"{text}{point}", kind) for text in ("-1", "0"))]
    r.data[op.results[0]] = r.computed("arith.select", tuple(args), kind, op)


def _attr_name(attr: Any) -> str:
    return attr if isinstance(attr, str) else str(attr.name)
