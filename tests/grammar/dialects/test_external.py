"""Targets outside of the package: what their files may say, and how they fail."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from raising.grammar.dialects.external import read_external
from raising.grammar.dialects.target_dialect import UnusableTarget
from raising.grammar.open_target import open_target
from raising.grammar.terms.structured_op import Production
from raising.support.cache import entry, folder

TOY = Path(__file__).parents[3] / "examples" / "toy"
TENSOR = '%t = irdl.base "!builtin.tensor"'
UNARY = f"irdl.operation @neg {{ {TENSOR}\n irdl.operands(x: %t)\n irdl.results(y: %t) }}"
NEG = """
func.func @my.neg(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = linalg.negf ins(%x : tensor<?xf64>) outs(%x : tensor<?xf64>) -> tensor<?xf64>
  return %y : tensor<?xf64>
}
"""
TOML = '[definitions]\nirdl = "my.irdl"\n[lowering]\nfunctions = "my.mlir"\n'


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAISE_CACHE", str(tmp_path / "cache"))


def _write(tmp_path: Path, irdl: str, mlir: str = NEG, toml: str = TOML) -> str:
    (tmp_path / "my.irdl").write_text(f"irdl.dialect @my {{ {irdl}\n}}")
    (tmp_path / "my.mlir").write_text(mlir)
    (tmp_path / "my.toml").write_text(toml)
    return str(tmp_path / "my.toml")


def _said(path: str) -> dict[str, list[Production]]:
    found: dict[str, list[Production]] = {}
    for p in open_target(path).grammar.productions:
        found.setdefault(p.op, []).append(p)
    return found


def _reasons(path: str) -> dict[str, str]:
    return {e.operation: e.why for e in open_target(path).grammar.excluded}


# ---- what is said --------------------------------------------------------------------------------


def test_a_function_says_what_its_operation_means() -> None:
    said = _said(str(TOY / "toy.toml"))
    (product,) = said["toy.matmul"]
    assert product.meaning.maps == ((0, 2), (2, 1), (0, 1)) and product.elements == ("f64",) * 3
    assert [i.op for i in product.meaning.body.instrs] == ["arith.mulf", "arith.addf"]
    (relu,) = said["toy.relu"]
    assert [i.op for i in relu.meaning.body.instrs] == ["arith.constant", "arith.maximumf"]


def test_functions_are_told_apart_by_attributes_ranks_and_elements(tmp_path: Path) -> None:
    irdl = """irdl.operation @turn { %a = irdl.any
      %b = irdl.any
      %no = irdl.is "no"
      %yes = irdl.is "yes"
      %swap = irdl.any_of(%no, %yes)
      irdl.attributes {"swap" = %swap}
      irdl.operands(x: %a)
      irdl.results(y: %b) }"""
    mlir = """
    func.func @my.turn(%x: tensor<?x?xf64>) -> tensor<?x?xf64> attributes {swap = "yes"} {
      %0 = arith.constant 0 : index
      %1 = arith.constant 1 : index
      %m = tensor.dim %x, %0 : tensor<?x?xf64>
      %n = tensor.dim %x, %1 : tensor<?x?xf64>
      %e = tensor.empty(%n, %m) : tensor<?x?xf64>
      %y = linalg.transpose ins(%x : tensor<?x?xf64>) outs(%e : tensor<?x?xf64>) permutation = [1, 0]
      return %y : tensor<?x?xf64>
    }
    func.func @my.turn.all(%x: tensor<?xi32>) -> tensor<i32> attributes {swap = "no"} {
      %z = arith.constant dense<0> : tensor<i32>
      %y = linalg.reduce ins(%x : tensor<?xi32>) outs(%z : tensor<i32>) dimensions = [0]
        (%a: i32, %b: i32) { %c = arith.addi %a, %b : i32
          linalg.yield %c : i32 }
      return %y : tensor<i32>
    }"""
    second, first = _said(_write(tmp_path, irdl, mlir))["my.turn"]
    assert (first.attrs, first.meaning.maps) == ((("swap", '"yes"'),), ((1, 0), (0, 1)))
    assert (second.attrs, second.elements) == ((("swap", '"no"'),), ("i32", "i32"))
    assert second.meaning.reduced == (0,)


def test_constants_are_made_by_the_operation_that_the_target_names(tmp_path: Path) -> None:
    fill = '[result.fill]\noperation = "arith.constant"\nattribute = "value"\nform = "dense<{}> : {type}"\n'
    said = _said(_write(tmp_path, UNARY, toml=TOML + fill))
    assert {(p.family, p.elements) for p in said["arith.constant"]} == {("fill", (e,)) for e in ("f64", "i32", "i1")}
    path = _write(tmp_path, UNARY, toml=TOML + fill.replace("arith.constant", "arith.negf"))
    assert "arith.negf" in _reasons(path) and "arith.negf" not in _said(path)


def test_a_pipeline_is_a_lowering_too(tmp_path: Path) -> None:
    """A dialect that MLIR knows, from a definition file of one's own."""
    path = tmp_path / "my.toml"
    path.write_text('[definitions]\ntd = "my.td"\n[lowering]\npipeline = "builtin.module(func.func(my-to-linalg))"\n')
    (tmp_path / "my.td").write_text("")
    with pytest.raises(UnusableTarget, match="my.td: is no TableGen file|not installed"):
        open_target(str(path))


