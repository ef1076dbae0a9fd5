"""How often loops run, as C in front of a call: what they say of short loops is right."""

import re
from pathlib import Path

import numpy as np
from mlir import ir

from raising.cc.choice import LEAST
from raising.cc.iterations import iterations
from raising.frontend.c import convert
from raising.frontend.mlir.parse_module import make_context
from raising.support.mlir.walk import symbol_name
from tests.c.gcc import Library, needs_gcc

LOOPS = {
    "n": "for (int i = 0; i < n; i++) x[i] = 1;",
    "n - 1": "for (int i = 1; i < n; i++) x[i] = 1;",
    "n - m": "for (int i = n - 1; i >= m; i--) x[i] = 1;",
    "n * m": "for (int i = 0; i < n * m; i++) x[i] = 1;",
    "n + m + 1": "for (int i = 0; i <= n + m; i++) x[i] = 1;",
    "n / 2": "for (int i = 0; i < n / 2; i++) x[i] = 1;",
    "(n + 2) / 3": "for (int i = 0; i < n; i += 3) x[i] = 1;",
    "80": "for (int i = 0; i < 80; i++) x[i] = n;",
    "u - 2": "for (unsigned i = 2; i < u; i++) x[i] = 1;",
}
NUMBERS = [(n, m, u) for n in (0, 1, 7, 63, 65, 130, 2**31 - 1) for m in (0, 1, 8, 64) for u in (0, 2, 66, 2**32 - 1)]


def _counted(loop: str) -> "tuple[tuple[str, ...], frozenset[str]] | None":
    module = convert(f"void f(int n, int m, unsigned u, double *x) {{ {loop} }}", "f.c")
    (function,) = module.functions
    with make_context(), ir.Location.unknown():
        parsed = ir.Module.parse(module.mlir)
        (op,) = (o.operation for o in parsed.body.operations if symbol_name(o.operation) == "f")
        found = iterations(op, [p.name for p in function.parameters])
        return None if found is None else (found.counts, found.names)


@needs_gcc
def test_counts_are_those_of_the_loops(tmp_path: Path) -> None:
    text = ""
    for k, (count, loop) in enumerate(LOOPS.items()):
        found = _counted(loop)
        assert found is not None
        counts, names = found
        assert len(counts) == 1 and names == {*re.findall("[nmu]", count)}, loop
        text += f"long counted{k}(int n, int m, unsigned u) {{ return {counts[0]}; }}\n"
        text += f"long expected{k}(long n, long m, long u) {{ return {count}; }}\n"
    (tmp_path / "counts.c").write_text(text)
    library = Library(tmp_path / "counts.c", {})
    for k, count in enumerate(LOOPS):
        for n, m, u in NUMBERS:
            long = library.call(f"expected{k}", [np.int64(n), np.int64(m), np.int64(u)], "int64")[-1] >= LEAST
            given = library.call(f"counted{k}", [np.int32(n), np.int32(m), np.uint32(u)], "int64")[-1] >= LEAST
            assert given == long, (count, n, m, u)


def test_what_is_no_expression_over_arguments_is_not_asked() -> None:
    assert _counted("for (int i = 0; i < n && i < m; i++) x[i] = 1;") is None


def test_loops_with_loops_inside_are_worth_a_call() -> None:
    assert _counted("for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) x[i * m + j] = 1;") == ((), frozenset())
