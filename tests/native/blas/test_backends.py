"""Other back ends than our own code: BLAS for contractions, XLA for StableHLO."""

import subprocess
import sys

import numpy as np
import pytest

import raising
from raising.native.base.compile_options import CompileOptions
from raising.native.base.unsupported import CompileError
from raising.native.blas.library import find_blas
from raising.native.compile import build

MATMUL = """
#a = affine_map<(i, j, k) -> ({a})>
#b = affine_map<(i, j, k) -> ({b})>
#c = affine_map<(i, j, k) -> ({c})>
func.func @f(%A: memref<{sa}xTYPE>, %B: memref<{sb}xTYPE>, %C: memref<{sc}xTYPE>) {{
  linalg.generic {{indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}}
    ins(%A, %B : memref<{sa}xTYPE>, memref<{sb}xTYPE>) outs(%C : memref<{sc}xTYPE>) {{
  ^bb0(%a: TYPE, %b: TYPE, %c: TYPE):
    %p = arith.mulf %a, %b : TYPE
    %s = arith.addf %c, %p : TYPE
    linalg.yield %s : TYPE
  }}
  return
}}
"""


VECTOR = """
func.func @f(%A: tensor<6x4xf64>, %x: tensor<{rows}xf64>, %y: tensor<{columns}xf64>) -> tensor<{columns}xf64> {{
  %r = linalg.{name} outs(%y : tensor<{columns}xf64>) -> tensor<{columns}xf64>
  return %r : tensor<{columns}xf64>
}}
"""

WINDOW = """
func.func @f(%A: memref<8x9xf32>, %B: memref<9x5xf32>, %C: memref<4x5xf32>) {
  %a = memref.subview %A[2, 3] [4, 6] [1, 1] : memref<8x9xf32> to memref<4x6xf32, strided<[9, 1], offset: 21>>
  %b = memref.subview %B[1, 0] [6, 5] [1, 1] : memref<9x5xf32> to memref<6x5xf32, strided<[5, 1], offset: 5>>
  linalg.matmul ins(%a, %b : memref<4x6xf32, strided<[9, 1], offset: 21>>, memref<6x5xf32, strided<[5, 1], offset: 5>>)
    outs(%C : memref<4x5xf32>)
  return
}
"""


def product(a: str, b: str, c: str, element: str, sizes: str = "5 7 3") -> str:
    """c += a * b with the dimensions of each matrix in an order."""
    extent = dict(zip("ikj", sizes.split(), strict=True))
    shapes = {
        f"s{name}": "x".join(extent[d] for d in own.split(", ")) for name, own in zip("abc", (a, b, c), strict=True)
    }
    return MATMUL.format(a=a, b=b, c=c, **shapes).replace("TYPE", element)


def blas_calls(text: str, **settings) -> list[str]:
    built = build(text.encode(), "-", CompileOptions(backend="blas", **settings), workspace=True)
    return sorted({line.split("@")[1].split("(")[0] for line in built.code.llvm.splitlines() if "call void @" in line})


@pytest.mark.parametrize("a", ["i, k", "k, i"])
@pytest.mark.parametrize("b", ["k, j", "j, k"])
@pytest.mark.parametrize("c", ["i, j", "j, i"])
@pytest.mark.parametrize("element", ["f32", "f64"])
def test_a_product_of_matrices_in_any_orientation(a, b, c, element):
    text = product(a, b, c, element)
    random, dtype = np.random.default_rng(0), {"f32": np.float32, "f64": np.float64}[element]
    left, right, start = (random.random(shape).astype(dtype) for shape in ((5, 7), (7, 3), (5, 3)))
    given = [v if order else np.ascontiguousarray(v.T) for v, order in ((left, a[0] == "i"), (right, b[0] == "k"))]
    out = start.copy() if c[0] == "i" else np.ascontiguousarray(start.T)
    raising.compile(text, backend="blas")(*given, out)
    np.testing.assert_allclose(out if c[0] == "i" else out.T, start + left @ right, rtol=1e-5)


@pytest.mark.parametrize(
    ("name", "rows", "columns"),
    [
        ("matvec ins(%A, %x : tensor<6x4xf64>, tensor<4xf64>)", 4, 6),
        ("vecmat ins(%x, %A : tensor<6xf64>, tensor<6x4xf64>)", 6, 4),
    ],
)
def test_a_matrix_and_a_vector(name, rows, columns):
    text = VECTOR.format(name=name, rows=rows, columns=columns)
    random = np.random.default_rng(0)
    a, x, y = random.random((6, 4)), random.random(rows), random.random(columns)
    result = raising.compile(text, backend="blas")(a, x, y)
    np.testing.assert_allclose(result, y + (a @ x if rows == 4 else x @ a), rtol=1e-13)
    assert blas_calls(text)[-1].endswith("cblas_dgemv")


