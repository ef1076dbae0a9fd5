"""Masks are not stored: masks and comparisons are computed inside of the operation that selects by them.

A mask costs nothing this way, and MLIR cannot lower memories of one-bit elements to LLVM.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING

from raising.affine.ir.affine_expr import Cond, Floor, Lin, var
from raising.grammar.select.selector import Argument, body_lines, describe
from raising.grammar.terms.structured_op import Map, dims_of
from raising.grammar.terms.term import Apply, Mask, Position, Reverse, TensorType, Term
from raising.support.mlir.text_lines import TextLines

if TYPE_CHECKING:
    from raising.grammar.emit.term_builder import Builder


def is_inlined(term: Term) -> bool:
    """True for truth tensors that can be computed element by element where they are used."""
    if isinstance(term, Mask | Position):
        return True
    return isinstance(term, Apply) and term.type.element == "i1" and term.type.rank > 0 and not term.body.reads_output


def fused(builder: Builder, term: Apply | Mask) -> Argument:
    """A computation with its inlined operands, in the lowering's general form."""
    return _Region(builder, term).build()


def reversed_(builder: Builder, term: Reverse) -> Argument:
    """A tensor read backwards, in the lowering's general form."""
    init, source = builder.empty(term.type), builder.values[term.source.digest]
    target, element = builder.selector.target, term.type.element
    lines = [f"^bb0(%old: {element}):"]
    places = []
    for k, extent in enumerate(term.type.dims):
        lines.append(f"%i{k} = {target.index.format(dim=k)}")
        if k in term.axes:
            lines.append(f"%p{k} = arith.subi {builder.index(builder.resolved(extent - 1))}, %i{k} : index")
        places.append(f"%p{k}" if k in term.axes else f"%i{k}")
    lines.append(f"%element = tensor.extract {source.name}[{', '.join(places)}] : {source.type}")
    lines.append(f'"{target.terminator}"(%element) : ({element}) -> ()')
    name = builder.fresh()
    identity = tuple(range(term.type.rank))
    builder.say(builder.selector.general((identity,), "\n".join(lines), [], init, name, "a tensor read backwards"))
    return Argument(name, init.type)


