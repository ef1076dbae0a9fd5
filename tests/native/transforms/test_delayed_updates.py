"""What right-looking loops do to everything behind a block waits for its end where nothing else needs it."""

from typing import Any

import numpy as np
import pytest
from mlir import ir

from raising.native.bufferize.bufferize import bufferize
from raising.native.input.read_module import new_context, read
from raising.native.transforms.delayed_updates_blocks import BLOCK, delay_updates
from tests.native.running import called

ROWS = 41


def generic(ins: list[tuple[str, str, str]], outs: tuple[str, str, str], kinds: str, body: str) -> str:
    """An operation: names, maps and types of its operands."""
    operands = [*ins, outs]
    rank = kinds.count(",") + 1
    dims = ", ".join("ijk"[:rank])
    maps = ", ".join(f"affine_map<({dims}) -> ({each})>" for _, each, _ in operands)
    words = ", ".join('"parallel"' if kind == "p" else '"reduction"' for kind in kinds.split(","))
    given = f"ins({', '.join(n for n, _, _ in ins)} : {', '.join(t for _, _, t in ins)})" if ins else ""
    arguments = ", ".join(f"%z{number}: T" for number in range(len(operands)))
    return f"""linalg.generic {{indexing_maps = [{maps}], iterator_types = [{words}]}} {given}
      outs({outs[0]} : {outs[2]}) {{
      ^bb0({arguments}):
        {body}
        linalg.yield %e : T
      }}"""


VECTOR1 = "memref<?xT, strided<[1], offset: ?>>"
VECTOR, ROW = "memref<?xT, strided<[?], offset: ?>>", "memref<?xT>"
PART = "memref<?x?xT, strided<[?, 1], offset: ?>>"
CHANGES = {"FACTOR": "%q",  "SIGN": "arith.subf", "TARGET": "%t", "START": "%t", "BEFORE": "", "AFTER": "",
           "STEP": "%c1", "WEIGHT": "%p = arith.mulf %z0, %z1 : T", "UPDATED": "%z0"}  # fmt: skip


def program(rowwise: bool = False, kind: str = "f64", **changes: str) -> str:
    """The modified Gram-Schmidt process on columns, or on rows; R has rows for the products."""

    def at(i: str, j: str) -> str:
        return f"{j}, {i}" if rowwise else f"{i}, {j}"

    column = VECTOR.replace("[?]", "[1]" if rowwise else "[?]")
    part = at("i", "j")
    norm = generic([("%a", "i", column), ("%a", "i", column)], ("%s", "", "memref<T>"), "r",
                   "%p = arith.mulf %z0, %z1 : T\n %e = arith.addf %z2, %p : T")  # fmt: skip
    scaled = generic([("%a", "i", column)], ("%q", "i", column), "p", "%e = arith.divf %z0, %d : T")
    start = generic([("%r0", "j", VECTOR1)], ("%r", "j", ROW), "p", "%e = arith.addf %z0, %z0 : T").replace(
        "(i)", "(j)"
    )
    times = generic([("%q", "i", column), ("%b", part, PART)], ("%r", "j", ROW), "r,p",
                    "WEIGHT\n %e = arith.addf %z2, %p : T")  # fmt: skip
    update = generic([("%b", part, PART), ("FACTOR", "i", column), ("%r", "j", ROW)], ("%b", part, PART), "p,p",
                     "%p = arith.mulf %z1, %z2 : T\n %e = SIGN UPDATED, %p : T")  # fmt: skip
    end = generic([("%r", "j", ROW)], ("%r1", "j", VECTOR1), "p", "%e = arith.addf %z0, %zero : T").replace(
        "(i)", "(j)"
    )
    text = f"""func.func @f(%A: memref<?x?xT>, %R: memref<?x?xT>, %Q: memref<?x?xT>) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %zero = arith.constant 0.0 : T
    %m = memref.dim %A, {"%c1" if rowwise else "%c0"} : memref<?x?xT>
    %n = memref.dim %A, {"%c0" if rowwise else "%c1"} : memref<?x?xT>
    scf.for %t = %c0 to %n step STEP {{
      %t1 = arith.addi %t, %c1 : index
      %n0 = arith.subi %n, %t1 : index
      %k = arith.maxsi %n0, %c0 : index
      BEFORE
      %a = memref.subview %A[{at("0", "%t")}] [{at("%m", "1")}] [1, 1] : memref<?x?xT> to {column}
      %q = memref.subview %Q[{at("0", "%t")}] [{at("%m", "1")}] [1, 1] : memref<?x?xT> to {column}
      %s = memref.alloc() : memref<T>
      memref.store %zero, %s[] : memref<T>
      {norm}
      %d2 = memref.load %s[] : memref<T>
      %d = math.sqrt %d2 : T
      {scaled}
      memref.store %d, %R[%t, %t] : memref<?x?xT>
      %b = memref.subview %A[{at("0", "%t1")}] [{at("%m", "%k")}] [1, 1] : memref<?x?xT> to {PART}
      %r0 = memref.subview %R[START, %t1] [1, %k] [1, 1] : memref<?x?xT> to {VECTOR1}
      %r1 = memref.subview %R[TARGET, %t1] [1, %k] [1, 1] : memref<?x?xT> to {VECTOR1}
      %r = memref.alloc(%k) : {ROW}
      {start}
      {times}
      {update}
      {end}
      AFTER
    }}
    return
    }}"""
    for name, word in {**CHANGES, **changes}.items():
        text = text.replace(name, word)
    return (
        text.replace("T)", f"{kind})").replace("xT", f"x{kind}").replace("<T>", f"<{kind}>").replace(": T", f": {kind}")
    )


