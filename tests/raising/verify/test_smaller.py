"""Native runs of what is proved: at smaller sizes of the same two programs, or not at all."""

from typing import Any

import pytest

from raising.api.options import RaiseOptions
from raising.pipeline import raise_module
from raising.validate.base.verdict import FloatEvidence, Unknown, evidence
from raising.verify import verify
from raising.verify.smaller_instance import smaller_instance
from tests.kernels import kernel

COPY = """
func.func @f(%A: memref<1000xf64>, %B: memref<{extent}xf64>) {{
  affine.for %i = 0 to {trips} {{
    %x = affine.load %A[%i] : memref<1000xf64>
    affine.store %x, %B[%i + {offset}] : memref<{extent}xf64>
  }}
  return
}}
"""


def copy(extent: int, trips: int, offset: int) -> str:
    """A copy of the front of one array into another."""
    return COPY.format(extent=extent, trips=trips, offset=offset)


def native(text: str, check: str = "native", target: str = "linalg") -> FloatEvidence:
    """What the native run of a raised function found."""
    result = raise_module(text, options=RaiseOptions(check=check, target=target, cache=False))
    found = evidence(result.functions[0].verdict)
    assert result.complete and found is not None and found.native is not None
    return found.native


def test_sizes_shrink_alike_in_both_modules() -> None:
    small = smaller_instance(copy(1001, 999, 2), copy(1001, 999, 2), "f")
    assert small == (copy(10, 8, 2).replace("1000", "9"),) * 2


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(copy(1000, 400, 600), id="sizes that add up"),
        pytest.param(copy(9, 7, 2).replace("1000", "8"), id="small ones"),
        pytest.param(copy(1000, 1000, 500), id="outside of its array"),
    ],
)
def test_no_instance_where_none_is_known(text: str) -> None:
    assert smaller_instance(text, text, "f") is None


def test_what_is_no_size_stays() -> None:
    tiled = """
    func.func @f(%A1000: memref<4096xi32>) attributes {note = "1000 of 4096"} {
      %c1000_i32 = arith.constant 1000 : i32
      affine.for %i = 0 to 4096 step 32 {
        affine.store %c1000_i32, %A1000[%i] : memref<4096xi32>
      }
      return
    }
    """
    small = smaller_instance(tiled, tiled, "f")
    assert small is not None
    expected = tiled.replace("memref<4096", "memref<64").replace("to 4096", "to 64")
    assert small[0] == expected


@pytest.mark.parametrize("target", ["linalg", "stablehlo"])
def test_a_long_run_of_what_is_proved_is_at_smaller_sizes(target: str) -> None:
    found = native(kernel("atax"), target=target)
    assert found.smaller
    assert "1900" not in found.sizes


def test_a_full_check_runs_at_the_sizes_of_the_file() -> None:
    found = native(kernel("atax"), "full")
    assert not found.smaller
    assert found.sizes.startswith("1900x2100")


def test_without_a_proof_the_run_is_at_the_sizes_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def unproved(*_: Any) -> Unknown:
        return Unknown("not looked at")

    monkeypatch.setattr(verify, "_proof", unproved)
    found = native(kernel("atax"))
    assert not found.smaller


def test_a_short_run_is_at_the_sizes_of_the_file() -> None:
    assert not native(copy(1000, 900, 10)).smaller


@pytest.mark.parametrize(("trips", "level"), [(900, 0), (900_000, 3)])
def test_a_run_whose_time_nobody_sees_is_not_optimised(trips: int, level: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def compared(*_: Any, level: int, **__: Any) -> FloatEvidence:
        return FloatEvidence(f"level {level}", 0.0, 0.0, 0.0)

    monkeypatch.setattr("raising.validate.native.native.compare_native", compared)
    text = copy(1_000_000, trips, 10).replace("memref<1000xf64>", "memref<1000000xf64>")
    assert native(text).sizes == f"level {level}"
