"""A contraction as a value: C[m, n] = epilogue(init[m, n] + sum over k of A[m, k] * B[k, n])."""

from __future__ import annotations

from raising.affine.ir.affine_expr import Affine
from raising.native.nest.fragment import Fragment
from raising.native.nest.nest import Access
from raising.support.record import dataclass


@dataclass(frozen=True)
class HalfPlane:
    """The points with row * r + column * c + constant >= 0; both factors are 1 or -1."""

    row: int
    column: int
    constant: int


@dataclass(frozen=True)
class Product:
    """A * B, summed over k. Either may be elementwise code over arrays: it is computed once, while packing."""

    a: Fragment
    b: Fragment


@dataclass(frozen=True)
class Gemm:
    """A contraction with all that is fused to it; see Goto and van de Geijn (2008) for how it is blocked.

    `extents` has the extent of each dimension, `batch`, `m`, `n` and `k` are groups of
    them; the address of `write` grows by 1 along the last of `n`, and `n` has one dimension.
    Several products are summed into the same C. `a_band` (over m, k) and `b_band` (over k, n)
    hold wherever an operand is not 0. Only elements of `region` (over m, n) are written.
    With `mirrored`, the sum is symmetric in m and n: it is computed for `region` only, which is
    the part below the diagonal, and written, after the epilogue, at both places.
    `where` says which elements are written at all; nothing else may read what `write` held before,
    except `init` at the same place. With `descending`, blocks of k are done from the last to the first; with
    `whole`, k and n are one block each.
    """

    extents: tuple[Affine, ...]
    m: tuple[int, ...]
    n: tuple[int, ...]
    k: tuple[int, ...]
    products: tuple[Product, ...]
    element: str
    write: Access
    batch: tuple[int, ...] = ()
    init: Fragment | None = None
    epilogue: Fragment | None = None
    where: Fragment | None = None
    region: tuple[HalfPlane, ...] = ()
    a_band: tuple[HalfPlane, ...] = ()
    b_band: tuple[HalfPlane, ...] = ()
    mirrored: bool = False
    descending: bool = False
    whole: bool = False

    @property
    def fragments(self) -> tuple[Fragment, ...]:
        """All the code that is in it."""
        operands = [side for product in self.products for side in (product.a, product.b)]
        return (*operands, *(part for part in (self.init, self.epilogue, self.where) if part is not None))

    @property
    def accesses(self) -> tuple[Access, ...]:
        """All elements that it reads or writes, per point."""
        return (self.write, *(access for fragment in self.fragments for access in fragment.reads))

    @property
    def integer(self) -> bool:
        """Whether the elements are integers."""
        return self.element.startswith("i")

    def extent(self, group: tuple[int, ...]) -> int | None:
        """How many points a group of dimensions has; None if that is not known when compiling."""
        total = 1
        for dim in group:
            if not self.extents[dim].is_constant:
                return None
            total *= self.extents[dim].constant
        return total
