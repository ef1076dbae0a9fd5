"""`raising` from Python."""

import pytest

import raising
from raising.frontend.mlir.reader import InputError
from raising.grammar.dialects.load import UnknownTarget
from tests.cli.running import FILL


def test_names_of_the_package() -> None:
    assert all(getattr(raising, name) is not None for name in raising.__all__)
    with pytest.raises(AttributeError, match="nonsense"):
        _ = raising.nonsense


def test_places_carry_the_name_of_the_file() -> None:
    said: list[str] = []
    result = raising.raise_module(FILL, file="dir/fill.mlir", check="field", progress=said.append)
    assert [str(r) for r in result.remarks] == ["dir/fill.mlir:3:3: remark: raised 1 loop nest to linalg.fill"]
    (function,) = result.functions
    assert str(function.where) == "dir/fill.mlir:1:1"
    assert str(function.parts[0].where) == "dir/fill.mlir:4:5"
    assert said == ["dir/fill.mlir:4:5: searching"]
    assert result.complete


def test_errors() -> None:
    with pytest.raises(InputError, match=r"^x\.mlir:1:1: error: "):
        raising.raise_module("nonsense", file="x.mlir")
    with pytest.raises(UnknownTarget, match="known: .*linalg"):
        raising.raise_module(FILL, target="fortran")
    with pytest.raises(ValueError, match="unknown abi 'register'"):
        raising.raise_module(FILL, abi="register")
    with pytest.raises(ValueError, match="more than 0"):
        raising.raise_module(FILL, timeout=0.0)
    for share in (0.0, -1.0, 1.5, float("nan")):
        with pytest.raises(ValueError, match="proof_share"):
            raising.raise_module(FILL, proof_share=share)


def test_a_defect_loses_no_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> list[str]:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("raising.function_driver.replace_segment", broken)
    result = raising.raise_module(FILL)
    assert "affine.for" in result.text
    assert not result.complete
    (remark,) = result.remarks
    assert "internal error: ZeroDivisionError: oh; please report this" in remark.why


def test_what_fails_its_native_check_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    from raising.validate.base.verdict import Refuted

    monkeypatch.setattr(
        "raising.validate.native.native.compare_native", lambda *_, **__: Refuted("argument 0[3] is wrong")
    )
    result = raising.raise_module(FILL)
    assert "affine.for" in result.text
    (remark,) = result.remarks
    assert "did not pass its native check: argument 0[3] is wrong" in remark.why


def test_what_is_not_equal_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    from raising.validate.base.verdict import Refuted

    monkeypatch.setattr(
        "raising.verify.verify.check", lambda *_, **__: Refuted("argument 0[3] is 1 in the source, 2 in the target")
    )
    result = raising.raise_module(FILL)
    assert "affine.for" in result.text
    (remark,) = result.remarks
    assert "is not equal to the loops: argument 0[3] is 1" in remark.why
