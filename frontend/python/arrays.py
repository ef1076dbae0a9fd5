"""Arrays that a function makes: by `np.zeros` and the like, or by a call of another function."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from functools import partial, reduce

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core import types as core
from raising.frontend.python.annotations import Shaped, Signature, element_kind
from raising.frontend.python.calls import Callee, Calls
from raising.frontend.python.module import Module, refused
from raising.frontend.python.typed_nodes import Typed, constant
from raising.frontend.python.types import Kind, of_both
from raising.frontend.python.variables.scopes import mentioned
from raising.support.source import Loc, unused_name

_MAKERS = {
    "zeros": 0,
    "ones": 1,
    "empty": None,
    "ndarray": None,
    "full": None,
    "zeros_like": 0,
    "ones_like": 1,
    "empty_like": None,
    "full_like": None,
}


class Arrays(Calls):
    """Translates the making of arrays."""

    def __init__(self, module: Module, signature: Signature, callees: Callee) -> None:
        super().__init__(module, callees)
        self.signature = signature
        self.times = self.times_set()  # in how many places a name is set
        self.meanings: dict[str, ast.expr] = {}  # what a name was set to last
        self.makers: dict[str, ast.expr] = {}  # where an array is made

    def times_set(self) -> Counter[str]:
        """In how many places of the function each name is set."""
        names = (n for n in ast.walk(self.signature.node) if isinstance(n, ast.Name))
        return Counter(n.id for n in names if not isinstance(n.ctx, ast.Load))

    def array(self, name: str, value: ast.expr, loc: Loc) -> bool:
        """`T = np.zeros((N, M))` and the like; False for an assignment of a number."""
        if not isinstance(value, ast.Call):
            return False
        home, _, maker = self.module.dotted(value.func).rpartition(".")
        if maker in self.module.functions and not home:
            return self.results([name], value)
        if home != "numpy" or maker not in _MAKERS or not value.args:
            return False
        shape = self.made_shape(maker, value)
        if not shape.extents:
            raise refused(self.module, value, "an array without dimensions; write a number")
        self.declare_array(name, shape, value, loc)
        fill = _MAKERS[maker]
        if maker.startswith("full") and len(value.args) > 1:
            self._fill(name, shape, self.value(value.args[1]), loc)
        elif fill is not None:
            self._fill(name, shape, constant(fill, loc), loc)
        return True

    def dtype(self, node: ast.expr | None, call: ast.expr) -> Kind | None:
        """The kind that a `dtype` means; None where there is none, `Refused` for one that is not supported."""
        if node is None:
            return None
        if isinstance(node, ast.Attribute) and node.attr == "dtype" and isinstance(node.value, ast.Name):
            known = self.arrays.get(node.value.id)
            kind = known.kind if known else None
        elif isinstance(node, ast.Call) and self.module.dotted(node.func) == "numpy.result_type":
            kinds = [self.argument_type(a)[0] for a in getattr(node, "of", node.args)]
            kind = reduce(of_both, kinds) if kinds else None
        else:
            kind = element_kind(self.module, node)
        if kind is None:
            raise refused(self.module, call, "the dtype is not supported")
        return Kind(kind.dtype)

    def made_shape(self, maker: str, call: ast.Call) -> Shaped:
        """The shape of an array of constants."""
        if any(k.arg != "dtype" for k in call.keywords):
            raise refused(self.module, call, "only dtype= is supported here")
        first, rest = call.args[0], list(call.args[2 if maker.startswith("full") else 1 :])
        dtype = call.keywords[0].value if call.keywords else rest[0] if rest else None
        like = self.arrays.get(first.id) if isinstance(first, ast.Name) and maker.endswith("_like") else None
        if maker.endswith("_like") and like is None:
            raise refused(self.module, first, "this is not an array whose shape is known")
        if dtype is None and maker == "full" and len(call.args) > 1:
            kind: Kind | None = Kind(self.rehearsed(lambda: self.value(call.args[1])).kind.dtype)
        elif dtype is None:
            kind = like.kind if like else Kind("float64")
        else:
            kind = self.dtype(dtype, call)
        assert kind is not None
        if like is not None:
            return Shaped(Kind(kind.dtype), like.extents)
        return Shaped(Kind(kind.dtype), tuple(map(self.length_of, self.lengths([first]))))

    def lengths(self, given: Sequence[ast.expr]) -> Sequence[ast.expr]:
        """The extents of a shape that is given as one tuple, list or number, or as several arguments."""
        if len(given) != 1:
            return given
        parts = given[0].elts if isinstance(given[0], ast.List) else self.parts_of(given[0])
        return given if parts is None else parts

    def parts_of(self, node: ast.expr) -> Sequence[ast.expr] | None:
        """The parts of a shape or of another tuple, of a slice of one, or of a sum; None for other expressions."""
        match node:
            case ast.Attribute(attr="shape"):
                return self.extents_of(node.value)
            case ast.Tuple(elts=parts):
                return parts
            case ast.Subscript(value=whole, slice=ast.Slice(lower=lower, upper=upper, step=None)):
                ends = [None if end is None else self.module.number(end) for end in (lower, upper)]
                known = [end for end in ends if isinstance(end, int)]
                found = self.parts_of(whole) if len(known) == (lower is not None) + (upper is not None) else None
                start, stop = (end if isinstance(end, int) else None for end in ends)
                return None if found is None else found[start:stop]
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                first, rest = self.parts_of(left), self.parts_of(right)
                return None if first is None or rest is None else [*first, *rest]
        return None

    def length_of(self, node: ast.expr) -> ast.expr:
        """A length, which is not negative: `max(n, 0)` is `n`."""
        match node:
            case ast.Call(func=ast.Name(id="max"), args=[one, other], keywords=[]):
                for zero, rest in ((one, other), (other, one)):
                    if self.module.number(zero) == 0:
                        self.require("no array has a negative length", rest, 0, node)
                        return rest
        return node

    def canonical(self, node: ast.expr) -> ast.expr:
        """An extent in the one form that equal ones have."""
        raise NotImplementedError

    def require(self, why: str, high: ast.expr, low: ast.expr | int, place: ast.expr) -> None:
        """State `high >= low` before the next loops."""
        raise NotImplementedError

    def declare_array(self, name: str, shape: Shaped, node: ast.expr, loc: Loc) -> None:
        """An array begins to exist; `node` is what makes it."""
        if name in self.kinds or name in self.signature.order or self.makers.setdefault(name, node) is not node:
            raise refused(self.module, node, f"'{name}' is another array, or a number, from here on")
        self.arrays[name] = shape
        if name in self.signature.results:
            once = [n for n in self.meanings if self.times[n] == 1]
            given = self.over_sizes(shape, {n: self.meanings[n] for n in once})
            given = self.signature.results[name] = Shaped(given.kind, tuple(map(self.canonical, given.extents)))
            if any(self.captured(partial(self.size, extent))[0] for extent in given.extents):
                raise refused(self.module, node, f"the length of '{name}', which is returned, divides by no constant")
        else:
            self.declare(self.memory(name, loc), None, loc)

    def memory(self, name: str, loc: Loc) -> st.Variable:
        """The variable that is an array, or a parameter that points to its first row or element."""
        known = self.variables.get(name)
        if known is not None:
            return known
        given = self.signature.arrays.get(name) or self.signature.results.get(name)
        if given is not None:
            return self.parameter(name, given, loc)
        shape = self.arrays[name]
        return st.Variable(name, self._type(shape, shape.extents), "local", loc, name)

    def parameter(self, name: str, shape: Shaped, loc: Loc) -> st.Variable:
        """The parameter for an array."""
        to = self._type(shape, shape.extents[1:])
        return st.Variable(name, core.Pointer(to), "parameter", loc, name, length=self._extent(shape.extents[0]))

    def _type(self, shape: Shaped, extents: tuple[ast.expr, ...]) -> core.Type:
        found = shape.kind.core
        for extent in reversed(extents):
            found = core.Array(found, self._extent(extent))
        return found

    def _extent(self, node: ast.expr) -> int | ex.Expr:
        found = self.size(node)
        return int(found.value) if isinstance(found, ex.Literal) else found

    def _fill(self, name: str, shape: Shaped, value: Typed, loc: Loc) -> None:
        self.check_fits([value], shape.kind, loc)
        counters = [self.hidden(f"{name}_{k}", core.I64, loc) for k in range(len(shape.extents))]
        subscripts = [build.read(counter, loc) for counter in counters]

        def store() -> None:
            target: ex.Lvalue = build.name(self.memory(name, loc), loc)
            for subscript in subscripts:
                target = build.element(target, subscript, loc)
            self.out.append(st.Assign(target, value.converted(shape.kind, loc), loc))

        self.count_all(counters, [self.size(e) for e in shape.extents], store, loc)

    def is_size(self, target: ast.expr, value: ast.expr) -> bool:
        """Whether a size of an annotation is only set to itself, as in `n = x.shape[0]` of an array with n rows."""
        extent = self.extent(value) or value
        if not isinstance(target, ast.Name) or not isinstance(extent, ast.Name):
            return False
        return target.id == extent.id and extent.id in self.signature.sizes

    def unused(self, name: str) -> str:
        """A name that the function does not have."""
        return unused_name(name, mentioned([self.signature.node]))

    def results(self, names: list[str], value: ast.expr) -> bool:
        """Arrays that a function of the file makes; False if it gives a number."""
        if not isinstance(value, ast.Call):
            return False
        shapes = self.result_shapes(value)
        if not shapes:
            return False
        if len(shapes) != len(names):
            raise refused(self.module, value, f"{len(shapes)} arrays for {len(names)} names")
        for name, shape in zip(names, shapes, strict=True):
            self.declare_array(name, shape, value, self.place(value))
        self.called(value, names)
        return True
