"""Functions in the small part of Python compute what Python says."""

import ctypes

import llvmlite.binding as llvm
import numpy as np
import pytest

from raising.support.llvm.machine_functions import NUMBER, Names, functions

NAMES = Names({"FIVE": ("5", NUMBER)}, {"rest": "fence seq_cst"}, prefix="own.")
TEXT = '''
def abs(x: i32) -> i32: ...

@inline
def squared(x) -> i64:
    """A docstring is no statement."""
    return x * x

def mixed(a, b) -> i64:
    found, n = squared(a) + FIVE, 0
    while True:
        n += 1
        if n == b:
            continue
        if n > 20:
            break
        elif n % 2 == 0:
            found ^= n << 3
        else:
            found = found - n if found >= n else ~found
    rest()
    return found // (b | 1) + from_signed(abs(-7))

def summed(a: ptr, n) -> i64:
    total = 0
    for i in range(n):
        if a[i] == 0:
            return -1
        total += a[i]
        a[i] = i
    return total

def marked(place: ptr, x: double, y: double) -> i64:
    seen, done = place.exchange(3, 4, "acq_rel", "acquire")
    place.add(10, "seq_cst")
    place.bits(32, "monotonic")
    (place + 8).store(from_truth(done & ((x < y) | is_nan(x))), "release")
    return seen
'''


def _compiled(text: str) -> ctypes.CDLL:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(functions(text, NAMES))
    module.verify()
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    return llvm.create_mcjit_compiler(module, machine)


def _mixed(a: int, b: int) -> int:
    word = (1 << 64) - 1
    found, n = a * a + 5 & word, 0
    while True:
        n += 1
        if n == b:
            continue
        if n > 20:
            break
        if n % 2 == 0:
            found ^= n << 3
        else:
            found = found - n if found >= n else ~found & word
    return found // (b | 1) + 7 & word


def test_functions_compute_what_python_says() -> None:
    engine = _compiled(TEXT)
    word = ctypes.c_uint64
    mixed = ctypes.CFUNCTYPE(word, word, word)(engine.get_function_address("own.mixed"))
    for a, b in ((0, 0), (3, 2), (1 << 40, 19), ((1 << 64) - 1, 20)):
        assert mixed(a, b) == _mixed(a, b)
    summed = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, word)(engine.get_function_address("own.summed"))
    values = np.array([4, 5, 6, 0, 7], np.uint64)
    assert summed(values.ctypes.data, 3) == 15 and summed(values.ctypes.data, 0) == 0
    assert values.tolist() == [0, 1, 2, 0, 7] and summed(values.ctypes.data, 5) == -1


def test_atomic_operations_and_floats() -> None:
    engine, double = _compiled(TEXT), ctypes.c_double
    kind = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p, double, double)
    marked = kind(engine.get_function_address("own.marked"))
    for x, y, wanted in ((1.0, 2.0, 1), (2.0, 1.0, 0), (float("nan"), 1.0, 1)):
        place = np.array([3, 9], np.uint64)
        assert marked(place.ctypes.data, x, y) == 3
        assert place.tolist() == [14 | 32, wanted]
        assert marked(place.ctypes.data, x, y) == 46 and place.tolist() == [56, 0]


@pytest.mark.parametrize("text", ["x ** 2", "x < x < x", "{x}"])
def test_what_the_language_does_not_have_is_an_error(text: str) -> None:
    with pytest.raises((KeyError, ValueError)):
        functions(f"def f(x):\n    y = {text}", NAMES)
