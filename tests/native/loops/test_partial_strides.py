"""Some members of each stride, on more bits than they have; memory is read from the first to the last of them."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from raising.compile_module import compile_module
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from tests.native.guarded import guarded
from tests.native.running import called, isolated

NEW_LINE = "\n    "
SIZES = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 50, 63, 64, 65, 100, 131, 300)


def weighted(element: str, wide: str, step: int, phases: list[int], extend: str) -> str:
    """y[i] = the highest bits of the sum of (k + 3) * x[step * i + k] for the members k.

    The array ends with the last member of its last stride, and begins with the first one of the first.
    """
    first, kind = phases[0], f"memref<?x{element}>"
    strided = f"memref<?x{element}, strided<[{step}], offset: "
    rows, views, types, body = f"memref<?x{step}x{element}>", [], [], []
    for k in phases:
        view = f"{strided}{k - first}>>" if k > first else f"memref<?x{element}, strided<[{step}]>>"
        views.append(f"%s{k} = memref.subview %rows[0, {k - first}] [%n, 1] [1, 1] : {rows} to {view}")
        types.append(view)
        body += [f"%w{k} = arith.constant {k + 3} : {wide}", f"%e{k} = arith.{extend} %p{k} : {element} to {wide}",
                 f"%m{k} = arith.muli %e{k}, %w{k} : {wide}"]  # fmt: skip
    total = f"%m{first}"
    for k in phases[1:]:
        body.append(f"%t{k} = arith.addi {total}, %m{k} : {wide}")
        total = f"%t{k}"
    maps = ", ".join(["affine_map<(i) -> (i)>"] * (len(phases) + 1))
    names, of_block = (", ".join(each) for each in ([f"%s{k}" for k in phases], [f"%p{k}: {element}" for k in phases]))
    return f"""func.func @f(%x: {kind}, %y: {kind}) {{
  %c0 = arith.constant 0 : index
  %n = memref.dim %y, %c0 : {kind}
  %rows = memref.reinterpret_cast %x to offset: [0], sizes: [%n, {step}], strides: [{step}, 1] : {kind} to {rows}
  {NEW_LINE.join(views)}
  linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
    ins({names} : {", ".join(types)}) outs(%y : {kind}) {{
  ^bb0({of_block}, %o: {element}):
    {NEW_LINE.join(body)}
    %four = arith.constant 4 : {wide}
    %h = arith.shrui {total}, %four : {wide}
    %r = arith.trunci %h : {wide} to {element}
    linalg.yield %r : {element} }}
  return
}}"""


def _run(element: str, wide: str, step: int, phases: list[int]) -> None:
    bits, more = int(element[1:]), int(wide[1:])
    rng = np.random.default_rng(0)
    for extend, cpu in (("extui", "native"), ("extsi", "native"), ("extui", "x86-64-v3"), ("extui", "x86-64")):
        compiled = compile_module(weighted(element, wide, step, phases, extend), cpu=cpu, unchecked=True)
        sign = np.dtype(f"{'u' if extend == 'extui' else 'i'}{bits // 8}")
        for n in SIZES:
            length = step * (n - 1) + phases[-1] - phases[0] + 1
            x = rng.integers(np.iinfo(sign).min, np.iinfo(sign).max, length, sign, endpoint=True)
            y = guarded(np.zeros(n, f"i{bits // 8}"))
            compiled(guarded(x.view(y.dtype)), y)
            total = sum((k + 3) * x[k - phases[0] :: step].astype(np.int64) for k in phases)
            wanted = (np.asarray(total).astype(f"u{more // 8}") >> 4).astype(y.dtype)
            assert np.array_equal(y, wanted), (extend, cpu, n)


@pytest.mark.parametrize("phases", [[0, 1, 2], [1, 2, 3], [0, 2], [1, 2], [2], [0, 1, 2, 3]])
@pytest.mark.parametrize(
    ("element", "wide"), [("i8", "i16"), ("i8", "i32"), ("i16", "i32"), ("i16", "i64"), ("i32", "i64")]
)
def test_members_of_a_stride_of_four(element: str, wide: str, phases: list[int]) -> None:
    isolated(partial(_run, element, wide, 4, phases))


@pytest.mark.parametrize(("step", "phases"), [(2, [0]), (2, [1]), (3, [0, 1]), (3, [1])])
@pytest.mark.parametrize(("element", "wide"), [("i8", "i16"), ("i16", "i64")])
def test_members_of_strides_of_two_and_three(element: str, wide: str, step: int, phases: list[int]) -> None:
    isolated(partial(_run, element, wide, step, phases))


def test_three_bytes_of_four_are_parts_of_words() -> None:
    text = weighted("i8", "i16", 4, [0, 1, 2], "extui").encode()
    code = build(text, "f", CompileOptions(cpu="icelake-server", triple="x86_64-linux-gnu")).code.assembly
    assert "vpermt2w" in code and "vpunpck" not in code and "vpshufb" not in code


CONVERSIONS = [("arith.trunci", "i16", "i8"), ("arith.trunci", "i32", "i8"), ("arith.trunci", "i32", "i16"),
               ("arith.trunci", "i64", "i8"), ("arith.trunci", "i64", "i16"), ("arith.trunci", "i64", "i32"),
               ("arith.fptosi", "f32", "i16"), ("arith.fptosi", "f32", "i8"), ("arith.fptoui", "f32", "i8"),
               ("arith.fptoui", "f32", "i16"), ("arith.fptosi", "f64", "i16"), ("arith.fptosi", "f64", "i32"),
               ("arith.fptoui", "f32", "i32"), ("arith.fptosi", "f16", "i8")]  # fmt: skip


def _converted(operation: str, wide: str, element: str) -> str:
    return f"""func.func @f(%x: memref<?x{wide}>, %y: memref<?x{element}>) {{
  linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
    ins(%x : memref<?x{wide}>) outs(%y : memref<?x{element}>) {{
  ^bb0(%p: {wide}, %o: {element}):
    %r = {operation} %p : {wide} to {element}
    linalg.yield %r : {element} }}
  return
}}"""


@pytest.mark.parametrize("cpu", ["native", "x86-64-v3"])
@pytest.mark.parametrize(("operation", "wide", "element"), CONVERSIONS)
def test_what_is_longer_than_a_register_is_narrowed(operation: str, wide: str, element: str, cpu: str) -> None:
    kind, narrow = np.dtype(f"{wide[0]}{int(wide[1:]) // 8}"), np.dtype(f"{element[0]}{int(element[1:]) // 8}")
    limits = np.iinfo(f"u{narrow.itemsize}" if operation == "arith.fptoui" else narrow)
    rng, text = np.random.default_rng(0), _converted(operation, wide, element)
    for n in (0, 1, 31, 32, 64, 65, 128, 500):
        x: Any = rng.integers(limits.min, limits.max, n, np.int64, endpoint=True).astype(kind)
        if wide[0] == "i":
            x += rng.integers(-3, 3, n).astype(kind) << kind.type(int(element[1:]))  # higher bits, which are lost
        else:
            x = np.clip(x, limits.min // 2, limits.max // 2)  # where a rounded number still fits
        wanted = x.astype(np.int64).astype(narrow)
        assert np.array_equal(called(text, [x, np.zeros(n, narrow)], cpu=cpu)[1], wanted), n


@pytest.mark.parametrize(
    ("operation", "wide", "element"), [("arith.fptosi", "f32", "i16"), ("arith.trunci", "i32", "i8")]
)
def test_one_permutation_narrows_two_registers(operation: str, wide: str, element: str) -> None:
    def code(cpu: str) -> str:
        options = CompileOptions(cpu=cpu, triple="x86_64-linux-gnu")
        return build(_converted(operation, wide, element).encode(), "f", options).code.assembly

    assert "vinserti64x4" not in code("icelake-server") and "vpermt2" in code("icelake-server")
    assert "vpermt2" not in code("x86-64-v3")