def blocked(text: str, fp: str = "reassoc") -> bool:
    context = new_context()
    with context, ir.Location.unknown():
        found = bufferize(read(text.encode(), "-", context))
        before = str(found).count("scf.for")
        delay_updates(found, fp)
        assert found.operation.verify()
        return str(found).count("scf.for") > before


def arguments(n: int, kind: Any = np.float64, rows: int = ROWS) -> list[Any]:
    random = np.random.default_rng(n)
    return [random.uniform(-1, 1, shape).astype(kind) for shape in ((rows, n), (n, n), (rows, n))]


def expected(a: Any, r: Any, q: Any, sign: int = -1) -> list[Any]:
    a, r, q = a.copy(), r.copy(), q.copy()
    for t in range(a.shape[1]):
        r[t, t] = np.sqrt(a[:, t] @ a[:, t])
        q[:, t] = a[:, t] / r[t, t]
        r[t, t + 1 :] = 2 * r[t, t + 1 :] + q[:, t] @ a[:, t + 1 :]
        a[:, t + 1 :] += sign * np.outer(q[:, t], r[t, t + 1 :])
    return [a, r, q]


def check(found: list[Any], wanted: list[Any], tolerance: float) -> None:
    for one, other in zip(found, wanted, strict=True):
        scale = np.abs(other).max(initial=1e-300)
        np.testing.assert_allclose(one / scale, other / scale, atol=tolerance, rtol=0)


def ours(text: str, given: list[Any], **settings: Any) -> list[Any]:
    return called(text, given, unchecked=True, **settings)


@pytest.mark.parametrize("n", [0, 1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 2 * BLOCK + 3])
def test_blocks_of_any_size(n: int) -> None:
    given = arguments(n, rows=2 * BLOCK + 5)
    check(ours(program(), given), expected(*given), 1e-12)


def test_it_is_blocked() -> None:
    assert [blocked(program(), fp) for fp in ("reassoc", "strict")] == [True, False]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_rows_in_place_of_columns_and_other_types(kind: str, threads: int) -> None:
    text, given = program(rowwise=True, kind=kind), arguments(3 * BLOCK, rows=3 * BLOCK + 1)
    given = [each.astype(kind.replace("f", "float")) for each in given]
    assert blocked(text)
    a, r, q = ours(text, [given[0].T.copy(), given[1], given[2].T.copy()], threads=threads)
    check([a.T, r, q.T], expected(*(each.astype(float) for each in given)), 1e-3 if kind == "f32" else 1e-11)


def test_products_that_are_added_and_weights() -> None:
    """With a square as a factor, the sum is still linear in the array."""
    text = program(SIGN="arith.addf", WEIGHT="%w = arith.mulf %z0, %z0 : T\n %p = arith.mulf %w, %z1 : T")
    given = arguments(2 * BLOCK + 3)
    given[1] *= 0
    assert blocked(text)
    check(ours(text, given), ours(text, given, fp="strict"), 1e-9)


def test_a_factor_of_the_array_itself() -> None:
    text, given = program(FACTOR="%a"), arguments(2 * BLOCK + 3)
    given[0] *= 0.1
    given[1] *= 0
    assert blocked(text)
    check(ours(text, given), ours(text, given, fp="strict"), 1e-9)


def test_a_number_that_is_none_reaches_what_it_reaches_in_order() -> None:
    given = arguments(3 * BLOCK, rows=3 * BLOCK + 1)
    given[0][3, BLOCK + 5] = np.nan
    given[0][4, 3 * BLOCK - 2] = np.nan
    for one, other in zip(ours(program(), given), ours(program(), given, fp="strict"), strict=True):
        np.testing.assert_array_equal(np.isnan(one), np.isnan(other))


LOAD = "%x = memref.load {} : memref<?x?xT>\n memref.store %x, %R[%t, %c0] : memref<?x?xT>"
STORE = "memref.store %zero, {} : memref<?x?xT>"
LEFT: dict[str, dict[str, Any]] = {
    "a column behind is read before": {"BEFORE": "%l = arith.subi %n, %c1 : index\n" + LOAD.format("%A[%c0, %l]")},
    "a column behind is read after": {"AFTER": "%l = arith.subi %n, %c1 : index\n" + LOAD.format("%A[%c0, %l]")},
    "a column behind is written": {"AFTER": "%l = arith.subi %n, %c1 : index\n" + STORE.format("%A[%c0, %l]")},
    "an earlier factor is written": {"AFTER": STORE.format("%Q[%c0, %c0]")},
    "this factor is written": {"AFTER": STORE.format("%Q[%c0, %t]")},
    "an earlier row is written": {"AFTER": "%l = arith.subi %n, %c1 : index\n" + STORE.format("%R[%c0, %l]")},
    "all rows go to one place": {"TARGET": "%c0"},
    "a row begins with the first one": {"START": "%c0"},
    "every second column": {"STEP": "%c2"},
    "a product that is not linear": {"WEIGHT": "%p = arith.mulf %z1, %z1 : T"},
    "a product without the array": {"WEIGHT": "%p = arith.mulf %z0, %z0 : T"},
    "a product as it was": {"UPDATED": "%z1"},
    "an unknown operation": {"AFTER": "scf.if %yes {\n" + STORE.format("%Q[%c0, %c0]") + "\n}"},
}


@pytest.mark.parametrize("name", LEFT)
def test_what_something_else_needs_in_between_stays(name: str) -> None:
    text = program(**LEFT[name]).replace(
        "%c2 = arith.constant 2 : index", "%c2 = arith.constant 2 : index\n %yes = arith.constant true", 1)  # fmt: skip
    assert not blocked(text)
