"""Several iterations of a time loop over vectors, in registers: the same as one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from tests.native.running import called

SAME = "affine_map<(i) -> (i)>"


def _nest(tag: str, sources: list[tuple[str, int]], target: tuple[str, int], count: int, size: int) -> str:
    """target[i + k] = 0.3 * (the first source - half of each other one), for `count` elements of arrays of `size`."""
    kinds, names, lines = [], [], []
    for number, (array, start) in enumerate([*sources, target]):
        kind = f"memref<{count}xf32, strided<[1]{f', offset: {start}' if start else ''}>>"
        names.append(f"%{tag}{number}")
        kinds.append(kind)
        lines.append(f"{names[-1]} = memref.subview %{array}[{start}] [{count}] [1] : memref<{size}xf32> to {kind}")
    arguments = ", ".join(f"%x{k}: f32" for k in range(len(sources)))
    body = ["%h = arith.constant 0.5 : f32", "%c = arith.constant 0.3 : f32"]
    for k in range(1, len(sources)):
        body += [
            f"%m{k} = arith.mulf %x{k}, %h : f32",
            f"%d{k} = arith.subf %{f'd{k - 1}' if k > 1 else 'x0'}, %m{k} : f32",
        ]
    body += [
        f"%r = arith.mulf %{f'd{len(sources) - 1}' if len(sources) > 1 else 'x0'}, %c : f32",
        "linalg.yield %r : f32 }",
    ]
    return "\n".join([
        *lines,
        f'linalg.generic {{indexing_maps = [{", ".join([SAME] * len(kinds))}], iterator_types = ["parallel"]}}',
        f"ins({', '.join(names[:-1])} : {', '.join(kinds[:-1])}) outs({names[-1]} : {kinds[-1]}) {{",
        f"^bb0({arguments}, %out: f32):",
        *body,
    ])  # fmt: skip


def _program(size: int, *nests: str) -> str:
    arrays = ", ".join(f"%{name}: memref<{size}xf32>" for name in "ABC")
    return f"""func.func @f({arrays}, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {{
    {"".join(each + chr(10) for each in nests)}
  }}
  return
}}"""


def _relaxed(size: int) -> str:
    """B from three neighbours in A, then A from three in B."""
    count = size - 2
    first = _nest("p", [("A", 0), ("A", 1), ("A", 2)], ("B", 1), count, size)
    return _program(size, first, _nest("q", [("B", 1), ("B", 0), ("B", 2)], ("A", 1), count, size))


def _uneven(size: int) -> str:
    """B from what lies ahead in A and from C, that stays; then A from what lies behind in B and from itself."""
    first = _nest("p", [("A", 5), ("C", 3), ("A", 1)], ("B", 2), size - 6, size)
    return _program(size, first, _nest("q", [("A", 4), ("B", 1), ("B", 2)], ("A", 4), size - 7, size))


def _single(size: int) -> str:
    """A from itself, in place."""
    return _program(size, _nest("p", [("A", 1), ("C", 0)], ("A", 1), size - 3, size))


def _sweeps(text: str) -> bool:
    """Whether a loop carries vectors."""
    code = build(text.encode(), "-", CompileOptions(cpu="x86-64-v4", cache=False)).mlir
    return any("iter_args" in line and "vector<" in line for line in code.splitlines())


def _arguments(size: int, count: int) -> list[Any]:
    return [*np.random.default_rng(5).random((3, size), np.float32), count]


@pytest.mark.parametrize(("size", "count"), [(331, 9), (256, 4), (300, 1), (411, 0)])
@pytest.mark.parametrize("program", [_relaxed, _uneven, _single])
def test_sweeps_give_what_single_iterations_give(program: Any, size: int, count: int) -> None:
    text = program(size)
    assert _sweeps(text)
    ours = called(text, _arguments(size, count), fp="strict", cache=False)
    loops = called(text, _arguments(size, count), plain=True, fp="strict", cache=False)
    for one, other in zip(ours[:3], loops[:3], strict=True):
        np.testing.assert_array_equal(one, other)


def test_what_is_read_far_away_stays_in_memory() -> None:
    far = _program(
        331, _nest("p", [("A", 0), ("A", 120)], ("B", 1), 200, 331), _nest("q", [("B", 1)], ("A", 1), 200, 331)
    )
    assert not _sweeps(far)
    assert not _sweeps(_relaxed(40))
    ours = called(far, _arguments(331, 7), fp="strict", cache=False)
    loops = called(far, _arguments(331, 7), plain=True, fp="strict", cache=False)
    np.testing.assert_array_equal(ours[0], loops[0])
