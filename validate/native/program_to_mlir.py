"""A loop program written as an MLIR function, at sizes that are numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raising.affine.ir.affine_expr import Cond, Lin
from raising.affine.ir.program import Compute, Guard, IndexValue, Load, Loop, Node, Program, Scalar, Store
from raising.grammar.terms.literal import literal_text
from raising.validate.run.run import elements_of, shapes

_SMALL = 64
"""Elements of a local array that stays on the stack."""


def printed(program: Program, arguments: Sequence[str], sizes: Mapping[str, int]) -> str:
    """`func.func @run` of these arrays and scalars, in order; every other array is a local one of the function."""
    return _Printer(program, sizes).text(arguments)


class _Printer:
    def __init__(self, program: Program, sizes: Mapping[str, int]) -> None:
        self.program, self.sizes = program, sizes
        self.elements = elements_of(program)
        self.shapes = shapes(program, sizes)
        self.names: dict[str, str] = {}
        self.lines: list[str] = []

    def text(self, arguments: Sequence[str]) -> str:
        """The function as MLIR text."""
        head = ", ".join(f"{self._new(n)}: {self._type(n)}" for n in arguments)
        for name in self.program.arrays:
            if name not in self.names:
                place = "alloca" if _count(self.shapes[name]) <= _SMALL else "alloc"
                self.lines.append(f"{self._new(name)} = memref.{place}() : {self._type(name)}")
        for scalar in self.program.scalars.values():
            if scalar.name not in self.names and scalar.literal is not None:
                literal = _literal(scalar)
                self.lines.append(f"{self._new(scalar.name)} = arith.constant {literal} : {scalar.element}")
        self._body(self.program.body)
        return "\n".join([f"func.func @run({head}) {{", *self.lines, "return", "}"])

    def _new(self, name: str) -> str:
        self.names[name] = f"%v{len(self.names)}"
        return self.names[name]

    def _type(self, name: str) -> str:
        if name not in self.program.arrays:
            return self.elements[name]
        sizes = "".join(f"{extent}x" for extent in self.shapes[name])
        return f"memref<{sizes}{self.program.arrays[name].element}>"

    def _body(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            match node:
                case Loop():
                    low, high = self._bound("max", node.lower), self._bound("min", node.upper)
                    self.lines.append(f"affine.for {self._new(node.iv)} = {low} to {high} step {node.step} {{")
                    self._body(node.body)
                    self.lines.append("}")
                case Guard():
                    names, rename = self._dims(tuple(c.form for c in node.conds))
                    conditions = ", ".join(_condition(c, self._form(c.form, rename)) for c in node.conds)
                    where = f"affine_set<({', '.join(rename.values())}) : ({conditions})>({', '.join(names)})"
                    self.lines.append(f"affine.if {where} {{")
                    self._body(node.body)
                    self.lines.append("}")
                case _:
                    self._single(node)

    def _single(self, node: Load | Store | IndexValue | Compute) -> None:
        match node:
            case Load():
                at = f"{self.names[node.array]}[{self._subscripts(node.subscripts)}]"
                self.lines.append(f"{self._new(node.dst)} = affine.load {at} : {self._type(node.array)}")
            case Store():
                at = f"{self.names[node.array]}[{self._subscripts(node.subscripts)}]"
                self.lines.append(f"affine.store {self.names[node.value]}, {at} : {self._type(node.array)}")
            case IndexValue():
                map_, plain = self._map((node.form,)), node.element == "index"
                place = self._new(node.dst if plain else f"{node.dst} index")
                self.lines.append(f"{place} = affine.apply {map_}")
                if not plain:
                    self.lines.append(f"{self._new(node.dst)} = arith.index_cast {place} : index to {node.element}")
            case Compute():
                args = ", ".join(self.names[a] for a in node.args)
                kinds = ", ".join(self.elements[a] for a in node.args)
                attrs = ", ".join(f"{k} = {v}" for k, v in node.attrs)
                line = f'{self._new(node.dst)} = "{node.op}"({args}) {{{attrs}}} : ({kinds}) -> {node.element}'
                self.lines.append(line)

    # ---- affine forms ----------------------------------------------------------------------------

    def _bound(self, of: str, forms: tuple[Lin, ...]) -> str:
        return f"{of} {self._map(forms)}"

    def _map(self, forms: tuple[Lin, ...]) -> str:
        names, rename = self._dims(forms)
        results = ", ".join(self._form(f, rename) for f in forms)
        return f"affine_map<({', '.join(rename.values())}) -> ({results})>({', '.join(names)})"

    def _subscripts(self, forms: tuple[Lin, ...]) -> str:
        return ", ".join(self._form(f, self.names) for f in forms)

    def _dims(self, forms: tuple[Lin, ...]) -> tuple[list[str], dict[str, str]]:
        """The iterators that occur, as values and as dimensions of a map."""
        used = sorted({n for f in forms for n in f.names()} - self.sizes.keys())
        return [self.names[n] for n in used], {n: f"d{k}" for k, n in enumerate(used)}

    def _form(self, form: Lin, rename: Mapping[str, str]) -> str:
        parts = [] if form.terms and not form.const else [str(form.const)]
        for atom, factor in form.terms:
            if isinstance(atom, str):
                inner = str(self.sizes[atom]) if atom in self.sizes else rename[atom]
            else:
                inner = f"(({self._form(atom.inner, rename)}) floordiv {atom.divisor})"
            parts.append(inner if factor == 1 else f"{inner} * {factor}")
        return " + ".join(parts)


def _condition(condition: Cond, form: str) -> str:
    return f"{form} {'==' if condition.equality else '>='} 0"


def _count(shape: tuple[int, ...]) -> int:
    total = 1
    for extent in shape:
        total *= extent
    return total


def _literal(scalar: Scalar) -> str:
    """A constant as MLIR reads it; a whole number digit by digit, as one of 64 bits is more than a float holds."""
    text = scalar.literal or ""
    return literal_text(text, scalar.element) if scalar.element.startswith("f") else text
