"""MLIR in, better MLIR out: what is rewritten, where it is put, and what has to stay."""

import re
from pathlib import Path

import pytest

from raising.commands.opt_command import main
from raising.frontend.mlir.reader import InputError
from raising.optimise.optimise_module import optimise_module
from tests.eqsat.optimising import CHAIN, function, optimised, parsed

HALF_OF_TWICE = "%t = arith.muli %{0}, %c2 : i32\n %{1} = arith.divsi %t, %c2 : i32\n"


def test_half_of_twice_is_the_value():
    body = "%c2 = arith.constant 2 : i32\n" + HALF_OF_TWICE.format("a", "r") + "return %r : i32"
    text, report = optimised(function("(%a: i32) -> i32", body), "classic.egg")
    assert "return %arg0" in text and "divsi" not in text and "muli" not in text
    assert report.stopped == "saturated" and report.after < report.before


def test_bodies_of_loops_that_write_memory_are_rewritten_in_place():
    body = """
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : i32
      scf.for %i = %c0 to %n step %c1 {
        %x = memref.load %m[%i] : memref<?xi32>
        %y = arith.muli %x, %c2 : i32
        %z = arith.divsi %y, %c2 : i32
        memref.store %z, %m[%i] : memref<?xi32>
      }
      return"""
    text, _ = optimised(function("(%n: index, %m: memref<?xi32>)", body), "classic.egg")
    assert re.search(r"%(\w+) = memref.load .*\n\s*memref.store %\1,", text)


def test_regions_without_effects_are_terms():
    body = """
      %c2 = arith.constant 2 : i32
      %r = scf.if %c -> i32 {
        %y = arith.muli %a, %c2 : i32
        %z = arith.divsi %y, %c2 : i32
        scf.yield %z : i32
      } else {
        scf.yield %c2 : i32
      }
      %s = scf.for %i = %lo to %n step %lo iter_args(%acc = %r) -> i32 {
        %y = arith.muli %acc, %c2 : i32
        %z = arith.divsi %y, %c2 : i32
        %w = arith.addi %z, %a : i32
        scf.yield %w : i32
      }
      return %s : i32"""
    text, _ = optimised(function("(%c: i1, %a: i32, %lo: index, %n: index) -> i32", body), "classic.egg")
    assert "divsi" not in text and "muli" not in text
    assert "scf.yield %arg1" in text and re.search(r"arith.addi %arg\d, %arg1", text)


def test_two_equal_regions_become_one():
    branch = "scf.if %c -> i32 {{ %{0} = arith.addi %a, %a : i32 scf.yield %{0} : i32 }} else {{ scf.yield %a : i32 }}"
    body = f"%x = {branch.format('p')}\n %y = {branch.format('q')}\n %r = arith.divsi %x, %y : i32\n return %r : i32"
    text, _ = optimised(function("(%c: i1, %a: i32) -> i32", body), "classic.egg")
    assert "arith.constant 1" in text and "scf.if" not in text


def test_what_the_rules_do_not_touch_is_as_it_was():
    body = """
      %x = memref.load %m[%i] : memref<?xf32>
      %s, %o = arith.addui_extended %a, %a : i32, i1
      %k = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %nan = arith.constant 0x7FC00000 : f32
      %minus = arith.constant -0.0 : f32
      %u = arith.addf %x, %nan fastmath<nnan,nsz> : f32
      %v = arith.mulf %u, %minus {mine = "yes"} : f32
      memref.store %v, %m[%i] : memref<?xf32>
      %unused = arith.muli %a, %a : i32
      %w = "other.op"(%s) ({ ^bb0(%q: f32): "other.end"(%q) : (f32) -> () }) {deep = [1 : i8, @name]} : (i32) -> i64
      return %w, %o, %k : i64, i1, tensor<2xf32>"""
    text = function("(%m: memref<?xf32>, %i: index, %a: i32) -> (i64, i1, tensor<2xf32>)", body)
    assert optimised(text, "classic.egg")[0] == str(parsed(text))


