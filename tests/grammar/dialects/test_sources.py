"""Sources of definitions besides IRDL, for targets outside of the package: xDSL's Python, and TableGen."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest

from raising.grammar.dialects import tablegen
from raising.grammar.dialects.target_dialect import UnusableTarget
from raising.grammar.open_target import open_target
from raising.grammar.probe.worker_pool import guarded


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAISE_CACHE", str(tmp_path / "cache"))


def test_a_dialect_in_python_goes_the_same_way() -> None:
    from xdsl.dialects.builtin import DenseArrayBase, StringAttr, TensorType
    from xdsl.ir import Dialect
    from xdsl.irdl import (
        AnyAttr,
        EqAttrConstraint,
        IRDLOperation,
        VarConstraint,
        attr_def,
        irdl_op_definition,
        operand_def,
        opt_operand_def,
        prop_def,
        result_def,
    )

    from raising.grammar.dialects.irdl import read
    from raising.grammar.dialects.pyrdl import irdl_text
    from raising.grammar.dialects.target_dialect import Source

    @irdl_op_definition
    class Same(IRDLOperation):
        name = "mine.same"
        T: ClassVar = VarConstraint("T", AnyAttr())
        x = operand_def(T)
        y = operand_def(TensorType)
        r = result_def(T)
        mode = prop_def(EqAttrConstraint(StringAttr("a")) | EqAttrConstraint(StringAttr("b")))
        order = attr_def(DenseArrayBase)

    @irdl_op_definition
    class Maybe(IRDLOperation):
        name = "mine.maybe"
        x = operand_def(TensorType)
        y = opt_operand_def(AnyAttr())
        r = result_def(TensorType)

    text = irdl_text(Dialect("mine", [Same, Maybe], []))
    same, maybe = guarded(lambda: read(Source("mine", text))[0])
    assert [(o.name, o.constraint, o.arity) for o in same.operands] == [
        ("x", "any", "one"),
        ("y", "!builtin.tensor", "one"),
    ]
    assert {a.name: (a.kind, a.values) for a in same.attrs} == {
        "mode": ("Attr", ('"a"', '"b"')),
        "order": ("DenseI64ArrayAttr", ()),
    }
    assert [o.arity for o in maybe.operands] == ["one", "optional"]
    assert text.count("irdl.any\n") == 2  # the variable of `same` once, `y` of `maybe` once


def test_an_xdsl_dialect_is_a_source_by_its_name(tmp_path: Path) -> None:
    toml = '[definitions]\nxdsl = "varith"\n[lowering]\nfunctions = "my.mlir"\n'
    mlir = """func.func @varith.add(%x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
      %z = linalg.add ins(%x, %y : tensor<?xf64>, tensor<?xf64>) outs(%x : tensor<?xf64>) -> tensor<?xf64>
      return %z : tensor<?xf64>
    }"""
    (tmp_path / "my.toml").write_text(toml)
    (tmp_path / "my.mlir").write_text(mlir)
    grammar = open_target(str(tmp_path / "my.toml")).grammar
    assert [(p.op, p.operands) for p in grammar.productions] == [("varith.add", ("0", "1"))]
    assert grammar.target == "my"


# ---- TableGen ------------------------------------------------------------------------------------

TD = """
include "mlir/IR/OpBase.td"
def My_Dialect : Dialect { let name = "my"; let cppNamespace = "::my"; }
def My_NegOp : Op<My_Dialect, "neg"> {
  let arguments = (ins AnyRankedTensor:$x);
  let results = (outs AnyRankedTensor:$y);
}
def My_PairOp : Op<My_Dialect, "pair"> {
  let arguments = (ins AnyRankedTensor:$x, Variadic<AnyRankedTensor>:$more, StrAttr:$how);
  let regions = (region AnyRegion:$body);
  let results = (outs AnyRankedTensor:$y);
}
"""


NEG = """
func.func @my.neg(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = linalg.negf ins(%x : tensor<?xf64>) outs(%x : tensor<?xf64>) -> tensor<?xf64>
  return %y : tensor<?xf64>
}
"""


def _needs_definitions() -> None:
    try:
        tablegen.include_folder()
    except tablegen.NoDefinitions as why:
        pytest.skip(str(why))


def test_a_dialect_that_mlir_does_not_know_is_registered_from_its_td_file(tmp_path: Path) -> None:
    _needs_definitions()
    (tmp_path / "my.mlir").write_text(NEG)
    (tmp_path / "my.toml").write_text('[definitions]\ntd = "my.td"\n[lowering]\nfunctions = "my.mlir"\n')
    path = str(tmp_path / "my.toml")
    (tmp_path / "my.td").write_text(TD)
    opened = open_target(path)
    assert {p.op for p in opened.grammar.productions} == {"my.neg"}
    assert {e.operation: e.why for e in opened.grammar.excluded} == {"my.pair": "my.mlir has no function for it"}
    assert opened.target.irdl is not None and "irdl.operation @pair" in opened.target.irdl.text
    (tmp_path / "my.td").write_text(TD.replace("neg", "nge"))
    with pytest.raises(UnusableTarget, match="@my.neg is for no operation .did you mean my.nge"):
        open_target(path)  # the file is part of what the grammar is kept by


def test_what_is_not_said_is_as_in_the_base(tmp_path: Path) -> None:
    _needs_definitions()
    (tmp_path / "small.td").write_text((Path(__file__).parents[2] / "inputs" / "td" / "small.td").read_text())
    text = 'base = "stablehlo"\n[definitions]\ntd = "small.td"\n[probe]\nmax_rank = 2\n'
    (tmp_path / "mine.toml").write_text(text)
    opened = open_target(str(tmp_path / "mine.toml"))
    assert opened.target.name == opened.grammar.target == "mine"
    assert {"stablehlo.add", "stablehlo.transpose"} <= {p.op for p in opened.grammar.productions}
    assert max(len(p.meaning.maps[-1]) for p in opened.grammar.productions) == 2
