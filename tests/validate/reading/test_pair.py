"""Two functions read into one form: arguments by position, sizes as symbols, outputs matched."""

from __future__ import annotations

import pytest

from raising.frontend.mlir.reader import InputError
from raising.validate.base.unreadable import Unreadable
from raising.validate.reading.pair import generalised, read_pair
from tests.validate.programs import GEMM_LINALG, GEMM_LOOPS

SIZES = {"NI": "20", "NJ": "30", "NK": "40"}


def at(text: str) -> str:
    for name, number in SIZES.items():
        text = text.replace(name, number)
    return text


def test_arguments_have_the_same_names_and_sizes_become_symbols() -> None:
    pair = generalised(read_pair(at(GEMM_LOOPS), at(GEMM_LINALG)))
    assert pair.outputs == (("a2", "a2"),)
    assert pair.labels == ("argument 2",)
    assert sorted(v.const for v in pair.values.values()) == [20, 30, 40]
    assert pair.source.arrays["a3"].shape == pair.target.arrays["a3"].shape
    shared = {"a0", "a1", "a2", "a3", "a4"}
    assert set(pair.source.arrays) & set(pair.target.arrays) <= shared


def test_steps_and_what_is_no_larger_stay_numbers() -> None:
    loops = """func.func @f(%A: memref<100xf64>, %x: f64) {
      affine.for %i = 0 to 96 step 8 { affine.store %x, %A[%i + 7] : memref<100xf64> }
      return
    }"""
    pair = generalised(read_pair(loops, loops))
    (store,) = pair.source.stores()
    assert store.subscripts[0].const == 7


def test_signatures_that_differ_are_told() -> None:
    other = at(GEMM_LOOPS).replace("%alpha: f64", "%alpha: f32").replace("arith.mulf %alpha, %a", "arith.mulf %a, %a")
    with pytest.raises(Unreadable, match="the arguments differ"):
        read_pair(at(GEMM_LOOPS), other)


def test_several_functions_have_to_be_named() -> None:
    two = "func.func @f() { return }\nfunc.func @g() { return }"
    with pytest.raises(InputError, match=r"2 functions with a body \(f, g\)"):
        read_pair(two, two)
    assert read_pair(two, two, ("f", "g")).outputs == ()
    with pytest.raises(InputError, match="no function 'h'"):
        read_pair(two, two, ("h", "g"))


@pytest.mark.parametrize(("one", "other"), [("", "+-4"), ("+8*", "+16*")])
def test_what_c_passes_at_other_places_is_not_compared(one: str, other: str) -> None:
    """Two fields of a struct, or a pointer and what lies in front of it, were taken for the same argument."""
    text = """func.func @f(%n: i32, %x: memref<?xf32>) attributes {
      c_parameters = [["int", "n"], ["float", "x", "?"]],
      c_arguments = [["i32", "n"], ["*f32", "x"]], c_paths = ["0", "1PATH"]
    } { return }"""
    assert read_pair(text.replace("PATH", one), text.replace("PATH", one)).outputs == ()
    with pytest.raises(Unreadable, match="argument 1 is found at another place"):
        read_pair(text.replace("PATH", one), text.replace("PATH", other))
