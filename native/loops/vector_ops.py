"""Scalar operations printed for vectors, and the combiners of reductions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import replace

from raising.affine.ir.affine_expr import Term
from raising.native.nest.active import Active, active
from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Access, Nest, Scalar
from raising.support.record import dataclass

MASKED = 32
"""Bits of the elements that every machine's vectors can be masked by."""
MASKS_ALL = 512
"""Bits of vectors that can be masked by elements of all sizes."""

WORDS = (32, 64)
"""Lanes whose masks are words."""


def element_bits(element: str) -> int:
    """How many bits an element takes in memory."""
    if element == "index":
        return 64
    found = re.search(r"\d+", element)
    return max(8, int(found[0])) if found else 32


def may_be_masked(elements: Iterable[str], vector_bits: int) -> bool:
    """Whether a machine whose vectors have so many bits masks vectors of all these elements."""
    return vector_bits >= MASKS_ALL or all(element_bits(element) >= MASKED for element in elements)


def vector_type(element: str, lanes: int) -> str:
    """The vector of that many elements; the element itself where it is one."""
    return element if lanes == 1 else f"vector<{lanes}x{element}>"


@dataclass(frozen=True)
class Lane:
    """A value of a body as it is at run time: `wide` if it has an element for each lane."""

    name: str
    element: str
    wide: bool


def widened(code: Lines, value: Lane, lanes: int) -> str:
    """The value in every lane."""
    if value.wide or lanes == 1:
        return value.name
    kind = vector_type(value.element, lanes)
    return code.op(f"vector.broadcast {value.name} : {value.element} to {kind}", "b")


def first_lanes(code: Lines, left: str, lanes: int) -> str:
    """So many lanes, at least one, as the low bits of a word: compares take an instruction for every 16 lanes."""
    others = code.formula(f"{lanes} - min({left}, {lanes})")
    shift = code.op(f"arith.index_cast {others} : index to i{lanes}")
    ones = code.op(f"arith.constant -1 : i{lanes}")
    word = code.op(f"arith.shrui {ones}, {shift} : i{lanes}")
    single = code.op(f"vector.broadcast {word} : i{lanes} to vector<1xi{lanes}>")
    return code.op(f"vector.bitcast {single} : vector<1xi{lanes}> to vector<{lanes}xi1>", "m")


def printed(code: Lines, scalar: Scalar, args: list[Lane], lanes: int, permutes: bool = False) -> Lane:
    """One operation of a body on these arguments: on vectors if one of them is a vector.

    With `permutes`, what is longer than a register is narrowed by permutations.
    """
    wide = any(arg.wide for arg in args) and lanes > 1
    width = lanes if wide else 1
    names = [widened(code, arg, width) if wide else arg.name for arg in args]
    if permutes and wide and lanes & (lanes - 1) == 0 and lanes * _narrowed_from(scalar) > _REGISTER:
        return Lane(_narrowed(code, scalar, names[0], lanes), scalar.result, True)
    types = ", ".join(vector_type(kind, width) for kind in scalar.operands)
    text = f'"{scalar.name}"({", ".join(names)}) {scalar.properties} : ({types}) -> {vector_type(scalar.result, width)}'
    return Lane(code.op(text, "v"), scalar.result, wide)


_NARROWING = ("arith.trunci", "arith.fptosi", "arith.fptoui")
_REGISTER = 512
"""Bits of a register of the machines that permute bytes of two."""


def _narrowed_from(scalar: Scalar) -> int:
    """The bits of the integers that an operation makes narrower: those that a float is converted to are as long as it.

    0 where it makes nothing narrower.
    """
    if scalar.name not in _NARROWING:
        return 0
    bits = element_bits(scalar.operands[0])
    whole = scalar.operands[0] in ("i16", "i32", "i64", "f32") and scalar.result in ("i8", "i16", "i32")
    return bits if whole and bits > element_bits(scalar.result) else 0


