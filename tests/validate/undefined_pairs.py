"""Pairs that differ only where an operation is not defined, or where numbers are not those of algebra.

Loops begin at 0, 20 and 137: what small runs see nothing of has to be seen by the proof alone.
"""

from __future__ import annotations

from tests.validate.memory_pairs import (
    ALL,
    APART,
    CAST,
    CASTS,
    COPIED,
    FOR,
    FREE,
    LAST,
    LIFETIMES,
    LINALG,
    OTHERS,
    OWN,
    PARALLEL,
    ROWS,
    TEMPORARY,
    TO_CAST,
    TRANSPOSED,
    UNWRITTEN,
    copies,
    in_order,
    moved,
    races,
    through,
)
from tests.validate.undefined_pieces import ONE, STARTS, ZERO, Pairs, each, fold

# ---- one-bit and other integers ------------------------------------------------------------------

ONE_BIT = {"maxsi": "ori", "minsi": "andi", "maxui": "andi", "minui": "ori", "addi": "ori", "muli": "xori"}


def of_one_bit(start: int) -> Pairs:
    """Operations on truth values as others: with its sign, 1 is less than 0."""
    return {
        f"i1 {one} as {other} from {start}": (
            fold(f"%r = arith.{one} %a, %x : i1", "i1", start),
            fold(f"%r = arith.{other} %a, %x : i1", "i1", start),
        )
        for one, other in ONE_BIT.items()
    }


def signs(start: int) -> Pairs:
    """The order of integers with and without their signs, of every width."""
    found: Pairs = {}
    for w in ("i1", "i8", "i16", "i32", "i64"):
        for one, other in (("maxsi", "maxui"), ("minsi", "minui")):
            texts = (fold(f"%r = arith.{op} %a, %x : {w}", w, start) for op in (one, other))
            found[f"{w} {one} as {other} from {start}"] = tuple(texts)  # type: ignore[assignment]
        less = (each(f"%r = arith.cmpi {p}, %x, %y : {w}", w, "i1", start) for p in ("slt", "ult"))
        found[f"{w} slt as ult from {start}"] = tuple(less)  # type: ignore[assignment]
    return found


NEGATIVE = "%z = arith.constant 0 : i32\n %r = arith.subi %z, %x : i32"
BY_MINUS_ONE = "%m = arith.constant -1 : i32\n %r = arith.divsi %x, %m : i32"
SHIFT = "%q = arith.shli %x, %y : i32\n %r = arith.xori %q, %q : i32"
NARROW = "%q = arith.fptosi %x : f64 to i64\n %r = arith.trunci %q : i64 to i32"
MASKED = "%k = arith.constant 31 : i32\n %m = arith.andi %y, %k : i32\n %r = arith.shli %x, %m : i32"
REST = (
    "%q = arith.divsi %x, %y : i32\n %p = arith.muli %q, %y : i32\n %m = arith.remsi %x, %y : i32\n"
    " %r = arith.addi %p, %m : i32"
)
GUARDED = """%z = arith.constant 0 : i32
    %o = arith.constant 1 : i32
    %c = arith.cmpi eq, %y, %z : i32
    %d = arith.select %c, %o, %y : i32
    %q = arith.divui %x, {} : i32
    %r = arith.select %c, %z, %q : i32"""
KEPT = "%z = arith.constant 0 : i32\n %r = arith.addi %x, %z : i32"

