"""Dialects that are defined in Python, by xDSL, as a source of definitions."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest

from grammar.isolate import guarded
from grammar.opened import open_target


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

    from grammar.irdl import read
    from grammar.pyrdl import irdl_text
    from grammar.target import Source

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


def test_an_xdsl_dialect_is_a_source_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAISE_CACHE", str(tmp_path / "cache"))
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
