"""What a factor of a contraction is as a matrix: plain, triangular, or symmetric and read from one triangle."""

from __future__ import annotations

from affine.record import dataclass
from native.affine_index import dim
from native.algebra import moved_access
from native.fragment import Fragment
from native.nest import Access
from native.terms import Scale, side, terms


@dataclass(frozen=True)
class Matrix:
    """An array, or a part of one: the dimension of the contraction down its rows, and the one along them."""

    access: Access
    row: int
    column: int


@dataclass(frozen=True)
class Factor:
    """A scale times a matrix over two dimensions.

    Its element where row > column, where they are the same, and where row < column; None is 0.
    """

    scale: Scale
    below: Access | None
    diagonal: Access | None
    above: Access | None
    row: int
    column: int

    def on_diagonal(self, access: Access, kept: int) -> Access:
        """An element where both dimensions are `kept`."""
        return moved_access(access, {self.row: dim(kept), self.column: dim(kept)})

    def _goes_on(self, access: Access) -> bool:
        """Whether the diagonal is the one of the matrix that another part is from."""
        return self.diagonal is not None and self.on_diagonal(access, self.row) == self.on_diagonal(
            self.diagonal, self.row
        )

    @property
    def plain(self) -> Access | None:
        """The element, if it is that of one matrix everywhere."""
        same = self.below is not None and self.below == self.above and self._goes_on(self.below)
        return self.below if same else None

    @property
    def matrix(self) -> Matrix | None:
        """The matrix that it is everywhere."""
        return None if self.plain is None else matrix(self.plain, self.row, self.column)

    @property
    def symmetric(self) -> Matrix | None:
        """The matrix that is read where row > column, if the other side is its mirror image."""
        if self.below is None or self.above is None:
            return None
        image = moved_access(self.below, {self.row: dim(self.column), self.column: dim(self.row)})
        if image != self.above or (self.diagonal is not None and not self._goes_on(self.below)):
            return None
        return matrix(self.below, self.row, self.column)

    @property
    def triangle(self) -> Matrix | None:
        """The matrix that is read on one side of the diagonal, if the other one is 0."""
        one = self.below or self.above
        if one is None or (self.below and self.above) or (self.diagonal is not None and not self._goes_on(one)):
            return None
        return matrix(one, self.row, self.column)


def factor(code: Fragment, row: int, column: int) -> Factor | None:
    """What code over two dimensions is; None if it is more than a scale times one element."""
    found = [terms(code, side(row, column, sign)) for sign in (1, 0, -1)]
    scales, parts = set[Scale](), list[Access | None]()
    for each in found:
        if each is None or len(each) > 1 or any(len(term.reads) != 1 for term in each):
            return None
        scales |= {term.scale for term in each}
        parts.append(each[0].reads[0] if each else None)
    return Factor(scales.pop(), parts[0], parts[1], parts[2], row, column) if len(scales) == 1 else None


def matrix(access: Access, one: int, two: int) -> Matrix | None:
    """The matrix whose rows and columns two dimensions count, if its rows are contiguous."""
    if access.dims != {one, two} or access.array.strides[-1] != 1:
        return None
    (*others, last) = access.map
    axes = [index for index in others if index.dims]
    if len(axes) != 1 or len(axes[0].dims) != 1 or len(last.dims) != 1:
        return None
    (row,), (column,) = axes[0].dims, last.dims
    plain = axes[0].coefficient(row) == 1 and last.coefficient(column) == 1 and row != column
    return Matrix(access, row, column) if plain else None