def test_parts_of_arrays_are_passed_where_they_lie():
    a, b, c = np.arange(72.0), np.arange(45.0), np.zeros(20)
    a, b, c = (v.astype(np.float32).reshape(s) for v, s in ((a, (8, 9)), (b, (9, 5)), (c, (4, 5))))
    raising.compile(WINDOW, backend="blas")(a, b, c)
    np.testing.assert_array_equal(c, a[2:6, 3:9] @ b[1:7])
    assert blas_calls(WINDOW)[-1].endswith("cblas_sgemm")


def test_strict_arithmetic_and_integers_stay_our_own():
    assert not [name for name in blas_calls(WINDOW, fp="strict") if "blas" in name]
    integers = product("i, k", "k, j", "i, j", "i32").replace("mulf", "muli").replace("addf", "addi")
    assert not [name for name in blas_calls(integers) if "blas" in name]


def test_sizes_that_are_known_when_it_runs(capfd):
    product_of = raising.compile(product("i, k", "k, j", "i, j", "f64", "? ? ?"), backend="blas")
    for m, k, n in ((5, 7, 3), (1, 1, 1), (4, 0, 2), (0, 3, 2), (2, 3, 0), (1, 90, 70)):
        c = np.ones((m, n))
        product_of(np.ones((m, k)), np.ones((k, n)), c)
        np.testing.assert_array_equal(c, np.full((m, n), k + 1.0))
    assert capfd.readouterr() == ("", ""), "BLAS was called with nothing that it complains of"


def test_a_library_that_is_none_is_refused(tmp_path):
    with pytest.raises(CompileError, match="cannot be loaded"):
        find_blas(str(tmp_path / "none.so"))
    with pytest.raises(CompileError, match="no C interface of BLAS"):
        find_blas("libm.so.6")


def test_the_faster_one_is_chosen_from_measurements_that_are_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("RAISE_CACHE", str(tmp_path))
    monkeypatch.setattr("raising.native.call.autotune.SIZES", (8,))
    compiled = raising.compile(WINDOW, backend="auto")
    c = np.zeros((4, 5), np.float32)
    compiled(np.ones((8, 9), np.float32), np.ones((9, 5), np.float32), c)
    np.testing.assert_array_equal(c, np.full((4, 5), 6.0))
    assert len(list((tmp_path / "calibration").iterdir())) == 1


XLA = """
import numpy as np, raising
text = '''func.func @f(%a: tensor<4x5xf32>, %s: tensor<f32>) -> tensor<5x4xf32> {
  %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x5xf32>) -> tensor<5x4xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<5x4xf32>
  %m = stablehlo.multiply %t, %b : tensor<5x4xf32>
  return %m : tensor<5x4xf32> }'''
a = np.arange(20, dtype=np.float32).reshape(4, 5)
assert (raising.compile(text, backend="xla")(a, 2.0) == 2 * a.T).all()
"""


def test_stablehlo_runs_on_xla():
    """In a process of its own: jax starts threads."""
    subprocess.run([sys.executable, "-c", XLA], check=True, timeout=120)


SEVERAL = """
import numpy as np, raising
text = '''
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = chlo.square %0 : tensor<4xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32> }
func.func @other(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = call @main(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice(%b) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32> }
func.func private @twice(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32> }'''
a = np.arange(4, dtype=np.float32)
for backend in ("xla", "mlir"):
    compiled = raising.compile(text, backend=backend)
    assert set(compiled.functions) == {"main", "other"}, compiled.functions
    assert (compiled["main"](a) == 4 * a * a).all()
    one, other = compiled["other"](a, a)
    assert (one == 4 * a * a).all() and (other == 2 * a).all()
"""


def test_every_public_function_runs_on_xla():
    subprocess.run([sys.executable, "-c", SEVERAL], check=True, timeout=120)


