"""Our own rules on programs of two dialects: cheaper, equal, and only as far as floats allow."""

import re

import numpy as np
import pytest

from raising import compile
from raising.eqsat.egraph.engine import Limits
from raising.eqsat.egraph.sexpr import RuleError
from raising.optimise.optimise_module import OptimiseResult, optimise_module
from raising.validate.base.verdict import FloatEvidence, Proved
from raising.validate.check import check
from raising.validate.native.native import compare_native
from tests.eqsat.expressions import EXPRESSIONS, module

DIALECTS = ("linalg", "stablehlo")
GAIN = {  # how much cheaper each has to become at least, by the estimate
    "chain": 100,
    "two products": 1.9,
    "sum of rows of a product": 50,
    "quadratic form": 3,
    "rank one applied": 3,
    "symmetric product twice": 1.9,
    "normal equations": 20,
    "scaled symmetric product": 1.9,
    "transposed chain": 30,
}


def optimised(text: str, **options: object) -> OptimiseResult:
    return optimise_module(text, **{"fp": "reassoc"} | options)  # type: ignore[arg-type]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", ["chain", "quadratic form", "symmetric product twice", "scaled symmetric product"])
def test_an_expression_becomes_cheaper_and_stays_equal(name: str, dialect: str):
    text = module(*EXPRESSIONS[name], dialect)
    result = optimised(text)
    (report,) = result.functions
    assert report.before / report.after >= GAIN[name] and not report.notes
    assert isinstance(check(text, result.text), Proved)
    if dialect == "linalg":
        assert isinstance(compare_native(text, result.text, "f", timeout=60), FloatEvidence)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_chain_ends_at_the_vector(dialect: str):
    text = module("(A @ B) @ x", {"A": (30, 40), "B": (40, 50), "x": (50,)}, dialect)
    result = optimised(text, rulesets=["matmul"])
    products = re.findall(r"(?:matvec|dot_general).*", result.text)
    assert len(products) == 2 and "tensor<30x50xf64>" not in result.text


def test_what_has_to_be_written_is_paid_for():
    text = """func.func @f() -> tensor<1x6x6x1xf32> {
      %z = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<1x6x6x1xf32>
      %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x6x6x1xf32>) -> tensor<1x6x6x1xf32>
      return %f : tensor<1x6x6x1xf32>
    }"""
    assert optimised(text).text == text


def test_the_time_is_for_all_functions_together():
    text = module(*EXPRESSIONS["normal equations"], "linalg")
    texts = [re.sub(r"@f\b", f"@f{n}", text) for n in range(3)]
    result = optimised("\n".join(texts), limits=Limits(seconds=20.0))
    assert [f.name for f in result.functions] == ["f0", "f1", "f2"]
    assert len({f.after for f in result.functions}) == 1 and sum(f.times["saturate"] for f in result.functions) <= 20.0


@pytest.mark.parametrize("dialect", DIALECTS)
def test_strict_keeps_the_order_of_sums(dialect: str):
    text = module("(A @ B) @ x", {"A": (30, 40), "B": (40, 50), "x": (50,)}, dialect)
    result = optimise_module(text)
    assert "tensor<30x50xf64>" in result.text


@pytest.mark.parametrize("dialect", DIALECTS)
def test_integers_are_reassociated_in_strict(dialect: str):
    text = module("(A @ B) @ x", {"A": (30, 40), "B": (40, 50), "x": (50,)}, dialect)
    text = text.replace("f64", "i32").replace("0.0 : i32", "0 : i32")
    text = text.replace("arith.mulf", "arith.muli").replace("arith.addf", "arith.addi")
    assert "tensor<30x50xi32>" not in optimise_module(text).text