class _Region(TextLines):
    """One region: the operands it reads with their maps, and its scalar code."""

    stem = "f"

    def __init__(self, builder: Builder, term: Apply | Mask) -> None:
        super().__init__()
        self.builder, self.term = builder, term
        self.arguments: list[Argument] = []
        self.maps: list[Map] = []
        self.elements: list[str] = []

    def build(self) -> Argument:
        """Append the operation to the builder."""
        term, builder = self.term, self.builder
        if isinstance(term, Mask):
            identity = tuple(range(term.type.rank))
            init = builder.empty(term.type)
            out: Map = identity
            value = self.mask(term, identity)
        else:
            init, out = builder.init(term), term.maps[-1]
            names = [self.operand(t, m) for t, m in zip(term.inputs, term.maps[:-1], strict=True)]
            value = self.body(term, [*names, "%old"])
            self._span(term)
        target = builder.selector.target
        arguments = [f"%b{k}: {e}" for k, e in enumerate(self.elements)] + [f"%old: {term.type.element}"]
        end = f'"{target.terminator}"({value}) : ({term.type.element}) -> ()'
        region = "\n".join([f"^bb0({', '.join(arguments)}):", *self.lines, end])
        name = builder.fresh()
        maps = (*self.maps, out)
        builder.say(builder.selector.general(maps, region, self.arguments, init, name, describe(term)))
        return Argument(name, init.type)

    def _span(self, term: Apply) -> None:
        """Give dimensions that only computed operands have alone an extent: an empty tensor that nothing reads."""
        seen = {d for m in (*self.maps, term.maps[-1]) for d in m}
        pairs = [
            (d, e) for t, m in zip(term.inputs, term.maps, strict=False) for d, e in zip(m, t.type.dims, strict=True)
        ]
        missing = {d: extent for d, extent in pairs if isinstance(d, int) and d not in seen}
        if missing:
            self.arguments.append(self.builder.empty(TensorType(term.type.element, tuple(missing.values()))))
            self.maps.append(tuple(missing))
            self.elements.append(term.type.element)

    def operand(self, term: Term, positions: Map) -> str:
        """The element of a term at the iteration point; its dimension k is iteration dimension `positions[k]`."""
        if isinstance(term, Mask):
            return self.mask(term, positions)
        if isinstance(term, Position):
            return self.position(term, positions)
        if isinstance(term, Apply) and is_inlined(term):
            out = term.maps[-1]
            inner = {d: positions[k] for k, d in enumerate(out)}
            names = [
                self.operand(t, tuple(inner[d] for d in m)) for t, m in zip(term.inputs, term.maps[:-1], strict=True)
            ]
            return self.body(term, names)
        self.arguments.append(self.builder.values[term.digest])
        self.maps.append(positions)
        self.elements.append(term.type.element)
        return f"%b{len(self.arguments) - 1}"

    def body(self, term: Apply, names: list[str]) -> str:
        """A scalar body on named elements."""
        elements = [t.type.element for t in term.inputs] + [term.type.element]
        lines, result = body_lines(term.body, [*names, ""][: len(elements)], elements, self.fresh)
        self.lines += lines
        return result.name

    # ---- masks -----------------------------------------------------------------------------------

    def _index(self, positions: Map) -> tuple[dict[str, Lin], dict[str, str]]:
        """A term's own dimension names by those of the iteration, and the SSA index of each of these."""
        where = {f"d{k}": var(f"d{d}") for k, d in enumerate(positions)}
        index = {}
        for d in sorted(dims_of(positions)):
            index[f"d{d}"] = self.op(self.builder.selector.target.index.format(dim=d))
        return where, index

    def position(self, term: Position, positions: Map) -> str:
        """An index form as a number at the iteration point."""
        where, index = self._index(positions)
        return self._applied(term.form.substitute(where.get), index)

    def mask(self, term: Mask, positions: Map) -> str:
        """The truth of a mask at the iteration point."""
        where, index = self._index(positions)
        truths = []
        for conds in term.alternatives:
            tests = [self._test(c.substitute(where.get), index) for c in conds]
            truths.append(joined(tests, "arith.andi", "true", self.op, self.builder.once))
        return joined(truths, "arith.ori", "false", self.op, self.builder.once)

    def _test(self, cond: Cond, index: Mapping[str, str]) -> str:
        zero = self.builder.once("arith.constant 0 : index")
        value = self._applied(cond.form, index)
        return self.op(f"arith.cmpi {'eq' if cond.equality else 'sge'}, {value}, {zero} : index")

    def _applied(self, form: Lin, index: Mapping[str, str]) -> str:
        """The value of a form over iteration indices and sizes."""
        builder = self.builder
        return index_value(builder.resolved(form), {**builder.names, **index}, self.op, builder.once)


def joined(
    truths: Sequence[str], op: str, empty: str, emit: Callable[[str], str], constant: Callable[[str], str]
) -> str:
    """Truth values combined by `arith.andi` or `arith.ori`; the constant `empty` if there are none."""
    if not truths:
        return constant(f"arith.constant {empty}")
    return reduce(lambda a, b: emit(f"{op} {a}, {b} : i1"), truths)


def index_value(form: Lin, names: Mapping[str, str], emit: Callable[[str], str], constant: Callable[[str], str]) -> str:
    """The SSA index value of a form: plain arithmetic, valid wherever its names are.

    (`affine.apply` would ask that each name is a dimension or symbol where it stands.)
    """

    def number(value: int) -> str:
        return constant(f"arith.constant {value} : index")

    total = number(form.const) if form.const or not form.terms else ""
    for atom, c in form.terms:
        if isinstance(atom, Floor):
            inner = index_value(atom.inner, names, emit, constant)
            term = emit(f"arith.floordivsi {inner}, {number(atom.divisor)} : index")
        else:
            term = names[atom]
        if c not in (1, -1):
            term = emit(f"arith.muli {term}, {number(abs(c))} : index")
        if c < 0:
            total = emit(f"arith.subi {total or number(0)}, {term} : index")
        else:
            total = emit(f"arith.addi {term}, {total} : index") if total else term
    return total
