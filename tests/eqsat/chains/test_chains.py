"""The macro rule for chains of products: the optimum, whatever the products are called."""

import random
import re

import pytest

from raising.eqsat.ruleset.table import shipped
from raising.grammar.dialects.host import Host
from raising.optimise.optimise_module import optimise_module
from tests.eqsat.optimising import counted, function, host
from tests.eqsat.test_optimise import chain, least, tensor


@pytest.fixture(scope="module")
def linalg() -> Host:
    return host("linalg")


def products(text: str) -> int:
    """The multiplications of all products of matrices."""
    found = re.findall(r"linalg.matmul ins\(.* : tensor<(\d+)x(\d+)xf64>, tensor<\d+x(\d+)xf64>\)", text)
    return sum(int(a) * int(b) * int(c) for a, b, c in found)


@pytest.mark.parametrize("count", [2, 3, 4, 5, 7, 12, 25, 60])
def test_chains_of_matrices_are_as_cheap_as_the_dynamic_program_says(linalg: Host, count: int):
    rng = random.Random(count)
    dims = tuple(rng.randint(1, 60) for _ in range(count + 1))
    report = counted(linalg, chain(dims), macros=True)
    assert products(report.op) == least(dims)
    assert report.after == pytest.approx(2 * least(dims))
    assert report.chains == ((count,) if count > 2 else ())


def test_vectors_may_end_a_chain(linalg: Host):
    """(A·B)·x takes a product of matrices; A·(B·x) does not."""
    body = """
      %z = arith.constant 0.0 : f64
      %e = tensor.empty() : tensor<50x60xf64>
      %i = linalg.fill ins(%z : f64) outs(%e : tensor<50x60xf64>) -> tensor<50x60xf64>
      %ab = linalg.matmul ins(%a, %b : tensor<50x40xf64>, tensor<40x60xf64>) outs(%i : tensor<50x60xf64>)
        -> tensor<50x60xf64>
      %f = tensor.empty() : tensor<50xf64>
      %o = linalg.fill ins(%z : f64) outs(%f : tensor<50xf64>) -> tensor<50xf64>
      %r = linalg.matvec ins(%ab, %x : tensor<50x60xf64>, tensor<60xf64>) outs(%o : tensor<50xf64>) -> tensor<50xf64>
      return %r : tensor<50xf64>"""
    signature = "(%a: tensor<50x40xf64>, %b: tensor<40x60xf64>, %x: tensor<60xf64>) -> tensor<50xf64>"
    report = counted(linalg, function(signature, body), macros=True)
    assert "linalg.matmul" not in report.op and report.op.count("linalg.matvec") == report.op.count("linalg.fill") == 2
    assert report.after == pytest.approx(2 * (40 * 60 + 50 * 40))


def test_a_product_of_another_dialect_in_a_batch():
    kinds = [f"tensor<3x{a}x{b}xf32>" for a, b in ((40, 2), (2, 50), (50, 4))]
    outs = ["tensor<3x40x50xf32>", "tensor<3x40x4xf32>"]
    how = "batching_dims = [0] x [0], contracting_dims = [2] x [1]"
    body = f"""
      %ab = stablehlo.dot_general %a, %b, {how} : ({kinds[0]}, {kinds[1]}) -> {outs[0]}
      %r = stablehlo.dot_general %ab, %c, {how} : ({outs[0]}, {kinds[2]}) -> {outs[1]}
      return %r : {outs[1]}"""
    text = function(f"(%a: {kinds[0]}, %b: {kinds[1]}, %c: {kinds[2]}) -> {outs[1]}", body)
    report = counted(host("stablehlo"), text, macros=True)
    assert report.after == 2 * 3 * (2 * 50 * 4 + 40 * 2 * 4) and report.chains == (3,)


def test_products_that_add_to_something_or_are_transposed_are_left(linalg: Host):
    body = """
      %e = tensor.empty() : tensor<9x9xf64>
      %p = linalg.matmul ins(%a, %b : tensor<9x2xf64>, tensor<2x9xf64>) outs(%c : tensor<9x9xf64>) -> tensor<9x9xf64>
      %r = linalg.matmul ins(%p, %c : tensor<9x9xf64>, tensor<9x9xf64>) outs(%e : tensor<9x9xf64>) -> tensor<9x9xf64>
      return %r : tensor<9x9xf64>"""
    signature = "(%a: tensor<9x2xf64>, %b: tensor<2x9xf64>, %c: tensor<9x9xf64>) -> tensor<9x9xf64>"
    text = function(signature, body)
    report = counted(linalg, text, macros=True)
    assert report.chains == () and report.after == report.before
    # the same product without something to add to is a chain
    assert counted(linalg, text.replace("outs(%c", "outs(%e"), macros=True).chains == (3,)


