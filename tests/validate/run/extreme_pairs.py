"""Pairs written by hand, most of which differ at extremes only, with the answer that each has to get.

Narrow numbers that wrap, the least number of a type, NaN and the sign of zero, empty and negative ranges, sizes that no
small run reaches.
"""

from __future__ import annotations

from raising.support.record import dataclass
from tests.validate.undefined_pieces import each

EQUAL, REAL, DIFFERENT, UNKNOWN = "equal", "equal over the real numbers", "different", "not known"
"""Answers: equal in all bits of integers, equal if floats are finite, refuted by an input, or no answer at all."""


@dataclass(frozen=True)
class Extreme:
    """Two functions and the answer about them."""

    answer: str
    source: str
    target: str


def _bits(answer: str, types: str, source: str, target: str) -> Extreme:
    """A pair of loops over elements `%x` and `%y` of one type, in which these bodies compute `%r` of another."""
    element, _, result = types.partition(" -> ")
    return Extreme(answer, *(each(body, element, result) for body in (source, target)))


ITSELF = "%z = arith.constant 0 : i32\n %r = arith.addi %x, %z : i32"
"""The element itself."""

INTEGERS = {
    "a narrow number with its sign, without": _bits(
        DIFFERENT,
        "i32",
        "%t = arith.trunci %x : i32 to i8\n %r = arith.extsi %t : i8 to i32",
        "%t = arith.trunci %x : i32 to i8\n %r = arith.extui %t : i8 to i32",
    ),
    "a sum made narrow, of narrow numbers": _bits(
        EQUAL,
        "i32 -> i8",
        "%a = arith.addi %x, %y : i32\n %r = arith.trunci %a : i32 to i8",
        "%a = arith.trunci %x : i32 to i8\n %b = arith.trunci %y : i32 to i8\n %r = arith.addi %a, %b : i8",
    ),
    "a sum made wide, of wide numbers": _bits(
        DIFFERENT,
        "i8 -> i16",
        "%a = arith.addi %x, %y : i8\n %r = arith.extsi %a : i8 to i16",
        "%a = arith.extsi %x : i8 to i16\n %b = arith.extsi %y : i8 to i16\n %r = arith.addi %a, %b : i16",
    ),
    "a mean that wraps": _bits(
        DIFFERENT,
        "i8",
        "%o = arith.constant 1 : i8\n %a = arith.addi %x, %y : i8\n %r = arith.shrui %a, %o : i8",
        "%o = arith.constant 1 : i8\n %a = arith.andi %x, %y : i8\n %b = arith.xori %x, %y : i8\n"
        " %h = arith.shrui %b, %o : i8\n %r = arith.addi %a, %h : i8",
    ),
    "the magnitude by a shift without sign": _bits(
        DIFFERENT,
        "i8",
        "%r = math.absi %x : i8",
        "%k = arith.constant 7 : i8\n %s = arith.shrui %x, %k : i8\n %a = arith.xori %x, %s : i8\n"
        " %r = arith.subi %a, %s : i8",
    ),
    "the magnitude by a shift with sign": _bits(
        EQUAL,
        "i8",
        "%r = math.absi %x : i8",
        "%k = arith.constant 7 : i8\n %s = arith.shrsi %x, %k : i8\n %a = arith.xori %x, %s : i8\n"
        " %r = arith.subi %a, %s : i8",
    ),
    "a product without its highest bit": _bits(
        DIFFERENT,
        "i64",
        "%r = arith.muli %x, %y : i64",
        "%a = arith.trunci %x : i64 to i63\n %b = arith.trunci %y : i64 to i63\n %c = arith.muli %a, %b : i63\n"
        " %r = arith.extsi %c : i63 to i64",
    ),
    "a constant that no float of 64 bits holds": _bits(
        DIFFERENT,
        "i64",
        "%k = arith.constant 9007199254740993 : i64\n %r = arith.addi %x, %k : i64",
        "%k = arith.constant 9007199254740992 : i64\n %r = arith.addi %x, %k : i64",
    ),
    "there and back through a float that does not": _bits(
        UNKNOWN, "i32", "%a = arith.sitofp %x : i32 to f32\n %r = arith.fptosi %a : f32 to i32", ITSELF
    ),
    "a quotient rounded toward zero, a shift": _bits(
        DIFFERENT,
        "i32",
        "%k = arith.constant 4 : i32\n %r = arith.divsi %x, %k : i32",
        "%k = arith.constant 2 : i32\n %r = arith.shrsi %x, %k : i32",
    ),
    "a quotient rounded down, a shift": _bits(
        EQUAL,
        "i32",
        "%k = arith.constant 4 : i32\n %r = arith.floordivsi %x, %k : i32",
        "%k = arith.constant 2 : i32\n %r = arith.shrsi %x, %k : i32",
    ),
    "a third by a product": _bits(
        EQUAL,
        "i8",
        "%k = arith.constant 3 : i8\n %r = arith.divui %x, %k : i8",
        "%e = arith.extui %x : i8 to i16\n %m = arith.constant 171 : i16\n %a = arith.muli %e, %m : i16\n"
        " %s = arith.constant 9 : i16\n %q = arith.shrui %a, %s : i16\n %r = arith.trunci %q : i16 to i8",
    ),
    "a seventh by a product that is not exact": _bits(
        DIFFERENT,
        "i8",
        "%k = arith.constant 7 : i8\n %r = arith.divui %x, %k : i8",
        "%e = arith.extui %x : i8 to i16\n %m = arith.constant 37 : i16\n %a = arith.muli %e, %m : i16\n"
        " %s = arith.constant 8 : i16\n %q = arith.shrui %a, %s : i16\n %r = arith.trunci %q : i16 to i8",
    ),
    "less by the sign of a difference": _bits(
        DIFFERENT,
        "i32 -> i1",
        "%r = arith.cmpi slt, %x, %y : i32",
        "%z = arith.constant 0 : i32\n %a = arith.subi %x, %y : i32\n %r = arith.cmpi slt, %a, %z : i32",
    ),
    "a truth value as a number with its sign": _bits(
        DIFFERENT, "i1 -> f64", "%r = arith.sitofp %x : i1 to f64", "%r = arith.uitofp %x : i1 to f64"
    ),
    "rounded up by an addition that wraps": _bits(
        DIFFERENT,
        "i8",
        "%k = arith.constant 4 : i8\n %r = arith.ceildivui %x, %k : i8",
        "%t = arith.constant 3 : i8\n %a = arith.addi %x, %t : i8\n %k = arith.constant 4 : i8\n"
        " %r = arith.divui %a, %k : i8",
    ),
}

