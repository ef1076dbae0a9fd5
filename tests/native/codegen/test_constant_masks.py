"""What a loop of constant length leaves over is stored to its last lane, and nothing behind it."""

from functools import partial

import numpy as np
import pytest

from raising.compile_module import compile_module
from raising.native.codegen.constant_masks import without_constant_masks
from tests.native.running import isolated

SIZES = (1, 2, 3, 9, 17, 31, 33, 65)
NARROWED = [("i8", "i16"), ("i8", "i32"), ("i16", "i32"), ("i8", "i64"), ("i16", "i64"), ("i32", "i64"), ("f32", "f64")]
DTYPES = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "f32": np.float32, "f64": np.float64}
AFTER = 8


@pytest.mark.parametrize(("kind", "wide"), NARROWED)
def test_narrowed_elements_end_with_their_array(kind: str, wide: str) -> None:
    isolated(partial(_narrowed, kind, wide))


def _narrowed(kind: str, wide: str) -> None:
    real = kind.startswith("f")
    widen, narrow, larger, mul = (
        ("arith.extf", "arith.truncf", "arith.maximumf", "arith.mulf")
        if real
        else ("arith.extsi", "arith.trunci", "arith.maxsi", "arith.muli")
    )
    for n in SIZES:
        text = f"""func.func @f(%a: memref<{n}x{kind}>, %o: memref<{n}x{kind}>, %s: {wide}) {{
  linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
    ins(%a : memref<{n}x{kind}>) outs(%o : memref<{n}x{kind}>) {{
  ^bb0(%x: {kind}, %old: {kind}):
    %w = {widen} %x : {kind} to {wide}
    %p = {mul} %w, %s : {wide}
    %q = {larger} %p, %s : {wide}
    %r = {narrow} %q : {wide} to {kind}
    linalg.yield %r : {kind} }}
  return
}}"""
        compiled = compile_module(text)
        memory, a = np.full(n + AFTER, 77, DTYPES[kind]), np.arange(n).astype(DTYPES[kind])
        compiled(a, memory[:n], 3)
        wanted = np.maximum(a.astype(DTYPES[wide]) * 3, 3).astype(DTYPES[kind])
        np.testing.assert_array_equal(memory[:n], wanted)
        np.testing.assert_array_equal(memory[n:], 77, f"{n} {kind} {wide}")


def _masked(flags: str) -> str:
    mask = ", ".join(f"i1 {'true' if flag == '1' else 'false'}" for flag in flags)
    return (
        f"  tail call void @llvm.masked.store.v{len(flags)}i16.p0(<{len(flags)} x i16> %v, "
        f"ptr nonnull align 4 %p, <{len(flags)} x i1> <{mask}>), !alias.scope !1"
    )


def test_lanes_are_stored_in_runs_of_powers_of_two() -> None:
    assert without_constant_masks(_masked("11100100")).split("\n") == [
        "  %lanes.0 = shufflevector <8 x i16> %v, <8 x i16> poison, <2 x i32> <i32 0, i32 1>",
        "  %lanes.1 = getelementptr i8, ptr %p, i64 0",
        "  store <2 x i16> %lanes.0, ptr %lanes.1, align 4, !alias.scope !1",
        "  %lanes.2 = shufflevector <8 x i16> %v, <8 x i16> poison, <1 x i32> <i32 2>",
        "  %lanes.3 = getelementptr i8, ptr %p, i64 4",
        "  store <1 x i16> %lanes.2, ptr %lanes.3, align 4, !alias.scope !1",
        "  %lanes.4 = shufflevector <8 x i16> %v, <8 x i16> poison, <1 x i32> <i32 5>",
        "  %lanes.5 = getelementptr i8, ptr %p, i64 10",
        "  store <1 x i16> %lanes.4, ptr %lanes.5, align 2, !alias.scope !1",
    ]


def test_masks_that_are_not_known_stay() -> None:
    text = _masked("1100").replace("<4 x i1> <i1 true, i1 true, i1 false, i1 false>", "<4 x i1> %m")
    assert without_constant_masks(text) == text


def test_a_pointer_may_be_an_expression() -> None:
    text = _masked("1000").replace("%p", "getelementptr (i8, ptr @table, i64 12)")
    assert "getelementptr i8, ptr getelementptr (i8, ptr @table, i64 12), i64 0" in without_constant_masks(text)
