"""The routine of BLAS that a contraction is, if any: a product of matrices, some of them triangular or symmetric.

Each factor is read as a matrix first: plain, triangular, or symmetric and stored in one triangle. All matrices are
stored by rows. What the routines compute: Dongarra, Du Croz, Hammarling and Duff, "A set of level 3 basic linear
algebra subprograms", ACM TOMS 16 (1990).
"""

from __future__ import annotations

from raising.affine.ir.affine_expr import dim
from raising.native.blas.call_site import AS_IT_IS, BYTES, LEFT, LOWER, NON_UNIT, RIGHT, TRANSPOSED, UNIT, UPPER
from raising.native.contraction.gemm import Gemm
from raising.native.contraction.masks import side
from raising.native.contraction.product_terms import Scale, Term, ordered, terms
from raising.native.nest.fragment import Fragment
from raising.native.nest.fragment_algebra import moved_access
from raising.native.nest.nest import Access
from raising.support.record import dataclass


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
    """The factor that code over two dimensions is; None if it is more than a scale times one element."""
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


@dataclass(frozen=True)
class Form:
    """`routine(flags, extents of sizes, alpha, operands, beta, result)`.

    `equal` are two dimensions that must have the same extent. With `start`, the result
    is set to that before. With `keeps_diagonal`, the routine writes the diagonal of the
    result, and the program does not. `beta` is None for a routine that has none.
    """

    routine: str
    flags: tuple[int, ...]
    sizes: tuple[int, ...]
    alpha: Scale
    operands: tuple[Matrix, ...]
    beta: Scale | None
    result: Matrix
    equal: tuple[int, int] | None = None
    start: Fragment | None = None
    keeps_diagonal: bool = False


def read_form(gemm: Gemm) -> Form | None:
    """The call that a contraction is, if it is one."""
    if gemm.batch or len(gemm.m) != 1 or len(gemm.k) != 1 or gemm.element not in BYTES:
        return None
    result = matrix(gemm.write, gemm.m[0], gemm.n[0])
    if result is None or result.row != gemm.m[0] or not _may_follow(gemm):
        return None
    readers = (_rank_k, _rank_2k) if gemm.region else (_product, _symmetric, _triangular)
    found = (reader(gemm, result) for reader in readers)
    return next((form for form in found if form is not None and _apart(gemm, form)), None)


def _may_follow(gemm: Gemm) -> bool:
    """Whether nothing is left to do with the sums, or it can be done once they are in memory."""
    later = [part for part in (gemm.epilogue, gemm.where) if part is not None]
    if not gemm.mirrored:
        return not later
    return not any(access.array.may_overlap(gemm.write.array) for part in later for access in part.reads)


def _apart(gemm: Gemm, form: Form) -> bool:
    """Whether no operand overlaps the result, and the initial value does so in the very same elements only."""
    reads = form.start.reads if form.start is not None else ()
    same = all(access == gemm.write or not access.array.may_overlap(gemm.write.array) for access in reads)
    return same and not any(each.access.array.may_overlap(gemm.write.array) for each in form.operands)


def _beginning(gemm: Gemm) -> tuple[Scale, Fragment | None]:
    """The factor beta, and the value that the result is set to before the call."""
    if gemm.init is None:
        return Scale(0.0), None
    found = terms(gemm.init, lambda _: None)
    if found is not None and len(found) == 1 and found[0].reads == (gemm.write,):
        return found[0].scale, None
    return Scale(), gemm.init


def _product(gemm: Gemm, result: Matrix) -> Form | None:
    """gemm: C = alpha A B + beta C."""
    factors = _sides(gemm) if len(gemm.products) == 1 else None
    a, b = (None, None) if factors is None else (factors[0].matrix, factors[1].matrix)
    if factors is None or a is None or b is None:
        return None
    m, n, k = gemm.m[0], gemm.n[0], gemm.k[0]
    beta, start = _beginning(gemm)
    flags, alpha = (_turn(a, m), _turn(b, k)), factors[0].scale * factors[1].scale
    return Form("gemm", flags, (m, n, k), alpha, (a, b), beta, result, start=start)


def _sides(gemm: Gemm, place: int = 0) -> tuple[Factor, Factor] | None:
    product = gemm.products[place]
    a, b = factor(product.a, gemm.m[0], gemm.k[0]), factor(product.b, gemm.k[0], gemm.n[0])
    return None if a is None or b is None else (a, b)


def _turn(found: Matrix, row: int) -> int:
    return AS_IT_IS if found.row == row else TRANSPOSED


def _triangle(gemm: Gemm) -> tuple[int, bool] | None:
    """Which part of the result is written, and whether that is without the diagonal."""
    if len(gemm.region) != 1 or gemm.region[0].constant not in (0, -1):
        return None
    (plane,) = gemm.region
    strict = plane.constant == -1
    if strict and not gemm.extents[gemm.m[0]].is_constant:
        return None
    return (LOWER if plane.row > 0 else UPPER), strict


def _rank_k(gemm: Gemm, result: Matrix) -> Form | None:
    """syrk: a triangle of C = alpha A A^T + beta C."""
    triangle, factors = _triangle(gemm), _sides(gemm) if len(gemm.products) == 1 else None
    if triangle is None or factors is None or not _turned(gemm, factors[0], factors[1]):
        return None
    a = factors[0].matrix
    if a is None:
        return None
    m, n, k = gemm.m[0], gemm.n[0], gemm.k[0]
    beta, start = _beginning(gemm)
    alpha = factors[0].scale * factors[1].scale
    return Form("syrk", (triangle[0], _turn(a, m)), (m, k), alpha, (a,), beta, result, (m, n), start, triangle[1])