AGAIN = """
import numpy as np, raising
from unittest.mock import patch
import jaxlib.mlir.ir as hlo
from jax._src.interpreters.mlir import make_ir_context
from raising.native.call.xla_in_place import update_in_place
text = '''func.func @f(%a: tensor<6xf32>, %b: tensor<4xf32>, %n: tensor<i32>) -> (tensor<6xf32>, tensor<4xf32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %0:3 = stablehlo.while(%i = %c0, %x = %a, %y = %b) : tensor<i32>, tensor<6xf32>, tensor<4xf32>
  cond { %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1> }
  do {
    %u = stablehlo.add %y, %y : tensor<4xf32>
    %e = stablehlo.subtract %u, %y : tensor<4xf32>
    %v = stablehlo.dynamic_update_slice %x, %u, PLACE : (tensor<6xf32>, tensor<4xf32>, tensor<i32>) -> tensor<6xf32>
    %w = stablehlo.multiply %u, %u : tensor<4xf32>
    %z = stablehlo.add %w, %e : tensor<4xf32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %v, %z : tensor<i32>, tensor<6xf32>, tensor<4xf32>
  }
  return %0#1, %0#2 : tensor<6xf32>, tensor<4xf32> }'''
a, b = np.arange(6, dtype=np.float32), np.array([1, -0.5, 0.25, 2], np.float32)
for place, slices in (("%c1", 1), ("%c0", 1), ("%i", 0), ("%c3", 0)):
    one = text.replace("PLACE", place)
    with make_ir_context():
        module = hlo.Module.parse(one)
        update_in_place(module.body.operations[0], hlo)
        module.operation.verify()
        assert str(module).count("stablehlo.slice") == slices, module
    found = raising.compile(one, backend="xla")["f"](a, b, np.int32(2))
    with patch("raising.native.call.xla.update_in_place", lambda *_: None):
        wanted = raising.compile(one, backend="xla")["f"](a, b, np.int32(2))
    assert all((x == y).all() for x, y in zip(found, wanted)), place
"""


def test_a_part_that_was_put_into_an_array_is_read_from_there():
    """At places that are known and inside (`%c3` is clamped); four times as fast where XLA would copy the array."""
    subprocess.run([sys.executable, "-c", AGAIN], check=True, timeout=120)


PADDED = """
import numpy as np, raising
from unittest.mock import patch
import jaxlib.mlir.ir as hlo
from jax._src.interpreters.mlir import make_ir_context
from raising.native.call.xla_in_place import update_in_place
text = '''func.func @f(%a: tensor<6x5xf32>, %s: tensor<9xf32>) -> tensor<6x5xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c7 = stablehlo.constant dense<7> : tensor<i32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0:2 = stablehlo.while(%i = %c0, %x = %a) : tensor<i32>, tensor<6x5xf32>
  cond { %p = stablehlo.compare LT, %i, %c7 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1> }
  do {
    %e = stablehlo.dynamic_slice %s, %i, sizes = [1] : (tensor<9xf32>, tensor<i32>) -> tensor<1xf32>
    %row = stablehlo.broadcast_in_dim %e, dims = [0] : (tensor<1xf32>) -> tensor<1x5xf32>
    %padded = stablehlo.pad %row, %z, low = [LOW, 0], high = [HIGH, 0], interior = [0, 0]
      : (tensor<1x5xf32>, tensor<f32>) -> tensor<6x5xf32>
    %rest = stablehlo.slice %x [1:6, 0:5] : (tensor<6x5xf32>) -> tensor<5x5xf32>
    %first = stablehlo.slice %x [0:5, 0:5] : (tensor<6x5xf32>) -> tensor<5x5xf32>
    %new = stablehlo.subtract %first, %rest : tensor<5x5xf32>
    %y = stablehlo.dynamic_update_slice %padded, %new, %c1, %c0
      : (tensor<6x5xf32>, tensor<5x5xf32>, tensor<i32>, tensor<i32>) -> tensor<6x5xf32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %j, %y : tensor<i32>, tensor<6x5xf32>
  }
  return %0#1 : tensor<6x5xf32> }'''
a, s = np.random.default_rng(0).standard_normal((6, 5)).astype("f"), np.arange(9, dtype=np.float32)
for low, high, in_place in ((0, 5, True), (5, 0, False), (1, 4, False), (-1, 6, False)):
    one = text.replace("LOW", str(low)).replace("HIGH", str(high))
    with make_ir_context():
        module = hlo.Module.parse(one)
        update_in_place(module.body.operations[0], hlo)
        module.operation.verify()
        changed = str(module)
    assert changed.count("dynamic_update_slice") == (2 if in_place else 1), changed
    assert changed.count("stablehlo.slice %iterArg_2 [") == (1 if in_place else 2), changed
    found = raising.compile(one, backend="xla")["f"](a, s)
    with patch("raising.native.call.xla.update_in_place", lambda *_: None):
        wanted = raising.compile(one, backend="xla")["f"](a, s)
    assert (found == wanted).all(), (low, high)
"""


def test_what_is_padded_goes_into_the_array_that_the_loop_carries():
    """Where all of the padding is overwritten (not with the row at 5 or 1, or outside): FDTD twice as fast."""
    subprocess.run([sys.executable, "-c", PADDED], check=True, timeout=120)


