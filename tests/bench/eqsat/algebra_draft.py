"""Tensor programs spelled in linalg or in StableHLO, with known extents or with `?`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

LINALG, STABLEHLO = "linalg", "stablehlo"
Dims = tuple[str, ...]
SIZES = {
    "n": 96,
    "m": 80,
    "k": 64,
    "p": 112,
    "t": 3,
    "h": 32,
    "w": 28,
    "y": 30,
    "x": 26,
    "nm": 7680,
    "four": 4,
    "d": 16,
}
_ELEMENTS = {
    "addf": "add",
    "subf": "subtract",
    "mulf": "multiply",
    "divf": "divide",
    "maximumf": "maximum",
    "exp": "exponential",
}


@dataclass(frozen=True)
class Value:
    """A value: its name and the names of its extents."""

    name: str
    dims: Dims


@dataclass
class Draft:
    """A function as it is written: `known` says which names of extents are numbers."""

    dialect: str
    known: bool
    lines: list[str] = field(default_factory=list)
    arguments: list[Value] = field(default_factory=list)
    sizes: dict[str, str] = field(default_factory=dict)
    count: int = 0

    def text(self, result: Value) -> str:
        """The module."""
        given = ", ".join(f"%{a.name}: {self.kind(a.dims)}" for a in self.arguments)
        body = "\n".join(f"  {line}" for line in (*self.lines, f"return {result.name} : {self.kind(result.dims)}"))
        return f"func.func @f({given}) -> {self.kind(result.dims)} {{\n{body}\n}}\n"

    def given(self, name: str, dims: str) -> Value:
        """An argument; extents that are open are asked for where operations need them."""
        value = Value(name, tuple(dims.split()))
        self.arguments.append(value)
        for axis, extent in enumerate(value.dims):
            if self.dialect == LINALG and self.open(extent) and extent not in self.sizes:
                self.sizes[extent] = self.new(
                    f"tensor.dim %{name}, {self.new(f'arith.constant {axis} : index')} : {self.kind(value.dims)}"
                )
        return Value(f"%{name}", value.dims)

    def open(self, extent: str) -> bool:
        """Whether an extent is known at run time only."""
        return not self.known and extent in SIZES and extent not in ("four", "t")

    def extent(self, extent: str) -> str:
        """An extent as a type has it."""
        return "?" if self.open(extent) else str(SIZES.get(extent, extent))

    def kind(self, dims: Sequence[str]) -> str:
        """A type."""
        return f"tensor<{''.join(f'{self.extent(d)}x' for d in dims)}f64>"

    def new(self, operation: str) -> str:
        """The value of an operation."""
        self.count += 1
        self.lines.append(f"%{self.count} = {operation}")
        return f"%{self.count}"

    # ---- operations --------------------------------------------------------------------------------

    def empty(self, dims: Dims) -> str:
        """Memory."""
        return self.new(f"tensor.empty({', '.join(self.sizes[d] for d in dims if self.open(d))}) : {self.kind(dims)}")

    def filled(self, number: str | float, dims: Dims) -> Value:
        """One number everywhere."""
        if self.dialect == STABLEHLO:
            return Value(self.new(f"stablehlo.constant dense<{number}> : {self.kind(dims)}"), dims)
        one, to = self.new(f"arith.constant {number} : f64"), self.empty(dims)
        kind = self.kind(dims)
        return Value(self.new(f"linalg.fill ins({one} : f64) outs({to} : {kind}) -> {kind}"), dims)

    def generic(self, maps: Sequence[str], inputs: Sequence[Value], to: str, dims: Dims, body: str) -> Value:
        """A `linalg.generic`: maps as letters, the result's last; loops that the result lacks are sums."""
        letters = list(dict.fromkeys("".join(reversed(maps))))
        loops = ", ".join(f"d{letters.index(c)}" for c in sorted(letters, key=letters.index))
        spelled = [f"affine_map<({loops}) -> ({', '.join(f'd{letters.index(c)}' for c in m)})>" for m in maps]
        kinds = ", ".join('"parallel"' if c in maps[-1] else '"reduction"' for c in letters)
        ins = f"ins({', '.join(v.name for v in inputs)} : {', '.join(self.kind(v.dims) for v in inputs)}) "
        arguments = ", ".join(f"%b{k}: f64" for k in range(len(inputs) + 1))
        kind = self.kind(dims)
        return Value(
            self.new(
                f"linalg.generic {{indexing_maps = [{', '.join(spelled)}], iterator_types = "
                f"[{kinds}]}} {ins if inputs else ''}outs({to} : {kind}) "
                f"{{\n  ^bb0({arguments}):\n{body}\n  }} -> {kind}"
            ),
            dims,
        )

    def each(self, op: str, spec: str, *inputs: Value) -> Value:
        """An operation on elements, `"i,ij->ij"` says how its operands are repeated."""
        left, _, out = spec.partition("->")
        maps = [*left.split(","), out]
        found = dict(pair for m, v in zip(maps, inputs, strict=False) for pair in zip(m, v.dims, strict=True))
        dims = tuple(found[c] for c in out)
        if self.dialect == STABLEHLO:
            wide = [self.wide(v, [out.index(c) for c in m], dims) for m, v in zip(maps, inputs, strict=False)]
            return Value(
                self.new(f"stablehlo.{_ELEMENTS[op]} {', '.join(v.name for v in wide)} : {self.kind(dims)}"), dims
            )
        operation = f"{'math' if op == 'exp' else 'arith'}.{op}"
        arguments = ", ".join(f"%b{k}" for k in range(len(inputs)))
        return self.generic(
            maps, inputs, self.empty(dims), dims, f"    %e = {operation} {arguments} : f64\n    linalg.yield %e : f64"
        )

    def wide(self, value: Value, axes: Sequence[int], dims: Dims) -> Value:
        """A value repeated, as StableHLO wants it before an operation on elements."""
        if value.dims == dims:
            return value
        kinds = f"({self.kind(value.dims)}) -> {self.kind(dims)}"
        return Value(self.new(f"stablehlo.broadcast_in_dim {value.name}, dims = {list(axes)} : {kinds}"), dims)

    def product(self, spec: str, a: Value, b: Value) -> Value:
        """A contraction, as `einsum` spells it."""
        left, _, out = spec.partition("->")
        maps = [*left.split(","), out]
        found = dict(pair for m, v in zip(maps, (a, b), strict=False) for pair in zip(m, v.dims, strict=True))
        dims = tuple(found[c] for c in out)
        if self.dialect == STABLEHLO:
            return self.dot(maps, a, b, dims)
        body = "    %m = arith.mulf %b0, %b1 : f64\n    %e = arith.addf %b2, %m : f64\n    linalg.yield %e : f64"
        return self.generic(maps, (a, b), self.filled(0.0, dims).name, dims, body)

    def dot(self, maps: Sequence[str], a: Value, b: Value, dims: Dims) -> Value:
        """A `dot_general`, whose result is in its own order."""
        both = [c for c in maps[0] if c in maps[1]]
        batch, summed = [c for c in both if c in maps[2]], [c for c in both if c not in maps[2]]
        assert maps[2] == "".join([*batch, *(c for m in maps[:2] for c in m if c not in both)])
        at = [f"{[m.index(c) for c in group]}" for group in (batch, summed) for m in maps[:2]]
        batching = f"batching_dims = {at[0]} x {at[1]}, " if batch else ""
        kinds = f"({self.kind(a.dims)}, {self.kind(b.dims)}) -> {self.kind(dims)}"
        rest = f"{batching}contracting_dims = {at[2]} x {at[3]} : {kinds}"
        return Value(self.new(f"stablehlo.dot_general {a.name}, {b.name}, {rest}"), dims)

    def total(self, spec: str, a: Value, op: str = "addf", start: str = "0.0") -> Value:
        """A sum (or another reduction) over the letters that the result lacks."""
        left, _, out = spec.partition("->")
        dims = tuple(d for c, d in zip(left, a.dims, strict=True) if c in out)
        if self.dialect == LINALG:
            to = self.filled(start, dims)
            body = f"    %e = arith.{op} %b0, %b1 : f64\n    linalg.yield %e : f64"
            return self.generic([left, out], [a], to.name, dims, body)
        name = {"addf": "add", "maximumf": "maximum"}[op]
        first = self.new(f"stablehlo.constant dense<{start}> : tensor<f64>")
        axes = [k for k, c in enumerate(left) if c not in out]
        kinds = f"({self.kind(a.dims)}, tensor<f64>) -> {self.kind(dims)}"
        how = f"applies stablehlo.{name} across dimensions = {axes} : {kinds}"
        return Value(self.new(f"stablehlo.reduce({a.name} init: {first}) {how}"), dims)

    def turned(self, a: Value) -> Value:
        """A matrix transposed."""
        dims = a.dims[::-1]
        if self.dialect == STABLEHLO:
            kinds = f"({self.kind(a.dims)}) -> {self.kind(dims)}"
            return Value(self.new(f"stablehlo.transpose {a.name}, dims = [1, 0] : {kinds}"), dims)
        ends = f"ins({a.name} : {self.kind(a.dims)}) outs({self.empty(dims)} : {self.kind(dims)})"
        return Value(self.new(f"linalg.transpose {ends} permutation = [1, 0]"), dims)

    def diagonal(self, v: Value | None, extent: str) -> Value:
        """A matrix with a vector on its diagonal; ones without a vector."""
        dims = (extent, extent)
        if self.dialect == LINALG:
            return self._diagonal(v, dims)
        kind, n = self.kind(dims), self.extent(extent)
        rows, columns = (self.new(f"stablehlo.iota dim = {d} : tensor<{n}x{n}xi64>") for d in (0, 1))
        compared = f"(tensor<{n}x{n}xi64>, tensor<{n}x{n}xi64>) -> tensor<{n}x{n}xi1>"
        same = self.new(f"stablehlo.compare EQ, {rows}, {columns} : {compared}")
        if v is None:
            return Value(self.new(f"stablehlo.convert {same} : (tensor<{n}x{n}xi1>) -> {kind}"), dims)
        wide, zero = self.wide(v, [0], dims), self.filled(0.0, dims)
        return Value(self.new(f"stablehlo.select {same}, {wide.name}, {zero.name} : tensor<{n}x{n}xi1>, {kind}"), dims)

    def _diagonal(self, v: Value | None, dims: Dims) -> Value:
        one = "%b0" if v else self.new("arith.constant 1.0 : f64")
        zero = self.new("arith.constant 0.0 : f64")
        body = (
            "    %i = linalg.index 0 : index\n    %j = linalg.index 1 : index\n    %q = arith.cmpi eq, %i, %j : index\n"
            f"    %e = arith.select %q, {one}, {zero} : f64\n    linalg.yield %e : f64"
        )
        return self.generic(["i", "ij"] if v else ["ij"], [v] if v else [], self.empty(dims), dims, body)

    def trace(self, a: Value) -> Value:
        """The sum of a diagonal."""
        if self.dialect == LINALG:
            body = "    %e = arith.addf %b0, %b1 : f64\n    linalg.yield %e : f64"
            return self.generic(["ii", ""], [a], self.filled(0.0, ()).name, (), body)
        mask = self.diagonal(None, a.dims[0])
        return self.total("ij->", self.each("mulf", "ij,ij->ij", a, mask))

    def joined(self, axis: int, a: Value, b: Value, extent: str) -> Value:
        """Two matrices, one after the other; `extent` is how long they are together, where that is known."""
        dims = tuple((extent if self.known else "?") if d == axis else e for d, e in enumerate(a.dims))
        kinds = f"({self.kind(a.dims)}, {self.kind(b.dims)}) -> {self.kind(dims)}"
        if self.dialect == STABLEHLO:
            return Value(self.new(f"stablehlo.concatenate {a.name}, {b.name}, dim = {axis} : {kinds}"), dims)
        return Value(self.new(f"tensor.concat dim({axis}) {a.name}, {b.name} : {kinds}"), dims)

    def part(self, a: Value, axis: int, start: int, extent: str) -> Value:
        """Some rows or columns."""
        dims = tuple(extent if d == axis else e for d, e in enumerate(a.dims))
        if self.dialect == STABLEHLO:
            stop = start + int(self.extent(extent))
            box = ", ".join(f"{start}:{stop}" if d == axis else f"0:{self.extent(e)}" for d, e in enumerate(a.dims))
            kinds = f"({self.kind(a.dims)}) -> {self.kind(dims)}"
            return Value(self.new(f"stablehlo.slice {a.name} [{box}] : {kinds}"), dims)
        offsets = ", ".join(str(start if d == axis else 0) for d in range(len(dims)))
        counts = ", ".join(self.sizes[e] if self.open(e) else self.extent(e) for e in dims)
        kinds = f"{self.kind(a.dims)} to {self.kind(dims)}"
        steps = ", ".join("1" for _ in dims)
        return Value(self.new(f"tensor.extract_slice {a.name}[{offsets}] [{counts}] [{steps}] : {kinds}"), dims)

    def padded(self, a: Value, by: int) -> Value:
        """Zeros around all sides; extents are known."""
        dims = tuple(str(int(self.extent(d)) + 2 * by) for d in a.dims)
        sides = ", ".join(str(by) for _ in dims)
        zero = self.filled(0.0, ())
        kinds = f"({self.kind(a.dims)}, tensor<f64>) -> {self.kind(dims)}"
        if self.dialect == STABLEHLO:
            rest = f"low = [{sides}], high = [{sides}], interior = [{', '.join('0' for _ in dims)}]"
            return Value(self.new(f"stablehlo.pad {a.name}, {zero.name}, {rest} : {kinds}"), dims)
        border = self.new("arith.constant 0.0 : f64")
        at = ", ".join(f"%p{k}: index" for k in range(len(dims)))
        body = f"{{\n  ^bb0({at}):\n    tensor.yield {border} : f64\n  }} : {self.kind(a.dims)} to {self.kind(dims)}"
        return Value(self.new(f"tensor.pad {a.name} low[{sides}] high[{sides}] {body}"), dims)

    def reshaped(self, a: Value, dims: str) -> Value:
        """The elements in their order, as another shape; in linalg two dimensions and one."""
        to = tuple(dims.split())
        kinds = f"{self.kind(a.dims)} {{}} {self.kind(to)}"
        if self.dialect == STABLEHLO:
            return Value(self.new(f"stablehlo.reshape {a.name} : ({self.kind(a.dims)}) -> {self.kind(to)}"), to)
        if len(to) < len(a.dims):
            return Value(self.new(f"tensor.collapse_shape {a.name} [[0, 1]] : {kinds.format('into')}"), to)
        shape = ", ".join(self.extent(d) for d in to)
        grown = f"tensor.expand_shape {a.name} [[0, 1]] output_shape [{shape}] : {kinds.format('into')}"
        return Value(self.new(grown), to)

    def convolution(self, a: Value, kernel: Value) -> Value:
        """A convolution of images `(h, w)` by `(t, t)`."""
        dims: Dims = ("y", "x")
        ends = f"{self.kind(a.dims)}, {self.kind(kernel.dims)}"
        if self.dialect == STABLEHLO:
            how = "dim_numbers = [0, 1, b, f]x[0, 1, i, o]->[0, 1, b, f], window = {}"
            four = [self.reshaped(v, f"{' '.join(v.dims)} 1 1") for v in (a, kernel)]
            kinds = f"({self.kind(four[0].dims)}, {self.kind(four[1].dims)}) -> {self.kind((*dims, '1', '1'))}"
            counts = "{batch_group_count = 1 : i64, feature_group_count = 1 : i64}"
            made = self.new(f"stablehlo.convolution({four[0].name}, {four[1].name}) {how} {counts} : {kinds}")
            return self.reshaped(Value(made, (*dims, "1", "1")), " ".join(dims))
        to, kind = self.filled(0.0, dims), self.kind(dims)
        return Value(
            self.new(f"linalg.conv_2d ins({a.name}, {kernel.name} : {ends}) outs({to.name} : {kind}) -> {kind}"), dims
        )