def _rank_2k(gemm: Gemm, result: Matrix) -> Form | None:
    """syr2k: a triangle of C = alpha A B^T + alpha B A^T + beta C."""
    triangle, sides = _triangle(gemm), [_sides(gemm, place) for place in range(len(gemm.products))]
    if triangle is None or len(sides) != 2 or sides[0] is None or sides[1] is None:
        return None
    (one, two), (three, four) = sides[0], sides[1]
    alpha, m, n, k = one.scale * two.scale, gemm.m[0], gemm.n[0], gemm.k[0]
    if not _turned(gemm, one, four) or not _turned(gemm, three, two) or three.scale * four.scale != alpha:
        return None
    a, b = one.matrix, three.matrix
    if a is None or b is None or _turn(a, m) != _turn(b, m):
        return None
    beta, start = _beginning(gemm)
    return Form("syr2k", (triangle[0], _turn(a, m)), (m, k), alpha, (a, b), beta, result, (m, n), start, triangle[1])


def _turned(gemm: Gemm, a: Factor, b: Factor) -> bool:
    """Whether a factor over n and k is the transpose of one over m and k."""
    return a.plain is not None and b.plain == moved_access(a.plain, {gemm.m[0]: dim(gemm.n[0])})


@dataclass(frozen=True)
class _Structured:
    """A product of a special matrix, on the left or on the right, and a plain one.

    `kept` is the dimension of the result that the special matrix has; `there` is the element of the plain
    one that is where the result's is.
    """

    special: Factor
    plain: Matrix
    there: Access
    alpha: Scale
    side: int
    kept: int


def _structured(gemm: Gemm) -> list[_Structured]:
    factors = _sides(gemm) if len(gemm.products) == 1 else None
    if factors is None:
        return []
    left, right = factors
    m, n, k = gemm.m[0], gemm.n[0], gemm.k[0]
    found = []
    for special, other, name, kept, row in ((left, right, LEFT, m, k), (right, left, RIGHT, n, m)):
        plain = other.matrix
        if plain is not None and plain.row == row:
            there = moved_access(plain.access, {k: dim(kept)})
            found.append(_Structured(special, plain, there, left.scale * right.scale, name, kept))
    return found


def _symmetric(gemm: Gemm, result: Matrix) -> Form | None:
    """symm: C = alpha A B + beta C or alpha B A + beta C, where one triangle of A is read for both."""
    for found in _structured(gemm):
        lower = found.special.symmetric
        beginning = None if lower is None else _with_diagonal(gemm, found)
        if lower is not None and beginning is not None:
            flags, sizes = (found.side, _stored(lower, found.special.row)), (gemm.m[0], gemm.n[0])
            operands = (lower, found.plain)
            return Form("symm", flags, sizes, found.alpha, operands, beginning[0], result,
                        (found.kept, gemm.k[0]), beginning[1])  # fmt: skip
    return None


def _stored(below: Matrix, row: int) -> int:
    """The triangle that holds the elements with row > column."""
    return LOWER if below.row == row else UPPER


def _with_diagonal(gemm: Gemm, found: _Structured) -> tuple[Scale, Fragment | None] | None:
    """As `_beginning`; where the special matrix has no diagonal, it has to be in what the sum starts from."""
    special = found.special
    if special.diagonal is not None:
        return _beginning(gemm)
    if special.below is None or gemm.init is None:
        return None
    element = special.on_diagonal(special.below, found.kept)
    missing = Term(found.alpha, ordered((element, found.there)))
    parts = list(terms(gemm.init, lambda _: None) or ())
    if missing not in parts:
        return None
    parts.remove(missing)
    if not parts:
        return Scale(0.0), None
    return (parts[0].scale, None) if len(parts) == 1 and parts[0].reads == (gemm.write,) else None


def _triangular(gemm: Gemm, result: Matrix) -> Form | None:
    """trmm: B = alpha A B or alpha B A, where A is 0 on one side of the diagonal, in place or not."""
    for found in _structured(gemm):
        triangle, unit = found.special.triangle, found.special.diagonal is None
        if triangle is None or not _starts_from(gemm, found, unit):
            continue
        turn = _turn(triangle, found.special.row)
        lower = (found.special.below is not None) == (turn == AS_IT_IS)
        flags = (found.side, LOWER if lower else UPPER, turn, UNIT if unit else NON_UNIT)
        start = None if found.there == gemm.write else _element(found.there)
        return Form("trmm", flags, (gemm.m[0], gemm.n[0]), found.alpha, (triangle,), None, result,
                    (found.kept, gemm.k[0]), start)  # fmt: skip
    return None


def _starts_from(gemm: Gemm, found: _Structured, unit: bool) -> bool:
    """Whether the sum starts from the plain matrix, which is what a diagonal of 1 adds; without it, from nothing."""
    if not unit:
        return gemm.init is None
    if gemm.init is None:
        return False
    return terms(gemm.init, lambda _: None) == (Term(found.alpha, (found.there,)),)


def _element(access: Access) -> Fragment:
    return Fragment((access,), (), "in0", access.array.element)
