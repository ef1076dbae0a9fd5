"""Building: terms as MLIR text, each distinct node once, in an order that respects operands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from affine.expr import Cond, Floor, Lin, var
from grammar.evaluate import neutral_literal
from grammar.spell import Argument, Speller, scalar_text, scalar_type, tensor_text
from grammar.term import Apply, Insert, Input, Literal, Mask, TensorType, Term, Undefined, Window, nodes


class Builder:
    """Appends operations to `lines`; remembers each term's value, each constant and each size.

    `sizes` gives each size symbol as a form over names of the function;
    `names` the SSA value of each such name.
    """

    def __init__(self, speller: Speller, sizes: Mapping[str, Lin], names: Mapping[str, str]) -> None:
        self.speller = speller
        self.sizes = sizes
        self.names = dict(names)
        self.lines: list[str] = []
        self.values: dict[bytes, Argument] = {}
        self._shared: dict[str, str] = {}
        self._count = 0

    def fresh(self) -> str:
        """A new SSA name."""
        self._count += 1
        return f"%r{self._count}"

    def once(self, operation: str) -> str:
        """The SSA name of an operation without effects, made at first use."""
        if operation not in self._shared:
            self._shared[operation] = self.fresh()
            self.lines.append(f"{self._shared[operation]} = {operation}")
        return self._shared[operation]

    # ---- sizes -----------------------------------------------------------------------------------

    def resolved(self, form: Lin) -> Lin:
        """A size over symbols as one over names of the function."""
        return form.substitute(self.sizes.get)

    def index(self, form: Lin) -> str:
        """The SSA index value of a resolved form."""
        if form.is_const:
            return self.once(f"arith.constant {form.const} : index")
        names = sorted(form.names())
        if form == var(names[0]):
            return self.names[names[0]]
        symbols = {n: f"s{k}" for k, n in enumerate(names)}
        text = affine_text(form, symbols)
        operands = ", ".join(self.names[n] for n in names)
        return self.once(f"affine.apply affine_map<()[{', '.join(symbols.values())}] -> ({text})>()[{operands}]")

    def extents(self, kind: TensorType) -> tuple[Lin, ...]:
        """A type's extents, resolved."""
        return tuple(self.resolved(d) for d in kind.dims)

    def tensor(self, kind: TensorType) -> str:
        """A type as MLIR text."""
        return tensor_text(kind, self.extents(kind))

    def empty(self, kind: TensorType) -> Argument:
        """A tensor without contents."""
        dynamic = ", ".join(self.index(e) for e in self.extents(kind) if not e.is_const)
        return Argument(self.once(f"tensor.empty({dynamic}) : {self.tensor(kind)}"), self.tensor(kind))

    # ---- terms -----------------------------------------------------------------------------------

    def build(self, roots: Sequence[Term]) -> list[Argument]:
        """The values of terms, appending what they need."""
        for node in nodes(tuple(roots)):
            if node.digest not in self.values:
                self.values[node.digest] = self._node(node)
        return [self.values[r.digest] for r in roots]

    def _node(self, term: Term) -> Argument:
        match term:
            case Literal():
                return self.literal(term)
            case Mask():
                return self._mask(term)
            case Undefined():
                return self.empty(term.type)
            case Window():
                return self._window(term)
            case Insert():
                return self._insert(term)
            case Apply():
                return self._apply(term)
            case Input():
                raise KeyError(f"input '{term.name}' has no value")
        raise TypeError(f"unknown term {type(term).__name__}")

    def literal(self, term: Literal) -> Argument:
        """A scalar constant."""
        element = term.type.element
        return Argument(self.once(f"arith.constant {literal_text(term.text, element)} : {element}"), element)

    def _apply(self, term: Apply) -> Argument:
        arguments = [self.values[t.digest] for t in term.inputs]
        if term.type.rank == 0 and not term.body.reads_output and all(t.type.rank == 0 for t in term.inputs):
            return self._scalar(term, arguments)
        init = self._init(term)
        name = self.fresh()
        self.lines.append(self.speller.text(term, arguments, init, name))
        return Argument(name, init.type)

    def _init(self, term: Apply) -> Argument:
        if not term.body.reads_output:
            return self.empty(term.type)
        if term.init is not None:
            return self.as_tensor(self.values[term.init.digest], term.type)
        start = neutral_literal(term.body, term.type.element)
        return self.filled(self.literal(start), term.type)

    def filled(self, value: Argument, kind: TensorType) -> Argument:
        """A tensor of one value."""
        from grammar.meaning import Body

        scalar = Literal(TensorType(kind.element, ()), "0")
        copy = Apply(kind, Body(2, (), 0), ((), tuple(range(kind.rank))), (scalar,))
        name = self.fresh()
        self.lines.append(self.speller.text(copy, [value], self.empty(kind), name))
        return Argument(name, self.tensor(kind))

    def as_tensor(self, value: Argument, kind: TensorType) -> Argument:
        """A scalar value as a tensor of rank 0; tensors as they are."""
        if not value.is_scalar:
            return value
        return Argument(self.once(f"tensor.from_elements {value.name} : {self.tensor(kind)}"), self.tensor(kind))

    def as_scalar(self, value: Argument, element: str) -> Argument:
        """The element of a tensor of rank 0; scalars as they are."""
        if value.is_scalar:
            return value
        return Argument(self.once(f"tensor.extract {value.name}[] : {value.type}"), element)

    def _scalar(self, term: Apply, arguments: list[Argument]) -> Argument:
        """A computation without dimensions is plain scalar code."""
        values = [self.as_scalar(a, t.type.element) for a, t in zip(arguments, term.inputs, strict=True)]
        names, types = [v.name for v in values] + [""], [v.type for v in values] + [term.type.element]
        for instr in term.body.instrs:
            args = [types[a] for a in instr.args]
            out = scalar_type(instr.op, args, term.type.element)
            name = self.fresh()
            self.lines.append(scalar_text(name, instr.op, [names[a] for a in instr.args], args, out, instr.attrs))
            names.append(name)
            types.append(out)
        return Argument(names[term.body.result], types[term.body.result])

    def _window(self, term: Window) -> Argument:
        source = self.values[term.source.digest]
        return Argument(
            self.once(
                f"tensor.extract_slice {source.name}{self._box(term, term.source.type)} "
                f": {source.type} to {self.tensor(term.type)}"
            ),
            self.tensor(term.type),
        )

    def _insert(self, term: Insert) -> Argument:
        into, piece = self.values[term.into.digest], self.values[term.piece.digest]
        box = self._box(Window(term.piece.type, term.into, term.offsets, term.kept, term.strides), term.into.type)
        name = self.fresh()
        self.lines.append(f"{name} = tensor.insert_slice {piece.name} into {into.name}{box} : {piece.type} into {into.type}")
        return Argument(name, into.type)

    def _box(self, window: Window, source: TensorType) -> str:
        offsets = [self._position(o) for o in window.offsets]
        sizes = ["1"] * source.rank
        for dim, extent in zip(window.kept, window.type.dims, strict=True):
            sizes[dim] = self._position(extent)
        strides = [str(s) for s in window.strides]
        return "".join(f"[{', '.join(part)}]" for part in (offsets, sizes, strides))

    def _position(self, form: Lin) -> str:
        resolved = self.resolved(form)
        return str(resolved.const) if resolved.is_const else self.index(resolved)

    # ---- masks -----------------------------------------------------------------------------------

    def _mask(self, term: Mask) -> Argument:
        init = self.empty(term.type)
        rank = term.type.rank
        target = self.speller.target
        lines = [f"%i{k} = {target.index.format(dim=k)}" for k in range(rank)]
        alternatives = [self._all_of(conds, rank, lines, a) for a, conds in enumerate(term.alternatives)]
        truth = self._joined(alternatives, "arith.ori", lines, "or")
        body = "\n".join(["^bb0(%old: i1):", *lines, f'"{target.terminator}"({truth}) : (i1) -> ()'])
        identity = tuple(range(rank))
        from grammar.spell import iterators_attribute, maps_attribute

        name = self.fresh()
        self.lines.append(
            f'{name} = "{target.result}"({init.name}) <{{indexing_maps = {maps_attribute((identity,), rank)}, '
            f"iterator_types = {iterators_attribute(target, identity, rank)}, "
            f"operandSegmentSizes = array<i32: 0, 1>}}> ({{\n{body}\n}}) : ({init.type}) -> {init.type}"
        )
        return Argument(name, init.type)

    def _all_of(self, conds: tuple[Cond, ...], rank: int, lines: list[str], number: int) -> str:
        tests = []
        for k, cond in enumerate(conds):
            form = self.resolved(cond.form)
            outer = sorted(n for n in form.names() if n in self.names)
            symbols = {**{f"d{d}": f"d{d}" for d in range(rank)}, **{n: f"s{j}" for j, n in enumerate(outer)}}
            dims = ", ".join(f"d{d}" for d in range(rank))
            space = f"({dims})[{', '.join(symbols[n] for n in outer)}]"
            operands = f"({', '.join(f'%i{d}' for d in range(rank))})[{', '.join(self.names[n] for n in outer)}]"
            tag = f"{number}_{k}"
            zero = self.once("arith.constant 0 : index")
            lines.append(f"%a{tag} = affine.apply affine_map<{space} -> ({affine_text(form, symbols)})>{operands}")
            lines.append(f"%t{tag} = arith.cmpi {'eq' if cond.equality else 'sge'}, %a{tag}, {zero} : index")
            tests.append(f"%t{tag}")
        if not tests:
            return self.once("arith.constant true")
        return self._joined(tests, "arith.andi", lines, f"and{number}_")

    def _joined(self, names: list[str], op: str, lines: list[str], tag: str) -> str:
        if not names:
            return self.once("arith.constant false")
        result = names[0]
        for k, name in enumerate(names[1:]):
            lines.append(f"%{tag}{k} = {op} {result}, {name} : i1")
            result = f"%{tag}{k}"
        return result


