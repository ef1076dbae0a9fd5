"""Products of triangular and symmetric matrices as calls of BLAS, against NumPy."""

import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from raising.native.base.compile_options import CompileOptions
from raising.native.blas.library import find_blas
from raising.native.call.autotune import key, measured_choice, program
from raising.native.call.compiled import load
from raising.native.compile import build
from raising.support import cache
from tests.native.blas.blas_programs import programs
from tests.native.contraction.fused_contractions import FUSED

LETTERS = {"f32": "s", "f64": "d"}
CALL = re.compile(r"call @(?:scipy_)?(cblas_\w+)\(")


def compiled(text: str, **settings):
    """The functions of a module, and the routines of BLAS that are called in it."""
    options = CompileOptions(**{"backend": "blas", **settings})
    built = build(text.encode(), "-", options, workspace=True)
    return load(built.code.object, built.signatures, built.target, built.libraries), CALL.findall(built.mlir)


@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize("routine", ["syrk", "syr2k", "symm", "trmm"])
def test_every_variant_is_one_call_and_right(routine, element):
    cases = programs(element)[routine]
    functions, calls = compiled("".join(case.text for case in cases))
    assert calls == [f"cblas_{LETTERS[element]}{routine}"] * len(cases)
    tolerance = 1e-5 if element == "f32" else 1e-13
    assert {case.name: error for case in cases if not (error := case.error(functions)) < tolerance} == {}


def test_what_is_fused_around_a_product_stays_right():
    functions, calls = compiled("".join(case.text for case in FUSED))
    assert {case.name: error for case in FUSED if not (error := case.error(functions)) < 2e-5} == {}
    assert {f"cblas_s{routine}" for routine in ("gemm", "syrk", "syr2k", "trmm")} == set(calls)


SCALED = """
func.func @f(%alpha: f64, %beta: f64, %A: memref<11x4xf64>, %C: memref<11x11xf64>) {
  %t = memref.alloc() : memref<11x11xf64>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]} ins(%C : memref<11x11xf64>) outs(%t : memref<11x11xf64>) {
  ^bb0(%c: f64, %o: f64):
    %p = arith.mulf %c, %beta : f64
    linalg.yield %p : f64
  }
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
    affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%A, %A : memref<11x4xf64>, memref<11x4xf64>) outs(%t : memref<11x11xf64>) {
  ^bb0(%a: f64, %b: f64, %c: f64):
    %x = arith.mulf %alpha, %a : f64
    %p = arith.mulf %x, %b : f64
    %s = arith.addf %c, %p : f64
    linalg.yield %s : f64
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]} ins(%t : memref<11x11xf64>) outs(%C : memref<11x11xf64>) {
  ^bb0(%c: f64, %o: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %x = arith.cmpi sle, %i, %j : index
    %r = arith.select %x, %c, %o : f64
    linalg.yield %r : f64
  }
  return
}
"""


@pytest.fixture(scope="module")
def scaled():
    """alpha * A * A^T + beta * C on and above the diagonal."""
    functions, calls = compiled(SCALED)
    assert calls == ["cblas_dsyrk"]
    return functions["f"]


@pytest.mark.parametrize(
    ("alpha", "beta"), [(1.5, -0.5), (0.0, 1.0), (1.0, 0.0), (0.0, 0.0), (-0.0, 2.0), (np.nan, 1.0)]
)
def test_a_factor_of_zero_is_a_factor_and_the_other_triangle_is_kept(scaled, alpha, beta):
    """BLAS itself would not look at what is multiplied by 0."""
    a, c = np.ones((11, 4)), np.ones((11, 11))
    a[3, 1], c[2, 7], c[9, 1] = np.nan, np.inf, np.nan
    with np.errstate(invalid="ignore"):
        wanted = np.where(np.triu(np.ones((11, 11))) > 0, (alpha * a) @ a.T + beta * c, c)
    scaled(alpha, beta, a, c)
    np.testing.assert_allclose(c, wanted, rtol=1e-13)


def test_strict_arithmetic_keeps_our_own_order():
    assert compiled(SCALED, fp="strict")[1] == []