def _narrowed(code: Lines, scalar: Scalar, value: str, lanes: int) -> str:
    """The lower halves of lanes, out of two registers at a time, until they have the bits of the result.

    LLVM narrows each register by itself and joins the halves, three instructions in place of one.
    """
    bits, wanted = element_bits(scalar.operands[0]), element_bits(scalar.result)
    if scalar.name != "arith.trunci":
        types = f"{vector_type(scalar.operands[0], lanes)} to {vector_type(f'i{bits}', lanes)}"
        value = code.op(f"arith.fptosi {value} : {types}", "v")
    each, kind = _REGISTER // bits, vector_type(f"i{bits}", lanes)
    registers = []
    for start in range(0, lanes, each):
        places = f"{{offsets = [{start}], sizes = [{each}], strides = [1]}}"
        text = f"vector.extract_strided_slice {value} {places} : {kind} to {vector_type(f'i{bits}', each)}"
        registers.append(code.op(text, "v"))
    while len(registers) > 1 and bits > wanted:
        types = f"{vector_type(f'i{bits}', each)} to {vector_type(f'i{bits // 2}', 2 * each)}"
        halves = [code.op(f"vector.bitcast {register} : {types}", "v") for register in registers]
        bits, each = bits // 2, 2 * each
        kind, lower = vector_type(f"i{bits}", each), list(range(0, 2 * each, 2))
        pairs = zip(halves[::2], halves[1::2], strict=True)
        registers = [code.op(f"vector.shuffle {a}, {b} {lower} : {kind}, {kind}", "v") for a, b in pairs]
    found = joined(code, registers, f"i{bits}", each)
    types = f"{vector_type(f'i{bits}', lanes)} to {vector_type(scalar.result, lanes)}"
    return found if bits == wanted else code.op(f"arith.trunci {found} : {types}", "v")


def joined(code: Lines, parts: list[str], element: str, lanes: int) -> str:
    """Vectors one behind the other, as many as the next power of two: the last one again where there are less."""
    while len(parts) > 1:
        parts = [*parts, parts[-1]] if len(parts) % 2 else parts
        kind, order = vector_type(element, lanes), list(range(2 * lanes))
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [code.op(f"vector.shuffle {a}, {b} {order} : {kind}, {kind}", "l") for a, b in pairs]
        lanes *= 2
    return parts[0]


@dataclass(frozen=True)
class Combine:
    """How partial results of a reduction are joined: by an operation, from a neutral element, over a vector's lanes."""

    name: str
    kind: str
    neutral: str
    exact: bool
    flags: str = "reassoc,contract"


_LOWEST = {"f32": "0xFF800000", "f64": "0xFFF0000000000000"}
_HIGHEST = {"f32": "0x7F800000", "f64": "0x7FF0000000000000"}


def _combines(element: str) -> dict[str, Combine]:
    """Every operation that reductions may use, for an element type; `exact` if order does not matter."""
    if element.startswith("f"):
        table = {
            "addf": ("add", "-0.0", False),
            "subf": ("add", "-0.0", False),
            "mulf": ("mul", "1.0", False),
        }
        if element in _LOWEST:
            table["maximumf"] = ("maximumf", _LOWEST[element], True)
            table["minimumf"] = ("minimumf", _HIGHEST[element], True)
    else:
        bits = element_bits(element) if element != "i1" else 1
        low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
        table = {
            "addi": ("add", "0", True),
            "subi": ("add", "0", True),
            "muli": ("mul", "1", True),
            "andi": ("and", "-1", True),
            "ori": ("or", "0", True),
            "xori": ("xor", "0", True),
            "maxsi": ("maxsi", str(low), True),
            "minsi": ("minsi", str(high), True),
            "maxui": ("maxui", "0", True),
            "minui": ("minui", "-1", True),
        }
    joined = {"subf": "addf", "subi": "addi"}
    return {f"arith.{op}": Combine(f"arith.{joined.get(op, op)}", *row) for op, row in table.items()}