INTEGERS = {  # the source's, the target's, element, result
    "1 as x / x": (ONE, "%r = arith.divsi %x, %x : i32", "i32", "i32"),
    "0 as x % x": (ZERO, "%r = arith.remsi %x, %x : i32", "i32", "i32"),
    "-x as x / -1": (NEGATIVE, BY_MINUS_ONE, "i32", "i32"),
    "x as (x / y) y + x % y": (KEPT, REST, "i32", "i32"),
    "a division that nobody needs": (KEPT, f"%d = arith.divsi %x, %y : i32\n {KEPT}", "i32", "i32"),
    "a guard that comes too late": (GUARDED.format("%d"), GUARDED.format("%y"), "i32", "i32"),
    "0 as a shift by 40": (ZERO, "%k = arith.constant 40 : i32\n %r = arith.shli %x, %k : i32", "i32", "i32"),
    "0 as a shift and itself": (ZERO, SHIFT, "i32", "i32"),
    "a shift without its mask": (MASKED, "%r = arith.shli %x, %y : i32", "i32", "i32"),
    "truth values divided": ("%r = arith.andi %x, %y : i1", "%r = arith.divui %x, %y : i1", "i1", "i1"),
    "conversion with a sign as one without": (
        "%r = arith.fptosi %x : f64 to i32", "%r = arith.fptoui %x : f64 to i32", "f64", "i32"
    ),
    "conversion through i64 as a direct one": (NARROW, "%r = arith.fptosi %x : f64 to i32", "f64", "i32"),
    "0 as a conversion less itself": (
        "%r = arith.constant 0 : i8", "%q = arith.fptosi %x : f32 to i8\n %r = arith.subi %q, %q : i8", "f32", "i8"
    ),
    "copysign by -0.0 as by 0.0": (
        "%z = arith.constant -0.0 : f64\n %r = math.copysign %x, %z : f64",
        "%z = arith.constant 0.0 : f64\n %r = math.copysign %x, %z : f64", "f64", "f64",
    ),
    "copysign by -(0.0) as by 0.0": (
        "%k = arith.constant 0.0 : f64\n %z = arith.negf %k : f64\n %r = math.copysign %x, %z : f64",
        "%z = arith.constant 0.0 : f64\n %r = math.copysign %x, %z : f64", "f64", "f64",
    ),
    "copysign by -0.0 as by 0.0, f32": (
        "%z = arith.constant -0.0 : f32\n %r = math.copysign %x, %z : f32",
        "%z = arith.constant 0.0 : f32\n %r = math.copysign %x, %z : f32", "f32", "f32",
    ),
}  # fmt: skip


def integers(start: int) -> Pairs:
    """Targets that are not defined where the source is, and conversions of other numbers."""
    return {
        f"{name} from {start}": (each(one, e, r, start), each(other, e, r, start))
        for name, (one, other, e, r) in INTEGERS.items()
    }


# ---- positions -----------------------------------------------------------------------------------


def at_positions(body: str, result: str, start: int, count: int) -> str:
    """A loop in which `body` computes %r from %i alone."""
    n = start + count
    return f"""func.func @f(%O: memref<{n}x{result}>) {{
  affine.for %i = {start} to {n} {{
    {body}
    affine.store %r, %O[%i] : memref<{n}x{result}>
  }}
  return
}}
"""


TIMES = """%k = arith.constant {2} : {0}
    %q = arith.index_cast %i : index to {0}
    %p = arith.muli %q, %k : {0}
    %z = arith.constant 0 : {0}
    %r = arith.cmpi slt, %p, %z : {0}"""
ON_INDEX = TIMES.replace("%q = arith.index_cast %i : index to {0}\n    ", "").replace("%q,", "%i,")
NEVER = "%r = arith.constant false"


def positions(start: int) -> Pairs:
    """Multiples of positions that overflow in their type."""
    tall = 1 << 60
    found = {
        "i32": (TIMES.format("i32", 0, 1_000_000), 3000),
        "i64": (TIMES.format("i64", 0, tall), 20),
        "index": (ON_INDEX.format("index", 0, tall), 20),
    }
    return {
        f"a negative multiple of a position in {w} from {start}": (
            at_positions(body, "i1", start, count), at_positions(NEVER, "i1", start, count)
        )
        for w, (body, count) in found.items()
    }  # fmt: skip


# ---- what may be accepted under an assumption ----------------------------------------------------

NAN = {
    f"{p} as {q}": (p, q) for p, q in (("olt", "ult"), ("oeq", "ueq"), ("one", "une"), ("ogt", "ugt"), ("ole", "ule"))
}


