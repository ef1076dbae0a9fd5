"""Functions of vectors against references in higher precision: many arguments, the special ones, and what is called."""

import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import raising.native.vector_math.vectors
from raising.compile_module import compile_module
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from raising.native.vector_math.expand import FUNCTIONS
from tests.bench.native.polynomials import table
from tests.native.running import called, isolated
from tests.native.vector_math.functions import CASES, DTYPES, Array, Case, arguments, text, units

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 1.0, -1.0, 1e30, -1e30, 88.7, 88.8, -103.0, -87.5, -200.0,
           709.7, 709.9, -745.0, -708.5, 1e-310, 0.70710678, 1.41421356, 32768.0, 32769.0, 1073741824.0, 1e9, 1e22,
           1.5707963267948966, 3.141592653589793, 2230.530784048753, 16367173.0, 2.0, -2.0, 3.0, -3.0, 0.5, 2.5, 1e-20,
           127.99, 128.0, -149.0, -150.0, 1023.9, 1024.0, -1074.0, -1075.0, 89.3, 710.4, 26.6, 10.1]  # fmt: skip
UNITS = {"erfc": 7.0, "asinh": 4.0, "acosh": 4.0, "atanh": 4.0}
UNITS_OF_GLIBC = UNITS | {"cbrt": 4.0}
ALONE = [case for case in CASES if case.name not in ("sqrt", "sigmoid", "chain")]
BOTH = """%s = math.sin %a : E
    %c = math.cos %a : E
    %two = arith.constant 2.0 : E
    %never = arith.cmpf oeq, {other}, %two : E
    %r = arith.select %never, {other}, {own} : E"""
PAIRS = [
    Case("sin_beside_cos", BOTH.format(own="%s", other="%c"), "", -10, 10, np.sin),
    Case("cos_beside_sin", BOTH.format(own="%c", other="%s"), "", -10, 10, np.cos),
]
LIBRARY = {f"{name}{kind}" for name in ("sin", "cos", "tan") for kind in ("", "f")}


def _arguments(case: Case, element: str) -> list[Array]:
    """The usual range, all of the range, numbers near 1 and near 0, and special ones: an odd number of them."""
    rng, limit = np.random.default_rng(0), {"f32": 88.0, "f64": 709.0}[element]
    if case.binary:
        ours, pairs = arguments(case, element, 8_001), np.array(np.meshgrid(SPECIAL, SPECIAL)).reshape(2, -1)
        signs = rng.choice([-1, 1], (2, 8_001)) * np.exp(rng.uniform(-limit / 2, limit / 2, (2, 8_001)))
        near = rng.uniform(0.999, 1.001, 3_000), rng.uniform(-9e4, 9e4, 3_000)
        joined = [np.concatenate([ours[k], signs[k], near[k], pairs[k]]) for k in range(2)]
    else:
        spread = np.exp(rng.uniform(-limit, limit, 8_000))
        near = [rng.uniform(0.5, 2, 8_000), rng.uniform(-2, 2, 8_000), rng.uniform(-1e-3, 1e-3, 3_000)]
        wide = [rng.uniform(-limit, limit, 8_000), spread, -spread]
        joined = [np.concatenate([*arguments(case, element, 8_000), *wide, *near, SPECIAL])]
    with np.errstate(all="ignore"):
        return [each.astype(DTYPES[element]) for each in joined]


ROUNDED = """func.func @f(%x: memref<999xE>, %y: memref<999xE>) {{
  %t = bufferization.to_tensor %x restrict : memref<999xE> to tensor<999xE>
  %e = tensor.empty() : tensor<999xE>
  %r = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                        iterator_types = ["parallel"]}}
    ins(%t : tensor<999xE>) outs(%e : tensor<999xE>) {{
  ^bb0(%a: E, %o: E):
    %v = math.roundeven %a : E
    linalg.yield %v : E
  }} -> tensor<999xE>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<999xE>, memref<999xE>) -> ()
  return
}}"""


