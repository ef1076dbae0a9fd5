"""Assignments of arrays: to parts of arrays, to new ones, and in place."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.python.annotations import Shaped
from raising.frontend.python.module import refused
from raising.frontend.python.numpy_library.made_syntax import once, placed
from raising.frontend.python.numpy_library.number_functions import NumberCall, of_numbers
from raising.frontend.python.typed_nodes import Typed
from raising.frontend.python.types import Kind
from raising.frontend.python.variables.scopes import mentioned
from raising.frontend.python.whole_arrays.array_elements import WITH_OUT, is_plain
from raising.frontend.python.whole_arrays.call_arguments import CallArguments
from raising.frontend.python.whole_arrays.indexing.array_parts import View
from raising.frontend.python.whole_arrays.indexing.broadcasting import Shape
from raising.frontend.python.whole_arrays.indexing.canonical_extents import is_one
from raising.frontend.python.whole_arrays.masked import Selection
from raising.frontend.python.whole_arrays.owned_copies import given_away
from raising.frontend.python.whole_arrays.written_memory import may_write
from raising.support.source import Loc

_PLACED: dict[str, ast.operator] = {
    "numpy.add.at": ast.Add(),
    "numpy.subtract.at": ast.Sub(),
    "numpy.multiply.at": ast.Mult(),
}
_EXTREMA = ("numpy.maximum.at", "numpy.minimum.at")


class Stores(CallArguments):
    """Translates assignments of whole arrays."""

    def stored_whole(self, target: ast.expr, value: ast.expr, loc: Loc) -> bool:
        """`A[1:-1] = …` and `B = …` of an array; False if neither side is one."""
        if isinstance(target, ast.Name):
            shape = self.shape_of(value)
            if not shape:
                return False
            self._named(target.id, value, shape, loc)
            return True
        masked = self._unmasked(target, value, None)
        if masked is not None:
            target, value = masked
        if isinstance(target, ast.Subscript) and self.picks(target):
            self._placed(target, value, loc)
            return True
        view = self.view(target)
        if view is not None and not view.extents and not is_plain(target):
            self.put(view, (), self.value(value), loc)
            return True
        if view is None or not view.extents:
            return False
        self._assigned(target, view, value, loc)
        return True

    def stored_in_each(self, targets: Sequence[ast.expr], value: ast.expr, loc: Loc) -> bool:
        """`a = b = …` of an array, which is made first; names of one array are copies here. False for a number."""
        shape = self.shape_of(value)
        names = [t.id for t in targets if isinstance(t, ast.Name)]
        if not shape:
            return False
        behind = self._behind(value)
        if len(names) > 1 and any(may_write(behind, n, self.module.functions, rebound=False) for n in names):
            raise refused(self.module, value, f"'{names[0]}' and '{names[1]}' are one array, which is written; copy it")
        source = self.named_first(value)
        for target in targets:
            self.stored_whole(target, source, loc)
        return True

    def named_first(self, value: ast.expr) -> ast.Name:
        """The name of an array that an expression gives, which is made here; the same syntax each time."""
        source = once(value, "source", lambda: ast.copy_location(ast.Name("", ast.Load()), value))
        source.id = self._made_before(value).name
        return source

    def _placed(self, target: ast.Subscript, value: ast.expr, loc: Loc) -> None:
        """`A[p] = x` with an array of integers: the elements one after the other, behind all that is read for them."""
        pick = self.picked(target)
        whole = self.view(pick.source)
        if whole is None:
            raise refused(self.module, target, "elements of what is no array are assigned")
        parts, extents = [*pick.arrays, value], self.picked_extents(pick)
        for part in parts:
            self.prepare(part)
        self._check(View("", (), extents), self.shape_of(value), value)
        kind, own = self.kind_of(value, len(extents)), self.arrays[whole.name].kind
        self._check_kind(kind, own, value, isinstance(value, ast.BinOp) and value.left is target, another=False)
        self.ask()
        for part in parts:
            if (
                (shape := self.shape_of(part))
                and self.made_before(part) is None
                and self._reads_array(part, whole.name)
            ):
                self.made[id(part)] = part, self._laid_down(part, shape)

        self.fill(whole, partial(self.element_of, value), loc, extents, partial(self.picked_place, pick))
        for part in parts:
            self.made.pop(id(part), None)

    def _reads_array(self, node: ast.expr, name: str) -> bool:
        """Whether an expression reads an array, apart from what is made before it."""
        return any(view is not None and view.name == name for view in map(self.view, self._parts(node)))

    def exchanged(self, target: ast.Tuple, value: ast.expr, loc: Loc) -> bool:
        """`u, v = v, u` and `u, v = v, u + v` of arrays: what they hold is exchanged, or made before any of it is;
        no other name has the memory of one of them.

        False for other statements. Which memory an argument's name has is seen by the caller: that is `Refused`.
        """
        values = value.elts if isinstance(value, ast.Tuple) else []
        names = [n.id for n in target.elts if isinstance(n, ast.Name)]
        if not len(names) == len({*names}) == len(target.elts) == len(values) or not {*names} <= self.arrays.keys():
            return False
        moved = {n: v for n, v in zip(names, values, strict=True) if isinstance(v, ast.Name)}
        made = {n: v for n, v in zip(names, values, strict=True) if n not in moved}
        if len(moved) != len({v.id for v in moved.values()} & {*names}):
            return False
        if not all(self.shape_of(v) and self.view(v) is None for v in made.values()):
            return False
        if given := next((n for n in names if n in self.signature.order), None):
            raise refused(self.module, target, f"argument '{given}' is exchanged; exchange copies, and write into them")
        wholes = [self.whole(n, loc) for n in names]
        kept = {n: self._made_before(v) for n, v in made.items()}
        if len({(self.arrays[w.name].kind, *map(ast.unparse, w.extents)) for w in (*wholes, *kept.values())}) > 1:
            raise refused(self.module, target, "arrays of different types or shapes are exchanged")
        while ends := moved.keys() - {v.id for v in moved.values()}:
            name = min(ends)
            self._copied(self.whole(name, loc), moved.pop(name), loc)
        self._exchange(moved, loc)
        for name, view in kept.items():
            self.made[id(made[name])] = made[name], view
            self._copied(self.whole(name, loc), made[name], loc)
            self.made.pop(id(made[name]))
        return True

    def _made_before(self, value: ast.expr) -> View:
        """An array that an expression gives, in memory of its own."""
        shape = self.shape_of(value)
        kind = self.rehearsed(lambda: self.prepared_kind(value, len(shape)))
        self.prepare(value)
        return self.array_of(kind, shape, lambda at: self.element_of(value, at), value)

    def _exchange(self, sources: dict[str, ast.Name], loc: Loc) -> None:
        """What each name gets, around each cycle: the first array is kept in another one meanwhile."""
        while sources:
            name = first = next(iter(sources))
            steps = [(name, sources.pop(name))]
            while (name := steps[-1][1].id) != first:
                steps.append((name, sources.pop(name)))
            if len(steps) == 1:
                continue
            last = steps[-1][1]
            kept = self.temporary(self.arrays[first].kind, self.whole(first, loc).extents, last)
            self._copied(kept, last, loc)
            for name, part in steps[:-1]:
                self._copied(self.whole(name, loc), part, loc)
            self.made[id(last)] = last, kept
            self._copied(self.whole(steps[-1][0], loc), last, loc)
            self.made.pop(id(last))

    def _unmasked(self, target: ast.expr, value: ast.expr, op: ast.operator | None) -> tuple[ast.expr, ast.expr] | None:
        """`A[mask] = x` as `A[...] = where(mask, x, A)`; None for other targets."""
        into = self.selection(target)
        if into is None:
            return None
        return into.whole, once(target, "whole", partial(self._unmasked_value, into, value, op))

    def _unmasked_value(self, into: Selection, value: ast.expr, op: ast.operator | None) -> ast.expr:
        view, new = self.view(into.whole), self._for_all(into, value)
        if op is not None:
            new = ast.BinOp(into.whole, op, new)
        elif view is not None:  # of the array's type before the choice, which else could round others
            new = ast.Call(_numpy(self.arrays[view.name].kind.dtype), [new], [])
        return placed(ast.Call(_numpy("where"), [into.mask, new, into.whole], []), value)

    def _for_all(self, into: Selection, value: ast.expr) -> ast.expr:
        """What selected elements become, as an expression of all elements."""
        given = self.selected(value)
        if given is None:
            if len(self.shape_of(value)) > (0 if into.moved else into.behind):
                raise refused(self.module, value, "an array is assigned to a selection; its length depends on data")
            return value
        if not given.goes_with(into):
            raise refused(self.module, value, "elements that another mask selects are assigned to a selection")
        return given.whole

    def augmented_whole(self, node: ast.AugAssign, loc: Loc) -> bool:
        """`A[1:] += …`; False if the target is no array."""
        whole = once(node, "whole", lambda: ast.copy_location(ast.BinOp(node.target, node.op, node.value), node))
        if isinstance(node.target, ast.Subscript) and self.picks(node.target):
            self._placed(node.target, whole, loc)
            return True
        target, value = self._unmasked(node.target, node.value, node.op) or (node.target, whole)
        view = self.view(target)
        if view is None or not view.extents and is_plain(target):
            return False
        if view.extents:
            self._assigned(target, view, value, loc, in_place=True)
        else:
            self.put(view, (), self.value(value), loc)
        return True

    def stored_by_call(self, node: ast.Call, loc: Loc) -> bool:
        """`np.add(A, B, out=C)` and `A.fill(0)`; False for other calls."""
        home, _, name = self.module.dotted(node.func).rpartition(".")
        if home == "numpy" and name in WITH_OUT and len(node.args) == 3 and not node.keywords:
            node.keywords.append(ast.keyword("out", node.args.pop()))
        keywords = {k.arg: k.value for k in node.keywords}
        if home == "numpy" and keywords.keys() == {"out"}:
            target = keywords["out"]
            value: ast.expr = once(node, "whole", lambda: ast.copy_location(ast.Call(node.func, node.args, []), node))
        elif home.startswith("numpy.") and isinstance(node.func, ast.Attribute) and node.func.attr == "at":
            return self._at_places(node, loc)
        elif isinstance(node.func, ast.Attribute) and node.func.attr == "fill" and len(node.args) == 1 and not keywords:
            target, value = node.func.value, node.args[0]
        else:
            return False
        view = self.view(target)
        if view is None or not view.extents:
            return False
        self._assigned(target, view, value, loc, in_place=home == "numpy")
        return True

    def _at_places(self, node: ast.Call, loc: Loc) -> bool:
        """`np.add.at(a, p, x)`: one place after the other, each as often as `p` names it."""
        name = self.module.dotted(node.func)
        op = _PLACED.get(name)
        target, places, values = node.args if len(node.args) == 3 else (None, None, None)
        if (
            op is None
            and name not in _EXTREMA
            or node.keywords
            or not isinstance(target, ast.Name)
            or places is None
            or values is None
        ):
            return False
        shape, kind = self.shape_of(places), self.arrays[target.id].kind if target.id in self.arrays else None
        if kind is None or len(self.arrays[target.id].extents) != 1 or target.id in mentioned([places, values]):
            raise refused(self.module, node, "places of other than a vector that nothing else is read from")
        for part in (places, values):
            self.prepare(part)
        self._check(View("", (), shape), self.shape_of(values), values)
        self.ask()
        made = None if op is None else ast.copy_location(ast.BinOp(target, op, values), node)

        def each(at: list[ex.Expr]) -> None:
            place = self.element_of(places, at)
            if place.kind.is_float or place.kind.is_bool:
                raise refused(self.module, places, f"an array of {place.kind.dtype} as a subscript")
            lies = self.from_end(place.node, self.arrays[target.id].extents[0], loc)
            element = build.element(build.name(self.memory(target.id, loc), loc), self.kept(lies), loc)
            sides = [Typed(build.load(element, loc), kind), self.element_of(values, at)]
            found = (
                self._greater(node, name, sides, loc) if made is None else self.combined(made, sides[0], sides[1], loc)
            )
            self._check_kind(found.kind, kind, node, in_place=True, another=False)
            self.out.append(st.Assign(element, found.converted(kind, loc), loc))

        self.over(shape, target.id, each, loc)
        return True

    def _greater(self, node: ast.Call, name: str, sides: list[Typed], loc: Loc) -> Typed:
        """The maximum or minimum of an element and a value."""
        found = of_numbers(self, NumberCall(node, "numpy", name.split(".")[1], sides, loc))
        assert found is not None
        return found

    def _named(self, name: str, value: ast.expr, shape: Shape, loc: Loc) -> None:
        """A name for a new array; an array of the function's own that has the name already is written again.

        What names an array, or a part of one, is a copy of it here: nobody can tell, as neither is written behind that.
        """
        behind = self._behind(value)
        for memory in (view.name for view in self.shared(value)):
            written = any(may_write(behind, n, self.module.functions, rebound=False) for n in (name, memory))
            if written and not given_away(self.signature.node, value):
                raise refused(
                    self.module, value, f"'{name}' may be the memory of '{memory}', and one is written; copy it"
                )
        fresh = name not in self.arrays or self.makers.get(name) is value
        if fresh:
            kind = self.rehearsed(lambda: self.prepared_kind(value, len(shape)))
            self.declare_array(name, Shaped(kind, shape), value, loc)
            self._assigned(ast.copy_location(ast.Name(name), value), self.whole(name, loc), value, loc)
            return
        if name in self.signature.order:
            raise refused(self.module, value, f"parameter '{name}' becomes another array; write '{name}[:] = ...'")
        old = self.whole(name, loc)
        if len(old.extents) != len(shape):
            raise refused(self.module, value, f"'{name}' becomes an array of another shape")
        for own, other in zip(old.extents, shape, strict=True):
            self.joined_extent(own, other, value, spread=False)
        self._assigned(ast.copy_location(ast.Name(name), value), old, value, loc, another=True)

    def _behind(self, value: ast.expr) -> ast.AST:
        """What may run after a value got its name: of a statement in no loop, those that follow it."""
        body = self.signature.node.body
        values = [getattr(s, "value", None) for s in body]
        found = next((k for k, v in enumerate(values) if v is value or value in getattr(v, "parts", ())), None)
        return self.signature.node if found is None else ast.Module(body[found + 1 :], [])

    def _assigned(
        self, target: ast.expr, view: View, value: ast.expr, loc: Loc, in_place: bool = False, another: bool = False
    ) -> None:
        self.shape_of(target)
        aside = self._overlaps(view, value)
        fold = self.is_fold(value) and not aside and self._fits(view, value)
        self.prepare(value, view if fold else None)
        if fold:
            return
        shape = self.shape_of(value)
        self._check(view, shape, value)
        self.ask()
        kind = self.kind_of(value, len(view.extents))
        self._check_kind(kind, self.arrays[view.name].kind, value, in_place, another)
        if aside:
            made = replace(self.temporary(kind, self._room(view), value), extents=view.extents)
            self._copied(made, value, loc)
            self.made[id(value)] = value, made
        self._copied(view, value, loc)
        self.made.pop(id(value), None)

    def _room(self, view: View) -> Shape:
        """Extents that a part of an array has room in: those of the array, whose lengths are known before loops."""
        whole = self.arrays[view.name].extents
        found = list(view.extents)
        for index, extent in zip(view.indices, whole, strict=True):
            if index.axis is not None:
                found[index.axis] = self.canonical(extent)
        return tuple(found)

    def _copied(self, view: View, value: ast.expr, loc: Loc) -> None:
        self.fill(view, partial(self.element_of, value), loc)

    def _check(self, view: View, shape: Shape, value: ast.expr) -> None:
        """`Refused` unless a shape can be spread over a part of an array."""
        if len(shape) > len(view.extents):
            raise refused(self.module, value, f"an array of {len(shape)} dimensions for one of {len(view.extents)}")
        for own, other in zip(view.extents[len(view.extents) - len(shape) :], shape, strict=True):
            if not is_one(other):
                if is_one(own):
                    raise refused(self.module, value, f"an extent of {ast.unparse(other)} for one of 1")
                self.joined_extent(own, other, value)

    def _check_kind(self, kind: Kind, target: Kind, value: ast.expr, in_place: bool, another: bool) -> None:
        if another and Kind(kind.dtype) != Kind(target.dtype):
            raise refused(self.module, value, f"an array of {target.dtype} becomes one of {kind.dtype}")
        if in_place and not kind.weak and not np.can_cast(kind.dtype, target.dtype, "same_kind"):
            raise refused(self.module, value, f"{kind.dtype} is not stored in place in {target.dtype}")
        if kind.is_float and target.is_bool:
            raise refused(self.module, value, "floating numbers as truth values; compare them with 0")

    def _fits(self, view: View, value: ast.expr) -> bool:
        """True if what is folded can be folded in the target: it has its kind and shape."""
        shape = self.shape_of(value)
        same = [ast.unparse(self.canonical(e)) for e in view.extents] == [ast.unparse(e) for e in shape]
        if not same:
            return False
        kind = self.rehearsed(lambda: self.prepared_kind(value, len(shape)))
        call = isinstance(value, ast.Call) and value.func
        mean = isinstance(call, ast.Attribute) and call.attr == "mean"
        return not mean and kind.dtype == self.arrays[view.name].kind.dtype

    def _overlaps(self, view: View, value: ast.expr) -> bool:
        """Whether an expression reads the array that is written at other places than those that are written next.

        Numbers that it reads there are kept before.
        """
        fold, chosen = self.is_fold(value), any(isinstance(n, ast.IfExp) for n in ast.walk(value))
        for part in self._parts(value):
            read = self.view(part)
            if read is None or read.name != view.name or read.apart_from(view):
                continue
            if not read.extents and not fold and not chosen:
                self.made[id(part)] = part, self.keep(self.value(part))
            elif fold or not read.same_as(view):
                return True
        return False

    def _parts(self, node: ast.expr) -> Iterator[ast.expr]:
        """The parts of arrays and elements that an expression reads, but for what is made before it."""
        if self.making(node) is not None:
            return
        if self.view(node) is not None:
            yield node
            return
        for part in ast.iter_child_nodes(node):
            asks = not isinstance(part, ast.expr) or _is_shape(part) or self.extent(part) is not None
            if not asks and not self.is_fold(part):  # type: ignore[arg-type]
                yield from self._parts(part)  # type: ignore[arg-type]


def _numpy(name: str) -> ast.expr:
    return ast.Attribute(ast.Name("numpy", ast.Load()), name, ast.Load())


def _is_shape(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "shape"