FLOATS = {
    "a maximum by a comparison": _bits(
        REAL,
        "f64",
        "%r = arith.maximumf %x, %y : f64",
        "%c = arith.cmpf ogt, %x, %y : f64\n %r = arith.select %c, %x, %y : f64",
    ),
    "a constant one digit further": _bits(
        DIFFERENT,
        "f64",
        "%k = arith.constant 0.1 : f64\n %r = arith.mulf %x, %k : f64",
        "%k = arith.constant 0.1 : f32\n %l = arith.extf %k : f32 to f64\n %r = arith.mulf %x, %l : f64",
    ),
    "the root of a square": _bits(
        DIFFERENT,
        "f64",
        "%a = arith.mulf %x, %x : f64\n %r = math.sqrt %a : f64",
        "%o = arith.constant 1.0 : f64\n %r = arith.mulf %x, %o : f64",
    ),
    "rounded down, rounded toward zero": _bits(
        DIFFERENT, "f64", "%r = math.floor %x : f64", "%r = math.trunc %x : f64"
    ),
    "halves rounded away from zero, rounded to even": _bits(
        DIFFERENT, "f64", "%r = math.round %x : f64", "%r = math.roundeven %x : f64"
    ),
    "a logarithm of a product of negative numbers": _bits(
        UNKNOWN,
        "f64",
        "%a = arith.mulf %x, %y : f64\n %r = math.log %a : f64",
        "%a = math.log %x : f64\n %b = math.log %y : f64\n %r = arith.addf %a, %b : f64",
    ),
}

MEMORY = "memref<?xf64>"


def _copies(answer: str, source: str, target: str, body: str = "") -> Extreme:
    """A pair of loops that copy elements from 0 up to these bounds; `body` is another one for the target."""
    plain = f"%v = affine.load %x[%i] : {MEMORY}\n    affine.store %v, %y[%i] : {MEMORY}"
    loops = (
        f"func.func @f(%n: index, %x: {MEMORY}, %y: {MEMORY}) {{\n  affine.for %i = 0 to {upper} {{\n    {inner}\n"
        "  }\n  return\n}\n"
        for upper, inner in ((source, plain), (target, body or plain))
    )
    return Extreme(answer, *loops)


def _sums(answer: str, *, source: str, target: str) -> Extreme:
    """A pair of sums of numbers of 8 bits that are kept in these types, and go out in 32 bits."""
    return Extreme(answer, _sum_in(source), _sum_in(target))


def _sum_in(kind: str) -> str:
    wide = {"i16": "%q = arith.extsi %s : i16 to i32", "i64": "%q = arith.trunci %s : i64 to i32"}.get(kind, "")
    return f"""func.func @f(%n: index, %x: memref<?xi8>, %o: memref<i32>) {{
  %z = arith.constant 0 : {kind}
  %s = affine.for %i = 0 to %n iter_args(%a = %z) -> ({kind}) {{
    %b = affine.load %x[%i] : memref<?xi8>
    %c = arith.extsi %b : i8 to {kind}
    %r = arith.addi %a, %c : {kind}
    affine.yield %r : {kind}
  }}
  {wide}
  memref.store {"%q" if wide else "%s"}, %o[] : memref<i32>
  return
}}
"""


