"""Fused loops on vectors compute what the operations compute one by one."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from raising.compile_module import compile_module
from tests.native.loops.random_nests import arrays, function
from tests.native.running import isolated, plainly_compiled

N, M = 19, 37
DTYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64}


def _inputs(element: str, seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    extents = {"i": N, "j": M}
    shapes = [
        tuple(extents[d] for d in shape) for shape, group in arrays(N, M, element, False).names.items() for _ in group
    ]
    if element.startswith("i"):
        return [rng.integers(-9, 9, shape).astype(DTYPES[element]) for shape in shapes]
    return [rng.uniform(-1, 1, shape).astype(DTYPES[element]) for shape in shapes]


def _both(seeds: range, element: str, open_sizes: bool, settings: dict[str, Any]) -> list[tuple[int, float, bool]]:
    """For each function: its seed, the largest difference between scheduled and plain loops, whether bits agree."""
    text = "".join(function(seed, N, M, element, open_sizes) for seed in seeds)
    fast = compile_module(text, **settings)
    slow = plainly_compiled(text, fp="strict")
    found = []
    for seed in seeds:
        one, two = _inputs(element, seed), _inputs(element, seed)
        fast[f"f{seed}"](*one)
        slow[f"f{seed}"](*two)
        gaps = [float(np.max(np.abs(a - b) / (1 + np.abs(b)), initial=0)) for a, b in zip(one, two, strict=True)]
        same = all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
        found.append((seed, max(gaps), same))
    return found


@pytest.mark.parametrize(
    ("element", "open_sizes", "settings", "seeds"),
    [
        ("f64", False, {"fp": "strict"}, range(0, 4)),
        ("f32", True, {"fp": "strict", "cpu": "x86-64-v3"}, range(4, 8)),
        ("f32", False, {"fp": "reassoc"}, range(8, 12)),
        ("f64", True, {"fp": "reassoc", "cpu": "x86-64-v3"}, range(12, 16)),
        ("i32", False, {"fp": "reassoc"}, range(16, 20)),
        ("i64", True, {"fp": "strict"}, range(20, 24)),
        ("f64", False, {"fp": "strict", "threads": 2}, range(24, 28)),
    ],
)
def test_random_operations_keep_their_meaning(
    element: str, open_sizes: bool, settings: dict[str, Any], seeds: range
) -> None:
    exact = settings["fp"] == "strict" or element.startswith("i")
    bound = 0.0 if exact else {"f32": 1e-3, "f64": 1e-11}[element]
    found = isolated(partial(_both, seeds, element, open_sizes, settings))
    assert [seed for seed, gap, same in found if not (same if exact else gap <= bound)] == []
