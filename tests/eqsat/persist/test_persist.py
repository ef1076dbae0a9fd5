"""E-graphs written into functions and read back: by us, after MLIR's passes, after xDSL's."""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

import mlir.ir as ir
import pytest
from mlir import passmanager

from raising.eqsat.egraph.dialegg import Rules, load, translate
from raising.eqsat.egraph.engine import Limits
from raising.eqsat.one_function import Optimised
from raising.eqsat.optimise import optimise
from raising.eqsat.persist.read_egraph import NoOrder
from raising.eqsat.persist.xdsl_text import as_generic
from raising.eqsat.saturate import Settings
from raising.optimise.optimise_module import optimise_module
from tests.eqsat.chains.test_chains import products
from tests.eqsat.expressions import EXPRESSIONS, module
from tests.eqsat.optimising import CHAIN, RULES, function, optimised, parsed
from tests.eqsat.test_optimise import chain, least

DIMS = (30, 35, 15, 5, 10, 20, 25)
NOTHING = translate([("(ruleset rules)", "nothing.egg")])
DECLARED = translate([("(function linalg_matmul (Op Op Op Type) Op) (function tensor_empty (Type) Op)", "d.egg")])
ADD_ZERO = """
  (function arith_addi (Op Op AttrPair Type) Op) (function arith_constant (AttrPair Type) Op) (ruleset rules)
  (rewrite (arith_addi ?x (arith_constant (NamedAttr "value" (IntegerAttr 0 ?t)) ?t) ?a ?t) ?x :ruleset rules)
  (run-schedule (saturate rules))"""


def run(text: str, rules: Rules, emit: str = "mlir") -> tuple[str, Optimised]:
    module = parsed(text)
    (report,) = optimise(module, ir, passmanager, Settings(rules, emit=emit))
    module.operation.verify()
    return module.operation.get_asm(print_generic_op_form=emit != "mlir"), report


def chain_rules() -> Rules:
    return load([Path(CHAIN)])


def classes(text: str) -> list[int]:
    """How many nodes each class has, in order of size."""
    return sorted(len(m[1].split(",")) for m in re.finditer(r'"equivalence.class"\((.*?)\)', text))


def test_a_round_trip_changes_nothing():
    written, report = run(chain(DIMS), chain_rules(), "equivalence")
    again, second = run(written, DECLARED, "equivalence")
    assert (second.nodes, second.classes) == (report.nodes, report.classes)
    assert classes(again) == classes(written) and len(classes(written)) == report.classes
    assert second.iterations == 0


@pytest.mark.parametrize("passes", ["", "canonicalize", "canonicalize,cse", "cse,canonicalize"])
def test_saturation_goes_on_after_other_passes(passes: str):
    written, _ = run(chain(DIMS), chain_rules(), "equivalence")
    module = parsed(written)
    with module.context:
        passmanager.PassManager.parse(f"builtin.module({passes})").run(module.operation)
    text, report = run(str(module), chain_rules())
    assert products(text) == least(DIMS) and report.stopped == "saturated"
    assert "equivalence" not in text and text.count("linalg.matmul") == len(DIMS) - 2


def test_half_of_the_rules_before_and_half_after():
    """Rules that were not there when the e-graph was written find what they need in it."""
    rules = Path(CHAIN).read_text()
    written, before = run(
        chain(DIMS), translate([(rules.replace("(saturate rules)", "(repeat 2 rules)"), "c")]), "equivalence"
    )
    text, after = run(written, chain_rules())
    assert before.nodes < after.nodes and products(text) == least(DIMS)


