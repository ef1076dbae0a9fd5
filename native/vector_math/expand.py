"""Functions of vectors without a call for each lane: code in place of operations of MLIR's math dialect.

Each function of a length and a format becomes a private function of the module. Errors stay within three units in
the last place (asinh, acosh, atanh: four; erfc: seven); zeros, infinities, NaN and results below the normal range are
as in C. Of single numbers, expm1 and log1p call C's library: MLIR's own lowering subtracts or adds 1, and loses all
digits near 0. Where the processor does not multiply and add in one instruction, this code would call C's library for
that: the library's functions are called for each lane in its place, with its errors.

    before  %r = math.exp %v : vector<8xf32>
    after   %r = call @raise.math.exp.8xf32(%v) : (vector<8xf32>) -> vector<8xf32>

The calls are inlined, but where a long function has many in one kernel: `pow` behind a product of matrices made 1.6 MB
of text, which took LLVM longer than everything else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from mlir import ir

from raising.affine.ir.real_functions import REALS
from raising.native.base.target import Target
from raising.native.nest.mlir_builder import Lines
from raising.native.vector_math import exp as vector_exp
from raising.native.vector_math import log as vector_log
from raising.native.vector_math import pow as vector_pow
from raising.native.vector_math import trig as vector_trig
from raising.native.vector_math.vectors import FORMATS, Value, Vector
from raising.support.mlir.walk import operations

FUNCTIONS: dict[str, Callable[..., Value]] = {
    op: getattr(written, row.short)
    for written in (vector_exp, vector_log, vector_trig, vector_pow)
    for op, row in REALS.items()
    if hasattr(written, row.short)
}
_ROUND = "math.roundeven"
"""What most processors have an instruction for."""
_BOTH, _HALVES = "math.sincos", ("math.sin", "math.cos")
_LIBRARY = ("math.expm1", "math.log1p")
_WIDENED = ("f16", "bf16")
_APART = ".apart"  # how the name of a function ends that stays a function
_MANY = 16  # copies of a function's code in one kernel: what tiles do with their sums stands there once a register
_MOST_LINES = 12_000  # of all copies; `pow` of f64 has 450


def write_vector_math(module: Any, target: Target, fp: str) -> None:
    """Calls of functions of the module in place of operations on vectors, and on numbers where there is need.

    With `fp` other than strict, results may be rounded in faster ways.
    """
    names = {*FUNCTIONS} if target.rounds else {*FUNCTIONS, _ROUND}
    if not target.fuses:
        for op in operations(module, lambda op: op.name in _LIBRARY and _is_of_numbers(op)):
            _by_lanes(op)
    found = operations(
        module,
        lambda op: (op.name in names and _is_written(op, target)) or (op.name in _LIBRARY and _is_number(op)),
    )
    written: set[str] = set()
    pairs = _pairs(found)
    function = partial(_function, target=target, strict=fp == "strict")
    copies = Counter(map(_place, pairs))
    long = {place for place, count in copies.items() if _is_long(place, count, function)}
    for pair in pairs:
        _call(module, pair, function, written, apart=_place(pair) in long)


_Place = tuple[str, str, int, tuple[int, str] | None]


def _place(pair: list[Any]) -> _Place:
    """The function in which operations are, and what they would call there: for how many operands, of which form."""
    function = pair[0].parent.operation
    while function.name != "func.func":
        function = function.parent.operation
    return str(function.attributes["sym_name"]), _operation(pair), len(pair[0].operands), _form(pair[0])


def _operation(pair: list[Any]) -> str:
    return str(pair[0].name) if len(pair) == 1 else _BOTH


def _is_long(place: _Place, copies: int, function: Callable[..., dict[str, str]]) -> bool:
    """Whether so many copies of the code for operations make a kernel too long."""
    _, operation, operands, form = place
    if form is None or copies < _MANY:
        return False
    texts = function("", operation, operands, form)
    return copies * sum(text.count("\n") for text in texts.values()) > _MOST_LINES


def _pairs(found: list[Any]) -> list[list[Any]]:
    """Sine and cosine of the same vector in the same block; each other operation alone."""
    pairs: list[list[Any]] = []
    waiting: dict[Any, list[list[Any]]] = {}
    for op in found:
        others = waiting.setdefault(op.operands[0], []) if op.name in _HALVES else []
        other = next((one for one in others if one[0].name != op.name and one[0].block == op.block), None)
        if other is None:
            pairs.append([op])
            others.append(pairs[-1])
        else:
            others.remove(other)
            other.append(op)
    return pairs


def _is_number(op: Any) -> bool:
    return str(op.results[0].type) in FORMATS


def _is_written(op: Any, target: Target) -> bool:
    """Whether there is code for an operation that is better than calls."""
    return _form(op) is not None and (target.fuses or op.name == _ROUND or not _is_of_numbers(op))


def _is_of_numbers(op: Any) -> bool:
    """Whether an operation is on vectors of what C's library has functions for."""
    form = _form(op)
    return form is not None and form[1] in FORMATS


