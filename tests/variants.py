"""Other ways to write the same kernel: what a raiser must not be misled by."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import permutations

import numpy as np

from tests.kernels import arguments
from tests.kernels import rewrite as rw
from tests.kernels.emit import emit
from tests.kernels.execute import Value
from tests.kernels.printing import Style
from tests.kernels.reorder import descending, fused, interchanged, legality, split
from tests.kernels.rewrite import Rewrite, Tree
from tests.kernels.sources import SOURCES, Source

_PLAIN: dict[str, Rewrite] = {
    "commuted": rw.commuted,
    "reassociated": rw.reassociated,
    "hoisted": rw.hoisted,
    "one-trip outside": rw.one_trip_outside,
    "one-trip inside": rw.one_trip_inside,
    "zero-trip": rw.zero_trip,
    "shifted": rw.shifted,
    "guarded": rw.guarded,
    "parallel": rw.parallel,
}
_OTHER = Source("def scale(alpha, X: (LEN,)):\n for i in range(LEN):\n  X[i] *= alpha", {"LEN": 50})
_MODULE = """module attributes {{
  dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<index, 64 : i32>>,
  llvm.data_layout = "e-m:e-i64:64-f80:128-n8:16:32:64-S128",
  llvm.target_triple = "x86_64-unknown-linux-gnu"
}} {{
{}}}
"""


@dataclass(frozen=True)
class Variant:
    """One way to write a kernel, and what is needed to call it."""

    label: str
    kernel: str
    tree: Tree
    sizes: Mapping[str, int]
    style: Style = field(default_factory=Style)
    in_module: bool = False

    @property
    def text(self) -> str:
        """The MLIR."""
        text = emit(self.tree, self.sizes, self.style)
        if not self.in_module:
            return text
        return _MODULE.format(emit(_OTHER.tree(), _OTHER.large) + "\n" + text)

    def inputs(self, seed: int = 0) -> list[Value]:
        """Arguments in order; extents last, where the variant takes them as arguments."""
        extents = [np.int64(size) for size in self.sizes.values()]
        values = arguments(self.kernel, self.sizes, self.style.dtype, seed)
        return [*values, *extents] if self.style.extents == "argument" else values


def variants(name: str, sizes: Mapping[str, int] | None = None, square: int = 1000) -> Iterator[tuple[str, str]]:
    """Label and text of every variant of a kernel, at LARGE sizes unless told otherwise."""
    return ((variant.label, variant.text) for variant in variants_of(name, sizes, square))


def variants_of(name: str, sizes: Mapping[str, int] | None = None, square: int = 1000) -> Iterator[Variant]:
    """Every variant of a kernel; the one named `square` has all extents equal."""
    extents = dict(sizes or SOURCES[name].large)
    base = Variant("original", name, SOURCES[name].tree(), extents)
    for label, tree in rewritten(name):
        yield replace(base, label=label, tree=tree)
    yield from _restyled(base)
    yield replace(base, label="square", sizes=dict.fromkeys(extents, square))
    yield replace(base, label="module", in_module=True)


def _restyled(base: Variant) -> Iterator[Variant]:
    sums = _most_accumulators(base.kernel)
    yield replace(base, label="iter_args", tree=sums)
    yield replace(base, label="rank-0 alloca", tree=sums, style=Style(locals="alloca"))
    yield replace(base, label="scf", style=Style(loops="scf"))
    yield replace(base, label="scf iter_args", tree=sums, style=Style(loops="scf"))
    yield replace(base, label="f32", style=Style(dtype="f32"))
    yield replace(base, label="dynamic, memref.dim", style=Style(extents="dim"))
    yield replace(base, label="dynamic, index arguments", style=Style(extents="argument"))
    yield replace(base, label="dynamic scf", style=Style(loops="scf", extents="argument"))


@cache
def rewritten(name: str) -> tuple[tuple[str, Tree], ...]:
    """The variants that differ in their loops or expressions; no two print alike."""
    seen = {ast.unparse(SOURCES[name].tree())}
    kept = []
    for label, tree in [*_reordered(name), *_rewrites(name)]:
        text = ast.unparse(ast.fix_missing_locations(tree))
        if text not in seen:
            seen.add(text)
            kept.append((label, tree))
    return tuple(kept)


def _rewrites(name: str) -> Iterator[tuple[str, Tree]]:
    tree = SOURCES[name].tree()
    return ((label, rewrite(tree)) for label, rewrite in _PLAIN.items())


@cache
def _reordered(name: str) -> tuple[tuple[str, Tree], ...]:
    tree, legal = SOURCES[name].tree(), legality(name)
    parts = split(tree, legal)
    result = [("split", parts), ("fused", fused(tree, legal)), ("descending", descending(tree, legal))]
    for depth in (2, 3):
        for order in list(permutations(range(depth)))[1:]:
            digits = "".join(map(str, order))
            result.append((f"order {digits}", swapped := interchanged(tree, order, legal)))
            result.append((f"split, order {digits}", interchanged(parts, order, legal)))
            result.append((f"order {digits}, fused", fused(swapped, legal)))
    return tuple(result)


def _most_accumulators(name: str) -> Tree:
    """Sums in local variables, in the order of loops that allows most of them."""
    trees = [SOURCES[name].tree(), *(tree for _, tree in _reordered(name))]
    return max(map(rw.accumulated, trees), key=_locals)


def _locals(tree: Tree) -> int:
    targets = [s.targets[0] for s in ast.walk(tree) if isinstance(s, ast.Assign)]
    return len({target.id for target in targets if isinstance(target, ast.Name)})
