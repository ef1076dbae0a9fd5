"""Text for targets of tensor values alone: no destinations, no scalars, constant sizes.

Terms are legalised first; each node is then printed with the production that says it, or, for what moves elements
(windows, insertions, positions), with the family that was learned for it. The text is MLIR's generic form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raising.affine.ir.affine_expr import Lin, var
from raising.grammar.emit.carried_loops import LoopText, placed
from raising.grammar.emit.operation_lines import OperationLines
from raising.grammar.evaluate.evaluator import neutral_literal
from raising.grammar.select.legalise import legalised
from raising.grammar.select.positions import INDEX
from raising.grammar.select.selector import CannotSay, OpenSize, Selector, describe, tensor_text
from raising.grammar.terms.literal import literal_text
from raising.grammar.terms.pointwise import is_constant
from raising.grammar.terms.structured_op import COPY, Production, element_fits
from raising.grammar.terms.term import (
    Apply,
    Call,
    Input,
    Insert,
    Literal,
    Position,
    Recur,
    Reshape,
    Reverse,
    TensorType,
    Term,
    Undefined,
    Window,
    box_extents,
    nodes,
)


def with_units(kind: TensorType, positions: Sequence[int]) -> TensorType:
    """A type with further dimensions of extent one at some positions."""
    dims = iter(kind.dims)
    rank = kind.rank + len(positions)
    return TensorType(kind.element, tuple(Lin(1) if k in positions else next(dims) for k in range(rank)))


def attributes(attrs: Mapping[str, str]) -> str:
    """The attributes as a dictionary, because dialects that are defined at run time have no properties."""
    text = ", ".join(f"{k} = {v}" for k, v in attrs.items())
    return f" {{{text}}}" if text else ""


def typed(p: Production, text: str, term: Apply) -> str:
    """A text written for the pattern's element types, for the term's own."""
    actual = (*(t.type.element for t in term.inputs), term.type.element)
    for pattern, element in dict(zip(p.elements, actual, strict=True)).items():
        if pattern != element:
            text = text.replace(f"<{pattern}>", f"<{element}>").replace(f"x{pattern}>", f"x{element}>")
    return text


class PureBuilder(OperationLines):
    """Appends operations to `lines`; every value is a tensor, scalars of rank zero."""

    def __init__(self, selector: Selector, sizes: Mapping[str, Lin]) -> None:
        super().__init__(selector, sizes)
        self.values: dict[bytes, str] = {}
        self.loops: dict[tuple[object, ...], list[str]] = {}
        self.counters: dict[bytes, str] = {}  # the variables of the loops around
        self._reshapes: dict[str, tuple[str, TensorType]] = {}  # what a value was before it was reshaped, by its name

    def build(self, roots: Sequence[Term]) -> list[str]:
        """The SSA names of terms, appending what they need; `CannotSay` if the target cannot."""
        return self._built(legalised(tuple(roots), self.selector, self.sizes))

    def _built(self, legal: tuple[Term, ...]) -> list[str]:
        for node in nodes(legal):
            if node.digest not in self.values and (node in legal or not isinstance(node, Literal)):
                self.values[node.digest] = self._node(node)
        return [self.values[r.digest] for r in legal]

    def tensor(self, kind: TensorType) -> str:
        """A type as MLIR text; `CannotSay` if an extent is not constant."""
        return tensor_text(kind, tuple(Lin(e) for e in self._extents(kind)))

    def _extents(self, kind: TensorType) -> list[int]:
        return [self._number(d) for d in kind.dims]

    def _number(self, form: Lin) -> int:
        resolved = self.resolved(form)
        if not resolved.is_const:
            raise OpenSize(resolved)
        return resolved.const

    def once(self, operation: str) -> str:
        """The name of an operation's result, written at first use; it is one of the target."""
        if operation not in self._shared:
            self.said.append(operation.split('"')[1])
        return super().once(operation)

    def _node(self, term: Term) -> str:
        match term:
            case Literal() | Undefined():
                return self._fill(term.text if isinstance(term, Literal) else "0", term.type)
            case Position():
                axis = next(str(atom)[1:] for atom, _ in term.form.terms)
                return self._family("index", [], term.type, {"axis": [int(axis)]})
            case Window() | Reshape() | Reverse() | Insert():
                return self._moved(term)
            case Recur():
                if term.loop not in self.loops:
                    self.loops[term.loop] = self._looped(term)
                return self.loops[term.loop][term.number]
            case Apply() if term.body == COPY and isinstance(term.inputs[0], Literal):
                return self._fill(term.inputs[0].text, term.type)
            case Apply() | Call():
                return self._apply(term) if isinstance(term, Apply) else self._called(term)
            case Input():
                raise CannotSay(f"a value depends on the open size '{term.name}'")
        raise CannotSay(f"target '{self.selector.target.name}' has no operation for a {type(term).__name__}")

    def _moved(self, term: Window | Reshape | Reverse | Insert) -> str:
        match term:
            case Window():
                return self._window(term)
            case Reverse():
                return self._turned(term)
            case Reshape():
                return self._reshaped(self._value(term.source), term.source.type, term.type)
        return self._placed(term) if is_constant(term.into) else self._replaced(term)

    def _apply(self, term: Apply) -> str:
        for p in self.selector.candidates(term):
            arguments = [self._argument(p, entry, term) for entry in p.operands]
            names = ", ".join(name for name, _ in arguments)
            types = ", ".join(kind for _, kind in arguments)
            result = with_units(term.type, p.units[-1] if p.units else ())
            region = f" ({{\n{typed(p, p.region, term)}\n}})" if p.region else ""
            attrs = attributes(dict(p.attrs))
            value = self.once(f'"{p.op}"({names}){region}{attrs} : ({types}) -> {self.tensor(result)}')
            return self._reshaped(value, result, term.type)
        raise CannotSay(f"target '{self.selector.target.name}' has no operation for {describe(term)}")

    def _called(self, term: Call) -> str:
        names = ", ".join(self._value(t) for t in term.inputs)
        types = ", ".join(self.tensor(t.type) for t in term.inputs)
        attrs = attributes(dict(term.procedure.attributes))
        return self.once(f'"{term.procedure.operation}"({names}){attrs} : ({types}) -> {self.tensor(term.type)}')

    def _argument(self, p: Production, entry: str, term: Apply) -> tuple[str, str]:
        """An operand: an input of the computation, what an accumulation starts from, or a constant."""
        if entry == "init":
            start = neutral_literal(term.body, term.type.element)
            return self._fill(start.text, start.type), self.tensor(start.type)
        if entry.startswith('"'):
            text = typed(p, entry, term)
            return self.once(text), text.rpartition("-> ")[2]
        operand = term.inputs[int(entry)]
        kind = with_units(operand.type, p.units[int(entry)] if p.units else ())
        if isinstance(operand, Literal):
            return self._fill(operand.text, kind), self.tensor(kind)
        return self._reshaped(self.values[operand.digest], operand.type, kind), self.tensor(kind)

    # ---- families --------------------------------------------------------------------------------

    def _production(self, family: str, element: str) -> Production:
        for p in self.selector.families.get(family, ()):
            if element_fits(p.elements[-1], element, {}):
                return p
        raise CannotSay(f"target '{self.selector.target.name}' has no operation of family '{family}' for {element}")

    def _family(
        self, family: str, operands: list[tuple[str, str]], kind: TensorType, roles: dict[str, Sequence[object]]
    ) -> str:
        p = self._production(family, kind.element)
        result = self.tensor(kind)
        attrs = dict(p.attrs)
        for name, role, form in p.roles:
            if role not in roles:
                raise CannotSay(f"target '{self.selector.target.name}' asks for {role} in '{p.op}'")
            listed = ", ".join(str(v) for v in roles[role])
            if name.startswith("#"):
                text = p.operands[int(name[1:])].replace("{dims}", listed).replace("{n}", str(len(roles[role])))
                operands = [*operands, (self.once(text), text.rpartition("-> ")[2])]
            else:
                attrs[name] = form.replace("{type}", result).replace("{}", listed)
        names = ", ".join(name for name, _ in operands)
        types = ", ".join(kind for _, kind in operands)
        return self.once(f'"{p.op}"({names}){attributes(attrs)} : ({types}) -> {result}')

    def _fill(self, text: str, kind: TensorType) -> str:
        return self._family("fill", [], kind, {"value": [literal_text(text, kind.element)]})

    def _window(self, term: Window) -> str:
        source = self.values[term.source.digest]
        sizes = list(map(self._number, box_extents(term)))
        if not all(self.resolved(o).is_const for o in term.offsets):
            return self._moving(term, sizes)
        start = [self._number(o) for o in term.offsets]
        strides = [term.strides[k] if k in term.kept else 1 for k in range(len(sizes))]
        limit = [s + (n - 1) * d + 1 for s, n, d in zip(start, sizes, strides, strict=True)]
        kind = TensorType(term.type.element, tuple(Lin(n) for n in sizes))
        if sizes == self._extents(term.source.type):
            return self._reshaped(source, term.source.type, term.type)
        roles: dict[str, Sequence[object]] = {"start": start, "limit": limit, "stride": strides, "extent": sizes}
        piece = self._family("window", [(source, self.tensor(term.source.type))], kind, roles)
        return self._reshaped(piece, kind, term.type)

    # ---- loops that stay -------------------------------------------------------------------------

    def _index(self, form: Lin) -> str:
        """A place as a tensor of rank zero."""
        (name,) = self.build([Position(TensorType(INDEX, ()), form)])
        return name

    def _at(self, offsets: Sequence[Lin]) -> dict[str, str]:
        kind = self.tensor(TensorType(INDEX, ()))
        starts = [self._index(o) for o in offsets]
        return {"starts": ", ".join(starts), "start_types": ", ".join(kind for _ in starts)}

    def _moving(self, term: Window, sizes: list[int]) -> str:
        """A window at a place that depends on the variable of a loop."""
        if not self.selector.target.window or any(s != 1 for s in term.strides):
            raise CannotSay(f"target '{self.selector.target.name}' has no window whose place is computed")
        kind = TensorType(term.type.element, tuple(Lin(n) for n in sizes))
        places = {
            "source": self.values[term.source.digest],
            "source_type": self.tensor(term.source.type),
            "extents": ", ".join(map(str, sizes)),
            "type": self.tensor(kind),
            **self._at(term.offsets),
        }
        return self._reshaped(self.once(placed(self.selector.target.window, places)), kind, term.type)

    def _replaced(self, term: Insert) -> str:
        """A box of a tensor replaced."""
        sizes = list(map(self._number, box_extents(term)))
        kind = TensorType(term.type.element, tuple(Lin(n) for n in sizes))
        places = {
            "source": self.values[term.into.digest],
            "piece": self._reshaped(self._value(term.piece), term.piece.type, kind),
            "source_type": self.tensor(term.type),
            "piece_type": self.tensor(kind),
            **self._at(term.offsets),
        }
        return self.once(placed(self.selector.target.place, places))

    def _looped(self, term: Recur) -> list[str]:
        """The tensors that a loop leaves behind."""
        step = term.step
        if len(step.lower) > 1 or len(step.upper) > 1:
            raise CannotSay("a loop stays that starts or ends at one of several bounds")
        inits = [self._value(t) for t in term.inits]
        bounds = {
            "iv": f"%{step.iv}",
            "lower": self._index(step.lower[0]),
            "upper": self._index(step.upper[0]),
            "step": self._index(Lin(step.step)),
        }
        inner = PureBuilder(self.selector, {**self.sizes, step.iv: var(step.iv)})
        inner._continues(self)
        inner.counters = {**self.counters, Input(TensorType(INDEX, ()), step.iv).digest: f"%{step.iv}"}
        inner.values |= inner.counters
        for given, outer in zip(step.given, term.given, strict=True):
            inner.values[given.digest] = self._value(outer)
        names = [self.fresh() for _ in inits]
        inner.values |= {c.digest: name for c, name in zip(step.carried, names, strict=True)}
        values = inner._built(step.results)
        types = [self.tensor(t.type) for t in step.carried]
        text = LoopText(self.selector.target.loop, self.fresh(), inits, types, before=1)
        self.lines.append(text.filled(bounds, names, inner.lines, values))
        return text.results

    def _value(self, term: Term) -> str:
        return self._fill(term.text, term.type) if isinstance(term, Literal) else self.values[term.digest]

    def _turned(self, term: Reverse) -> str:
        operand = (self.values[term.source.digest], self.tensor(term.source.type))
        return self._family("reverse", [operand], term.type, {"axes": term.axes})

    def _reshaped(self, name: str, old: TensorType, new: TensorType) -> str:
        first, kind = self._reshapes.get(name, (name, old))
        if self.tensor(kind) == self.tensor(new):
            return first
        made = self._family("reshape", [(first, self.tensor(kind))], new, {"extent": self._extents(new)})
        self._reshapes[made] = (first, kind)
        return made

    def _placed(self, term: Insert) -> str:
        """A piece in a tensor of one value (legalisation leaves no other insertion)."""
        sizes = list(map(self._number, box_extents(term)))
        start = [self._number(o) for o in term.offsets]
        gap = [term.strides[k] - 1 if k in term.kept else 0 for k in range(len(sizes))]
        whole = self._extents(term.type)
        rest = [w - 1 - (s + (n - 1) * (g + 1)) for w, s, n, g in zip(whole, start, sizes, gap, strict=True)]
        kind = TensorType(term.type.element, tuple(Lin(n) for n in sizes))
        piece = self._reshaped(self._value(term.piece), term.piece.type, kind)
        scalar = TensorType(term.type.element, ())
        around = self._fill(_constant_of(term.into), scalar)
        operands = [(piece, self.tensor(kind)), (around, self.tensor(scalar))]
        return self._family("insert", operands, term.type, {"start": start, "rest": rest, "gap": gap})


def _constant_of(term: Term) -> str:
    if isinstance(term, Apply) and term.body == COPY and isinstance(term.inputs[0], Literal):
        return term.inputs[0].text
    return "0"