def affine_text(form: Lin, symbols: Mapping[str, str]) -> str:
    """A form in MLIR's affine syntax."""
    parts = [str(form.const)] if form.const or not form.terms else []
    for atom, c in form.terms:
        text = f"(({affine_text(atom.inner, symbols)}) floordiv {atom.divisor})" if isinstance(atom, Floor) else symbols[atom]
        parts.append(f"{text} * {c}" if c != 1 else text)
    return " + ".join(parts)


_WIDTHS = {"f64": (11, 52), "f32": (8, 23), "f16": (5, 10), "bf16": (8, 7)}


def literal_text(text: str, element: str) -> str:
    """A constant as MLIR text: decimal where it is finite, bits where it is not."""
    if element == "i1":
        return "true" if int(text) else "false"
    if element not in _WIDTHS:
        return str(int(float(text)))
    value = float(text)
    if value in (float("inf"), float("-inf")) or value != value:
        exponent, mantissa = _WIDTHS[element]
        bits = ((1 << exponent) - 1) << mantissa
        bits |= 1 << (mantissa - 1) if value != value else 0
        bits |= 1 << (exponent + mantissa) if value < 0 else 0
        return f"0x{bits:0{(1 + exponent + mantissa) // 4}X}"
    return f"{value!r}" if "e" in repr(value) or "." in repr(value) else f"{value!r}.0"
