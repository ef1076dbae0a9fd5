"""C in the ways that people write it: `inputs/people/everyday.c`, each function beside gcc's at many sizes, or refused.

All functions are compiled at once, which takes the time of this file; a call takes none.
"""

import ctypes
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from raising.frontend.c import SourceModule, convert
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from tests.c.gcc import FLAGS, GCC, needs_gcc

SOURCE = Path(__file__).parents[1] / "inputs" / "people" / "everyday.c"
CALLED = re.findall(r"^// (\w+)\(([^)]*)\) ?(?:-> (\w))?", SOURCE.read_text(), re.M)
REFUSED = re.findall(r"^// refused: (\w+): (.+)$", SOURCE.read_text(), re.M)
SIZES = (0, 1, 2, 3, 7, 16)
ELEMENTS = {"d": "f8", "f": "f4", "i": "i4", "u": "u4", "l": "i8", "b": "u1", "w": "i2"}
RESULTS = {"d": ctypes.c_double, "f": ctypes.c_float, "i": ctypes.c_int, "u": ctypes.c_uint, "l": ctypes.c_long}


@cache
def _module() -> SourceModule:
    return convert(SOURCE.read_text(), SOURCE.name)


def test_each_is_read_or_refused_for_its_reason() -> None:
    module = _module()
    told = {m[1]: m[2] for r in module.refused if (m := re.match(r"function '(\w+)' stays in C: (.*)", r.reason))}
    assert told == dict(REFUSED)
    assert {name for name, _, _ in CALLED} <= {f.name for f in module.functions}
    lines = SOURCE.read_text().splitlines()
    places = {r.place.line for r in module.refused}
    assert {line for line in places if not re.match("// refused: ", lines[line - 2])} == set()


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> tuple[ctypes.CDLL, ctypes.CDLL]:
    folder = tmp_path_factory.mktemp("everyday")
    (folder / "ours.o").write_bytes(build(_module().mlir.encode(), "k.mlir", CompileOptions(fp="strict")).code.object)
    for name, source in (("ours", folder / "ours.o"), ("theirs", SOURCE)):
        command = [str(GCC), *FLAGS, "-w", "-shared", "-fPIC", "-o", f"{folder}/{name}.so", str(source), "-lm"]
        subprocess.run(command, check=True, capture_output=True)
    return ctypes.CDLL(f"{folder}/ours.so"), ctypes.CDLL(f"{folder}/theirs.so")


def _numbers(text: str, random: np.random.Generator) -> np.ndarray:
    kind, length = np.dtype(ELEMENTS[text[0]]), int(text[2:-1])
    if kind.kind == "f":
        return random.random(length).astype(kind)
    low, high = np.iinfo(kind).min, np.iinfo(kind).max
    found = random.integers(low, high, length, kind, endpoint=True)
    return found >> 8 if text[0] == "i" else found  # sums of integers with a sign do not overflow


def _arguments(parameters: str, seed: int, n: int) -> Iterator[object]:
    random = np.random.default_rng(seed)
    least = max(n, 1)
    scalars = {"n": ctypes.c_int(n), "m": ctypes.c_int(least), "k": ctypes.c_int(seed), "t": ctypes.c_bool(n & 1)}
    scalars |= {"zn": ctypes.c_size_t(n), "zm": ctypes.c_size_t(least), "un": ctypes.c_uint(n), "ln": ctypes.c_long(n)}
    for text in parameters.replace(" ", "").split(","):
        if "[" in text:
            yield _numbers(text, random)
        else:
            yield scalars[text] if text in scalars else ctypes.c_int(int(text))


def _called(library: ctypes.CDLL, name: str, arguments: list[object], result: str) -> tuple[str, list[bytes]]:
    function = getattr(library, name)
    function.restype = RESULTS[result] if result else None
    own = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    value = function(*[ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else a for a in own])
    return repr(value), [a.tobytes() for a in own if isinstance(a, np.ndarray)]


@needs_gcc
def test_each_does_what_gcc_has_it_do(libraries: tuple[ctypes.CDLL, ctypes.CDLL]) -> None:
    wrong = []
    for name, parameters, result in CALLED:
        for seed, n in enumerate(SIZES):
            arguments = [*_arguments(parameters, seed, n)]
            ours, theirs = (_called(library, name, arguments, result) for library in libraries)
            wrong += [f"{name} at {n}: {ours[0]}, not {theirs[0]}"] if ours != theirs else []
    assert wrong == [] and len(CALLED) >= 80
