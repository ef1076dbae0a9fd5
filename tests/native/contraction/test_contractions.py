"""Contractions by packed panels and register tiles compute what NumPy does, with whatever is fused to them."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from mlir import ir

from raising.compile_module import compile_module
from raising.native.base.target import target_for
from raising.native.bufferize.bufferize import bufferize
from raising.native.bufferize.destination_passing import to_destinations
from raising.native.input.read_module import new_context, read
from raising.native.schedule import schedule
from tests.native.contraction.contractions import Case, contraction, function, generic, memref, multiply_add
from tests.native.contraction.fused_contractions import FUSED
from tests.native.running import called, isolated

PLAIN = [
    contraction("square", ["ik", "kj", "ij"], {"i": 64, "j": 64, "k": 64}),
    contraction("tails", ["ik", "kj", "ij"], {"i": 13, "j": 53, "k": 29}, "f64"),
    contraction("long", ["ik", "kj", "ij"], {"i": 9, "j": 10, "k": 1500}),
    contraction("tall", ["ik", "kj", "ij"], {"i": 301, "j": 17, "k": 3}),
    contraction("left", ["ki", "kj", "ij"], {"i": 21, "j": 50, "k": 40}),
    contraction("right", ["ik", "jk", "ij"], {"i": 23, "j": 49, "k": 45}),
    contraction("both", ["ki", "jk", "ij"], {"i": 30, "j": 70, "k": 18}, "f64"),
    contraction("turned", ["ik", "kj", "ji"], {"i": 30, "j": 20, "k": 33}),
    contraction("batched", ["bik", "bkj", "bij"], {"b": 3, "i": 10, "j": 12, "k": 11}),
    contraction("many", ["abik", "abkj", "abij"], {"a": 3, "b": 5, "i": 9, "j": 20, "k": 11}),
    contraction("wide", ["ik", "kj", "ij"], {"i": 9, "j": 300, "k": 600}),
    contraction("rows", ["pik", "kj", "pij"], {"p": 5, "i": 7, "j": 20, "k": 9}),
    contraction("steps", ["ikl", "klj", "ij"], {"i": 11, "j": 14, "k": 5, "l": 6}, "f64"),
    contraction("wide_steps", ["ikl", "klj", "ij"], {"i": 19, "j": 50, "k": 21, "l": 32}),
    contraction("turned_steps", ["ikl", "jkl", "ij"], {"i": 19, "j": 50, "k": 21, "l": 32}, "f64"),
    contraction("outer", ["ik", "kjq", "qij"], {"i": 11, "j": 14, "k": 5, "q": 10}),
    contraction("bytes", ["ik", "kj", "ij"], {"i": 17, "j": 70, "k": 20}, "i8"),
    contraction("ints", ["ki", "jk", "ij"], {"i": 17, "j": 40, "k": 21}, "i32"),
    contraction("longs", ["ik", "kj", "ij"], {"i": 11, "j": 40, "k": 20}, "i64"),
]


def _errors(cases: list[Case], settings: dict[str, Any]) -> dict[str, float]:
    compiled = compile_module("".join(case.text for case in cases), **settings)
    return {case.name: case.error(compiled) for case in cases}


def _wrong(cases: list[Case], **settings: Any) -> dict[str, float]:
    limits = {case.name: {"f32": 2e-5, "f64": 1e-13}.get(case.element, 0.0) for case in cases}
    errors = isolated(partial(_errors, cases, settings))
    return {name: error for name, error in errors.items() if not error <= limits[name]}


@pytest.mark.parametrize("settings", [{}, {"cpu": "x86-64-v3", "threads": 2}], ids=["native", "v3"])
def test_shapes_orders_and_types(settings: dict[str, Any]) -> None:
    assert _wrong(PLAIN, **settings) == {}


@pytest.mark.parametrize(
    ("cases", "settings"), [(FUSED, {"threads": 2}), (FUSED[::3], {"cpu": "x86-64-v3"})], ids=["native", "v3"]
)
def test_what_is_fused(cases: list[Case], settings: dict[str, Any]) -> None:
    assert _wrong(cases, **settings) == {}


def test_every_case_becomes_one_kernel() -> None:
    for case in [*PLAIN, *FUSED]:
        text = _scheduled(case.text, "reassoc")
        assert text.count("func.func private @contraction") == 1, case.name
        assert "linalg." not in text, case.name


def test_strict_arithmetic_keeps_the_order_of_sums() -> None:
    assert "@contraction" not in _scheduled(PLAIN[0].text, "strict")


def _scheduled(text: str, fp: str) -> str:
    """The module once loops are scheduled."""
    context = new_context()
    with context, ir.Location.unknown():
        module = read(text.encode(), "-", context)
        to_destinations(module)
        module = bufferize(module)
        schedule(module, target_for("x86-64-v4"), fp)
        return str(module)


def test_one_code_for_all_sizes() -> None:
    case = contraction("any", ["ik", "kj", "ij"], {"i": 2, "j": 2, "k": 2}, open_sizes=True)
    assert isolated(partial(_open_errors, case)) < 2e-5


def _open_errors(case: Case) -> float:
    compiled = compile_module(case.text)
    worst = 0.0
    for m, n, k in [(64, 64, 64), (1, 1, 1), (9, 50, 3), (150, 7, 700), (8, 96, 0), (0, 5, 5), (31, 47, 1000)]:
        sized = Case(case.name, case.text, ((m, k), (k, n), (m, n)), case.expected)
        worst = max(worst, sized.error(compiled))
    return worst


def test_a_result_that_is_used_twice_is_not_fused() -> None:
    kind = memref((20, 20), "f32")
    scale = "    %p = arith.addf %a, %a : f32\n    linalg.yield %p : f32"
    body = (
        f"  %t = memref.alloc() : {kind}\n"
        + generic(["ij", "ij"], "pp", [kind, kind], ["z", "t"], "    linalg.yield %a : f32")
        + generic(["ik", "kj", "ij"], "ppr", [kind] * 3, ["x", "y", "t"], multiply_add("f32"))
        + generic(["ij", "ij"], "pp", [kind, kind], ["t", "z"], scale)
        + generic(["ij", "ij"], "pp", [kind, kind], ["t", "y"], "    linalg.yield %a : f32")
    )

    def expected(x: Any, y: Any, z: Any) -> Any:
        t = z + x @ y
        return x, t, 2 * t

    case = Case("twice", function("twice", [kind] * 3, body), ((20, 20),) * 3, expected)
    assert _wrong([case]) == {}


def test_an_operand_that_changes_in_between_is_computed_before() -> None:
    kind = memref((20, 20), "f32")
    square = "    %p = arith.mulf %a, %a : f32\n    linalg.yield %p : f32"
    body = (
        f"  %t = memref.alloc() : {kind}\n"
        + generic(["ij", "ij"], "pp", [kind, kind], ["x", "t"], square)
        + generic(["ij", "ij"], "pp", [kind, kind], ["y", "x"], "    linalg.yield %a : f32")
        + generic(["ik", "kj", "ij"], "ppr", [kind] * 3, ["t", "y", "z"], multiply_add("f32"))
    )

    def expected(x: Any, y: Any, z: Any) -> Any:
        return y, y, z + np.square(x) @ y

    case = Case("changed", function("changed", [kind] * 3, body), ((20, 20),) * 3, expected)
    assert _wrong([case]) == {}


def test_a_product_with_itself_starts_from_what_was_there_before() -> None:
    kind = memref((20, 20), "f32")
    body = (
        generic(
            ["ij", "ij"], "pp", [kind, kind], ["z", "z"], "    %p = arith.addf %a, %a : f32\n    linalg.yield %p : f32"
        )
        + f"  %t = memref.alloc() : {kind}\n"
        + generic(["ij", "ij"], "pp", [kind, kind], ["z", "t"], "    linalg.yield %a : f32")
        + generic(["ik", "kj", "ij"], "ppr", [kind] * 3, ["t", "y", "z"], multiply_add("f32"))
    )

    def expected(x: Any, y: Any, z: Any) -> Any:
        return x, y, 2 * z + 2 * z @ y

    case = Case("itself", function("itself", [kind] * 3, body), ((20, 20),) * 3, expected)
    assert _wrong([case]) == {}


def test_a_contraction_of_a_part_leaves_the_rest_to_others() -> None:
    whole, part = memref((20, 30), "f32"), "memref<18x30xf32, strided<[30, 1], offset: 30>>"
    a, b = memref((18, 15), "f32"), memref((15, 30), "f32")
    body = (
        f"  %t = memref.alloc() : {whole}\n  %o = arith.constant 1.0 : f32\n"
        + f"  linalg.fill ins(%o : f32) outs(%t : {whole})\n"
        + f"  %inner = memref.subview %t[1, 0] [18, 30] [1, 1] : {whole} to {part}\n"
        + generic(["ik", "kj", "ij"], "ppr", [a, b, part], ["x", "y", "inner"], multiply_add("f32"))
        + generic(["ij", "ij"], "pp", [whole, whole], ["t", "z"], "    linalg.yield %a : f32")
    )

    def expected(x: Any, y: Any, z: Any) -> Any:
        result = np.ones_like(z)
        result[1:19] += x @ y
        return x, y, result

    case = Case("part", function("part", [a, b, whole], body), ((18, 15), (15, 30), (20, 30)), expected)
    assert _wrong([case]) == {}


def test_a_convolution_is_a_contraction_of_windows() -> None:
    image, weight, result = memref((12, 14, 5), "f32"), memref((3, 3, 5, 20), "f32"), memref((10, 12, 20), "f32")
    windows = [("i + l", "j + m", "n"), ("l", "m", "n", "k"), ("i", "j", "k")]
    body = generic(windows, "ppprrr", [image, weight, result], "xyz", multiply_add("f32"))

    def expected(x: Any, y: Any, z: Any) -> Any:
        shifted = [(x[p : p + 10, q : q + 12], y[p, q]) for p in range(3) for q in range(3)]
        return x, y, z + sum(part @ matrix for part, matrix in shifted)

    case = Case(
        "windows",
        function("windows", [image, weight, result], body),
        ((12, 14, 5), (3, 3, 5, 20), (10, 12, 20)),
        expected,
    )
    assert _wrong([case]) == {}
    assert "@contraction" in _scheduled(case.text, "reassoc")


def test_bytes_are_summed_in_wider_integers() -> None:
    small, wide = memref((20, 20), "i8"), memref((20, 20), "i32")
    text = function(
        "wider", [small, small, wide], generic(["ik", "kj", "ij"], "ppr", [small, small, wide], "xyz", "BODY")
    )
    text = text.replace("%c: i8", "%c: i32").replace(
        "BODY",
        """    %e = arith.extsi %a : i8 to i32
    %f = arith.extsi %b : i8 to i32
    %p = arith.muli %e, %f : i32
    %s = arith.addi %c, %p : i32
    linalg.yield %s : i32""",
    )
    assert isolated(partial(_wider, text)) == 0
    assert "@contraction" in _scheduled(text, "reassoc")


def _wider(text: str) -> int:
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-128, 128, (20, 20)).astype(np.int8) for _ in range(2))
    c = np.zeros((20, 20), np.int32)
    compile_module(text)(a, b, c)
    return int(np.abs(c - a.astype(np.int32) @ b.astype(np.int32)).max())


def test_any_number_of_threads_gives_the_same_bits() -> None:
    assert isolated(_bits_differ) == []


def _bits_differ() -> list[str]:
    names = ("tall", "both", "many", "wide", "gram", "below")
    cases = [case for case in [*PLAIN, *FUSED] if case.name in names]
    compiled = [compile_module("".join(case.text for case in cases), threads=threads) for threads in (1, 2, 3)]
    differ = []
    for case in cases:
        found = [case.inputs() for _ in compiled]
        for module, arguments in zip(compiled, found, strict=True):
            module[case.name](*arguments)
        if any(not np.array_equal(a, b) for other in found[1:] for a, b in zip(found[0], other, strict=True)):
            differ.append(case.name)
    return differ


@pytest.mark.parametrize("fp", ["strict", "reassoc"])
@pytest.mark.parametrize("places", ["x,y,x", "x,y,y", "x,x,x"])
@pytest.mark.parametrize("n", [9, 64])
def test_a_result_that_the_text_puts_where_an_operand_is_follows_its_loops(places: str, n: int, fp: str) -> None:
    kind = f"memref<{n}x{n}xf64>"
    one, other, target = places.split(",")
    body = generic(["ik", "kj", "ij"], "ppr", [kind] * 3, [one, other, target], multiply_add("f64"))
    text = f"func.func @f(%x: {kind}, %y: {kind}) {{\n{body}  return\n}}"
    rng = np.random.default_rng(n)
    given = [rng.random((n, n)) / n, rng.random((n, n)) / n]
    wanted = {"x": given[0].copy(), "y": given[1].copy()}
    for i, j, k in np.ndindex(n, n, n):
        wanted[target][i, j] += wanted[one][i, k] * wanted[other][k, j]
    found = called(text, given, fp=fp)
    for name, array in zip("xy", found, strict=True):
        np.testing.assert_allclose(array, wanted[name], rtol=1e-12)


@pytest.mark.parametrize("kind", ["parallel", "reduction"])
def test_an_element_made_of_the_one_before_follows_its_loop(kind: str) -> None:
    part, later = "memref<39xi32, strided<[1]>>", "memref<39xi32, strided<[1], offset: 1>>"
    text = f"""func.func @f(%a: memref<40xi32>) {{
      %x = memref.subview %a[0] [39] [1] : memref<40xi32> to {part}
      %y = memref.subview %a[1] [39] [1] : memref<40xi32> to {later}
      linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["{kind}"]}}
          ins(%x : {part}) outs(%y : {later}) {{
      ^bb0(%p: i32, %q: i32):
        %one = arith.constant 1 : i32
        %next = arith.addi %p, %one : i32
        linalg.yield %next : i32
      }}
      return
    }}"""
    np.testing.assert_array_equal(called(text, [np.zeros(40, np.int32)])[0], np.arange(40))
