"""Temporaries of one iteration: an array whose rows are made and used within one iteration of a loop needs one row.

Where a sum over a row and what uses it are fused row by row, nobody looks at the rows of a temporary afterwards. It
becomes an array of as many rows as are done at once, which stays in the nearest cache; each thread has its own. This is
array contraction (Lam, Wolf: "A data locality optimizing algorithm", 1991; Sarkar, Gao 1991).

    before  for i: for j: e[i, j] = exp(x[i, j]); s[i] += e[i, j]
                   for j: out[i, j] = e[i, j] / s[i]
    after   the same with e[i % 8, j]: memref.alloc(%m) : memref<8x?xf64>
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from raising.affine.ir.affine_expr import Affine, Term, dim
from raising.native.loops.loop_tree import Loop, Node, is_innermost, nests_of
from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Access, Array, Nest
from raising.support.record import dataclass

PREFIX = "rows of "
"""What begins the names of arrays with such rows."""
PADDING = 64
"""Elements behind each row, so that its last vector is stored whole: a load waits for a masked store."""


def is_private(array: Array) -> bool:
    """Whether an array has the rows of one iteration: what is read of it was stored just before, row by row."""
    return array.name.startswith(PREFIX) and len(array.extents) > 1


@dataclass(frozen=True)
class Rows:
    """An array of a few rows, in place of one with all of them, in each iteration of the loop at `depth`."""

    array: Array
    depth: int

    @property
    def base(self) -> str:
        """The term for the first of the rows that are done at once."""
        return f"row{self.depth}"

    def allocate(self, code: Lines, names: Mapping[Term, str]) -> str:
        """Its memory: the same for every iteration."""
        sizes = [code.affine(extent, names) for extent in self.array.extents if not extent.is_constant]
        if len(self.array.extents) > 1 and not self.array.extents[-1].is_constant:
            sizes[-1] = code.formula(f"{sizes[-1]} + {PADDING}")
        return code.op(f"memref.alloc({', '.join(sizes)}) {{alignment = 64 : i64}} : {self.array.type}")


def with_private_rows(
    nodes: tuple[Node, ...], roots: Collection[str], most: int
) -> tuple[tuple[Node, ...], tuple[Rows, ...]]:
    """The loops with a few rows in place of a whole temporary, where that is legal; and these rows.

    Nothing but the loops uses the `roots`. At most so many iterations are done at once as `most`.
    """
    found = []
    for root in sorted(roots):
        users = [place for place, node in enumerate(nodes) if any(_touches(nest, root) for nest in nests_of(node))]
        array = _array(nodes, root)
        if len(users) != 1 or array is None:
            continue
        depth = _depth(nodes[users[0]], root, array)
        if depth is None:
            continue
        rows = Rows(_shorter(array, depth, most), depth)
        new = mapped(nodes[users[0]], lambda nest, old=array, own=rows: _on_rows(nest, old, own))  # type: ignore[misc]
        nodes = (*nodes[: users[0]], new, *nodes[users[0] + 1 :])
        found.append(rows)
    return nodes, tuple(found)


def _accesses(node: Node, root: str) -> list[Access]:
    return [a for nest in nests_of(node) for a in (*nest.reads, *nest.writes) if a.array.root == root]


def _touches(nest: Nest, root: str) -> bool:
    return any(access.array.root == root for access in (*nest.reads, *nest.writes))


def _array(nodes: tuple[Node, ...], root: str) -> Array | None:
    """The whole of a buffer, if that is how it is used everywhere: row after row."""
    arrays = {access.array for node in nodes for access in _accesses(node, root)}
    array = arrays.pop() if len(arrays) == 1 else None
    if array is None or array.name != root or array.offset != 0:
        return None
    return array if array.type.endswith(f"x{array.element}>") else None


def _depth(node: Node, root: str, array: Array) -> int | None:
    """The innermost loop whose iterations have rows of their own, which may be one element; None if there is none."""
    accesses, depth, found = _accesses(node, root), 0, None
    while isinstance(node, Loop) and depth < len(array.extents):
        if is_innermost(node) or not all(_is_row(access, depth) for access in accesses):
            break
        found = depth
        users = [child for child in node.body if isinstance(child, Loop) and _accesses(child, root)]
        if len(users) != 1:
            return found
        (node,), depth = users, depth + 1
    several = isinstance(node, Loop) and len(node.body) > 1
    return found if several or depth == len(array.extents) else None


def _is_row(access: Access, axis: int) -> bool:
    """Whether a subscript is the loop of the same number, which occurs in no other one."""
    others = [index for number, index in enumerate(access.map) if number != axis]
    return access.map[axis] == dim(axis) and not any(axis in index.dims for index in others)


def _shorter(array: Array, depth: int, rows: int) -> Array:
    """So many rows of an array."""
    extents = (Affine(rows), *array.extents[depth + 1 :])
    if len(extents) > 1 and extents[-1].is_constant:
        extents = (*extents[:-1], extents[-1] + PADDING)
    shape = [extent.constant if extent.is_constant else None for extent in extents]
    strides: list[int | None] = [1]
    for size in reversed(shape[1:]):
        strides.append(None if size is None or strides[-1] is None else size * strides[-1])
    sizes = "x".join("?" if size is None else str(size) for size in shape)
    name = PREFIX + array.name
    return Array(name, array.element, f"memref<{sizes}x{array.element}>", extents, tuple(reversed(strides)), 0, name)


def _on_rows(nest: Nest, old: Array, own: Rows) -> Nest:
    def moved(access: Access) -> Access:
        if access.array != old:
            return access
        return Access(own.array, (dim(own.depth) - dim(own.base), *access.map[own.depth + 1 :]))

    return replace(nest, reads=tuple(map(moved, nest.reads)), writes=tuple(map(moved, nest.writes)))


def mapped(node: Node, change: Callable[[Nest], Nest]) -> Node:
    """A node with each of its nests, in order, changed."""
    if isinstance(node, Nest):
        return change(node)
    return Loop(node.extent, tuple(mapped(child, change) for child in node.body))