def test_xdsl_reads_what_is_written_and_what_it_prints_is_read(tmp_path: Path):
    written, report = run(chain((3, 4, 5, 6)), chain_rules(), "equivalence")
    (tmp_path / "g.mlir").write_text(written)
    command = [Path(sys.executable).parent / "xdsl-opt", "-p", "canonicalize,cse", tmp_path / "g.mlir"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "equivalence.graph -> " in done.stdout  # its own form, which other MLIRs do not read
    generic = as_generic(done.stdout.encode())
    assert generic is not None
    assert run(generic, DECLARED, "equivalence")[1].classes == report.classes


FLAT = """
  %z = arith.constant 0 : i32
  %z1 = equivalence.class %z : i32
  %m = arith.muli %x, %y : i32
  %s = arith.addi %m, %z1 : i32
  %m1 = equivalence.class %s, %m : i32
  %t = arith.muli %m1, %y : i32
  %t1 = equivalence.class %t : i32
  %u = arith.addi %t1, %z1 : i32
  %v = equivalence.class %t1, %u : i32
  func.return %v : i32"""


def test_classes_without_a_graph_are_read():
    """As `eqsat-create-eclasses` of xDSL makes them; a class may be a member of another."""
    generic = as_generic(function("(%x: i32, %y: i32) -> i32", FLAT).encode())
    assert generic is not None
    text, report = run(generic, NOTHING)
    assert "equivalence" not in text and re.findall(r"arith\.\w+", text) == ["arith.muli"] * 2
    assert report.classes == 5  # x, y, 0, m and t, each with all of its nodes
    written, again = run(generic, NOTHING, "equivalence")
    assert "equivalence.graph" in written and (again.nodes, again.classes) == (report.nodes, report.classes)


def test_a_class_in_a_graph_may_be_a_member_of_another():
    """What a class stands for is put in place of it, in the operands of other classes too."""
    text = """func.func @f(%a: i32, %b: i32) -> i32 {
      %r = "equivalence.graph"() ({
        %x = arith.addi %a, %b : i32
        %y = arith.muli %b, %a : i32
        %c = "equivalence.class"(%x) : (i32) -> i32
        %d = "equivalence.class"(%c, %y) : (i32, i32) -> i32
        "equivalence.yield"(%d) : (i32) -> ()
      }) : () -> i32
      return %r : i32
    }"""
    cheap = """(function arith_addi (Op Op AttrPair Type) Op :cost 9)
    (function arith_muli (Op Op AttrPair Type) Op :cost 1) (ruleset rules)"""
    result, _ = optimised(text, cheap)
    assert "muli" in result and "addi" not in result


def test_no_equality_is_lost_on_the_way_out():
    """Arguments and values of blocks around have all of their nodes in one class."""
    body = """
      %z = arith.constant 0 : i32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %a = arith.addi %x, %z : i32
      scf.for %i = %c0 to %n step %c1 {
        %l = memref.load %m[%i] : memref<?xi32>
        %b = arith.addi %l, %z : i32
        %c = arith.addi %x, %z : i32
        memref.store %b, %m[%i] : memref<?xi32>
        memref.store %c, %m[%c0] : memref<?xi32>
      }
      return %a : i32"""
    text = function("(%x: i32, %n: index, %m: memref<?xi32>) -> i32", body)
    written, report = run(text, translate([(ADD_ZERO, "zero.egg")]), "equivalence")
    assert report.notes == () and classes(written)[-2:] == [2, 2]
    read, again = run(written, NOTHING)
    assert "addi" not in read and again.classes == report.classes


# What xDSL's verifier says about products with numbers, it says of these in generic form, too.
_NOT_FOR_XDSL = {("scaled product", "linalg"), ("scaled symmetric product", "linalg")}
MODULES = [(n, d) for n in EXPRESSIONS for d in ("linalg", "stablehlo") if (n, d) not in _NOT_FOR_XDSL]


def test_xdsl_opt_reads_twenty_modules_and_what_it_prints_is_read(tmp_path: Path):
    limits = Limits(iterations=1)
    written = [run(chain(DIMS[:length]), chain_rules(), "equivalence")[0] for length in range(3, 8)]
    for name, dialect in MODULES[: 20 - len(written)]:
        text = module(*EXPRESSIONS[name], dialect)
        written.append(optimise_module(text, emit="equivalence", rules=[RULES / "fold.egg"], limits=limits).text)
    (tmp_path / "all.mlir").write_text("// -----\n".join(written))
    options = ["--split-input-file", "--allow-unregistered-dialect", "--print-op-generic", "-p", "canonicalize"]
    command = [str(Path(sys.executable).parent / "xdsl-opt"), *options, str(tmp_path / "all.mlir")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    printed = done.stdout.split("// -----\n")
    assert len(printed) == len(written) == 20 and sum(max(classes(text)) > 1 for text in written) == 4
    for before, after in zip(written, printed, strict=True):
        again = optimise_module(after, emit="equivalence", rules=[RULES / "fold.egg"], limits=limits)
        assert classes(again.text) == classes(before)


def test_a_class_may_hold_itself():
    """x + 0 = x: the class of x has a node that needs the class."""
    body = "%z = arith.constant 0 : i32\n %y = arith.muli %x, %x : i32\n %s = arith.addi %y, %z : i32\n return %s : i32"
    text = function("(%x: i32) -> i32", body)
    written, _ = run(text, translate([(ADD_ZERO, "zero.egg")]), "equivalence")
    assert re.search(r'%(\d+) = "equivalence.class"\((%\d+), (%\d+)\)', written)
    result, report = run(written, NOTHING)
    assert "addi" not in result and "arith.muli" in result and report.classes < 5


def test_what_has_effects_keeps_its_order_and_its_place():
    body = """
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : i32
      %k = arith.muli %a, %c2 : i32
      scf.for %i = %c0 to %n step %c1 {
        %x = memref.load %m[%i] : memref<?xi32>
        %y = arith.muli %x, %c2 : i32
        %z = arith.divsi %y, %c2 : i32
        %w = arith.divsi %z, %k : i32
        memref.store %w, %m[%i] : memref<?xi32>
        scf.if %c {
          %q = arith.divsi %k, %a : i32
          memref.store %q, %m[%c0] : memref<?xi32>
        }
        %v = memref.load %m[%i] : memref<?xi32>
        memref.store %v, %m[%c1] : memref<?xi32>
      }
      return"""
    text = function("(%n: index, %m: memref<?xi32>, %a: i32, %c: i1)", body)
    rules = load([RULES / "classic.egg"])
    direct, _ = run(text, rules)
    written, _ = run(text, rules, "equivalence")
    assert written.count('"equivalence.graph"') == 3
    effects = re.compile(r"memref\.(load|store)|scf\.(for|if)")
    read, _ = run(written, rules)
    assert [m[0] for m in effects.finditer(read)] == [m[0] for m in effects.finditer(direct)]
    head, loop = read.split("scf.for")
    assert "divsi" not in head  # it was in the loop, or in the branch, and what rules made of it stays there
    assert "divsi" in loop.split("scf.if")[1]


def test_results_and_regions_of_all_kinds_come_back():
    body = """
      %s, %o = arith.addui_extended %a, %a : i32, i1
      %i = scf.if %o -> i32 {
        %d = arith.divsi %s, %a : i32
        scf.yield %d : i32
      } else {
        scf.yield %a : i32
      }
      %e = tensor.empty() : tensor<4xi32>
      %g = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                           iterator_types = ["parallel"]} ins(%t : tensor<4xi32>) outs(%e : tensor<4xi32>) {
      ^bb0(%x: i32, %y: i32):
        %m = arith.muli %x, %i : i32
        linalg.yield %m : i32
      } -> tensor<4xi32>
      return %g, %s : tensor<4xi32>, i32"""
    text = function("(%a: i32, %t: tensor<4xi32>) -> (tensor<4xi32>, i32)", body)
    written, report = run(text, NOTHING, "equivalence")
    assert report.notes == ()
    read, _ = run(written, NOTHING)
    assert sorted(re.findall(r"[a-z]+\.\w+", read)) == sorted(re.findall(r"[a-z]+\.\w+", str(parsed(text))))
    assert "divsi" in read.split("scf.if")[1].split("else")[0]


def test_a_class_without_a_finite_program_is_named():
    text = function(
        "(%x: i32) -> i32",
        """%g = "equivalence.graph"() ({
          %s = arith.addi %c, %x : i32
          %c = "equivalence.class"(%s) : (i32) -> i32
          "equivalence.yield"(%c) : (i32) -> ()
        }) : () -> i32
        return %g : i32""",
    )
    with pytest.raises(NoOrder, match="needs its own result") as raised:
        run(text, NOTHING)
    assert ":4:" in str(raised.value.op.location)


def test_rules_that_leave_no_finite_program_are_told_where():
    """The rule takes the product away and leaves a sum that needs itself."""
    rules = """
      (function arith_muli (Op Op AttrPair Type) Op) (function arith_addi (Op Op AttrPair Type) Op) (ruleset rules)
      (rewrite (arith_muli ?x ?y ?a ?t) (arith_addi (arith_muli ?x ?y ?a ?t) ?y ?a ?t) :subsume :ruleset rules)
      (run-schedule (run rules))"""
    text = function("(%x: i32) -> i32", "%m = arith.muli %x, %x : i32\n return %m : i32")
    with pytest.raises(NoOrder) as raised:
        run(text, translate([(rules, "cycle.egg")]))
    assert ":2:" in str(raised.value.op.location)


@pytest.mark.parametrize("kind", ["dot", "svg", "json"])
def test_pictures_show_every_class(kind: str):
    _, report = run(chain((3, 4, 5, 6)), chain_rules(), kind)
    if kind == "json":
        found = json.loads(report.picture)["classes"]
        assert len(found) == report.classes and sum(len(c["nodes"]) for c in found) == report.nodes
        assert sum(c["root"] for c in found) == 1
    elif kind == "svg":
        assert len([e for e in xml.fromstring(report.picture).iter() if e.tag.endswith("text")]) == report.nodes
    else:
        assert report.picture.count("subgraph") == report.classes


AFFINE = """
func.func @f(%n: index, %x: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %k = affine.apply affine_map<(d0) -> (d0)>(%i)
    %v = affine.load %x[%k] : memref<?xf64>
    %w = arith.addf %v, %v : f64
    affine.store %w, %x[%k] : memref<?xf64>
  }
  return
}"""
JUMPS = """
func.func @f(%c: i1, %a: i32, %b: i32) -> i32 {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  %s = arith.addi %a, %b : i32
  cf.br ^bb3(%s : i32)
^bb2:
  %p = arith.muli %a, %b : i32
  cf.br ^bb3(%p : i32)
^bb3(%r: i32):
  return %r : i32
}"""


@pytest.mark.parametrize("text, why", [(AFFINE, "cannot hold its operations"), (JUMPS, "jumps")])
def test_a_function_that_cannot_hold_its_graph_stays(text: str, why: str):
    found = optimise_module(text, emit="equivalence")
    assert str(parsed(found.text)) == str(parsed(text))
    assert any(why in note for report in found.functions for note in report.notes)
