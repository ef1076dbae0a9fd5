"""Building for targets of tensor values alone: no destinations, no scalars, sizes constant.

Terms are legalised first; what is left is printed with the productions, and
with the families for what moves elements (windows, insertions, positions).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from affine.expr import Lin
from grammar.evaluate import neutral_literal
from grammar.legalise import legalised
from grammar.literal import literal_text
from grammar.meaning import COPY, Production, element_fits
from grammar.spell import CannotSay, Speller, describe, tensor_text
from grammar.term import Apply, Input, Insert, Literal, Position, TensorType, Term, Undefined, Window, nodes


class PureBuilder:
    """Appends operations to `lines`; every value is a tensor, scalars of rank zero."""

    def __init__(self, speller: Speller, sizes: Mapping[str, Lin]) -> None:
        self.speller, self.sizes = speller, sizes
        self.lines: list[str] = []
        self.said: list[str] = []
        self.values: dict[bytes, str] = {}
        self._shared: dict[str, str] = {}

    def build(self, roots: Sequence[Term]) -> list[str]:
        """The SSA names of terms, appending what they need; `CannotSay` if the target cannot."""
        legal = legalised(tuple(roots), self.speller, self.sizes)
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
        resolved = form.substitute(self.sizes.get)
        if not resolved.is_const:
            raise CannotSay(f"target '{self.speller.target.name}' needs constant sizes, and {resolved} is none")
        return resolved.const

    def _once(self, operation: str) -> str:
        """The name of an operation's result, made at first use."""
        if operation not in self._shared:
            self._shared[operation] = f"%r{len(self._shared)}"
            self.lines.append(f"{self._shared[operation]} = {operation}")
            self.said.append(operation.split('"')[1])
        return self._shared[operation]

    def _node(self, term: Term) -> str:
        match term:
            case Literal():
                return self._fill(term.text, term.type)
            case Undefined():
                return self._fill("0", term.type)
            case Position():
                axis = next(str(atom)[1:] for atom, _ in term.form.terms)
                return self._family("index", [], term.type, {"axis": [int(axis)]})
            case Window():
                return self._window(term)
            case Insert():
                return self._placed(term)
            case Apply() if term.body == COPY and isinstance(term.inputs[0], Literal):
                return self._fill(term.inputs[0].text, term.type)
            case Apply():
                return self._apply(term)
            case Input():
                raise KeyError(f"input '{term.name}' has no value")
        raise CannotSay(f"target '{self.speller.target.name}' has no operation for a {type(term).__name__}")

    def _apply(self, term: Apply) -> str:
        for p in self.speller.candidates(term):
            arguments = [self._argument(p, entry, term) for entry in p.operands]
            names = ", ".join(name for name, _ in arguments)
            types = ", ".join(kind for _, kind in arguments)
            result = _with_units(term.type, p.units[-1] if p.units else ())
            region = f" ({{\n{_typed(p, p.region, term)}\n}})" if p.region else ""
            attrs = _attributes(dict(p.attrs))
            value = self._once(f'"{p.op}"({names}){region}{attrs} : ({types}) -> {self.tensor(result)}')
            return self._reshaped(value, result, term.type)
        raise CannotSay(f"target '{self.speller.target.name}' has no operation for {describe(term)}")

    def _argument(self, p: Production, entry: str, term: Apply) -> tuple[str, str]:
        """An operand: an input of the computation, what an accumulation starts from, or a constant."""
        if entry == "init":
            start = neutral_literal(term.body, term.type.element)
            return self._fill(start.text, start.type), self.tensor(start.type)
        if entry.startswith('"'):
            text = _typed(p, entry, term)
            return self._once(text), text.rpartition("-> ")[2]
        operand = term.inputs[int(entry)]
        kind = _with_units(operand.type, p.units[int(entry)] if p.units else ())
        if isinstance(operand, Literal):
            return self._fill(operand.text, kind), self.tensor(kind)
        return self._reshaped(self.values[operand.digest], operand.type, kind), self.tensor(kind)

    # ---- families --------------------------------------------------------------------------------

    def _production(self, family: str, element: str) -> Production:
        for p in self.speller.families.get(family, ()):
            if element_fits(p.elements[-1], element, {}):
                return p
        raise CannotSay(f"target '{self.speller.target.name}' has no operation of family '{family}' for {element}")

    def _family(
        self, family: str, operands: list[tuple[str, str]], kind: TensorType, roles: dict[str, Sequence[object]]
    ) -> str:
        p = self._production(family, kind.element)
        result = self.tensor(kind)
        attrs = dict(p.attrs)
        for name, role, form in p.roles:
            if role not in roles:
                raise CannotSay(f"target '{self.speller.target.name}' asks for {role} in '{p.op}'")
            listed = ", ".join(str(v) for v in roles[role])
            if name.startswith("#"):
                text = p.operands[int(name[1:])].replace("{dims}", listed).replace("{n}", str(len(roles[role])))
                operands = [*operands, (self._once(text), text.rpartition("-> ")[2])]
            else:
                attrs[name] = form.replace("{type}", result).replace("{}", listed)
        names = ", ".join(name for name, _ in operands)
        types = ", ".join(kind for _, kind in operands)
        return self._once(f'"{p.op}"({names}){_attributes(attrs)} : ({types}) -> {result}')

    def _fill(self, text: str, kind: TensorType) -> str:
        return self._family("fill", [], kind, {"value": [literal_text(text, kind.element)]})

    def _window(self, term: Window) -> str:
        source = self.values[term.source.digest]
        extents = dict(zip(term.kept, self._extents(term.type), strict=True))
        rank = term.source.type.rank
        sizes = [extents.get(k, 1) for k in range(rank)]
        start = [self._number(o) for o in term.offsets]
        strides = [term.strides[k] if k in extents else 1 for k in range(rank)]
        limit = [s + (n - 1) * d + 1 for s, n, d in zip(start, sizes, strides, strict=True)]
        kind = TensorType(term.type.element, tuple(Lin(n) for n in sizes))
        if sizes == self._extents(term.source.type) and rank == term.type.rank:
            return source
        roles: dict[str, Sequence[object]] = {"start": start, "limit": limit, "stride": strides, "extent": sizes}
        piece = self._family("window", [(source, self.tensor(term.source.type))], kind, roles)
        return self._reshaped(piece, kind, term.type)

    def _reshaped(self, name: str, old: TensorType, new: TensorType) -> str:
        if self.tensor(old) == self.tensor(new):
            return name
        return self._family("reshape", [(name, self.tensor(old))], new, {"extent": self._extents(new)})

    def _placed(self, term: Insert) -> str:
        """A piece in a tensor of one value (legalisation leaves no other insertion)."""
        rank = term.type.rank
        extents = dict(zip(term.kept, self._extents(term.piece.type), strict=True))
        sizes = [extents.get(k, 1) for k in range(rank)]
        start = [self._number(o) for o in term.offsets]
        gap = [term.strides[k] - 1 if k in extents else 0 for k in range(rank)]
        whole = self._extents(term.type)
        rest = [w - 1 - (s + (n - 1) * (g + 1)) for w, s, n, g in zip(whole, start, sizes, gap, strict=True)]
        kind = TensorType(term.type.element, tuple(Lin(n) for n in sizes))
        piece = self._reshaped(self.values[term.piece.digest], term.piece.type, kind)
        scalar = TensorType(term.type.element, ())
        around = self._fill(_constant_of(term.into), scalar)
        operands = [(piece, self.tensor(kind)), (around, self.tensor(scalar))]
        return self._family("insert", operands, term.type, {"start": start, "rest": rest, "gap": gap})


def _with_units(kind: TensorType, positions: Sequence[int]) -> TensorType:
    """A type with further dimensions of extent one at some positions."""
    dims = iter(kind.dims)
    rank = kind.rank + len(positions)
    return TensorType(kind.element, tuple(Lin(1) if k in positions else next(dims) for k in range(rank)))


def _attributes(attrs: Mapping[str, str]) -> str:
    """As a dictionary: dialects defined at run time have no properties."""
    text = ", ".join(f"{k} = {v}" for k, v in attrs.items())
    return f" {{{text}}}" if text else ""


def _constant_of(term: Term) -> str:
    if isinstance(term, Apply) and term.body == COPY and isinstance(term.inputs[0], Literal):
        return term.inputs[0].text
    return "0"


def _typed(p: Production, text: str, term: Apply) -> str:
    """A text written for the pattern's element types, for the term's own."""
    actual = (*(t.type.element for t in term.inputs), term.type.element)
    for pattern, element in dict(zip(p.elements, actual, strict=True)).items():
        if pattern != element:
            text = text.replace(f"<{pattern}>", f"<{element}>").replace(f"x{pattern}>", f"x{element}>")
    return text