@pytest.mark.parametrize(
    ("expression", "fp", "operation", "stays"),
    [
        ("x * 1", "strict", "mul", False),
        ("x - 0", "strict", "sub", False),
        ("x + -0.0", "strict", "add", False),
        ("x / 2", "strict", "div", False),
        ("x + 0", "reassoc", "add", True),
        ("x + 0", "fast", "add", False),
        ("x - x", "reassoc", "sub", True),
        ("x / x", "fast", "div", False),
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_floats_allow(expression: str, fp: str, operation: str, stays: bool, dialect: str):
    text = module(expression, {"x": (30, 40)}, dialect)
    assert (operation in optimise_module(text, fp=fp).text) == stays


def scalars(flags: str) -> str:
    mark = f" fastmath<{flags}>" if flags else ""
    return f"""func.func @f(%x: f64, %y: f64, %z: f64) -> f64 {{
      %a = arith.mulf %x, %y{mark} : f64
      %b = arith.mulf %x, %z{mark} : f64
      %c = arith.addf %a, %b{mark} : f64
      return %c : f64 }}"""


@pytest.mark.parametrize(("flags", "count"), [("", 2), ("reassoc", 1), ("fast", 1), ("nnan", 2)])
def test_flags_of_a_function_decide_without_an_option(flags: str, count: int):
    assert optimise_module(scalars(flags)).text.count("arith.mulf") == count


def test_the_permission_of_a_function():
    text = scalars("").replace("-> f64 {", '-> f64 attributes {raise.fp = "reassoc"} {')
    assert optimise_module(text).text.count("arith.mulf") == 1
    assert optimise_module(text, fp="strict").text.count("arith.mulf") == 2


def test_what_no_rule_touches_is_unchanged():
    text = optimise_module(
        module("exp(A) @ B + C", {"A": (5, 6), "B": (6, 7), "C": (5, 7)}, "linalg"), fp="strict"
    ).text
    assert optimise_module(text, fp="strict").text == text


def test_a_loop_body_is_rewritten_where_it_stands():
    text = """
    func.func @f(%A: tensor<30x40xf64>, %B: tensor<40x50xf64>, %x: tensor<50xf64>, %n: index) -> tensor<30xf64> {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %none = arith.constant 0.0 : f64
      %e = tensor.empty() : tensor<30x50xf64>
      %v = tensor.empty() : tensor<30xf64>
      %start = linalg.fill ins(%none : f64) outs(%v : tensor<30xf64>) -> tensor<30xf64>
      %r = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> tensor<30xf64> {
        %f = linalg.fill ins(%none : f64) outs(%e : tensor<30x50xf64>) -> tensor<30x50xf64>
        %p = linalg.matmul ins(%A, %B : tensor<30x40xf64>, tensor<40x50xf64>) outs(%f : tensor<30x50xf64>)
          -> tensor<30x50xf64>
        %q = linalg.matvec ins(%p, %x : tensor<30x50xf64>, tensor<50xf64>) outs(%acc : tensor<30xf64>) -> tensor<30xf64>
        scf.yield %q : tensor<30xf64>
      }
      return %r : tensor<30xf64> }"""
    result = optimised(text)
    assert "linalg.matmul" not in result.text and "scf.for" in result.text
    assert result.functions[0].after < result.functions[0].before


def test_a_table_of_ones_own(tmp_path):
    file = tmp_path / "mine.toml"
    row = '[[rule]]\nname = "mine"\nleft = "exp(x) * exp(y)"\nright = "exp(x + y)"\nclass = "finite-only"\n'
    file.write_text(row + 'kinds = ["float"]\n')
    text = module("exp(x) * exp(y)", {"x": (30,), "y": (30,)}, "stablehlo")
    assert optimise_module(text, rules=[file], fp="fast").text.count("stablehlo.exp") == 1
    assert optimise_module(text, rules=[file], fp="reassoc").text.count("stablehlo.exp") == 2
    file.write_text(row.replace("exp(x + y)", "exp(x * y)") + 'kinds = ["float"]\n')
    with pytest.raises(RuleError, match=r"mine\.toml:1: rule 'mine\.float' is wrong"):
        optimise_module(text, rules=[file], fp="fast")


def test_tables_and_programs_of_rules_together():
    """A rule of an .egg file and rules of our tables meet in one e-graph."""
    egg = "tests/inputs/rules/classic.egg"
    text = """func.func @f(%a: i32) -> i32 {
      %c2 = arith.constant 2 : i32
      %c1 = arith.constant 1 : i32
      %t = arith.muli %a, %c2 : i32
      %h = arith.divsi %t, %c2 : i32
      %r = arith.muli %h, %c1 : i32
      return %r : i32 }"""
    result = optimise_module(text, rules=[egg], rulesets=["identity"], cost="flops")
    assert "return %arg0" in result.text


def test_truth_values_have_a_cost():
    """They cannot be compiled alone: memory of single bits ends MLIR's process."""
    text = """func.func @f(%x: tensor<30x40xf64>) -> tensor<30x40xf64> {
      %0 = stablehlo.constant dense<0.0> : tensor<30x40xf64>
      %1 = stablehlo.compare GT, %x, %0 : (tensor<30x40xf64>, tensor<30x40xf64>) -> tensor<30x40xi1>
      %2 = stablehlo.select %1, %x, %0 : (tensor<30x40xi1>, tensor<30x40xf64>, tensor<30x40xf64>) -> tensor<30x40xf64>
      %3 = stablehlo.constant dense<1.0> : tensor<30x40xf64>
      %4 = stablehlo.multiply %2, %3 : tensor<30x40xf64>
      return %4 : tensor<30x40xf64> }"""
    for cost in ("estimate", "flops"):
        assert "stablehlo.multiply" not in optimise_module(text, cost=cost).text


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_sum_of_what_is_repeated(dialect: str):
    text = module("rowsum(S + y)", {"S": (30, 40), "y": (30,)}, dialect)
    result = optimised(text)
    assert not result.functions[0].notes and isinstance(check(text, result.text), Proved)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("expression", ["rowsum(like(y, S))", "like(y, S) @ like(s, T)"])
def test_sums_of_repeated_elements_are_written_as_often(expression: str, dialect: str):
    shapes = {"S": (30, 40), "T": (40, 50), "y": (30,), "s": ()}
    names = {n: shapes[n] for n in shapes if re.search(rf"\b{n}\b", expression)}
    text = module(expression, names, dialect)
    wanted = "40" if dialect == "linalg" else "30x40"
    assert wanted in text and isinstance(check(text, optimised(text).text), Proved)


WIDTHS = """#scalar = affine_map<(d0) -> ()>
#same = affine_map<(d0) -> (d0)>
func.func @f(%a: tensor<40xi8>, %b: tensor<40xi8>) -> tensor<40xi8> {
  %c = arith.constant 100 : i32
  %out = tensor.empty() : tensor<40xi8>
  %sums = linalg.generic {indexing_maps = [#scalar, #same, #same, #same], iterator_types = ["parallel"]}
    ins(%c, %a, %b : i32, tensor<40xi8>, tensor<40xi8>) outs(%out : tensor<40xi8>) {
  ^bb0(%k: i32, %x: i8, %y: i8, %old: i8):
    %wide = arith.extui %x : i8 to i32
    %other = arith.extui %y : i8 to i32
    %minus = arith.subi %wide, %other : i32
    %size = math.absi %minus : i32
    %more = arith.cmpi sgt, %size, %k : i32
    %cut = arith.select %more, %k, %size : i32
    %narrow = arith.trunci %cut : i32 to i8
    linalg.yield %narrow : i8
  } -> tensor<40xi8>
  return %sums : tensor<40xi8>
}"""


def test_numbers_of_several_widths_in_one_operation_keep_theirs():
    result = optimise_module(WIDTHS)
    assert not [r for r in result.remarks if "types" in r.why]
    compiled = compile(result.text, cache=False)["f"]
    a, b = np.random.default_rng(0).integers(0, 256, (2, 40)).astype(np.uint8)
    wanted = np.minimum(np.abs(a.astype(int) - b), 100).astype(np.int8)
    np.testing.assert_array_equal(compiled(a.view(np.int8), b.view(np.int8)), wanted)


@pytest.mark.parametrize(
    ("kind", "ops"), [("f64", ("addf", "mulf", "0.0", "2.0")), ("i32", ("addi", "muli", "0", "2"))]
)
def test_sums_with_zero_saturate(kind: str, ops: tuple[str, ...]):
    """Of 0 = 0 * y + 0 rules would make 0 * (y + 1), and so on."""
    add, mul, zero, two = ops
    result = optimised(
        f"""func.func @f(%a: {kind}) -> {kind} {{
      %z = arith.constant {zero} : {kind}
      %t = arith.constant {two} : {kind}
      %b = arith.{add} %a, %z : {kind}
      %c = arith.{mul} %b, %t : {kind}
      return %c : {kind}
    }}""",
        fp="fast",
    )
    (report,) = result.functions
    assert report.stopped == "saturated" and report.nodes < 100 and report.after < report.before


def test_the_place_of_the_largest_in_rows_of_one_is_read():
    """A reduction of two operands whose rows have extent one: the indices are no map of the result's dimensions."""
    text = """func.func @f(%x: tensor<3x1xf32>) -> tensor<3xi32> {
      %i = stablehlo.iota dim = 1 : tensor<3x1xi32>
      %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %r:2 = stablehlo.reduce(%x init: %low), (%i init: %zero) across dimensions = [1]
        : (tensor<3x1xf32>, tensor<3x1xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
        reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
          %g = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %v = stablehlo.select %g, %a, %b : tensor<i1>, tensor<f32>
          %p = stablehlo.select %g, %c, %d : tensor<i1>, tensor<i32>
          stablehlo.return %v, %p : tensor<f32>, tensor<i32>
        }
      return %r#1 : tensor<3xi32>
    }"""
    assert optimised(text).text == text
