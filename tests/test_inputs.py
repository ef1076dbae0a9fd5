"""The other inputs: the wild ones compute what they say, the bad ones are bad, the rest verifies."""

import re
import tomllib
from pathlib import Path

import mlir.ir as ir
import pytest

from tests.kernels import resize
from tests.kernels.execute import inputs, run
from tests.oracles import mismatch

HERE = Path(__file__).parent
INPUTS = HERE / "inputs"
WILD = sorted((INPUTS / "wild").glob("*.mlir"))
GOOD = sorted([*INPUTS.glob("sequential/*.mlir"), *INPUTS.glob("unraisable/*.mlir"), *INPUTS.glob("mixed/*.mlir")])
EXAMPLES = sorted((HERE.parent / "examples").glob("*.mlir"))
BAD = tomllib.loads((INPUTS / "bad" / "expected.toml").read_text())


def _label(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


@pytest.mark.parametrize("path", WILD, ids=_label)
def test_wild_function_computes_what_the_oracle_says(path: Path) -> None:
    text, name = path.read_text(), path.stem
    before = inputs(text, name)
    after = run(text, name, before)
    assert not mismatch(name, before, after, 1e-5 if "f32" in text else 1e-12)


@pytest.mark.parametrize("path", [*GOOD, *EXAMPLES], ids=_label)
def test_good_input_verifies(path: Path) -> None:
    with ir.Context():
        assert ir.Module.parse(path.read_text()).operation.verify()


@pytest.mark.parametrize("name", ["gemm", "doitgen", "softmax", "mixed"])
def test_example_computes_what_the_oracle_says(name: str) -> None:
    text = (HERE.parent / "examples" / f"{name}.mlir").read_text()
    text = resize(text, {1000: 4, 1100: 5, 1200: 6, 128: 3, 150: 2, 140: 3, 160: 4, 300: 7, 299: 6, 400: 5})
    function = {"mixed": "relax"}.get(name, name)
    before = inputs(text, function)
    after = run(text, function, before)
    assert max(max(value.shape, default=0) for value in before) < 8
    assert not mismatch(function, before, after, 1e-5 if "f32" in text else 1e-12)


@pytest.mark.parametrize("path", GOOD, ids=_label)
def test_good_input_says_what_is_expected_and_where(path: Path) -> None:
    text = path.read_text()
    assert text.startswith("// Expected: ")
    assert ("expect-remark" in text) == ("remark" in text.split("func", 1)[0])


def test_every_bad_input_is_listed() -> None:
    assert sorted(BAD) == sorted(path.name for path in INPUTS.glob("bad/*.mlir"))


@pytest.mark.parametrize("name", sorted(BAD))
def test_bad_input_fails_where_it_should(name: str) -> None:
    content = (INPUTS / "bad" / name).read_bytes()
    with ir.Context():
        try:
            ir.Module.parse(content)
        except ir.MLIRError as error:
            place = re.search(r":(\d+:\d+)", str(error.error_diagnostics[0].location))
            assert place and (place.group(1) == BAD[name]["at"] or b"\0" in content)  # ours is that of the NUL
        else:
            assert "at" not in BAD[name]
