"""Pairs that differ where memory is used wrongly, or where the order of iterations is open."""

from __future__ import annotations

from tests.validate.undefined_pieces import ZERO, Pairs, each, function

# ---- memory --------------------------------------------------------------------------------------

M16 = "memref<16xf64>"
TWO = f"%X: {M16}, %Y: {M16}"
FREE = f"memref.dealloc %T : {M16}"


def through(before: str = "", after: str = "", made: str = "memref.alloc", end: str = "") -> str:
    """X to T, and T to Y."""
    return function(
        TWO,
        f"""  %T = {made}() : {M16}
  affine.for %i = 0 to 16 {{ %v = affine.load %X[%i] : {M16}
    affine.store %v, %T[%i] : {M16} }}
  {before}
  affine.for %i = 0 to 16 {{ %v = affine.load %T[%i] : {M16}
    affine.store %v, %Y[%i] : {M16} }}
  {after}""",
    )


COPIED = through()
VIEW = f"%V = memref.cast %T : {M16} to memref<?xf64>\n  memref.dealloc %V : memref<?xf64>"
IN_LOOP = "affine.for %i = 0 to 16 { " + FREE + " }"
FREED = {
    "used after it is freed": through(before=FREE),
    "used after it is freed by another name": through(before=VIEW),
    "freed twice": through(after=f"{FREE}\n  {FREE}"),
    "freed in a loop": through(after=IN_LOOP),
    "an argument is freed": through(after=f"memref.dealloc %X : {M16}"),
    "the stack is freed": through(after=FREE, made="memref.alloca"),
}
LIFETIMES = {name: (COPIED, text) for name, text in FREED.items()}
LIFETIMES |= {f"{name}, in the source": (text, COPIED) for name, text in FREED.items()}

RETURNED = """func.func @f(%c: f64) -> memref<16xf64> {{
  %T = memref.{}() : memref<16xf64>
  affine.for %i = 0 to 16 {{ affine.store %c, %T[%i] : memref<16xf64> }}
  {}
  return %T : memref<16xf64>
}}
"""
LIFETIMES["the stack is returned"] = RETURNED.format("alloc", ""), RETURNED.format("alloca", "")
LIFETIMES["what is freed is returned"] = RETURNED.format("alloc", ""), RETURNED.format("alloc", FREE)

OPEN = "%X: memref<?xf64>, %c: f64"
TO_CAST = "  %V = memref.cast %X : memref<?xf64> to memref<4xf64>\n"
CAST = function(OPEN, TO_CAST + "  affine.for %i = 0 to 4 { affine.store %c, %V[%i] : memref<4xf64> }")
FOUR = function(OPEN, "  affine.for %i = 0 to 4 { affine.store %c, %X[%i] : memref<?xf64> }")
FIRST = function(OPEN, "  affine.for %i = 0 to 1 { affine.store %c, %X[%i] : memref<?xf64> }")
CAST_FIRST = function(OPEN, TO_CAST + "  affine.for %i = 0 to 1 { affine.store %c, %V[%i] : memref<4xf64> }")
ALL = function(
    OPEN,
    "  %z = arith.constant 0 : index\n  %n = memref.dim %X, %z : memref<?xf64>\n"
    "  affine.for %i = 0 to %n { affine.store %c, %X[%i] : memref<?xf64> }",
)
CASTS = {
    "all, cast to 4": (ALL, CAST),
    "four, cast to 4": (FOUR, CAST),
    "one, cast to 4": (FIRST, CAST_FIRST),
}

UNSET = function(
    f"%X: {M16}",
    f"""  %T = memref.alloc() : {M16}
  affine.for %i = 0 to 16 {{ %v = affine.load %T[%i] : {M16}
    %r = arith.subf %v, %v : f64
    affine.store %r, %X[%i] : {M16} }}""",
)
CLEARED = function(
    f"%X: {M16}",
    f"  %z = arith.constant 0.0 : f64\n  affine.for %i = 0 to 16 {{ affine.store %z, %X[%i] : {M16} }}",
)
UNWRITTEN = {"0 as the difference of what nothing has written": (CLEARED, UNSET)}


# ---- parallel loops and copies -------------------------------------------------------------------


def in_order(kind: str, body: str, start: int) -> str:
    """A loop, parallel or not; in `body`, %i counts, %j is the next and %z is 0."""
    n = start + 9
    memory = f"memref<{n + 1}xf64>"
    head = (
        f"  %one = arith.constant 1 : index\n  %z = arith.constant 0 : index\n  %s = arith.constant {start} : index\n"
    )
    loop = {
        "for": f"affine.for %i = {start} to {n}",
        "affine": f"affine.parallel (%i) = ({start}) to ({n})",
        "scf": "scf.parallel (%i) = (%s) to (%n) step (%one)",
    }[kind]
    body = f"  %n = arith.constant {n} : index\n  {loop} {{\n  %j = arith.addi %i, %one : index\n{body}\n  }}"
    return function(f"%X: {memory}, %Y: {memory}", head + body.replace("MEMORY", memory))


LOAD = "  %v = memref.load %X[%i] : MEMORY\n"
RACES = {
    "the next element": LOAD + "  memref.store %v, %X[%j] : MEMORY",
    "a sum": LOAD
    + "  %a = memref.load %Y[%z] : MEMORY\n  %r = arith.addf %a, %v : f64\n  memref.store %r, %Y[%z] : MEMORY",
    "the last one": LOAD + "  memref.store %v, %Y[%z] : MEMORY",
}
APART = LOAD + "  %r = arith.addf %v, %v : f64\n  memref.store %r, %X[%i] : MEMORY"