def reduction(nest: Nest, place: int) -> Combine | None:
    """The reduction that a write does: one operation that combines its old value with a new one. None if it is none.

    Nothing else of the nest may see the value on its way: it is that of one accumulator of several.
    """
    write = nest.writes[place]
    if write not in nest.reads:
        return None
    own = f"in{nest.reads.index(write)}"
    users = Counter(nest.yields) + Counter(arg for scalar in nest.body for arg in scalar.args)
    table = _combines(write.array.element)
    name, found = nest.yields[place], None
    if users[name] != 1:
        return None
    while name != own:
        operation = nest.body[int(name[1:])] if name.startswith("v") else None
        combine = table.get(operation.name) if operation else None
        if operation is None or combine is None or (found and combine.name != found.name):
            return None
        if "nnan" in operation.properties and "nsz" in operation.properties:
            combine = replace(combine, flags="reassoc,nnan,nsz,contract")
        found, step = combine, _towards(nest, operation, own)
        if step is None or users[step] != 1:
            return None
        name = step
    return found


def active_within(nests: tuple[Nest, ...], dim: int, names: Collection[Term], strict: bool) -> Active:
    """Where nests do something; a sum whose order counts (`strict`) keeps its zeros."""
    return active(nests, dim, names, lambda nest, place: not strict and reduction(nest, place) is not None)


def _towards(nest: Nest, scalar: Scalar, own: str) -> str | None:
    """The argument that the old value reaches: only the first of a difference may."""
    reached = [arg for arg in scalar.args if _reaches(nest, arg, own)]
    if len(reached) != 1 or (scalar.name in ("arith.subf", "arith.subi") and reached[0] != scalar.args[0]):
        return None
    return reached[0]


def _reaches(nest: Nest, name: str, own: str) -> bool:
    if name == own or not name.startswith("v"):
        return name == own
    return any(_reaches(nest, arg, own) for arg in nest.body[int(name[1:])].args)


def sums_of_rows(code: Lines, rows: list[str], combine: Combine, element: str, lanes: int) -> str:
    """One vector with the joined lanes of each of several vectors: of 2, 4, 8, ... rows, at most as many as lanes.

    Two vectors become one by halves, so that half as many shuffles are needed as if each was joined by itself.
    """
    left = lanes
    while len(rows) > 1:
        pairs = zip(rows[::2], rows[1::2], strict=True)
        rows = [_folded(code, pair, combine, (element, lanes, left)) for pair in pairs]
        left //= 2
    (found,) = rows
    while left > 1:
        found = _folded(code, (found,), combine, (element, lanes, left))
        lanes, left = lanes // 2, left // 2
    return found


def _folded(code: Lines, vectors: tuple[str, ...], combine: Combine, form: tuple[str, int, int]) -> str:
    """Vectors of some lanes, in which so many neighbours belong together, with half as many of them, in one vector."""
    element, lanes, left = form
    flags = f" fastmath<{combine.flags}>" if element.startswith(("f", "bf")) else ""
    starts = range(0, lanes * len(vectors), left)
    kind, a, b = vector_type(element, lanes), vectors[0], vectors[-1]
    halves = []
    for offset in (0, left // 2):
        order = [start + offset + k for start in starts for k in range(left // 2)]
        halves.append(code.op(f"vector.shuffle {a}, {b} {order} : {kind}, {kind}", "h"))
    return code.op(f"{combine.name} {halves[0]}, {halves[1]}{flags} : {vector_type(element, len(starts) * left // 2)}")


@dataclass(frozen=True)
class Sum:
    """A reduction along the vector: of which nest, write and row, how partial results are joined."""

    nest: int
    write: int
    row: int
    access: Access
    combine: Combine


Partial = dict[tuple[Sum, int], Lane]
"""The accumulator of each sum and copy."""


def flags_of(each: Sum) -> str:
    """The fast-math flags of the operations that join its parts."""
    return f" fastmath<{each.combine.flags}>" if each.access.array.element.startswith(("f", "bf")) else ""