def test_nothing_moves_out_of_a_branch_or_into_a_loop():
    body = """
      %c2 = arith.constant 2 : i32
      %outer = arith.divsi %a, %b : i32
      scf.for %i = %lo to %n step %lo {
        %p = arith.muli %outer, %c2 : i32
        %h = arith.divsi %p, %c2 : i32
        memref.store %h, %m[%i] : memref<?xi32>
        scf.if %c {
          %q = arith.divsi %b, %a : i32
          memref.store %q, %m[%i] : memref<?xi32>
        }
      }
      return"""
    text, _ = optimised(
        function("(%c: i1, %a: i32, %b: i32, %lo: index, %n: index, %m: memref<?xi32>)", body), "classic.egg"
    )
    head, loop = text.split("scf.for")
    assert "arith.divsi %arg1, %arg2" in head
    assert "arith.divsi %arg2, %arg1" in loop.split("scf.if")[1]
    assert "muli" not in text


@pytest.mark.parametrize("extraction", ["tree", "dag", "ilp"])
@pytest.mark.parametrize("dims", [(9, 2, 7, 3), (2, 9, 3, 8, 4, 7), (5, 5, 5, 5, 5), (30, 35, 15, 5, 10, 20, 25)])
def test_a_chain_of_products_is_associated_as_dynamic_programming_does(dims: tuple[int, ...], extraction: str):
    text, report = optimised(chain(dims), CHAIN, extraction)
    products = re.findall(r"linalg.matmul ins\(.* : tensor<(\d+)x(\d+)xf64>, tensor<\d+x(\d+)xf64>\)", text)
    assert sum(int(a) * int(b) * int(c) for a, b, c in products) == least(dims)
    assert report.stopped == "saturated"


def chain(dims: tuple[int, ...]) -> str:
    """The product of matrices from left to right."""
    count = len(dims) - 1
    arguments = ", ".join(f"%a{i}: {tensor(dims[i], dims[i + 1])}" for i in range(count))
    lines, so_far = [], "%a0"
    for i in range(1, count):
        left, right, out = tensor(dims[0], dims[i]), tensor(dims[i], dims[i + 1]), tensor(dims[0], dims[i + 1])
        lines.append(f"%e{i} = tensor.empty() : {out}")
        lines.append(f"%m{i} = linalg.matmul ins({so_far}, %a{i} : {left}, {right}) outs(%e{i} : {out}) -> {out}")
        so_far = f"%m{i}"
    return function(f"({arguments}) -> {tensor(dims[0], dims[-1])}", "\n".join([*lines, f"return {so_far} : {out}"]))


def tensor(rows: int, columns: int) -> str:
    return f"tensor<{rows}x{columns}xf64>"


def least(dims: tuple[int, ...]) -> int:
    """The fewest multiplications of a chain: the textbook dynamic program."""
    n = len(dims) - 1
    cost = [[0] * n for _ in range(n)]
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            cost[i][j] = min(cost[i][k] + cost[k + 1][j] + dims[i] * dims[k + 1] * dims[j + 1] for k in range(i, j))
    return cost[0][-1]


def test_what_uses_a_call_is_rewritten_where_the_operand_of_the_call_was():
    """With another operand an operation has another hash."""
    body = "%c2 = arith.constant 2 : i32\n" + HALF_OF_TWICE.format("a", "x")
    body += "%y = func.call @says(%x) : (i32) -> i32\n"
    body += HALF_OF_TWICE.replace("%t", "%u").format("y", "r") + "return %r : i32"
    says = "func.func private @says(i32) -> i32\n"
    text, report = optimised(says + function("(%a: i32) -> i32", body), "classic.egg")
    assert "call @says(%arg0)" in text and "divsi" not in text and "muli" not in text
    assert report.notes == ()


