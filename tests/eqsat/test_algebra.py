"""Programs that an expert would shorten reach the expert's cost, and stay equal."""

import pytest

from raising.api.options import RaiseOptions
from raising.eqsat.extract import ilp
from raising.frontend.python import convert
from raising.optimise.optimise_module import optimise_module
from raising.pipeline import raise_module
from raising.validate.base.verdict import Bounded, Proved, Tested
from raising.validate.check import CheckOptions, check
from tests.bench.eqsat.algebra import optimised, reached
from tests.bench.eqsat.algebra_draft import LINALG, STABLEHLO
from tests.bench.eqsat.algebra_programs import ENTRIES

SAMPLE = (
    "I A (linalg, open",
    "diag(v) A (stablehlo",
    "diag(v) A (linalg",
    "trace of A B (linalg",
    "rows of A B (linalg",
    "columns of A B",
    "convolution of s A (stablehlo",
    "softmax",
    "padding of a padding",
    "sum of a product (c",
    "top of [A; B] C (stablehlo",
    "convolution of A and of B (stablehlo",
    "A 1 + B (linalg",
    "trace of A^T B (python",
)


def test_the_table_is_as_large_as_it_says():
    assert len(ENTRIES) >= 57 and sum(not e.known for e in ENTRIES) >= 30
    assert {LINALG, STABLEHLO, "c", "python"} == {e.dialect for e in ENTRIES}
    assert len({e.label for e in ENTRIES}) == len(ENTRIES)


@pytest.mark.parametrize("name", SAMPLE)
def test_a_program_reaches_what_an_expert_would_write(name: str):
    (entry,) = [e for e in ENTRIES if e.label.startswith(name)]
    text, ours, expert = optimised(entry)
    assert reached(ours, expert)
    options = CheckOptions(sizes=entry.sizes())
    assert entry.dialect == STABLEHLO or isinstance(check(text, ours.text, options), Proved | Bounded | Tested)


@pytest.mark.parametrize("low", [0, 1])
def test_a_selection_off_the_diagonal_is_no_diagonal_matrix(low: int):
    """Rows below, or one element: only zeros everywhere but on the diagonal are scaled rows."""
    compare = ("sge", "%i, %j") if low else ("eq", "%i, %c")
    text = f"""func.func @f(%v: tensor<8xf64>, %A: tensor<8x6xf64>) -> tensor<8x6xf64> {{
      %z = arith.constant 0.0 : f64
      %e = tensor.empty() : tensor<8x8xf64>
      %d = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]}} ins(%v : tensor<8xf64>) outs(%e : tensor<8x8xf64>) {{
        ^bb0(%x: f64, %o: f64):
          %c = arith.constant 3 : index
          %i = linalg.index 0 : index
          %j = linalg.index 1 : index
          %q = arith.cmpi {compare[0]}, {compare[1]} : index
          %r = arith.select %q, %x, %z : f64
          linalg.yield %r : f64
      }} -> tensor<8x8xf64>
      %p = tensor.empty() : tensor<8x6xf64>
      %s = linalg.fill ins(%z : f64) outs(%p : tensor<8x6xf64>) -> tensor<8x6xf64>
      %y = linalg.matmul ins(%d, %A : tensor<8x8xf64>, tensor<8x6xf64>) outs(%s : tensor<8x6xf64>) -> tensor<8x6xf64>
      return %y : tensor<8x6xf64>
    }}"""
    assert "linalg.matmul" in optimise_module(text, fp="fast").text


def test_positions_that_wrap_around_are_no_diagonal():
    text = """func.func @f(%A: tensor<300x4xf32>) -> tensor<300x4xf32> {
      %i = stablehlo.iota dim = 0 : tensor<300x300xi8>
      %j = stablehlo.iota dim = 1 : tensor<300x300xi8>
      %q = stablehlo.compare EQ, %i, %j : (tensor<300x300xi8>, tensor<300x300xi8>) -> tensor<300x300xi1>
      %e = stablehlo.convert %q : (tensor<300x300xi1>) -> tensor<300x300xf32>
      %y = stablehlo.dot_general %e, %A, contracting_dims = [1] x [0]
        : (tensor<300x300xf32>, tensor<300x4xf32>) -> tensor<300x4xf32>
      return %y : tensor<300x4xf32>
    }"""
    assert "dot_general" in optimise_module(text, fp="fast").text
    assert "dot_general" not in optimise_module(text.replace("i8", "i32"), fp="fast").text


