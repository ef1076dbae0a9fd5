"""Loops that are left early, and jumps forward: `inputs/people/exits.c`, each function beside gcc's, or refused."""

import ctypes
import re
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from raising.frontend.c import COptions, SourceModule, convert
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from tests.c.gcc import FLAGS, GCC, needs_gcc

SOURCE = Path(__file__).parents[2] / "inputs" / "people" / "exits.c"
FUNCTIONS = re.findall(r"^int (\w+)\(int n, int m, double \*a", SOURCE.read_text(), re.M)
REFUSED = re.findall(r"^// refused: (\w+)", SOURCE.read_text(), re.M)


@cache
def _module() -> SourceModule:
    return convert(SOURCE.read_text(), SOURCE.name)


def test_each_is_read_or_refused() -> None:
    told = {m[1] for r in _module().refused if (m := re.match(r"function '(\w+)' stays in C: ", r.reason))}
    assert told == {*REFUSED}
    assert {f.name for f in _module().functions} & {*FUNCTIONS} == {*FUNCTIONS} - {*REFUSED}


def test_a_jump_back_or_into_a_loop_is_told_with_its_place() -> None:
    told = {r.reason: r.place.line for r in _module().refused if re.search("goto|label", r.reason)}
    lines = SOURCE.read_text().splitlines()
    assert len(told) == 2 and all(re.search("goto|more:|inside:", lines[line - 1]) for line in told.values())


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> tuple[ctypes.CDLL, ctypes.CDLL]:
    folder = tmp_path_factory.mktemp("exits")
    (folder / "ours.o").write_bytes(build(_module().mlir.encode(), "k.mlir", CompileOptions(fp="strict")).code.object)
    for name, source in (("ours", folder / "ours.o"), ("theirs", SOURCE)):
        command = [str(GCC), *FLAGS, "-w", "-shared", "-fPIC", "-o", f"{folder}/{name}.so", str(source), "-lm"]
        subprocess.run(command, check=True, capture_output=True)
    return ctypes.CDLL(f"{folder}/ours.so"), ctypes.CDLL(f"{folder}/theirs.so")


def _inputs(n: int, m: int, negative: int, seed: int) -> list[np.ndarray]:
    """Two arrays; so many elements of each are negative, or NaN."""
    random = np.random.default_rng(seed)
    found = [random.random(max(n, 1) * max(m, 1) + 2) for _ in range(2)]
    for array in found:
        array[random.integers(0, len(array), negative)] *= -1
    if seed % 5 == 4:
        found[0][random.integers(0, len(found[0]))] = np.nan
    return found


@needs_gcc
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in REFUSED])
def test_it_is_left_where_gcc_leaves_it(name: str, libraries: tuple[ctypes.CDLL, ctypes.CDLL]) -> None:
    for seed, (n, m, negative) in enumerate(
        (n, m, k) for n in (-1, 0, 1, 2, 5, 9) for m in (0, 1, 2, 4) for k in range(3)
    ):
        results = []
        for library in libraries:
            a, b = _inputs(n, m, negative, seed)
            back = library[name](n, m, *(ctypes.c_void_p(x.ctypes.data) for x in (a, b)))
            results.append((back, a.tobytes(), b.tobytes()))
        assert results[0] == results[1], (n, m, negative, seed)


def test_a_guard_does_not_assume_what_lies_behind_an_exit() -> None:
    module = convert(SOURCE.read_text(), SOURCE.name, COptions(guard=True, function="checked"))
    assert [f.name for f in module.functions] == ["checked_loop1"] and "return" in module.refused[0].reason
    assert [
        f.name for f in convert(SOURCE.read_text(), SOURCE.name, COptions(guard=True, function="cleaned")).functions
    ]
