"""Costs from shapes and meaning: what is counted, inside of regions too, and that nothing becomes dearer."""

from pathlib import Path

import pytest
from mlir import ir

from raising.eqsat.extract.cost_model import UNLOWERED
from raising.eqsat.extract.op_work import BYTES, REDUCED
from raising.grammar.dialects.host import Host
from raising.optimise.calibrate import measured
from raising.optimise.optimise_module import optimise_module
from tests.eqsat.expressions import module
from tests.eqsat.optimising import CHAIN, counted, function, host
from tests.eqsat.test_optimise import chain, least


@pytest.fixture(scope="module")
def hosts() -> dict[str, Host]:
    return {name: host(name) for name in ("linalg", "stablehlo")}


@pytest.mark.parametrize(("cost", "says"), [("flops", 2 * 3 * 4 * 5), ("bytes", 8 * (12 + 20 + 15 + 15))])
def test_a_product_costs_by_its_iteration_domain(hosts: dict[str, Host], cost: str, says: float):
    body = """
      %r = linalg.matmul ins(%a, %b : tensor<3x4xf64>, tensor<4x5xf64>) outs(%c : tensor<3x5xf64>) -> tensor<3x5xf64>
      return %r : tensor<3x5xf64>"""
    text = function("(%a: tensor<3x4xf64>, %b: tensor<4x5xf64>, %c: tensor<3x5xf64>) -> tensor<3x5xf64>", body)
    assert counted(hosts["linalg"], text, cost).after == pytest.approx(says)


def test_a_contraction_of_another_dialect_costs_the_same(hosts: dict[str, Host]):
    body = """
      %r = stablehlo.dot_general %a, %b, contracting_dims = [0] x [1]
        : (tensor<4x3xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
      return %r : tensor<3x5xf32>"""
    text = function("(%a: tensor<4x3xf32>, %b: tensor<5x4xf32>) -> tensor<3x5xf32>", body)
    assert counted(hosts["stablehlo"], text).after == 2 * 3 * 4 * 5


@pytest.mark.parametrize(
    ("expression", "points"),
    [("A @ A.T", 6 * 6 * 5 / 2), ("A.T @ A", 5 * 5 * 6 / 2), ("A @ B.T", 6 * 6 * 5), ("S @ S", 7 * 7 * 7)],
)
@pytest.mark.parametrize("dialect", ["linalg", "stablehlo"])
def test_a_product_with_itself_transposed_is_half_the_work(
    hosts: dict[str, Host], dialect: str, expression: str, points: float
):
    shapes = {"A": (6, 5), "B": (6, 5), "S": (7, 7)}
    text = module(expression, {n: s for n, s in shapes.items() if n in expression}, dialect)
    assert counted(hosts[dialect], text).after == 2 * points


@pytest.mark.parametrize(
    ("kind", "says"), [("f32", 1), ("tensor<7xf32>", 7), ("vector<4xf32>", 4), ("tensor<2x3xf32>", 6)]
)
def test_elements_count(hosts: dict[str, Host], kind: str, says: float):
    text = function(f"(%a: {kind}) -> {kind}", f"%r = arith.mulf %a, %a : {kind}\n return %r : {kind}")
    assert counted(hosts["linalg"], text).after == says


def test_what_is_in_a_region_counts_as_often_as_it_runs(hosts: dict[str, Host]):
    body = """
      %e = tensor.empty() : tensor<6x7xf32>
      %lo = arith.constant 1 : index
      %hi = arith.constant 12 : index
      %by = arith.constant 3 : index
      %g = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
           ins(%a : tensor<6xf32>) outs(%e : tensor<6x7xf32>) {
      ^bb0(%x: f32, %o: f32):
        %s = arith.mulf %x, %y : f32
        %t = arith.addf %s, %y : f32
        linalg.yield %t : f32
      } -> tensor<6x7xf32>
      %f = scf.for %i = %lo to %hi step %by iter_args(%c = %y) -> f32 {
        %n = arith.addf %c, %c : f32
        scf.yield %n : f32
      }
      return %g, %f : tensor<6x7xf32>, f32"""
    text = function("(%a: tensor<6xf32>, %y: f32) -> (tensor<6x7xf32>, f32)", body)
    assert counted(hosts["linalg"], text).after == pytest.approx(2 * 6 * 7 + 4)


def test_equal_bodies_run_as_often_as_their_own_operation(hosts: dict[str, Host]):
    """Two products of different sizes, encoded with their bodies: these are one in the e-graph."""
    report = counted(hosts["linalg"], chain((3, 4, 5, 6)))
    assert report.after == pytest.approx(2 * (3 * 4 * 5 + 3 * 5 * 6))


