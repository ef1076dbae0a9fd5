"""`raise-opt` as a user runs it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import ENVIRONMENT, ROOT
from tests.forked import command

RULES = Path(__file__).parent.parent / "inputs" / "rules"
TWICE = """\
func.func @f(%a: i32) -> i32 {
  %c2 = arith.constant 2 : i32
  %m = arith.muli %a, %c2 : i32
  %d = arith.divsi %m, %c2 : i32
  return %d : i32
}
"""


def opt(*arguments: str | Path, given: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return command("raising.commands.opt_command", arguments, given.encode(), cwd, ENVIRONMENT)


def test_standard_input_to_standard_output_with_a_remark():
    done = opt("-", "--rules", RULES / "classic.egg", given=TWICE)
    assert done.returncode == 0
    assert "return %arg0 : i32" in done.stdout
    assert done.stderr.startswith("<stdin>:1:1: remark: function 'f': cost 3 -> 0")


def test_a_file_is_written_whole(tmp_path: Path):
    (tmp_path / "in.mlir").write_text(TWICE)
    done = opt("in.mlir", "--rules", RULES / "classic.egg", "--extract", "ilp", "-o", "out.mlir", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert "return %arg0 : i32" in (tmp_path / "out.mlir").read_text()
    assert "0.0% from the best" in done.stderr


def test_stablehlo_is_read_by_the_mlir_that_knows_it(tmp_path: Path):
    text = """
      func.func @f(%a: tensor<3xf32>) -> tensor<3xf32> {
        %0 = stablehlo.transpose %a, dims = [0] : (tensor<3xf32>) -> tensor<3xf32>
        %1 = stablehlo.negate %0 : tensor<3xf32>
        %2 = stablehlo.negate %1 : tensor<3xf32>
        return %2 : tensor<3xf32>
      }"""
    rules = """
      (function stablehlo_negate (Op Type) Op)
      (ruleset rules)
      (rewrite (stablehlo_negate (stablehlo_negate ?x ?t) ?t) ?x :ruleset rules)
      (run-schedule (saturate rules))"""
    (tmp_path / "r.egg").write_text(rules)
    done = opt("-", "--rules", tmp_path / "r.egg", given=text)
    assert done.returncode == 0, done.stderr
    assert "negate" not in done.stdout and "stablehlo.transpose" in done.stdout


@pytest.mark.parametrize(
    ("rules", "given", "says"),
    [
        ("classic.egg", "func.func @f( {", "<stdin>:1:"),
        ("missing.egg", TWICE, "missing.egg:1: no such file or directory"),
        ("classic.egg", "", "<stdin>: error: empty input"),
    ],
)
def test_bad_input_is_one_line_and_status_two(rules: str, given: str, says: str):
    done = opt("-", "--rules", RULES / rules, given=given)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert says in line and "Traceback" not in line


PLAIN = """// a comment
func.func @f(%a: i128) -> (i128, tensor<2xf32>) {
    %big = arith.constant 170141183460469231731687303715884105727 : i128 // more than 64 bits
    %data = arith.constant dense_resource<blob> : tensor<2xf32>
    %b = arith.addi %a, %big : i128
    return %b, %data : i128, tensor<2xf32>
}
MORE
{-#
  dialect_resources: {
    builtin: { blob: "0x040000000000803F00000040" }
  }
#-}
"""
BETTER = "func.func @g(%x: i32) -> i32 { %y = arith.xori %x, %x : i32\n return %y : i32 }"


def test_a_module_in_which_nothing_is_cheaper_is_the_text_that_came():
    given = PLAIN.replace("MORE", "")
    done = opt("-", given=given)
    assert (done.returncode, done.stdout) == (0, given)


def test_resources_and_wide_numbers_survive_beside_what_changes():
    done = opt("-", given=PLAIN.replace("MORE", BETTER))
    assert done.returncode == 0 and "arith.xori" not in done.stdout
    for kept in ("dense_resource<blob>", "0x040000000000803F00000040", f"{2**127 - 1} : i128"):
        assert kept in done.stdout


def test_operations_of_no_dialect_stay_if_they_are_allowed():
    body = '%0 = "my.op"(%x) {k = 1 : i32} : (i32) -> i32\n %1 = arith.xori %0, %0 : i32\n return %1 : i32'
    given = f"func.func @f(%x: i32) -> i32 {{ {body} }}"
    refused, done = opt("-", given=given), opt("-", "--allow-unregistered-dialect", given=given)
    assert refused.returncode == 2 and "unregistered dialect" in refused.stderr
    assert done.returncode == 0 and '"my.op"(%arg0)' in done.stdout and "arith.xori" not in done.stdout


def test_macro_rules_need_no_rules_but_a_cost_from_shapes():
    chain = Path(__file__).parent.parent.parent / "examples" / "chain.mlir"
    done = opt(chain, "--macros", "--cost", "flops")
    assert done.returncode == 0 and "products associated by the macro rule, factors: 4" in done.stderr
    refused = opt(chain, "--macros", "--cost", "rules")
    assert refused.returncode == 2 and "--macros needs a cost" in refused.stderr


def test_standard_input_is_read_where_no_file_is_given_and_something_comes_in():
    named, unnamed = (opt(*file, "--rules", RULES / "classic.egg", given=TWICE) for file in (["-"], []))
    assert unnamed.returncode == 0 and (unnamed.stdout, unnamed.stderr) == (named.stdout, named.stderr)


def test_a_file_is_needed_where_nothing_comes_in():
    command = [sys.executable, "-m", "raising.commands.opt_command", "--cost", "flops"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "a FILE is needed" in done.stderr


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        ("(ruleset rules", r"^bad\.egg:1: a '\(' without its '\)'"),
        ("(ruleset rules)\n(rewrite (arith_no ?x) ?x :ruleset rules)", r"^bad\.egg:2: .*arith_no"),
        (
            "(function arith_muli (Op Op AttrPair Type) Op)\n(ruleset rules)\n"
            "(rewrite (arith_muli ?x ?y ?a ?t) ?z :ruleset rules)",
            r"^bad\.egg:3: .*\?z",
        ),
        (
            "(function arith_muli (Op Op AttrPair Type) Op)\n(ruleset rules)\n(rewrite (arith_muli ?x ?y ?a ?t)"
            " (arith_muli (arith_muli ?x ?y ?a ?t) ?y ?a ?t) :subsume :ruleset rules) (run-schedule (run rules))",
            r"^<stdin>:3:8: error: no finite program",
        ),
    ],
)
def test_a_wrong_rule_file_is_one_line_with_its_place(tmp_path: Path, rules: str, says: str):
    (tmp_path / "bad.egg").write_text(rules)
    done = opt("-", "--rules", "bad.egg", given=TWICE, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert re.search(says, line), line


def test_e_graphs_go_through_files(tmp_path: Path):
    chain, rules = (Path(__file__).parents[2] / "examples" / name for name in ("chain.mlir", "chain.egg"))
    done = opt(chain, "--rules", rules, "--emit", "equivalence", "-o", tmp_path / "graph.mlir")
    assert done.returncode == 0 and "20 nodes in 16 classes" in done.stderr
    read = opt(tmp_path / "graph.mlir", "--rules", rules)
    assert read.returncode == 0 and read.stdout.count("linalg.matmul") == 3
    assert opt(tmp_path / "graph.mlir", "--rules", rules, "--emit", "svg").stdout.startswith("<svg")


def test_a_function_with_calls_stays_as_it_was_where_e_graphs_are_written():
    given = """func.func private @other(i32) -> i32
    func.func @f(%x: i32) -> i32 {
      %0 = func.call @other(%x) : (i32) -> i32
      %1 = arith.muli %0, %x : i32
      return %1 : i32
    }"""
    written = opt("-", "--emit", "equivalence", given=given)
    again = opt("-", given=written.stdout)
    assert (written.returncode, again.returncode) == (0, 0), again.stderr
    assert "it refers to symbols" in written.stderr and "callee = @other" in again.stdout


def test_steps_are_explained_and_checked():
    chain, rules = (Path(__file__).parents[2] / "examples" / name for name in ("chain.mlir", "chain.egg"))
    done = opt(chain, "--rules", rules, "--explain")
    steps = [line for line in done.stderr.splitlines() if "step" in line]
    assert done.returncode == 0 and len(steps) >= 2
    for step in steps:
        assert re.search(r"cost \d+ -> \d+ by \S*chain.egg:20 \[proved-all-sizes\]", step)
    assert "-> 31203" in steps[-1]


def test_patterns_in_pdl_add_to_the_e_graph(tmp_path: Path):
    """Doubling written by xDSL's patterns, chosen by our costs: x * 2 has one operation more than x + x."""
    (tmp_path / "p.mlir").write_text("""
      pdl.pattern @half : benefit(1) {
        %t = pdl.type : i32
        %x = pdl.operand : %t
        %y = pdl.operand : %t
        %op = pdl.operation "arith.muli" (%x, %y : !pdl.value, !pdl.value) -> (%t : !pdl.type)
        pdl.rewrite %op {
          %new = pdl.operation "arith.addi" (%x, %x : !pdl.value, !pdl.value) -> (%t : !pdl.type)
          pdl.replace %op with %new
        }
      }""")
    (tmp_path / "none.egg").write_text("(ruleset rules)")
    text = "func.func @f(%a: i32) -> i32 { %c = arith.constant 2 : i32 %m = arith.muli %a, %c : i32 return %m : i32 }"
    done = opt("-", "--pdl", "p.mlir", "--rules", "none.egg", "--cost", "size", given=text, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "arith.addi %arg0, %arg0" in done.stdout and "muli" not in done.stdout
    wrong = opt("-", "--pdl", "none.egg", "--rules", "none.egg", given=text, cwd=tmp_path)
    assert wrong.returncode == 2 and wrong.stderr.startswith("none.egg:") and "xDSL" in wrong.stderr


def test_an_e_graph_in_the_ir_says_what_is_not_in_it() -> None:
    done = opt(ROOT / "examples" / "chain.mlir", "--emit", "equivalence", "--fp", "reassoc")
    assert done.returncode == 0 and "equivalence.graph" in done.stdout
    assert re.search(r"\d+ nodes of the e-graph are not in the module: they are the algebra", done.stderr)


def test_what_no_rule_is_about_loads_neither_the_algebra_nor_the_reader_of_loops() -> None:
    code = """
import sys
from raising.optimise.optimise_module import optimise_module
optimise_module("func.func @f(%a: f64) -> f64 { return %a : f64 }")
print(*sys.modules)
"""
    called = [sys.executable, "-c", code]
    done = subprocess.run(called, env=ENVIRONMENT, cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = [m for m in done.stdout.split() if m.startswith(("raising.eqsat.lift.l", "raising.grammar.measure"))]
    assert not loaded and not {"raising.frontend.mlir.reader", "raising.grammar.select.selector"} & set(
        done.stdout.split()
    )