PLACED = """
import jax, numpy as np, raising
text = '''func.func @f(%a: tensor<4x5xf32>, %s: tensor<f32>) -> tensor<4x5xf32> {
  %b = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
  %m = stablehlo.multiply %a, %b : tensor<4x5xf32>
  return %m : tensor<4x5xf32> }'''
f = raising.compile(text, backend="xla")["f"]
a = np.arange(20, dtype=np.float32).reshape(4, 5)
there = f.place(a, 2.0)
assert all(isinstance(each, jax.Array) for each in there)
assert (f(*there) == 2 * a).all() and (f(there[0], 3.0) == 3 * a).all()
(left,) = f.on_device(*there)
assert isinstance(left, jax.Array) and (f(left, 2.0) == 4 * a).all()
again = f.place(*there)
assert again[0].unsafe_buffer_pointer() == there[0].unsafe_buffer_pointer()
for wrong in (jax.numpy.zeros((5, 4), "float32"), jax.numpy.zeros((4, 5), "int32")):
    try:
        f(wrong, there[1])
    except raising.native.base.unsupported.CallError:
        continue
    raise SystemExit("taken")
"""


def test_arguments_and_results_may_stay_on_the_device():
    subprocess.run([sys.executable, "-c", PLACED], check=True, timeout=120)


PRECISE = """
import jaxlib.mlir.ir as hlo
from jax._src.interpreters.mlir import make_ir_context
from raising.native.call.xla import in_full_precision
text = '''func.func @f(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0]
    : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.dot_general %0, %a, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT]
    : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32> }'''
with make_ir_context():
    module = hlo.Module.parse(text)
    in_full_precision(module.body.operations[0], hlo)
    module.operation.verify()
    assert str(module).count("precision = [HIGHEST, HIGHEST]") == 1, module
    assert str(module).count("precision = [DEFAULT, DEFAULT]") == 1, "what the text asks for stays"
"""


def test_products_can_be_asked_for_in_full_precision():
    """As GPUs need it: they round the factors of f32 otherwise."""
    subprocess.run([sys.executable, "-c", PRECISE], check=True, timeout=120)


FACTORED = """
import jax, numpy as np, raising
import jaxlib.mlir.ir as hlo
from jax._src.interpreters.mlir import make_ir_context
from raising.native.call.xla_cholesky import factor_by_library
text = '''func.func @f(%a: tensor<5x5xf64>) -> tensor<5x5xf64> {
  %0 = stablehlo.iota dim = FIRST : tensor<5x5xi32>
  %1 = stablehlo.iota dim = SECOND : tensor<5x5xi32>
  %2 = stablehlo.compare GE, %0, %1 : (tensor<5x5xi32>, tensor<5x5xi32>) -> tensor<5x5xi1>
  %3 = stablehlo.transpose %a, dims = [1, 0] : (tensor<5x5xf64>) -> tensor<5x5xf64>
  %4 = stablehlo.select %2, %a, %3 : tensor<5x5xi1>, tensor<5x5xf64>
  %5 = stablehlo.cholesky %4, lower = LOWER : tensor<5x5xf64>
  return %5 : tensor<5x5xf64> }'''
a = np.random.default_rng(0).standard_normal((5, 5)) + 9 * np.eye(5)
for first, second, lower in ((0, 1, True), (1, 0, True), (0, 1, False)):
    one = text.replace("FIRST", str(first)).replace("SECOND", str(second)).replace("LOWER", str(lower).lower())
    with make_ir_context():
        module = hlo.Module.parse(one)
        with jax.enable_x64(True):
            factor_by_library(module.body.operations[0], jax, hlo)
        module.operation.verify()
        changed = str(module)
    assert ("stablehlo.cholesky" not in changed) is lower, changed
    assert ("custom_call @lapack_dpotrf_ffi(%arg0)" in changed) is (lower and first == 0), changed
    half = np.tril(a) if first == 0 else np.triu(a)
    whole = np.linalg.cholesky(half + half.T - np.diag(np.diag(a)))
    found = raising.compile(one, backend="xla")["f"](a)
    np.testing.assert_allclose(np.tril(found) if lower else np.triu(found), whole if lower else whole.T, rtol=1e-12)
assert np.isnan(raising.compile(text.replace("FIRST", "0").replace("SECOND", "1").replace("LOWER", "true"),
                                backend="xla")["f"](-a)[0, 0]), "not positive definite"
"""


def test_what_jax_factors_by_a_library_is_factored_so():
    """Cholesky by LAPACK, of the lower triangle that a matrix is made symmetric from; what jax does not have stays."""
    subprocess.run([sys.executable, "-c", FACTORED], check=True, timeout=120)


def test_xla_takes_nothing_else():
    with pytest.raises(CompileError, match="takes StableHLO"):
        raising.compile(WINDOW, backend="xla")