@pytest.mark.parametrize("extract", ["tree", "dag", "ilp"])
def test_a_chain_is_cheapest_by_counted_operations(hosts: dict[str, Host], extract: str):
    dims = (30, 35, 15, 5, 10, 20, 25)
    rules = Path(CHAIN).read_text()
    assert counted(hosts["linalg"], chain(dims), "flops", rules, extract).after == 2 * least(dims)


def test_what_cannot_be_compiled_is_not_chosen(hosts: dict[str, Host]):
    """A named softmax has fewer operations than the product, but no lowering."""
    kind = "tensor<3x4xf32>"
    rules = """
      (function arith_mulf (Op Op AttrPair Type) Op) (function linalg_softmax (Op Op AttrPair Type) Op)
      (ruleset rules)
      (rewrite (arith_mulf ?x (arith_mulf ?x ?y ?b ?t) ?a ?t)
        (linalg_softmax ?x ?y (NamedAttr "dimension" (IntegerAttr 1 (I64))) ?t) :ruleset rules)
      (run-schedule (saturate rules))"""
    text = function(
        f"(%a: {kind}, %b: {kind}) -> {kind}",
        f"%m = arith.mulf %a, %b : {kind}\n %r = arith.mulf %a, %m : {kind}\n return %r : {kind}",
    )
    report = counted(hosts["linalg"], text, "size", rules)
    assert report.after == report.before == pytest.approx(2) and sum(report.matches.values()) == 1


def test_the_source_stays_if_sharing_makes_it_cheaper(hosts: dict[str, Host]):
    """As trees, the sum of two equal values is dearer than what the rule makes of it; with sharing it is not."""
    rules = """
      (function arith_addf (Op Op AttrPair Type) Op) (function math_exp (Op AttrPair Type) Op)
      (function math_sin (Op AttrPair Type) Op) (function math_cos (Op AttrPair Type) Op)
      (ruleset rules)
      (rewrite (arith_addf (math_exp ?x ?a ?t) (math_exp ?x ?a ?t) ?a ?t)
        (math_sin (math_cos ?x ?a ?t) ?a ?t) :ruleset rules)
      (run-schedule (saturate rules))"""
    body = "%e = math.exp %x : f32\n %r = arith.addf %e, %e : f32\n return %r, %e : f32, f32"
    text = function("(%x: f32) -> (f32, f32)", body)
    report = counted(hosts["linalg"], text, "flops", rules)
    assert report.after == report.before == pytest.approx(2) and sum(report.matches.values()) == 1


def test_prices_are_what_a_machine_took():
    """A machine on which everything takes as long as its arrays are large, and exp ten times that."""

    context = ir.Context()
    context.load_all_available_dialects()

    def run(text: str, arguments: list[object]) -> float:
        module = ir.Module.parse(text, context)
        assert module.operation.verify()
        runs = 32 if "constant 32 " in text else 1
        size = max(getattr(a, "size", 1) for a in arguments)
        return 1e-6 + 1e-9 * size * runs * (
            10 if '"math.exp"' in text else 2 if '"arith.' in text or '"math.' in text else 1
        )

    prices = measured(run)
    assert prices["math.exp"] == pytest.approx(9) and prices["arith.mulf"] == pytest.approx(1)
    assert prices[BYTES] == pytest.approx(1 / 16, rel=1e-2) and prices[REDUCED + "arith.addf"] > 0


@pytest.mark.parametrize("cost", ["flops", "bytes", "estimate"])
def test_a_loop_that_yields_another_tensor_than_it_was_given_is_priced_by_what_is_in_it(cost: str):
    """It was taken for what cannot be compiled, beside which no gain counted."""
    text = """func.func @f(%a: tensor<16x16xf64>, %x: tensor<16xf64>, %n: index) -> tensor<16xf64> {
  %o = arith.constant 0 : index
  %i = arith.constant 1 : index
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<16x16xf64>
  %g = tensor.empty() : tensor<16xf64>
  %f = linalg.fill ins(%z : f64) outs(%e : tensor<16x16xf64>) -> tensor<16x16xf64>
  %h = linalg.fill ins(%z : f64) outs(%g : tensor<16xf64>) -> tensor<16xf64>
  %r = scf.for %k = %o to %n step %i iter_args(%y = %x) -> tensor<16xf64> {
    %b = linalg.add ins(%a, %a : {M}, {M}) outs(%e : {M}) -> {M}
    %p = linalg.matmul ins(%a, %b : {M}, {M}) outs(%f : {M}) -> {M}
    %q = linalg.matvec ins(%p, %y : {M}, tensor<16xf64>) outs(%h : tensor<16xf64>) -> tensor<16xf64>
    scf.yield %q : tensor<16xf64>
  }
  return %r : tensor<16xf64>
}"""
    found = optimise_module(text.replace("{M}", "tensor<16x16xf64>"), fp="reassoc", cost=cost)
    assert found.functions[0].after < found.functions[0].before < UNLOWERED
    assert "linalg.matmul" not in found.text