# ---- what is left out, the rest usable -----------------------------------------------------------


@pytest.mark.parametrize(
    ("mlir", "why"),
    [
        ("", "has no function for it"),
        ("func.func @my.bad(%x: f64) -> f64 { return %x : f64 }", "@my.bad: f64 is no ranked tensor"),
        (
            "func.func @my.bad(%x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> { return %x : tensor<?xf64> }",
            "@my.bad: goes from 2 values to 1; my.bad has 1 operands and 1 results",
        ),
        (
            "func.func @my.bad(%x: tensor<4xf64>) -> tensor<4xf64> { return %x : tensor<4xf64> }",
            "@my.bad: is for dimensions of 4 only",
        ),
        (
            "func.func @my.bad(%x: tensor<?xf64>) -> tensor<?xf64> attributes {a = 1} { return %x : tensor<?xf64> }",
            "@my.bad: my.bad has no attribute 'a'",
        ),
        (
            """func.func @my.bad(%x: tensor<?xf64>) -> tensor<?xf64> {
              %y = func.call @my.bad(%x) : (tensor<?xf64>) -> tensor<?xf64>
              return %y : tensor<?xf64> }""",
            "@my.bad: its lowering fails",
        ),
        (
            """func.func @my.bad(%x: tensor<?xf64>) -> tensor<?xf64> {
              %c = arith.constant 7 : index
              %e = tensor.empty(%c) : tensor<?xf64>
              %y = linalg.exp ins(%x : tensor<?xf64>) outs(%e : tensor<?xf64>) -> tensor<?xf64>
              return %y : tensor<?xf64> }""",
            "@my.bad: its lowering fails",
        ),
        (
            """func.func @my.bad(%x: tensor<?xf64>) -> tensor<?xf64> {
              %c = arith.constant 1.0 : f64
              %e = tensor.empty() : tensor<300000x300000xf64>
              %f = linalg.fill ins(%c : f64) outs(%e : tensor<300000x300000xf64>) -> tensor<300000x300000xf64>
              %z = arith.constant dense<0.0> : tensor<f64>
              %s = linalg.reduce { arith.addf } ins(%f : tensor<300000x300000xf64>) outs(%z : tensor<f64>)
                dimensions = [0, 1]
              %n = tensor.extract %s[] : tensor<f64>
              %y = linalg.map ins(%x : tensor<?xf64>) outs(%x : tensor<?xf64>) (%a: f64, %o: f64) {
                %b = arith.mulf %a, %n : f64
                linalg.yield %b : f64 }
              return %y : tensor<?xf64> }""",
            "needs too much memory",
        ),
    ],
)
def test_one_bad_function_leaves_the_others_usable(tmp_path: Path, mlir: str, why: str) -> None:
    path = _write(tmp_path, f"{UNARY}\n{UNARY.replace('@neg', '@bad')}", NEG + mlir)
    assert set(_said(path)) == {"my.neg"}
    assert list(_reasons(path)) == ["my.bad"]
    assert _reasons(path)["my.bad"].startswith("my.mlir") and why in _reasons(path)["my.bad"]


def test_a_definition_that_asks_for_too_much_is_seen(tmp_path: Path) -> None:
    """One constraint for both operands means equal types: no matrix product, but of square matrices."""
    text = (TOY / "toy.irdl").read_text().replace("toy", "my").replace("b: %b", "b: %a")
    for file in TOY.glob("*.mlir"):
        (tmp_path / file.name).write_text(file.read_text())
    path = _write(tmp_path, "", (TOY / "meaning.mlir").read_text().replace("@toy", "@my"))
    (tmp_path / "my.irdl").write_text(text)
    assert set(_said(path)) == {"my.relu"}
    assert "equal dimensions that the meaning tells apart" in _reasons(path)["my.matmul"]


def test_constraints_in_cpp_are_left_out(tmp_path: Path) -> None:
    native = 'irdl.operation @odd { %c = irdl.c_pred "true"\n irdl.operands(x: %c) }'
    path = _write(tmp_path, f"{UNARY}\n{native}")
    assert set(_said(path)) == {"my.neg"}
    assert "C++" in _reasons(path)["my.odd"]