@pytest.mark.parametrize("element", ["f32", "f64"])
def test_rounding_needs_no_call_where_there_is_no_instruction(element):
    module = ROUNDED.replace("{{", "{").replace("}}", "}").replace("xE>", f"x{element}>").replace(": E", f": {element}")
    rng, bits = np.random.default_rng(3), {"f32": 24, "f64": 53}[element]
    ends = [
        s * (2.0**k + d) for k in (bits - 2, bits - 1, bits, bits + 3) for d in (-1.5, -0.5, 0, 0.5, 1) for s in (1, -1)
    ]
    halves = np.arange(-60, 60) / 2
    values = np.concatenate([halves, np.nextafter(halves, 1e9), ends, SPECIAL, rng.uniform(-1e4, 1e4, 999)])[:999]
    x = values.astype(DTYPES[element])
    y = np.full_like(x, 7)
    compile_module(module, cpu="x86-64")(x, y)
    assert y.tobytes() == np.rint(x).tobytes()
    calls = {cpu: build(module.encode(), "-", CompileOptions(cpu=cpu)).code.llvm for cpu in ("x86-64", "x86-64-v3")}
    vectors = [re.search(r"call .*@llvm\.roundeven\.v\d", text) is not None for text in calls.values()]
    assert vectors == [False, True]


def _values(element: str, cpu: str, fp: str) -> list[Array]:
    compiled = compile_module("\n".join(text(case, element) for case in [*ALONE, *PAIRS]), cpu=cpu, fp=fp)
    results = []
    for case in [*ALONE, *PAIRS]:
        inputs = _arguments(case, element)
        y = np.full_like(inputs[0], 7)
        compiled[f"of_{case.name}_{element}"](*inputs, y)
        results.append(y)
    return results


@pytest.mark.parametrize(
    ("cpu", "fp"), [("native", "reassoc"), ("x86-64-v3", "reassoc"), ("x86-64-v3", "strict"), ("x86-64", "reassoc")]
)
@pytest.mark.parametrize("element", DTYPES)
def test_functions_are_right_to_a_few_units(element: str, cpu: str, fp: str) -> None:
    failed, bounds = [], UNITS_OF_GLIBC if cpu == "x86-64" else UNITS
    with np.errstate(all="ignore"):
        for case, found in zip([*ALONE, *PAIRS], isolated(partial(_values, element, cpu, fp)), strict=True):
            inputs = _arguments(case, element)
            exact = case.exact(*(each.astype(np.longdouble) for each in inputs))
            wrong = ~(units(exact, found) <= bounds.get(case.name, 3.0))
            shown = [each[wrong][:5] for each in (*inputs, found, exact)]
            zeros = exact == 0
            if wrong.any() or not np.array_equal(np.signbit(found[zeros]), np.signbit(exact[zeros])):
                failed.append((case.name, units(exact, found).max(), *shown))
    assert not failed


@pytest.mark.parametrize(("element", "cpu"), [("f32", "x86-64-v4"), ("f64", "x86-64-v3")])
def test_only_huge_angles_call_the_library(element: str, cpu: str) -> None:
    module = "\n".join(text(case, element) for case in CASES)
    assembly = build(module.encode(), "-", CompileOptions(cpu=cpu)).code.assembly
    assert set(re.findall(r"\bcallq?\s+\*?(\w+)", assembly)) <= LIBRARY


@pytest.mark.parametrize("element", DTYPES)
def test_sine_and_cosine_of_one_vector_share_their_reduction(element: str) -> None:
    assembly = [
        build(text(case, element).encode(), "-", CompileOptions(cpu="x86-64-v4")).code.assembly
        for case in (PAIRS[0], *(case for case in CASES if case.name in ("sin", "cos")))
    ]
    both, sine, cosine = (len(re.findall(r"\bv(?:fn?m|add|sub|mul)\w*p[sd]\b", each)) for each in assembly)
    assert both < 0.8 * (sine + cosine)


def test_every_function_has_a_case() -> None:
    assert {name.removeprefix("math.").removesuffix("f") for name in FUNCTIONS} == {
        case.name.removesuffix("f") for case in ALONE
    }


@pytest.mark.parametrize("length", [1, 3, 17])
def test_lengths_that_are_no_multiple_of_a_vector(length: int) -> None:
    case = next(case for case in CASES if case.name == "chain")
    x = np.linspace(-3, 3, length, dtype=np.float32)
    _, found = called(text(case, "f32"), [x, np.full_like(x, 7)])
    assert (units(case.exact(x.astype(np.longdouble)), found) < 4).all()