def _by_lanes(op: Any) -> None:
    """The same operation on each lane of its vector."""
    kind, (operand,) = ir.VectorType(op.results[0].type), op.operands
    at, made = ir.InsertionPoint(op), operand
    for lane in range(kind.shape[0]):
        place = {"static_position": ir.DenseI64ArrayAttr.get([lane])}
        one = ir.Operation.create("vector.extract", [kind.element_type], [operand], place, ip=at).results[0]
        one = ir.Operation.create(op.name, [kind.element_type], [one], ip=at).results[0]
        made = ir.Operation.create("vector.insert", [kind], [one, made], place, ip=at).results[0]
    op.results[0].replace_all_uses_with(made)
    op.erase()


def _form(op: Any) -> tuple[int, str] | None:
    """The number of lanes and the element type of an operation, if there is code for them; else None."""
    kind = op.results[0].type
    if not isinstance(kind, ir.VectorType) or kind.rank != 1 or kind.scalable:
        return None
    element = str(kind.element_type)
    return (kind.shape[0], element) if element in (*FORMATS, *_WIDENED) else None


def _call(
    module: Any, pair: list[Any], function: Callable[..., dict[str, str]], written: set[str], *, apart: bool
) -> None:
    """A call in place of the operations, where the first one is; the function is written when it is first called.

    It stays a call if it is `apart`; else the function's code comes in its place.
    """
    op, form = pair[0], _form(pair[0])
    if form is None:
        kind = str(op.results[0].type)
        name = op.name.removeprefix("math.") + ("f" if kind == "f32" else "")
        texts = {name: f"func.func private @{name}({kind}) -> {kind}"}
    else:
        operation = _operation(pair)
        name = f"raise.{operation}.{form[0]}x{form[1]}{_APART if apart else ''}"
        texts = {} if name in written else function(name, operation, len(op.operands), form)
    if name not in written:
        source = ir.Module.parse("\n".join(texts.values()))
        for each, symbol in zip(source.body.operations, texts, strict=True):
            if symbol not in written:
                each.operation.clone(ir.InsertionPoint.at_block_begin(module.body))
        written.update(texts)
    made = ir.Operation.create(
        "func.call",
        results=[each.results[0].type for each in pair],
        operands=list(op.operands),
        attributes={"callee": ir.FlatSymbolRefAttr.get(name), **({"no_inline": ir.UnitAttr.get()} if apart else {})},
        ip=ir.InsertionPoint(op),
    )
    for old, result in zip(sorted(pair, key=lambda one: one.name == "math.cos"), made.results, strict=True):
        old.results[0].replace_all_uses_with(result)
        old.erase()


def _code(operation: str) -> Callable[..., Value]:
    return rounded if operation == _ROUND else FUNCTIONS[operation]


def rounded(v: Vector, x: Value) -> Value:
    """The nearest whole number, an even one of two: a sum has no fraction from 2 to the bits of the fraction on."""
    whole = 2.0**v.format.fraction
    return v.choose(v.compare("olt", x.size, whole), v.signed(x.size + whole - whole, x), x)


def _function(
    name: str, operation: str, count: int, form: tuple[int, str], target: Target, strict: bool
) -> dict[str, str]:
    """The texts of a function and of the variables that it loads, by their names."""
    lanes, element = form
    code, own = Lines(), "f32" if element in _WIDENED else element
    whole = lanes * FORMATS[own].bits == target.vector_bits
    vector = Vector(code, own, lanes, target.scales and whole, strict, target.broadcasts and whole)
    kind, names = f"vector<{lanes}x{element}>", [f"%x{number}" for number in range(count)]
    inner = names if own == element else [code.op(f"arith.extf {x} : {kind} to {vector.floats}") for x in names]
    values = [Value(vector, each) for each in inner]
    found = vector_trig.sincos(vector, *values) if operation == _BOTH else [_code(operation)(vector, *values)]
    results = [each.name for each in found]
    if own != element:
        results = [code.op(f"arith.truncf {each} : {vector.floats} to {kind}") for each in results]
    arguments = ", ".join(f"{each}: {kind}" for each in names)
    kinds, given = ", ".join([kind] * len(results)), ", ".join(results)
    stays = ' attributes {passthrough = ["noinline"]}' if name.endswith(_APART) else ""
    text = f"func.func private @{name}({arguments}) -> ({kinds}){stays} {{\n{code.body()}\nreturn {given} : {kinds}\n}}"
    return {name: text, **vector.tables}