# ---- what is refused as a whole ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("irdl", "mlir", "message"),
    [
        ("irdl.operation @x {", NEG, r"my.irdl:1:39: expected operation name"),
        ("", NEG, "my.irdl: defines no operation in IRDL"),
        ('irdl.operation @x { %a = irdl.base "!no.such"\n irdl.operands(a: %a) }', "", "my.irdl: failed to load"),
        (UNARY, "func.func @my.neg(", r"my.mlir:1:"),
        (UNARY, NEG.replace("my.neg", "my.nge"), r"my.mlir: @my.nge is for no operation \(did you mean my.neg\?\)"),
        (UNARY, "func.func private @my.neg(tensor<2xf64>)", "my.mlir: holds a func.func that is no function with a"),
        (UNARY, "irdl.dialect @a {}", "my.mlir: holds a irdl.dialect that is no function"),
    ],
)
def test_broken_files_are_named_with_the_place(tmp_path: Path, irdl: str, mlir: str, message: str) -> None:
    with pytest.raises(UnusableTarget, match=message) as error:
        open_target(_write(tmp_path, irdl, mlir))
    assert "\n" not in str(error.value) and "Traceback" not in str(error.value)


def test_a_name_that_mlir_has_is_refused(tmp_path: Path) -> None:
    path = _write(tmp_path, UNARY, NEG.replace("my.", "arith."))
    (tmp_path / "my.irdl").write_text(f"irdl.dialect @arith {{ {UNARY} }}")
    with pytest.raises(UnusableTarget, match="my.irdl: MLIR has a dialect 'arith' of its own"):
        open_target(path)


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("[definitions", "my.toml: "),
        ("[host]\nbindings = 'os'", r"unknown section \[host\]"),
        ("[definitions]\nbindings_module = 'os'", r"unknown key '\[definitions\] bindings_module'"),
        ("[definitions]\nirdl = 3", "'.definitions. irdl' is no text"),
        ("[probe]\nmax_rank = true", "is no number"),
        ("[definitions]\n[lowering]\nfunctions = 'my.mlir'", "has to name one of irdl, td, xdsl"),
        ("[definitions]\nirdl = 'my.irdl'", "has to name functions or a pipeline"),
        (TOML.replace("my.irdl", "../my.irdl"), "outside of the folder"),
        (TOML.replace("my.irdl", "/etc/passwd"), "outside of the folder"),
        (TOML.replace("my.irdl", "none.irdl"), "none.irdl: cannot be read: no such file"),
        (TOML.replace("my.irdl", "."), "cannot be read: no plain file"),
        (TOML + "finish = 'builtin.module(gpu-module-to-binary)'", "pass 'gpu-module-to-binary' is not allowed"),
        (TOML + "finish = 'builtin.module(canonicalize{max-iterations=1})'", "not of the form"),
        (TOML + "finish = 'builtin.module(linalg-no-such-pass)'", "my.toml: 'builtin.module.linalg-no-such-pass.'"),
        ("base = 'linalg'\n" + TOML, "target 'linalg' cannot be the base"),
        (TOML + "[result]\nfill = {operation = 'a', attribute = 'b', form = '{}'}", "not the names of an operation"),
        (TOML + "[result]\nfill = {operation = 'a.b'}", "has to have the texts operation, attribute, form"),
        (TOML.replace("irdl =", "xdsl = 'no_such'\n#"), "xDSL knows no dialect 'no_such'"),
    ],
)
def test_a_configuration_is_checked(tmp_path: Path, toml: str, message: str) -> None:
    with pytest.raises(UnusableTarget, match=message) as error:
        open_target(_write(tmp_path, UNARY, toml=toml))
    assert "\n" not in str(error.value)


# ---- the cache -----------------------------------------------------------------------------------


def test_a_grammar_is_kept_by_the_content_of_its_files(tmp_path: Path) -> None:
    for file in ("toy.toml", "toy.irdl", "meaning.mlir"):
        shutil.copy(TOY / file, tmp_path)
    path = str(tmp_path / "toy.toml")
    first = open_target(path).grammar
    (kept,) = (folder() / "grammar").iterdir()
    kept.write_text(kept.read_text().replace("addf", "mulf"))  # the digest is not that of the text any more
    assert open_target(path).grammar == first
    os.truncate(kept, 100)
    assert open_target(path).grammar == first
    meaning = tmp_path / "meaning.mlir"
    meaning.write_text(meaning.read_text().replace("maximumf", "minimumf"))
    assert open_target(path).grammar != first
    assert len(list((folder() / "grammar").iterdir())) == 2


def test_without_a_cache_nothing_is_read_or_written(tmp_path: Path) -> None:
    path = _write(tmp_path, UNARY)
    open_target(path, cache=False)
    assert not folder().exists()
    assert entry("grammar", []).parent == folder() / "grammar"
    assert json.dumps(read_external(path).name) == '"my"'
