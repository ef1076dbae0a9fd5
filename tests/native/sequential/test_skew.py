"""Iterations of a time loop follow one another at a distance, or stay apart where they must."""

from functools import partial

import numpy as np
from mlir import ir

from raising.compile_module import compile_module
from raising.native.loops.emit_loops import Machine
from raising.native.schedule import schedule_loops
from tests.native.running import isolated

N, M = 43, 50
WHOLE = f"memref<{N}x{M}xf64>"


def view(name: str, array: str, row: int, column: int, rows: int = N - 2) -> tuple[str, str]:
    """A part of an array and its type."""
    offset = row * M + column
    layout = f"strided<[{M}, 1]{f', offset: {offset}' if offset else ''}>"
    kind = f"memref<{rows}x{M - 2}xf64, {layout}>"
    return f"%{name} = memref.subview %{array}[{row}, {column}] [{rows}, {M - 2}] [1, 1] : {WHOLE} to {kind}", kind


def sweep(tag: str, source: str, target: str, shifts: list[tuple[int, int]]) -> str:
    """target[i + 1, j + 1] = half the sum of source[i + a, j + b]."""
    views = [view(f"{tag}{k}", source, *shift) for k, shift in enumerate(shifts)]
    views.append(view(f"{tag}o", target, 1, 1))
    names = [f"%{tag}{k}" for k in range(len(shifts))]
    same = "affine_map<(i, j) -> (i, j)>"
    inputs = ", ".join([same] * len(shifts))
    sums = [f"%s{k} = arith.addf %{'x0' if k == 1 else f's{k - 1}'}, %x{k} : f64" for k in range(1, len(shifts))]
    return "\n".join([
        *(text for text, _ in views),
        f"linalg.generic {{indexing_maps = [{inputs}, {same}], iterator_types = [\"parallel\", \"parallel\"]}}",
        f"ins({', '.join(names)} : {', '.join(kind for _, kind in views[:-1])}) outs(%{tag}o : {views[-1][1]}) {{",
        f"^bb0({', '.join(f'%x{k}: f64' for k in range(len(shifts)))}, %out: f64):",
        *sums,
        f"%r = arith.mulf %s{len(shifts) - 1}, %half : f64",
        "linalg.yield %r : f64 }",
    ])  # fmt: skip


def program(body: str) -> str:
    return f"""func.func @f(%A: {WHOLE}, %B: {WHOLE}, %n: index) {{
  %half = arith.constant 0.5 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {{
  {body}
  }}
  return
}}"""


CROSS = [(1, 1), (0, 1), (2, 1), (1, 0), (1, 2)]
STENCIL = program(sweep("p", "A", "B", CROSS) + "\n" + sweep("q", "B", "A", CROSS))


def _step(source: np.ndarray, target: np.ndarray) -> None:  # type: ignore[type-arg]
    parts = [source[a : a + N - 2, b : b + M - 2] for a, b in CROSS]
    target[1:-1, 1:-1] = sum(parts) * 0.5


def _called(count: int) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[type-arg]
    a, b = np.random.default_rng(0).random((2, N, M))
    compile_module(STENCIL, fp="strict")(a, b, count)
    return a, b


def test_blocks_of_iterations_give_what_single_ones_do() -> None:
    for count in (0, 1, 5, 70):
        a, b = np.random.default_rng(0).random((2, N, M))
        for _ in range(count):
            _step(a, b)
            _step(b, a)
        found = isolated(partial(_called, count))
        np.testing.assert_allclose(found[0], a, rtol=1e-12)
        np.testing.assert_allclose(found[1], b, rtol=1e-12)


MACHINE = Machine(256, 512 << 10)


def _calls_in_loops(text: str, machine: Machine = MACHINE) -> list[bool]:
    """For each kernel that is called, whether a loop of the program is around it."""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        schedule_loops(module, machine, strict=False)
        found: list[bool] = []

        def visit(op: ir.Operation) -> ir.WalkResult:
            if op.name == "func.call":
                found.append(op.parent.name == "scf.for")
            return ir.WalkResult.ADVANCE

        module.operation.walk(visit)
        return found


def test_a_time_loop_is_one_kernel_unless_rows_need_later_ones() -> None:
    assert _calls_in_loops(STENCIL) == [False]
    first, second = sweep("p", "A", "B", CROSS), sweep("q", "B", "A", CROSS)
    upside_down = second.replace("affine_map<(i, j) -> (i, j)>, ", f"affine_map<(i, j) -> ({N - 3} - i, j)>, ", 1)
    assert _calls_in_loops(program(first + "\n" + upside_down)) == [True]


def test_rows_too_wide_for_the_second_cache_stay_in_the_last_one() -> None:
    assert _calls_in_loops(STENCIL, Machine(256, 1 << 8, last_cache=4 << 20)) == [False]
    assert all(_calls_in_loops(STENCIL, Machine(256, 1 << 8)))
