"""Random expressions, read and printed back as C, give what gcc makes of the text itself."""

import ctypes
import random
import re
from pathlib import Path

from raising.frontend.c.read_c import read_c
from raising.polybench.peers.c_compiler import build
from tests.c.gcc import FLAGS, GCC, needs_gcc
from tests.frontend.c.needs import needs_libclang
from tests.frontend.c.random_expressions import random_expressions
from tests.frontend.core.invariants import verify
from tests.frontend.core.to_c import unit_c

SEEDS = range(40)
pytestmark = needs_libclang


def _library(texts: list[str], path: Path) -> ctypes.CDLL:
    """Functions `f0`, `f1` ... of these texts, in one file each."""
    assert GCC is not None
    path.write_text("\n".join(texts))
    return ctypes.CDLL(str(build(path, path.with_suffix(".so"), GCC, (*FLAGS, "-fwrapv"), {})))


def _numbered(text: str, seed: int) -> str:
    return re.sub(r"\b(f|anonymous)\b(?=[ (])", rf"\g<1>{seed}", text)


def _read(text: str) -> str:
    """What was read as C, without its first lines, which are the same for all."""
    unit = read_c(text, "k.c")
    assert verify(unit) == []
    assert unit.routines["f"].refusals == ()
    return unit_c(unit).split("typedef unsigned __int128 u128;")[1]


@needs_gcc
def test_conversions_and_effects_are_those_of_gcc(tmp_path: Path) -> None:
    texts = [random_expressions(seed) for seed in SEEDS]
    head = unit_c(read_c("", "k.c"))
    both = [
        _library([_numbered(text, seed) for seed, text in zip(SEEDS, texts, strict=True)], tmp_path / "c.c"),
        _library(
            [head, *(_numbered(_read(text), seed) for seed, text in zip(SEEDS, texts, strict=True))],
            tmp_path / "core.c",
        ),
    ]
    for seed in SEEDS:
        rng = random.Random(seed)
        for _ in range(6):
            given = (rng.getrandbits(63) - (1 << 62), rng.randint(-300, 300), rng.uniform(-9, 9), rng.uniform(-9, 9))
            assert len({_called(library, f"f{seed}", given) for library in both}) == 1, (texts[seed], given)


def _called(library: ctypes.CDLL, name: str, arguments: tuple[float, ...]) -> int:
    function = getattr(library, name)
    function.restype = ctypes.c_long
    function.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_double, ctypes.c_float]
    result: int = function(*arguments)
    return result