def test_a_function_behind_a_contraction_is_one_of_vectors() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.uniform(-1, 1, (40, 40)).astype(np.float32) for _ in range(2))
    square = "tensor<40x40xf32>"
    module = f"""func.func @layer(%a: {square}, %b: {square}) -> {square} {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {square}
  %f = linalg.fill ins(%z : f32) outs(%e : {square}) -> {square}
  %m = linalg.matmul ins(%a, %b : {square}, {square}) outs(%f : {square}) -> {square}
  %r = linalg.erf ins(%m : {square}) outs(%e : {square}) -> {square}
  return %r : {square}
}}"""
    found = isolated(lambda: compile_module(module)(a, b))
    case = next(case for case in CASES if case.name == "erf")
    assert np.abs(found - case.exact((a.astype(np.float64) @ b).astype(np.longdouble))).max() < 1e-5
    assert "erff" not in build(module.encode(), "-", CompileOptions()).code.assembly


def test_a_long_function_of_every_register_of_a_tile_stays_a_function() -> None:
    rng = np.random.default_rng(0)
    a, b, c = (rng.uniform(0.5, 2, (37, 37)) for _ in range(3))
    square = "tensor<?x?xf64>"
    module = f"""func.func @layer(%a: {square}, %b: {square}, %c: {square}) -> {square} {{
  %z = arith.constant 0.0 : f64
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %m = tensor.dim %a, %0 : {square}
  %n = tensor.dim %b, %1 : {square}
  %e = tensor.empty(%m, %n) : {square}
  %f = linalg.fill ins(%z : f64) outs(%e : {square}) -> {square}
  %p = linalg.matmul ins(%a, %b : {square}, {square}) outs(%f : {square}) -> {square}
  %r = linalg.NAME ins(%p, %c : {square}, {square}) outs(%e : {square}) -> {square}
  return %r : {square}
}}"""
    power = module.replace("NAME", "powf")
    found = isolated(lambda: compile_module(power)(a, b, c, out=[np.empty_like(a)]))
    assert np.allclose(found, (a @ b) ** c, rtol=1e-13)
    sizes = [
        len(build(each.encode(), "-", CompileOptions()).code.llvm) for each in (power, module.replace("NAME", "mul"))
    ]
    assert sizes[0] < 2 * sizes[1]


@pytest.mark.parametrize(("name", "element"), [("expm1", "f64"), ("log1p", "f32")])
def test_single_numbers_near_zero_keep_their_digits(name: str, element: str) -> None:
    module = f"""func.func @single(%x: {element}) -> {element} {{
  %r = math.{name} %x : {element}
  return %r : {element}
}}"""
    assert isolated(lambda: compile_module(module)(1e-20)) == pytest.approx(1e-20, rel=1e-7)


def test_whole_powers_are_products_or_powers() -> None:
    case = Case("cube", "%k = arith.constant 3 : i32\n %r = math.fpowi %a, %k : E, i32", "", 0, 0, np.power)
    open_ = Case("power", "%k = arith.fptosi %b : E to i32\n %r = math.fpowi %a, %k : E, i32", "", 0, 0, np.power, True)
    x, n = np.linspace(-3, 3, 37), np.arange(37.0) - 18
    cubes = called(text(case, "f64"), [x, np.full_like(x, 7)])[1]
    powers = called(text(open_, "f64"), [x, n, np.full_like(x, 7)])[2]
    assert np.allclose(cubes, x**3, rtol=1e-15)
    with np.errstate(all="ignore"):
        assert np.allclose(powers, x**n, rtol=1e-14)


@pytest.mark.parametrize("element", ["f16", "bf16"])
def test_half_precision_is_computed_in_single(element: str) -> None:
    case = next(case for case in CASES if case.name == "exp")
    assembly = build(text(case, element).encode(), "-", CompileOptions(cpu="x86-64-v4")).code.assembly
    assert not re.search(r"\bcallq?\s+\*?expf?\b", assembly)


def test_coefficients_are_those_of_the_generator() -> None:
    assert Path(raising.native.vector_math.vectors.__file__).with_name("coefficients.toml").read_text() == table()
