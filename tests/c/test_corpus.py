"""Functions in the manner of real code: all are read or refused, and some of them compared with gcc.

`python -m tests.bench.c.c_corpus` compares all of them, and raises them.
"""

import re
from functools import cache
from pathlib import Path

import pytest

from raising.frontend.c import SourceModule
from tests.c.beside import Beside
from tests.c.corpus import FILES, Case, Refusal, cases, refusals
from tests.c.gcc import Library, needs_gcc
from tests.c.reading import read

CASES = [case for path in FILES for case in cases(path)]
REFUSALS = [refusal for path in FILES for refusal in refusals(path)]
COMPARED = CASES[::8]
"""Two of a file, at least one."""


@cache
def _module(path: Path) -> SourceModule:
    return read(path, {})


@cache
def _library(path: Path) -> Library:
    return Library(path, {"REAL": "float"})


def test_the_corpus_is_large_enough() -> None:
    assert len({(case.path, case.function) for case in CASES}) == len(CASES) >= 60
    assert {case.path for case in COMPARED} <= set(FILES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.path.stem}-{case.function}")
def test_it_is_read(case: Case) -> None:
    module = _module(case.path)
    assert [str(r) for r in module.refused if r.place.line in range(case.line, case.line + 5)] == []
    assert case.function in {f.name for f in module.functions}


@needs_gcc
@pytest.mark.parametrize("case", COMPARED, ids=lambda case: f"{case.path.stem}-{case.function}")
def test_mlir_equals_gcc(case: Case) -> None:
    module = read(case.path, case.defines("f32"), case.function)
    both = Beside(_library(case.path), module.mlir, case.function)
    assert both.difference(case.arguments("f32", seed=1), case.result("f32")) == ""


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.function)
def test_it_is_refused_where_it_should(refusal: Refusal) -> None:
    module = _module(refusal.path)
    assert refusal.function not in {f.name for f in module.functions}
    told = [r for r in module.refused if r.place.line == refusal.line]
    assert told, [str(r) for r in module.refused]
    assert re.search(refusal.reason, told[0].reason)
    assert told[0].place.col > 0 and Path(told[0].place.file).name == refusal.path.name