IRDL = """irdl.dialect @own {{
  irdl.operation @twice {0} {{
    %t = irdl.any
    irdl.operands(x: %t)
    irdl.results(y: %t)
  }}
  irdl.operation @says {{
    %t = irdl.any
    irdl.operands(x: %t)
    irdl.results(y: %t)
  }}
}}
"""
OF_ITS_OWN = """func.func @f(%a: i32) -> (i32, i32, i32, i32) {
  %0 = "own.twice"(%a) : (i32) -> i32
  %1 = "own.says"(%0) : (i32) -> i32
  %2 = "own.twice"(%0) : (i32) -> i32
  %3 = "own.says"(%2) : (i32) -> i32
  return %0, %1, %2, %3 : i32, i32, i32, i32
}
"""
TWICE_IS_ONCE = """(function own_twice (Op Type) Op) (ruleset rules)
(rewrite (own_twice (own_twice ?x ?t) ?t) (own_twice ?x ?t) :ruleset rules)
(run-schedule (saturate rules))
"""


@pytest.mark.parametrize(("said", "left"), [("attributes {raise.pure}", 1), ("", 2)])
def test_a_dialect_in_irdl_says_which_operations_have_no_effects(said: str, left: int, tmp_path: Path):
    """Rules touch those; all others keep their number and their order."""
    dialect, rules = tmp_path / "own.irdl", tmp_path / "own.egg"
    dialect.write_text(IRDL.format(said))
    rules.write_text(TWICE_IS_ONCE)
    text = optimise_module(OF_ITS_OWN, rules=[rules], irdl=[dialect]).text
    assert text.count("own.twice") == left and text.count("own.says") == 2
    assert text.index("own.twice") < text.index("own.says")


def test_a_whole_dialect_may_be_pure_and_is_read_back_as_an_e_graph(tmp_path: Path):
    dialect = tmp_path / "own.irdl"
    dialect.write_text(IRDL.format("").replace("@own {", "@own attributes {raise.pure} {"))
    alike = OF_ITS_OWN.replace('"own.twice"(%0)', '"own.twice"(%a)')
    written = optimise_module(alike, irdl=[dialect], emit="equivalence").text
    text = optimise_module(written, irdl=[dialect], cost="size").text
    assert text.count("own.twice") == text.count("own.says") == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("irdl.dialect @own { foo }", "d.irdl:1:21: error: Dialect `' not found"),
        ("irdl.dialect @arith { irdl.operation @x {} }", "d.irdl: error: MLIR has a dialect 'arith'"),
    ],
)
def test_a_wrong_definition_is_an_error_with_its_place(text: str, why: str, tmp_path: Path):
    dialect = tmp_path / "d.irdl"
    dialect.write_text(text)
    with pytest.raises(InputError, match=why):
        optimise_module(OF_ITS_OWN, irdl=[dialect])


def test_the_command_takes_definitions(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    dialect, module = tmp_path / "own.irdl", tmp_path / "m.mlir"
    dialect.write_text(IRDL.format("attributes {raise.pure}"))
    module.write_text(OF_ITS_OWN)
    assert main([str(module), "--irdl-file", str(dialect)]) == 0
    with pytest.raises(SystemExit):
        main([str(module), "--irdl-file", str(tmp_path / "none"), "--cost", "area"])
    assert main([str(module), "--irdl-file", str(tmp_path / "none")]) == 2
    assert "none: error: No such file" in capsys.readouterr().err


def test_a_magnitude_has_no_sign():
    body = """
      %e = tensor.empty() : tensor<64xf64>
      %n = linalg.negf ins(%x : tensor<64xf64>) outs(%e : tensor<64xf64>) -> tensor<64xf64>
      %a = linalg.abs ins(%n : tensor<64xf64>) outs(%e : tensor<64xf64>) -> tensor<64xf64>
      return %a : tensor<64xf64>"""
    text = optimise_module(function("(%x: tensor<64xf64>) -> tensor<64xf64>", body)).text
    assert "negf" not in text and "abs" in text