def floats(start: int) -> Pairs:
    """Pairs that differ on NaN, or in the sign of a zero, only."""
    found: Pairs = {}
    for e in ("f32", "f64"):
        found |= {
            f"{name}, {e} from {start}": tuple(  # type: ignore[misc]
                each(f"%r = arith.cmpf {p}, %x, %y : {e}", e, "i1", start) for p in predicates
            )
            for name, predicates in NAN.items()
        }
        plain = {
            "0 - x as -x": (
                f"%z = arith.constant 0.0 : {e}\n %r = arith.subf %z, %x : {e}", f"%r = arith.negf %x : {e}"
            ),
            "x + 0.0 as x - 0.0": (
                f"%z = arith.constant 0.0 : {e}\n %r = arith.addf %x, %z : {e}",
                f"%z = arith.constant 0.0 : {e}\n %r = arith.subf %x, %z : {e}",
            ),
            "-0.0 as 0.0": (f"%r = arith.constant -0.0 : {e}", f"%r = arith.constant 0.0 : {e}"),
            "copysign by y + 0.0": (
                f"%r = math.copysign %x, %y : {e}",
                f"%z = arith.constant 0.0 : {e}\n %w = arith.addf %y, %z : {e}\n %r = math.copysign %x, %w : {e}",
            ),
            "not less as not at least": (
                f"%c = arith.cmpf olt, %x, %y : {e}\n %r = arith.select %c, %x, %y : {e}",
                f"%c = arith.cmpf oge, %x, %y : {e}\n %r = arith.select %c, %y, %x : {e}",
            ),
            "maximum of the kinds": (f"%r = arith.maximumf %x, %y : {e}", f"%r = arith.maxnumf %x, %y : {e}"),
            "x * 0 as 0": (
                f"%z = arith.constant 0.0 : {e}\n %r = arith.mulf %x, %z : {e}", f"%r = arith.constant 0.0 : {e}"
            ),
        }  # fmt: skip
        found |= {
            f"{name}, {e} from {start}": (each(a, e, e, start), each(b, e, e, start)) for name, (a, b) in plain.items()
        }
    return found


FLAGS = {
    "nsw": ("%r = arith.addi %x, %y : i32", "%r = arith.addi %x, %y overflow<nsw> : i32", "i32"),
    "nnan": ("%r = arith.addf %x, %y : f32", "%r = arith.addf %x, %y fastmath<nnan> : f32", "f32"),
}


def sized(cast: str, width: str) -> str:
    """A loop whose bound is an integer as an index."""
    return f"""func.func @f(%n: {width}, %X: memref<?xf64>, %c: f64) {{
  %m = arith.{cast} %n : {width} to index
  affine.for %i = 0 to %m {{ affine.store %c, %X[%i] : memref<?xf64> }}
  return
}}
"""


def in_part(size: str, looped: str) -> str:
    """The sums of squares of columns, or of the first one, by way of a tensor that is made with a size."""
    loop = f"scf.for %j = %c0 to {'%m' if looped else '%c1'} step %c1"
    return f"""func.func @f(%A: tensor<?x?xf64>, %O: tensor<?xf64>) -> tensor<?xf64> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %A, %c0 : tensor<?x?xf64>
  %m = tensor.dim %A, %c1 : tensor<?x?xf64>
  %r = {loop} iter_args(%o = %O) -> (tensor<?xf64>) {{
    %s = tensor.extract_slice %A[0, %j] [%n, 1] [1, 1] : tensor<?x?xf64> to tensor<?xf64>
    %e = tensor.empty({size}) : tensor<?xf64>
    %d = linalg.add ins(%s, %s : tensor<?xf64>, tensor<?xf64>) outs(%e : tensor<?xf64>) -> tensor<?xf64>
    %x = tensor.extract %o[%j] : tensor<?xf64>
    %i = tensor.from_elements %x : tensor<f64>
    %p = linalg.dot ins(%d, %d : tensor<?xf64>, tensor<?xf64>) outs(%i : tensor<f64>) -> tensor<f64>
    %q = tensor.extract %p[] : tensor<f64>
    %t = tensor.insert %q into %o[%j] : tensor<?xf64>
    scf.yield %t : tensor<?xf64>
  }}
  return %r : tensor<?xf64>
}}
"""