def test_parts_of_arrays_are_passed_where_they_lie():
    """A slice of an array of rank 3 and one of a matrix; what is around them stays."""
    text = """
func.func @f(%A: memref<3x20x17xf32>, %C: memref<30x25xf32>) {
  %a = memref.subview %A[1, 2, 3] [1, 15, 12] [1, 1, 1]
    : memref<3x20x17xf32> to memref<15x12xf32, strided<[17, 1], offset: 377>>
  %c = memref.subview %C[4, 5] [15, 15] [1, 1] : memref<30x25xf32> to memref<15x15xf32, strided<[25, 1], offset: 105>>
  %t = memref.alloc() : memref<15x15xf32>
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%t : memref<15x15xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
    affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %a : memref<15x12xf32, strided<[17, 1], offset: 377>>, memref<15x12xf32, strided<[17, 1], offset: 377>>)
    outs(%t : memref<15x15xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%t : memref<15x15xf32>) outs(%c : memref<15x15xf32, strided<[25, 1], offset: 105>>) {
  ^bb0(%x: f32, %o: f32):
    %h = arith.addf %x, %x : f32
    linalg.yield %h : f32
  }
  return
}"""
    functions, calls = compiled(text)
    random = np.random.default_rng(0)
    a, c = random.random((3, 20, 17)).astype(np.float32), random.random((30, 25)).astype(np.float32)
    wanted, part = c.copy(), a[1, 2:17, 3:15]
    wanted[4:19, 5:20] = 2 * part @ part.T
    functions["f"](a, c)
    np.testing.assert_allclose(c, wanted, rtol=1e-5)
    assert calls == ["cblas_ssyrk"]


def wide_library() -> str:
    """The BLAS of NumPy, which has 64-bit integers."""
    folder = Path(np.__file__).parent.parent / "numpy.libs"
    found = sorted(folder.glob("libscipy_openblas64_*"))
    return str(found[0]) if found else pytest.skip("NumPy has no such library here")


def test_a_library_with_wide_integers():
    cases = [case for routine in programs("f64").values() for case in routine[:2]]
    functions, calls = compiled("".join(case.text for case in cases), blas_lib=wide_library())
    assert {case.name: error for case in cases if not (error := case.error(functions)) < 1e-13} == {}
    assert set(calls) == {f"cblas_d{routine}64_" for routine in ("syrk", "syr2k", "symm", "trmm")}


def library(folder: Path, *names: str) -> str:
    """A library with some of the names, all of which only end the process."""
    source = folder / "few.c"
    source.write_text("#include <stdlib.h>\n" + "".join(f"void {name}(void) {{ abort(); }}\n" for name in names))
    subprocess.run(["cc", "-shared", "-fPIC", str(source), "-o", str(folder / "few.so")], check=True)
    return str(folder / "few.so")


def test_what_a_library_does_not_have_stays_our_own(tmp_path):
    few = library(tmp_path, "cblas_dsyr2k", "cblas_sgemm")
    cases = [case for routine in programs("f64").values() for case in routine[:1]]
    functions, calls = compiled("".join(case.text for case in cases), blas_lib=few)
    assert calls == ["cblas_dsyr2k"]
    others = [case for case in cases if "syr2k" not in case.name]
    assert {case.name: error for case in others if not (error := case.error(functions)) < 1e-13} == {}


@pytest.fixture
def fabricated(tmp_path, monkeypatch):
    """Put ratios of the times of BLAS to ours into an empty cache."""
    monkeypatch.setenv("RAISE_CACHE", str(tmp_path))
    options = CompileOptions(backend="auto", fp="reassoc")

    def put(element: str, **ratios: list[float]) -> None:
        for routine, values in ratios.items():
            entry = cache.entry("calibration", key(find_blas(None), options, routine, element))
            cache.write(entry, json.dumps(values))

    return put


def test_each_product_goes_to_what_was_faster_for_its_routine_and_size(fabricated):
    never, always = [2.0, 2.0, 2.0], [0.5, 0.5, 0.5]
    fabricated("f64", syrk=always, syr2k=never, symm=[2.0, 0.5, 0.5], trmm=[0.5, 2.0, 2.0], gemm=always)
    cases = [case for routine in programs("f64").values() for case in routine[:1]]
    functions, calls = compiled("".join(case.text for case in cases), backend="auto")
    assert calls == ["cblas_dsyrk", "cblas_dtrmm"], "a product that is ours is none for gemm either"
    assert {case.name: error for case in cases if not (error := case.error(functions)) < 1e-13} == {}


def test_what_was_measured_is_kept_by_routine(tmp_path, monkeypatch):
    monkeypatch.setenv("RAISE_CACHE", str(tmp_path))
    monkeypatch.setattr("raising.native.call.autotune.SIZES", (16,))
    for routine in ("gemm", "gemv", "syrk", "syr2k", "symm", "trmm"):
        measured_choice(find_blas(None), CompileOptions(backend="auto"), build)(routine, "f32", (16, 16, 16))
    assert len(list((tmp_path / "calibration").iterdir())) == 6


@pytest.mark.parametrize("routine", ["gemm", "gemv", "syrk", "syr2k", "symm", "trmm"])
def test_what_is_measured_is_the_routine(routine):
    text, _ = program(routine, "f32", 16)
    assert compiled(text)[1] == [f"cblas_s{routine}"]