def races(start: int) -> Pairs:
    """Loops beside parallel ones in which an iteration needs another one."""
    found: Pairs = {}
    for name, body in RACES.items():
        for kind in ("affine", "scf"):
            texts = in_order("for", body, start), in_order(kind, body, start)
            found[f"{name} in {kind}.parallel from {start}"] = texts
            found[f"{name} in {kind}.parallel from {start}, in the source"] = texts[::-1]
    return found


def moved(kind: str, first: int, to: int, start: int) -> str:
    """Eight elements of an array to another place in it, by a loop or as a whole."""
    memory = f"memref<{start + 16}xf64>"
    if kind == "for":
        return function(
            f"%X: {memory}",
            f"""  affine.for %i = 0 to 8 {{ %v = affine.load %X[%i + {start + first}] : {memory}
    affine.store %v, %X[%i + {start + to}] : {memory} }}""",
        )
    one, other = (f"memref<8xf64, strided<[1], offset: {start + k}>>" for k in (first, to))
    views = "\n".join(
        f"  %{name} = memref.subview %X[{start + k}] [8] [1] : {memory} to {kind_}"
        for name, k, kind_ in (("p", first, one), ("q", to, other))
    )
    copy = (
        f"memref.copy %p, %q : {one} to {other}"
        if kind == "memref"
        else f"linalg.copy ins(%p : {one}) outs(%q : {other})"
    )
    return function(f"%X: {memory}", f"{views}\n  {copy}")


def copies(start: int) -> Pairs:
    """Overlapping copies beside loops that have an order."""
    return {
        f"{kind}.copy by {to - first} from {start}": (moved("for", first, to, start), moved(kind, first, to, start))
        for kind in ("memref", "linalg")
        for first, to in ((0, 1), (1, 0), (0, 7))
    }


SQUARE = "%X: memref<6x6xf64>"
TRANSPOSED = {
    "a transpose in place": (
        function(
            SQUARE,
            """  affine.for %i = 0 to 6 { affine.for %j = 0 to 6 {
    %v = affine.load %X[%j, %i] : memref<6x6xf64>
    affine.store %v, %X[%i, %j] : memref<6x6xf64> } }""",
        ),
        function(
            SQUARE, "  linalg.transpose ins(%X : memref<6x6xf64>) outs(%X : memref<6x6xf64>) permutation = [1, 0]"
        ),
    )
}

ROWS = """func.func @f(%X: memref<4x5xf64>, %Y: memref<4xf64>) {{
  {}
  return
}}
"""
NESTED = """affine.for %i = 0 to 4 {{ {} {{
    %v = affine.load %X[%i, %j] : memref<4x5xf64>
    affine.store %v, %Y[%i] : memref<4xf64> }} }}"""
LINALG = """linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "{}"]}} ins(%X : memref<4x5xf64>) outs(%Y : memref<4xf64>) {{
  ^bb0(%a: f64, %b: f64):
    linalg.yield %a : f64
  }}"""
LAST = ROWS.format(NESTED.format("affine.for %j = 0 to 5"))
TEMPORARY = """func.func @f(%X: memref<9xf64>, %Y: memref<9xf64>) {{
  {}
  {} {{
    {}
    %v = affine.load %X[%i] : memref<9xf64>
    affine.store %v, %T[0] : memref<1xf64>
    %w = affine.load %T[0] : memref<1xf64>
    affine.store %w, %Y[%i] : memref<9xf64>
  }}
  return
}}
"""
FOR, PARALLEL, OWN = (
    "affine.for %i = 0 to 9",
    "affine.parallel (%i) = (0) to (9)",
    "%T = memref.alloc() : memref<1xf64>",
)
COUNTING = """func.func @f(%X: memref<300xf64>, %c: f64) {{
  %a = arith.constant -1 : index
  %b = arith.constant 9 : index
  %s = arith.constant 1 : index
  scf.for {}%i = %a to %b step %s {{
    %j = arith.addi %i, %s : index
    memref.store %c, %X[%j] : memref<300xf64>
  }}
  return
}}
"""
GLOBAL = """memref.global "private" @g : memref<4xf64> = dense<1.0>
func.func @f(%X: memref<4xf64>) {
  %g = memref.get_global @g : memref<4xf64>
  %h = memref.get_global @g : memref<4xf64>
  affine.for %i = 0 to 4 { %v = affine.load %X[%i] : memref<4xf64>
    affine.store %v, %g[%i] : memref<4xf64> }
  affine.for %i = 0 to 4 { %v = affine.load %h[%i] : memref<4xf64>
    affine.store %v, %X[%i] : memref<4xf64> }
  return
}
"""
ONES = function(
    "%X: memref<4xf64>",
    "  %c = arith.constant 1.0 : f64\n  affine.for %i = 0 to 4 { affine.store %c, %X[%i] : memref<4xf64> }",
)
OTHERS = {
    "the last of a row in an inner parallel loop": (
        LAST,
        ROWS.format(NESTED.format("affine.parallel (%j) = (0) to (5)")),
    ),
    "the last of a row in parallel iterations of linalg": (LAST, ROWS.format(LINALG.format("parallel"))),
    "a temporary that parallel iterations share": (TEMPORARY.format(OWN, FOR, ""), TEMPORARY.format(OWN, PARALLEL, "")),
    "a loop without the sign of its variable": (COUNTING.format(""), COUNTING.format("unsigned ")),
    "a global that is written": (ONES, GLOBAL),
    "0 as a power less itself": (
        each(ZERO, "i32"),
        each("%q = math.ipowi %x, %y : i32\n %r = arith.subi %q, %q : i32", "i32"),
    ),
}
