"""`raise-opt` on whole modules: functions that call others, CHLO, e-graphs that stay in the IR, by our own rules."""

import pytest

from raising.optimise.optimise_module import OptimiseResult, optimise_module
from raising.support.isolate import Finished, run_isolated
from raising.validate.base.verdict import Proved
from raising.validate.check import CheckOptions, check

CALLS = """
func.func public @main(%a: tensor<8x9xf32>, %b: tensor<9x7xf32>) -> tensor<8x7xf32> {
  %0 = call @t(%a) : (tensor<8x9xf32>) -> tensor<9x8xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<9x8xf32>) -> tensor<8x9xf32>
  %2 = chlo.square %1 : tensor<8x9xf32> -> tensor<8x9xf32>
  %3 = stablehlo.dot_general %2, %b, contracting_dims = [1] x [0]
    : (tensor<8x9xf32>, tensor<9x7xf32>) -> tensor<8x7xf32>
  return %3 : tensor<8x7xf32>
}
func.func private @t(%a: tensor<8x9xf32>) -> tensor<9x8xf32> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<8x9xf32>) -> tensor<9x8xf32>
  return %0 : tensor<9x8xf32>
}
"""
SHORT = """// sizes of a vector
func.func public @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @size(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @size(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.abs %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""
DEAR = """
func.func @NAME(%a: tensor<8x9xf32>, %b: tensor<9x7xf32>) -> tensor<8x7xf32> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<8x9xf32>) -> tensor<9x8xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<9x8xf32>) -> tensor<8x9xf32>
  %2 = stablehlo.dot_general %1, %b, contracting_dims = [1] x [0]
    : (tensor<8x9xf32>, tensor<9x7xf32>) -> tensor<8x7xf32>
  return %2 : tensor<8x7xf32>
}
"""


def optimised(text: str, **options: str) -> OptimiseResult:
    """The result, from a child."""
    found = run_isolated(lambda: _told(text, options), timeout=120, extra_bytes=8 << 30)
    assert isinstance(found, Finished), found
    return found.value


def _told(text: str, options: dict[str, str]) -> OptimiseResult:
    result = optimise_module(text, fp="reassoc", **options)  # type: ignore[arg-type]
    return OptimiseResult(result.text, result.remarks, ())


def assert_equal(one: str, other: str, name: str) -> None:
    found = check(one, other, CheckOptions(functions=(name, name)))
    assert isinstance(found, Proved), found


def test_what_a_call_hides_is_optimised() -> None:
    found = optimised(CALLS).text
    assert "transpose" not in found and "call" not in found and "private" not in found
    assert_equal(CALLS, found, "main")


def test_calls_stay_where_nothing_is_cheaper() -> None:
    assert optimised(SHORT).text == SHORT


@pytest.mark.parametrize("names", [("f",), ("f", "g")])
def test_e_graphs_of_our_own_rules_lose_nothing(names: tuple[str, ...]) -> None:
    text = "".join(DEAR.replace("NAME", name) for name in names)
    written = optimised(text, emit="equivalence")
    assert any("algebra" in remark.why for remark in written.remarks)
    again = optimised(written.text).text
    assert "transpose" not in again and "equivalence" not in again
    for name in names:
        assert_equal(text, again, name)
