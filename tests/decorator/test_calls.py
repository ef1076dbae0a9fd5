"""Calls of compiled functions: the same as NumPy gives, whatever the arrays are like; and located errors."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import numpy as np
import pytest

import raising
from raising.eqsat.extract.greedy import NoProgram
from raising.native.base.unsupported import CallError
from raising.support.errors import InputError
from tests.decorator.functions import (
    QUICK,
    bits,
    decorated,
    ends,
    greater,
    jit_bits,
    jit_ends,
    jit_first,
    jit_several,
    jit_total,
    several,
    total,
)


def _grid(rows: int, columns: int) -> Any:
    return np.arange(float(rows * columns)).reshape(rows, columns).astype(np.float32)


@pytest.mark.parametrize("shape", [(3, 4), (5, 2), (0, 3), (3, 0), (7, 3)])
def test_several_results(shape: tuple[int, int]) -> None:
    x = _grid(*shape)
    for _ in range(2):  # looked at closely, then quickly
        y, z = np.zeros_like(x), np.zeros_like(x)
        found, wanted = jit_several(x, y), several(x, z)
        np.testing.assert_array_equal(found[0], wanted[0])
        np.testing.assert_array_equal(y, z)
        assert [type(v) for v in found] == [type(v) for v in wanted]
        assert found[1:] == wanted[1:]
    y = np.zeros_like(x)
    jit_several(x=x, y=y, shift=5)
    np.testing.assert_array_equal(y, several(x, z, shift=5)[0] + 5)


def _arrays() -> dict[str, Any]:
    base = _grid(9, 8)
    unaligned = np.zeros(49, np.uint8)[1:].view(np.float32).reshape(3, 4)
    unaligned[...] = 2
    return {
        "columns": base[:3, ::2],
        "backwards": base[2::-1, 3::-1],
        "transposed": base[:4, :3].T,
        "big end first": base[:3, :4].astype(">f4"),
        "unaligned": unaligned,
    }


@pytest.mark.parametrize("name", list(_arrays()))
def test_arrays_of_any_layout_are_read_and_written(name: str) -> None:
    x, y = _arrays()[name], _arrays()[name]
    wanted = several(x, z := np.zeros((3, 4), np.float32))
    np.testing.assert_array_equal(jit_several(x, y)[0], wanted[0])
    np.testing.assert_array_equal(y, z)


class _InMetres(np.ndarray[Any, Any]):
    """An array with a unit."""

    def __array_ufunc__(self, *_: Any, **__: Any) -> Any:
        raise TypeError


def test_errors_name_the_argument_or_the_place() -> None:
    x, y = _grid(3, 4), _grid(3, 4)
    y.flags.writeable = False
    with pytest.raises(CallError, match="'y' is read-only"):
        jit_several(x, y)
    with pytest.raises(CallError, match="x and y overlap in memory"):
        jit_several(x, x)
    both = np.zeros((6, 4), np.float32)
    with pytest.raises(CallError, match="'x' and 'y' overlap"):
        jit_several(both[:5:2], both[:3])
    with pytest.raises(TypeError, match="'y'"):
        jit_several(x)
    wrong = [([1.0], "'x' is a list"), ("x", "'x' is a str"), (None, "NoneType"), (np.zeros(3, "U2"), "type <U2")]
    for value, told in wrong:
        with pytest.raises(InputError, match=rf"functions\.py:\d+:\d+: error: argument .*{told}"):
            jit_several(value, x)
    for made in (np.ma.masked_array(x), x.view(np.matrix), x.view(_InMetres)):
        with pytest.raises(InputError, match=f"'x' is a {type(made).__name__}, whose operators are not those"):
            jit_several(made, x)
    with pytest.raises(CallError, match="'y' has elements that overlap in memory"):
        jit_several(x, np.lib.stride_tricks.as_strided(np.zeros(6, np.float32), (3, 4), (4, 4)))
    with pytest.raises(InputError, match=r"functions\.py:\d+:12: error: arrays that do not fit: 4 beside 3"):
        jit_ends(np.zeros(5), np.zeros(3))


class _Holder:
    @raising.jit
    def bound(self, x: Any) -> Any:
        return 2 * x

    one = staticmethod(total)
    other = raising.jit(staticmethod(total))


def test_a_method_is_refused_by_its_first_argument() -> None:
    with pytest.raises(InputError, match="argument 'self' is a _Holder"):
        _Holder().bound(np.ones(3))
    assert _Holder().one(np.ones(3)) == _Holder().other(np.ones(3)) == _Holder.other(np.ones(3)) == 3


def test_disjoint_arrays_of_one_memory_are_no_overlap() -> None:
    both = _grid(6, 4)
    wanted = several(both[::2], np.zeros((3, 4), np.float32))[0]
    jit_several(both[::2], both[1::2])
    np.testing.assert_array_equal(both[1::2], wanted + 1)


def test_sizes_are_broadcast_as_numpy_does() -> None:
    for size, other in ((5, 4), (9, 8), (5, 1), (2, 1)):
        x, y = np.arange(float(size)), np.arange(float(other)) + 1
        np.testing.assert_array_equal(jit_ends(x, y), ends(x, y))
    assert len(jit_ends._known) == 1


class _Foreign:
    def __init__(self, array: Any) -> None:
        self.array = array
        self.__array_interface__ = array.__array_interface__


class _Lent:
    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        """What the protocol asks for."""
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        """The CPU."""
        return self.array.__dlpack_device__()


def test_numbers_and_what_lends_its_memory() -> None:
    x = np.arange(4.0)
    for value in (x, _Foreign(x), _Lent(x), memoryview(x)[:0].obj):
        assert jit_total(value) == total(x)
        assert type(jit_total(value)) is np.float64


@pytest.mark.parametrize("kind", [np.uint8, np.uint64])
def test_integers_without_sign(kind: Any) -> None:
    x = np.array([0, 1, 200, np.iinfo(kind).max], kind)
    y, z = np.zeros_like(x), np.zeros_like(x)
    for _ in range(2):
        (array, number), (wanted, total_) = jit_bits(x, y), bits(x, z)
        np.testing.assert_array_equal(array, wanted)
        np.testing.assert_array_equal(y, z)
        assert (number, type(number)) == (total_, type(total_))


@pytest.mark.parametrize(
    ("one", "other"), [("int32", "uint32"), ("uint16", "int16"), ("bool", "int8"), ("uint64", "int64")]
)
def test_types_of_the_same_width_are_told_apart(one: str, other: str) -> None:
    found = raising.jit(greater)
    for kind in (one, one, other, other, one, other):
        x, y, z = np.array([-125, 0, 1, 127]).astype(kind), np.zeros(4), np.zeros(4)
        found(x, y)
        greater(x, z)
        np.testing.assert_array_equal(y, z, kind)


def test_a_slice_may_end_outside_of_its_array() -> None:
    x = np.arange(5.0)
    for n in (3, 0, 5, -2, 9, 3):
        np.testing.assert_array_equal(jit_first(x, n), x[:n])


def test_threads_that_call_at_once_compile_once() -> None:
    fresh = raising.jit(**QUICK)(total)
    arrays = [np.arange(float(n)) for n in range(2, 40)] * 4
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(fresh, arrays)) == [total(a) for a in arrays]
    assert sum(map(len, fresh._known.values())) == 1


def test_a_child_that_is_forked_while_another_thread_compiles() -> None:
    """Its lock is not that of a thread which the child has not."""
    fresh = raising.jit(**QUICK)(total)
    held, over = Event(), Event()

    def hold() -> None:
        with fresh._lock:
            held.set()
            over.wait()

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(hold)
        held.wait()
        number = os.fork()
        if number == 0:
            signal.alarm(60)
            os._exit(int(fresh(np.arange(3.0)) != 5))
        over.set()
        done.result()
    assert os.waitpid(number, 0)[1] == 0


def test_pickled_by_name() -> None:
    """As a decorated function of a module is found under its name, the same object comes back."""
    assert pickle.loads(pickle.dumps(decorated)) is decorated
    again = pickle.loads(pickle.dumps(jit_total))
    assert (again.py_func, again.settings) == (total, jit_total.settings)
    with pytest.raises(pickle.PicklingError, match="inside of a function"):
        pickle.dumps(raising.jit(lambda x: x))


def test_what_people_see() -> None:
    jit_total(np.arange(3.0))
    assert repr(jit_total) == "<raising.jit total(x), compiled for 1 kind of arguments>"
    seen = jit_total.inspect()
    (kind,) = seen.kinds
    assert kind.title == "(x: f64[x_0])"
    assert "linalg" in kind.raised
    assert "ret" in kind.assembly
    assert "&lt;" in seen._repr_html_()
    assert "return np.sum(x * x)" in str(seen)


def test_what_cannot_be_made_cheaper_is_compiled_as_it_was_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: Any, **__: Any) -> None:
        raise NoProgram("no finite program")

    monkeypatch.setattr("raising.optimise.optimise_module.optimise_module", failing)
    compiled = raising.jit(check="none", cache=False)(total)
    assert compiled(np.arange(3.0)) == 5
    (kind,) = compiled.inspect().kinds
    assert "compiled as it was raised: no finite program" in kind.saturation
    assert "linalg" in kind.program and kind.program == kind.raised


def test_importing_and_decorating_is_light_and_another_process_finds_the_code() -> None:
    """Neither NumPy nor MLIR is imported before the first call, and no MLIR in a call of what lies on disk."""
    jit_total(np.arange(3.0))
    text = """
import sys
import raising
raising.jit(lambda x: x)
assert "numpy" not in sys.modules and "mlir" not in sys.modules
from tests.decorator.functions import jit_total
import numpy as np
assert jit_total(np.arange(3.0)) == 5.0
assert not [m for m in sys.modules if m.startswith(("mlir", "raising.pipeline"))]
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