def _extremes(answer: str, operation: str, source: str, target: str, other: str = "") -> Extreme:
    """A pair of folds of floats from these first values on, by one operation or two."""
    texts = (
        f"func.func @f(%n: index, %x: {MEMORY}, %o: memref<f64>) {{\n  %z = arith.constant {first} : f64\n"
        f"  %s = affine.for %i = 0 to %n iter_args(%a = %z) -> (f64) {{\n    %b = affine.load %x[%i] : {MEMORY}\n"
        f"    %r = {by} %a, %b : f64\n    affine.yield %r : f64\n  }}\n"
        "  memref.store %s, %o[] : memref<f64>\n  return\n}\n"
        for first, by in ((source, operation), (target, other or operation))
    )
    return Extreme(answer, *texts)


def _numbers(answer: str, count: int, kind: str) -> Extreme:
    """A pair that stores the numbers from 0 on: as they are, and through a narrower type."""
    types = f"memref<{count}xi64>"
    bodies = (
        "%a = arith.index_cast %i : index to i64",
        f"%c = arith.index_cast %i : index to {kind}\n    %a = arith.extsi %c : {kind} to i64",
    )
    texts = (
        f"func.func @f(%o: {types}) {{\n  affine.for %i = 0 to {count} {{\n    {body}\n"
        f"    affine.store %a, %o[%i] : {types}\n  }}\n  return\n}}\n"
        for body in bodies
    )
    return Extreme(answer, *texts)


WRAPPED = f"%v = affine.load %x[%i] : {MEMORY}\n    affine.store %v, %y[%i mod 137] : {MEMORY}"
LIMITED = "min affine_map<()[s0] -> (s0, {})>()[%n]"
INFINITY, MAXIMUM = "0xFFF0000000000000", "arith.maximumf"

LOOPS = {
    "a copy of at most 20": _copies(DIFFERENT, "%n", LIMITED.format(20)),
    "a copy of at most 137": _copies(DIFFERENT, "%n", LIMITED.format(137)),
    "a copy of at most a million": _copies(UNKNOWN, "%n", LIMITED.format(1_000_000)),
    "a copy to rows of 137": _copies(DIFFERENT, "%n", "%n", WRAPPED),
    "a sum in 16 bits": _sums(DIFFERENT, source="i32", target="i16"),
    "a sum in 64 bits": _sums(EQUAL, source="i32", target="i64"),
    "a sum from negative zero": _extremes(REAL, "arith.addf", "0.0", "-0.0"),
    "a maximum from zero": _extremes(DIFFERENT, MAXIMUM, INFINITY, "0.0"),
    "a maximum from the least float": _extremes(DIFFERENT, MAXIMUM, INFINITY, "-1.7976931348623157e308"),
    "a maximum that passes over a NaN": _extremes(REAL, MAXIMUM, INFINITY, INFINITY, "arith.maxnumf"),
    "positions that 8 bits hold": _numbers(EQUAL, 100, "i8"),
    "positions that 8 bits do not hold": _numbers(DIFFERENT, 200, "i8"),
}


def _filled(rank: int, *extents: str) -> str:
    """A function that returns a tensor of these extents, which are over %n, with one number everywhere."""
    kind = "tensor<" + "?x" * rank + "f64>"
    names = [f"%e{k}" for k in range(rank)]
    made = "\n".join(f"  {e} = {text}" for e, text in zip(names, extents, strict=True))
    return f"""func.func @f(%n: index, %x: f64) -> {kind} {{
{made}
  %t = tensor.empty({", ".join(names)}) : {kind}
  %r = linalg.fill ins(%x : f64) outs(%t : {kind}) -> {kind}
  return %r : {kind}
}}
"""


FOUR, FIVE = (f"arith.constant {k} : index" for k in (4, 5))
SAME, DOUBLE = "arith.maxsi %n, %n : index", "arith.addi %n, %n : index"

SHAPES = {
    "twice as many elements": Extreme(DIFFERENT, _filled(1, SAME), _filled(1, DOUBLE)),
    "four elements and five": Extreme(DIFFERENT, _filled(1, FOUR), _filled(1, FIVE)),
    "rows and columns exchanged": Extreme(DIFFERENT, _filled(2, SAME, DOUBLE), _filled(2, DOUBLE, SAME)),
    "the same extents": Extreme(EQUAL, _filled(2, SAME, DOUBLE), _filled(2, SAME, DOUBLE)),
}

PAIRS = INTEGERS | FLOATS | LOOPS | SHAPES
