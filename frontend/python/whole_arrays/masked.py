"""Reductions as they are written, and elements that a mask selects, inside of them and of assignments.

`np.sum(x[m] ** 2)` adds `x ** 2` where `m` holds, and `x[m] = y[m] / 2` is `x[...] = np.where(m, y / 2, x)`. A mask of
rows goes with all elements of a row.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import cast

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.python.module import refused
from raising.frontend.python.numpy_library.made_syntax import once, placed
from raising.frontend.python.types import Kind
from raising.frontend.python.whole_arrays.indexing.array_shapes import subscripts
from raising.frontend.python.whole_arrays.indexing.broadcasting import Shape
from raising.frontend.python.whole_arrays.indexing.canonical_extents import is_one
from raising.frontend.python.whole_arrays.temporaries import Temporaries
from raising.support.record import dataclass
from raising.support.source import Loc

REDUCTIONS = {
    "sum": "sum", "prod": "prod", "product": "prod", "mean": "mean", "max": "max", "amax": "max", "min": "min",
    "amin": "min", "_mean": "mean", "_any": "max", "_all": "min",
}  # fmt: skip

_SUMS = {"axis", "keepdims", "dtype", "initial", "where"}
_OPTIONS = {"sum": _SUMS, "prod": _SUMS, "mean": _SUMS - {"initial"}} | dict.fromkeys(
    ("max", "min", "amax", "amin"), _SUMS - {"dtype"}
)
"""The options that reductions may have, by their names; for those that are not here, see `reduction`."""


@dataclass(frozen=True)
class Reduction:
    """A reduction of an array expression over some of its axes; a mean divides by `less` fewer than it adds.

    With a `mask`, the elements are those where it holds. Of `some`, there has to be one. They are folded in the kind
    `of`, if one is given, and from `initial` on.
    """

    kind: str
    operand: ast.expr
    shape: Shape
    some: bool
    axes: tuple[int, ...] = ()
    keeps: bool = False
    less: int = 0
    mask: ast.expr | None = None
    of: Kind | None = None
    initial: ast.expr | None = None

    @property
    def extents(self) -> Shape:
        """The extents of the result."""
        one = ast.copy_location(ast.Constant(1), self.operand)
        return tuple(one if k in self.axes else e for k, e in enumerate(self.shape) if self.keeps or k not in self.axes)

    def operand_place(self, at: Sequence[ex.Expr], along: Sequence[ex.Expr]) -> list[ex.Expr]:
        """Where an element of the operand lies, by its places in the result and along the axes."""
        outside = iter([i for k, i in enumerate(at) if not (self.keeps and k in self.axes)])
        inside = iter(along)
        return [next(inside) if k in self.axes else next(outside) for k in range(len(self.shape))]


@dataclass(frozen=True)
class Selection:
    """Elements of an array expression, `whole`, at the places where a mask holds.

    The mask has a dimension for each of the whole, of which in the source, as `text` says, it has `rank`, behind
    `first` others and in front of `behind`. If it is `moved`, numbers beside it change the order of dimensions.
    """

    whole: ast.expr
    mask: ast.expr
    text: str
    rank: int
    first: int
    behind: int
    moved: bool = False

    def goes_with(self, other: Selection) -> bool:
        """Whether both have the same places, one dimension for these, and no other order of dimensions."""
        mine, others = ((s.text, s.first, s.behind) for s in (self, other))
        return mine == others and not self.moved and not other.moved


class Selections(Temporaries):
    """Finds reductions, and what is selected."""

    def reduction(self, node: ast.expr) -> Reduction | None:
        """What an expression reduces; None for one that is no reduction, or that was made before."""
        if not isinstance(node, ast.Call) or self.made_before(node) is not None:
            return None
        home, _, name = self.module.dotted(node.func).rpartition(".")
        positional = list(node.args)
        if home == "numpy" and name in REDUCTIONS and positional:
            operand = positional.pop(0)
        elif isinstance(node.func, ast.Attribute) and node.func.attr in REDUCTIONS:
            operand, name = node.func.value, node.func.attr
        else:
            return None
        selection = self.selected(operand)
        shape = self.shape_of(operand if selection is None else selection.whole)
        if not shape and home != "numpy":
            return None
        options = _OPTIONS.get(name, {"axis", "keepdims", "where"} if name[0] == "_" else {"axis", "keepdims"})
        given = {k.arg or "": k.value for k in node.keywords} | dict(zip(("axis", "dtype"), positional, strict=False))
        less = given.pop("ddof", None) if name == "_mean" else None  # the name stands in definitions only
        if given.keys() - options or len(positional) > 1 + ("dtype" in options):
            raise refused(self.module, node, f"this use of '{name}'; it may have {', '.join(sorted(options))}")
        found = self._with_options(Reduction(REDUCTIONS[name], operand, shape, name[0] != "_"), given, selection, node)
        return found if less is None else replace(found, less=self._whole_number(less, node))

    def _with_options(
        self, found: Reduction, given: dict[str, ast.expr], selection: Selection | None, node: ast.expr
    ) -> Reduction:
        """The reduction with its axes and what else is given, of selected elements if there is a selection."""
        axes, keeps = self.axes(given.get("axis"), len(found.shape), node), given.get("keepdims", ast.Constant(False))
        if not isinstance(keeps, ast.Constant) or not isinstance(keeps.value, bool):
            raise refused(self.module, node, "keepdims that is not True or False")
        mask, initial, where = None, given.get("initial"), given.get("where")
        some = found.some and found.kind in ("max", "min") and initial is None
        if selection is not None:
            self.check_axes(selection, axes, keeps.value, node)
            found, mask = replace(found, operand=selection.whole), selection.mask
        if where is not None and getattr(where, "value", None) is not True:
            if some or mask is not None:
                raise refused(self.module, node, "where= without initial=, or of elements that a mask selects")
            mask = self._condition(where, found.shape, node)
        some, kind = some and mask is None, self.dtype(given.get("dtype"), node)
        return replace(found, axes=axes, keeps=keeps.value, mask=mask, some=some, of=kind, initial=initial)

    def _whole_number(self, node: ast.expr, call: ast.expr) -> int:
        number = self.module.number(node)
        if not isinstance(number, int):
            raise refused(self.module, call, "ddof that is not a constant integer")
        return number

    def _condition(self, mask: ast.expr, shape: Shape, node: ast.expr) -> ast.expr:
        """The truth values that say which elements are reduced; they have the shape of these, or are spread to it."""
        if len(self.shape_of(mask)) > len(shape):
            raise refused(self.module, node, "where= has more dimensions than the array")
        for extent, own in zip(shape[::-1], self.shape_of(mask)[::-1], strict=False):
            if not is_one(own):
                self.joined_extent(extent, own, node, spread=False)
        return mask

    def axes(self, axis: ast.expr | None, rank: int, node: ast.expr) -> tuple[int, ...]:
        """The axes that an option means; all without one."""
        if axis is None or (isinstance(axis, ast.Constant) and axis.value is None):
            return tuple(range(rank))
        numbers = [self.module.number(a) for a in (axis.elts if isinstance(axis, ast.Tuple) else [axis])]
        if not all(isinstance(n, int) and -rank <= n < rank for n in numbers):
            raise refused(self.module, node, "an axis that is not a constant, or that the array does not have")
        return tuple(sorted({cast(int, n) % rank for n in numbers}))

    def holds(self, mask: ast.expr, at: Sequence[ex.Expr], loc: Loc) -> ex.Expr:
        """Whether a mask selects an element."""
        return build.as_truth(self.element_of(mask, at).node, loc)

    def selection(self, node: ast.expr) -> Selection | None:
        """What `A[mask]`, `A[mask, 1:]` or `A[:, mask]` selects; None for other expressions."""
        if not isinstance(node, ast.Subscript) or not self.selects(node):
            return None
        found = once(node, "selection", partial(self._selection, node))
        shape, mask = self.shape_of(found.whole), self.shape_of(found.mask)
        for k in range(found.first, found.first + found.rank):
            self.joined_extent(shape[k], mask[k - found.first], node, spread=False)
        return found

    def _selection(self, node: ast.Subscript) -> Selection:
        parts = subscripts(node)
        places = [k for k, p in enumerate(parts) if self.is_mask(p)]
        mask, others = parts[places[0]], [p for k, p in enumerate(parts) if k not in places]
        numbers = [p for p in others if not isinstance(p, ast.Slice)]
        added = any(isinstance(p, ast.Constant) and p.value in (None, ...) for p in numbers)
        if len(places) > 1 or added or any(map(self.shape_of, numbers)):
            raise refused(self.module, node, "a mask beside other than slices and numbers")
        rank, before = len(self.shape_of(mask)), parts[: places[0]]
        whole, wide = node.value, mask
        if others:
            inside = [*before, *[ast.Slice() for _ in range(rank)], *parts[places[0] + 1 :]]
            whole = placed(ast.Subscript(node.value, ast.Tuple(inside, ast.Load()), ast.Load()), node)
        first = sum(isinstance(p, ast.Slice) for p in before)
        behind = len(self.shape_of(whole)) - first - rank
        if behind < 0:
            raise refused(self.module, mask, "a mask of more dimensions than its array")
        if behind:
            new: list[ast.expr] = [ast.Constant(...), *[ast.Constant(None) for _ in range(behind)]]
            wide = placed(ast.Subscript(mask, ast.Tuple(new, ast.Load()), ast.Load()), mask)
        return Selection(whole, wide, ast.unparse(mask), rank, first, behind, bool(numbers and (first or behind)))

    def selected(self, operand: ast.expr) -> Selection | None:
        """An expression of elements that a mask selects, as `x[mask] ** 2`; None for other expressions."""
        each = [s for s in map(self.selection, self._selections(operand)) if s is not None]
        known: Selection | None = vars(operand).get("selected")
        return once(operand, "selected", partial(self._together, operand, each)) if each else known

    def _together(self, operand: ast.expr, each: list[Selection]) -> Selection:
        """What an expression of such elements selects."""
        numbers = self.shape_of(self._without(operand, lambda s: ast.copy_location(ast.Constant(0), s)))
        whole = self._without(operand, self._whole)
        found = replace(each[0], whole=whole)
        alone = all(is_one(e) for e in numbers[: max(0, len(numbers) - found.behind)])
        ranks = {len(self.shape_of(s.whole)) for s in (found, *each)}
        if len(ranks) > 1 or not alone or not all(found.goes_with(s) for s in each):
            raise refused(self.module, operand, "a selection beside other arrays, or by several masks")
        return found

    def _whole(self, node: ast.Subscript) -> ast.expr:
        found = self.selection(node)
        assert found is not None
        return found.whole

    def check_axes(self, selection: Selection, axes: Sequence[int], keeps: bool, node: ast.expr) -> None:
        """`Refused` where a reduction keeps the dimension along which elements are selected."""
        rank, first = selection.rank, selection.first
        whole = not keeps and len(axes) == len(self.shape_of(selection.whole))
        if not {*range(first, first + rank)} <= {*axes} or rank > 1 and not whole:
            raise refused(self.module, node, "a reduction of a selection along other axes than that of the mask")

    def _selections(self, node: ast.expr) -> Iterator[ast.Subscript]:
        if isinstance(node, ast.Subscript) and self.selects(node):
            yield node
            return
        if self.made_before(node) is not None or self._is_reduction(node):
            return
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                yield from self._selections(part)

    def _is_reduction(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Call):
            return False
        home, _, name = self.module.dotted(node.func).rpartition(".")
        return name in REDUCTIONS and home == "numpy" or getattr(node.func, "attr", "") in REDUCTIONS

    def _without(self, node: ast.expr, make: Callable[[ast.Subscript], ast.expr]) -> ast.expr:
        """An expression with other nodes in the places of selections; what has none in it stays the same node."""
        if isinstance(node, ast.Subscript) and self.selects(node):
            return make(node)
        if not any(True for _ in self._selections(node)):
            return node
        fields = dict(ast.iter_fields(node))
        for name, value in fields.items():
            if isinstance(value, ast.expr):
                fields[name] = self._without(value, make)
            elif isinstance(value, list):
                fields[name] = [self._without(v, make) if isinstance(v, ast.expr) else v for v in value]
        return ast.copy_location(type(node)(**fields), node)