def assumed() -> dict[str, tuple[str, str, str]]:
    """Pairs that are equal under an assumption, with its kind."""
    found = {name: (*texts, "real") for start in (20, 137) for name, texts in floats(start).items()}
    for name, (one, other, e) in FLAGS.items():
        found[name] = each(one, e), each(other, e), "promise"
    for w in ("i8", "i16", "i32"):
        found[f"index_castui of an {w} as index_cast"] = sized("index_castui", w), sized("index_cast", w), "sign"
        found[f"index_cast of an {w} as index_castui"] = sized("index_cast", w), sized("index_castui", w), "sign"
    for start in STARTS:
        for w in ("i8", "i32"):
            one = each(f"%r = arith.divsi %x, %x : {w}", w, w, start), each(f"%r = arith.constant 1 : {w}", w, w, start)
            found[f"x / x as 1 in {w} from {start}"] = *one, "defined"
        small = at_positions(TIMES.format("i32", 0, 1000), "i1", start, 9), at_positions(NEVER, "i1", start, 9)
        found[f"a small multiple of a position from {start}"] = *small, "overflow"
    found["a shift and itself as 0"] = each(SHIFT, "i32"), each(ZERO, "i32"), "defined"
    for inner in ("", "in a loop "):
        one = in_part("%n", inner), in_part("%m", inner)
        found[f"{inner}a part beside a tensor of another extent"] = *one, "extent"
    found["cast to 4, all"] = CAST, ALL, "extent"
    found["all, of 4 by its type"] = ALL, CAST.replace(TO_CAST, "").replace("?", "4").replace("%V", "%X"), "extent"
    return found


EQUAL = {
    "not uge as olt": (
        each("%t = arith.constant true\n %q = arith.cmpf uge, %x, %y : f64\n %r = arith.xori %q, %t : i1", "f64", "i1"),
        each("%r = arith.cmpf olt, %x, %y : f64", "f64", "i1"),
    ),
    "ogt as olt exchanged": (
        each("%r = arith.cmpf ogt, %x, %y : f64", "f64", "i1"), each("%r = arith.cmpf olt, %y, %x : f64", "f64", "i1")
    ),
    "a division as itself": (each("%r = arith.divsi %x, %y : i16", "i16"),) * 2,
    "a shift as itself": (each("%r = arith.shrsi %x, %y : i64", "i64"),) * 2,
    "a conversion as itself": (each("%r = arith.fptosi %x : f64 to i32", "f64", "i32"),) * 2,
    "a guarded division as itself": (each(GUARDED.format("%d"), "i32"),) * 2,
    "a division by 8": (each("%k = arith.constant 8 : i32\n %r = arith.divsi %x, %k : i32", "i32"),) * 2,
    "memory that is freed": (COPIED, through(after=FREE)),
    "memory that is freed as one of the stack": (through(after=FREE), through(made="memref.alloca")),
    "a parallel loop": (in_order("for", APART, 20), in_order("affine", APART, 20)),
    "a parallel loop of scf": (in_order("scf", APART, 137), in_order("for", APART, 137)),
    "the last of a row by linalg": (LAST, ROWS.format(LINALG.format("reduction"))),
    "a temporary of each iteration": (TEMPORARY.format("", FOR, OWN), TEMPORARY.format("", PARALLEL, OWN)),
    "a copy to the same place": (moved("for", 0, 0, 20), moved("memref", 0, 0, 20)),
    "a copy of what lies apart": (moved("for", 0, 8, 137), moved("memref", 0, 8, 137)),
    "a copy by linalg of what lies apart": (moved("for", 8, 0, 20), moved("linalg", 8, 0, 20)),
}  # fmt: skip


def wrong() -> Pairs:
    """Pairs of which nobody may say that they are equal."""
    found: Pairs = {**LIFETIMES, **CASTS, **UNWRITTEN, **TRANSPOSED, **OTHERS}
    for start in STARTS:
        found |= of_one_bit(start) | integers(start) | races(start) | copies(start)
    return found | signs(20) | signs(137) | positions(0) | positions(137)