def test_a_product_that_is_used_twice_is_not_computed_twice(linalg: Host):
    """The association that is best for the chain alone would not use A·B, which is needed anyway."""
    small, large = tensor(10, 10), tensor(10, 11)
    body = f"""
      %e = tensor.empty() : {small}
      %g = tensor.empty() : {large}
      %ab = linalg.matmul ins(%a, %b : {small}, {small}) outs(%e : {small}) -> {small}
      %r = linalg.matmul ins(%ab, %c : {small}, {large}) outs(%g : {large}) -> {large}
      return %ab, %r : {small}, {large}"""
    text = function(f"(%a: {small}, %b: {small}, %c: {large}) -> ({small}, {large})", body)
    report = counted(linalg, text, macros=True)
    assert report.op.count("linalg.matmul") == 2


def test_a_chain_in_a_cycle_of_classes_has_no_end_and_is_left(linalg: Host):
    """A·I is A: the class of the product holds its own operand."""
    kind = tensor(4, 4)
    rules = """
      (function linalg_matmul (Op Op Op Type) Op) (ruleset rules)
      (rule ((= ?m (linalg_matmul ?x (Value 1 ?v) ?o ?t))) ((union ?m ?x)) :ruleset rules)
      (run-schedule (saturate rules))"""
    body = f"""
      %e = tensor.empty() : {kind}
      %p = linalg.matmul ins(%a, %i : {kind}, {kind}) outs(%e : {kind}) -> {kind}
      %q = linalg.matmul ins(%p, %i : {kind}, {kind}) outs(%e : {kind}) -> {kind}
      return %q : {kind}"""
    report = counted(linalg, function(f"(%a: {kind}, %i: {kind}) -> {kind}", body), "flops", rules, macros=True)
    assert "return %arg0" in report.op


def test_a_product_that_starts_from_zeros_does_so_in_a_chain_with_others(linalg: Host):
    """Its value is used, while the end of the chain adds to what nobody has written."""
    body = """
      %z = arith.constant 0.0 : f64
      %e = tensor.empty() : tensor<80x80xf64>
      %g = tensor.empty() : tensor<80x2xf64>
      %i = linalg.fill ins(%z : f64) outs(%e : tensor<80x80xf64>) -> tensor<80x80xf64>
      %j = linalg.fill ins(%z : f64) outs(%g : tensor<80x2xf64>) -> tensor<80x2xf64>
      %p = linalg.matmul ins(%a, %b : tensor<80x2xf64>, tensor<2x80xf64>) outs(%i : tensor<80x80xf64>)
        -> tensor<80x80xf64>
      %r = linalg.matmul ins(%p, %c : tensor<80x80xf64>, tensor<80x2xf64>) outs(%j : tensor<80x2xf64>)
        -> tensor<80x2xf64>
      %q = linalg.matmul ins(%r, %d : tensor<80x2xf64>, tensor<2x80xf64>) outs(%e : tensor<80x80xf64>)
        -> tensor<80x80xf64>
      return %r, %q : tensor<80x2xf64>, tensor<80x80xf64>"""
    arguments = "%a: tensor<80x2xf64>, %b: tensor<2x80xf64>, %c: tensor<80x2xf64>, %d: tensor<2x80xf64>"
    report = counted(linalg, function(f"({arguments}) -> (tensor<80x2xf64>, tensor<80x80xf64>)", body), macros=True)
    assert report.chains == (3,) and report.after < report.before
    assert report.op.count("linalg.fill") == 2 and report.op.count("linalg.matmul") == 3


def test_a_long_chain_needs_no_option():
    """Rules alone reach the limit on nodes here; strict floats allow no other order."""
    rng = random.Random(0)
    dims = tuple(rng.randint(2, 60) for _ in range(41))
    filled = r"\1\n%z\2 = linalg.fill ins(%zero : f64) outs(%e\2 : \3) -> \3"
    text = re.sub(r"(%e(\d+) = tensor.empty\(\) : (\S+))", filled, chain(dims).replace("outs(%e", "outs(%z"))
    text = text.replace("{", "{\n%zero = arith.constant 0.0 : f64", 1)
    result = optimise_module(text, fp="reassoc")
    assert products(result.text) == least(dims)
    assert any("factors: 40" in remark.why for remark in result.remarks)
    assert optimise_module(text, fp="strict").functions[0].chains == ()


def test_which_rules_associate_products():
    assert [rule.name for rule in shipped() if rule.associates] == ["matmul-associate"]