def test_strict_floats_keep_what_infinities_see():
    (entry,) = [e for e in ENTRIES if e.label.startswith("diag(v) A (stablehlo")]
    assert "dot_general" in optimise_module(entry.texts()[0], fp="reassoc").text


def test_what_lies_across_two_joined_tensors_is_cut_out():
    text = """func.func @f(%A: tensor<4x3xf64>, %B: tensor<4x3xf64>, %C: tensor<3x5xf64>) -> tensor<4x5xf64> {
      %j = stablehlo.concatenate %A, %B, dim = 0 : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<8x3xf64>
      %p = stablehlo.dot_general %j, %C, contracting_dims = [1] x [0]
        : (tensor<8x3xf64>, tensor<3x5xf64>) -> tensor<8x5xf64>
      %s = stablehlo.slice %p [4:8, 0:5] : (tensor<8x5xf64>) -> tensor<4x5xf64>
      return %s : tensor<4x5xf64>
    }"""
    found = optimise_module(text).text
    assert "concatenate" not in found and isinstance(check(text, found), Proved)
    across = text.replace("[4:8", "[2:6")
    assert "concatenate" in (found := optimise_module(across).text) and isinstance(check(across, found), Proved)


def test_two_functions_that_differ_in_an_attribute_are_not_one():
    how = "dim_numbers = [0, 1, b, f]x[0, 1, i, o]->[0, 1, b, f], window = {{{}}}"
    kinds = "(tensor<6x6x1x1xf64>, tensor<3x3x1x1xf64>) -> tensor<4x4x1x1xf64>"
    counts = "{batch_group_count = 1 : i64, feature_group_count = 1 : i64}"
    text = f"""func.func @f(%A: tensor<6x6x1x1xf64>, %B: tensor<6x6x1x1xf64>, %K: tensor<3x3x1x1xf64>)
        -> tensor<4x4x1x1xf64> {{
      %a = stablehlo.convolution(%A, %K) {how.format("")} {counts} : {kinds}
      %b = stablehlo.convolution(%B, %K) {how.format("WINDOW")} {counts} : {kinds}
      %s = stablehlo.add %a, %b : tensor<4x4x1x1xf64>
      return %s : tensor<4x4x1x1xf64>
    }}"""
    same, other = text.replace("WINDOW", ""), text.replace("WINDOW", "reverse = [true, true]")
    assert optimise_module(same, fp="reassoc").text.count("stablehlo.convolution") == 1
    assert optimise_module(other, fp="reassoc").text.count("stablehlo.convolution") == 2


@pytest.mark.parametrize("number", ["0.0", "-0.0", "3.0"])
def test_a_quotient_by_any_number_is_no_error(number: str):
    text = f"""func.func @f(%A: tensor<64x64xf64>) -> tensor<64x64xf64> {{
      %z = arith.constant {number} : f64
      %e = tensor.empty() : tensor<64x64xf64>
      %f = linalg.fill ins(%z : f64) outs(%e : tensor<64x64xf64>) -> tensor<64x64xf64>
      %d = linalg.div ins(%A, %f : tensor<64x64xf64>, tensor<64x64xf64>) outs(%e : tensor<64x64xf64>)
        -> tensor<64x64xf64>
      return %d : tensor<64x64xf64>
    }}"""
    assert ("divf" in optimise_module(text, fp="reassoc").text) == (float(number) == 0.0)


