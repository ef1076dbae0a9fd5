"""The compiled loops equal the NumPy reference, and are kept on disk for the next process."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from raising.grammar.field import field
from raising.grammar.field.loaded_kernels import load
from raising.grammar.field.reference import REFERENCE, Arithmetic, P, Residues

RNG = np.random.default_rng(3)


def _draw(*shape: int) -> Residues:
    values = RNG.integers(0, P, shape, dtype=np.uint64)
    flat = values.reshape(-1)
    flat[:1], flat[1:2], flat[2:3] = P - 1, 0, 1
    return values


PAIRS = {
    "vectors": (_draw(9), _draw(9)),
    "a row for each": (_draw(4, 5), _draw(5)),
    "both broadcast": (_draw(3, 1, 4), _draw(2, 4)),
    "a number for each": (_draw(7), _draw(1)),
    "rank zero": (_draw(), _draw()),
    "nothing": (_draw(0, 3), _draw(3)),
    "strides": (_draw(6, 20)[:, ::-3], _draw(7, 6).T[:, :7]),
    "halves that overflow": (np.full((2, 5000), P - 1, np.uint64), np.full(5000, P - 1, np.uint64)),
}


@pytest.fixture(scope="module")
def compiled() -> Arithmetic:
    found = load()
    assert found is not None
    return found


@pytest.mark.parametrize("name", PAIRS)
def test_compiled_loops_equal_the_reference(compiled: Arithmetic, name: str) -> None:
    a, b = PAIRS[name]
    sums = a.shape[-1:] == b.shape[-1:] != ()
    for op in ("add", "sub", "mul", *(("dot",) if sums else ())):
        ours, theirs = getattr(compiled, op)(a, b), getattr(REFERENCE, op)(a, b)
        assert ours.dtype == np.uint64 and np.array_equal(ours, theirs), op
    assert np.array_equal(compiled.inverse(a), REFERENCE.inverse(a))
    for axes in ((), *((k,) for k in range(a.ndim)), tuple(range(a.ndim))):
        assert np.array_equal(compiled.total(a, axes), REFERENCE.total(a, axes))


def test_the_dot_of_a_sum_is_the_sum_of_the_dots(compiled: Arithmetic) -> None:
    a, b, w = _draw(30, 11), _draw(30, 11), _draw(11)
    whole = compiled.dot(compiled.add(a, b), w)
    assert np.array_equal(whole, compiled.add(compiled.dot(a, w), compiled.dot(b, w)))


@pytest.mark.parametrize("count", [0, 1, 7, 1000])
def test_lookups_find_the_first_of_equal_keys(compiled: Arithmetic, count: int) -> None:
    keys = np.concatenate([_draw(count), _draw(count)[: count // 2]])[::-1]
    keys[count // 3 : count // 2] = keys[:1]
    asked = np.concatenate([keys[::-1], _draw(50)])
    first = {key: position for position, key in reversed(list(enumerate(keys.tolist())))}
    wanted = [first.get(key, -1) for key in asked.tolist()]
    for arithmetic in (compiled, REFERENCE):
        assert arithmetic.lookup(keys)(asked).tolist() == wanted


SCRIPT = """
import sys
from raising.grammar.field import field
done = field.accelerate()
print(done, "raising.grammar.field.kernel_text" in sys.modules)
"""


def _started(folder: Path) -> str:
    environment = os.environ | {"RAISE_CACHE": str(folder)}
    run = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True)
    return run.stdout.strip()


def test_a_second_process_compiles_nothing(tmp_path: Path) -> None:
    assert _started(tmp_path) == "True True"
    assert _started(tmp_path) == "True False"
    (kept,) = (tmp_path / "kernels").iterdir()
    kept.write_text(kept.read_text()[:-9])
    assert _started(tmp_path) == "True True"  # what was cut short is compiled again


def test_where_nothing_can_be_kept_the_reference_is_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert _started(tmp_path / "file").startswith("False")


def test_the_field_is_the_same_before_and_after() -> None:
    a, b = PAIRS["strides"]
    assert field.accelerate()
    assert np.array_equal(field.mul(a, b), REFERENCE.mul(a, b))
    assert np.array_equal(field.neg(a), REFERENCE.sub(np.zeros_like(a), a))