def _pads(first: str, second: str, border: str, result: int, inner: int = 6) -> str:
    return f"""func.func @f(%a: tensor<3xf64>) -> tensor<{result}xf64> {{
      %z = stablehlo.constant dense<0.0> : tensor<f64>
      %y = stablehlo.constant dense<{border}> : tensor<f64>
      %p = stablehlo.pad %a, %z, {first} : (tensor<3xf64>, tensor<f64>) -> tensor<{inner}xf64>
      %q = stablehlo.pad %p, %y, {second} : (tensor<{inner}xf64>, tensor<f64>) -> tensor<{result}xf64>
      return %q : tensor<{result}xf64>
    }}"""


@pytest.mark.parametrize(
    "text",
    [
        _pads("low = [1], high = [2], interior = [0]", "low = [1], high = [0], interior = [0]", "-0.0", 7),
        _pads("low = [1], high = [2], interior = [0]", "low = [-1], high = [2], interior = [0]", "0.0", 7),
        _pads("low = [0], high = [0], interior = [1]", "low = [1], high = [1], interior = [0]", "0.0", 7, inner=5),
    ],
)
def test_paddings_that_are_not_one_stay_two(text: str):
    """Another number further around, one that cuts off, one between the elements."""
    assert optimise_module(text).text.count("stablehlo.pad") == 2


def test_paddings_of_uneven_sides_become_one():
    text = _pads("low = [1], high = [2], interior = [0]", "low = [3], high = [0], interior = [0]", "0.0", 9)
    found = optimise_module(text).text
    assert found.count("stablehlo.pad") == 1 and "low = [4], high = [2]" in found
    assert isinstance(check(text, found), Proved)


STEP = """
def f(x: "float64[N]", v: "float64[N]", k: float, dt: float):
    k1v = -k * x
    k2x = v + 0.5 * dt * k1v
    k2v = -k * (x + 0.5 * dt * v)
    k3x = v + 0.5 * dt * k2v
    k3v = -k * (x + 0.5 * dt * k2x)
    k4x = v + dt * k3v
    k4v = -k * (x + dt * k3x)
    return x + dt / 6 * (v + 2 * k2x + 2 * k3x + k4x), v + dt / 6 * (k1v + 2 * k2v + 2 * k3v + k4v)"""


@pytest.mark.parametrize(("more", "searched"), [("", False), (", x @ v", True)])
def test_what_is_one_loop_either_way_is_not_searched_for_long(
    more: str, searched: bool, monkeypatch: pytest.MonkeyPatch
):
    """Sums of many multiples have thousands of forms of nearly one cost: an integer program took half a minute."""
    sizes: list[int] = []

    def solve(program: ilp._Program, known: dict[int, int], *_: float) -> tuple[dict[int, int], float]:
        sizes.append(len(program.nodes))
        return dict(known), 0.0

    monkeypatch.setattr(ilp._Program, "solve", solve)
    text = raise_module(convert(STEP + more, "f.py", None).mlir, options=RaiseOptions(check="none")).text
    found = optimise_module(text, fp="reassoc").functions[0]
    assert found.nodes > 1000 and found.after < found.before
    assert (max(sizes, default=0) > ilp.LARGEST * ilp.SMALL) is searched


@pytest.mark.parametrize(
    ("kind", "body", "left"),
    [
        ("i32", "%x = arith.muli %a, %b : T\n%y = arith.muli %a, %c : T\n%r = arith.addi %x, %y : T", "mul"),
        ("f64", "%z = arith.constant dense<-0.0> : T\n%r = arith.addf %a, %z : T", "constant"),
        ("f64", "%n = arith.negf %a : T\n%r = arith.negf %n : T", "neg"),
    ],
)
def test_arithmetic_on_tensors_is_in_the_algebra(kind: str, body: str, left: str):
    """One product is left of two, and nothing of what does nothing."""
    tensor = f"tensor<6x{kind}>"
    text = f"func.func @f(%a: T, %b: T, %c: T) -> T {{\n{body}\nreturn %r : T\n}}".replace("T", tensor)
    found = optimise_module(text, fp="strict").text
    assert found.count(f".{left}") == (1 if left == "mul" else 0)
    assert isinstance(check(text, found), Proved)
