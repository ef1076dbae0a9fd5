"""The typed program as MLIR text, with the C place of every operation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from raising.frontend.lower.emit.text import Locations, extent, is_large, operands, product, spelled
from raising.frontend.lower.ir import nodes as tp
from raising.frontend.lower.ir.nodes import forms_of, walk
from raising.frontend.lower.ir.polynomial import MARK, Poly, is_data, var
from raising.support.mlir.text_lines import TextLines
from raising.support.source import Loc


class Emitter(TextLines):
    """Writes one function."""

    stem = ""

    def __init__(self, function: tp.Function, locations: Locations) -> None:
        super().__init__(indent=1)
        self.function, self.locations = function, locations
        self.sizes = {p.name: p for p in function.parameters if p.value is not None and not p.type.is_float}
        self.names = {p.value: f"%{p.name}" for p in function.parameters if p.value is not None}
        self.memories: dict[str, str] = {}  # where an array is, if not under its own name
        self.quotients = {q.name: q for q in function.quotients}
        self._products_made: set[str] = set()

    @property
    def symbol(self) -> str:
        """The function's name."""
        return self.function.name

    def text(self) -> str:
        """The function as text."""
        function = self.function
        result = f" -> {function.result_type.mlir}" if function.result_type else ""
        self.line(f"func.func @{self.symbol}({self.parameters()}){result}{self.attributes()} {{")
        self.indent = 2
        self._prologue()
        self._block(function.body)
        self._deallocations()
        value = f" {self.names[function.result]} : {function.result_type.mlir}" if function.result_type else ""  # type: ignore[index]
        self._line(f"return{value}", function.loc)
        self.indent = 1
        self._line("}", function.loc)
        return "\n".join(self.lines)

    def pieces(self) -> tuple[list[str], list[str]]:
        """The lines in front of the body, and those of it."""
        self._prologue()
        front, self.lines = self.lines, []
        self._block(self.function.body)
        return front, self.lines

    def _line(self, text: str, loc: Loc, name: str = "") -> None:
        self.line(text + self.locations.of(loc, name))

    def _op(self, text: str, loc: Loc) -> str:
        return self.op(text + self.locations.of(loc, ""))

    # ---- the function's frame ----------------------------------------------------------------------

    def parameters(self) -> str:
        """All parameters, as they are declared."""
        return ", ".join(self.parameter(k) for k in range(len(self.function.parameters)))

    def attributes(self) -> str:
        """The attributes of the function, behind a space."""
        told = f"c_parameters = [{', '.join(map(self._declared, self.function.parameters))}]"
        result = self.function.result_type
        if result is not None and (self.function.numbers or not (result.signed or result.is_float)):
            told += f', c_result = "{self.function.numbers or result.c}"'
        if lengths := self._positive():
            told += f", c_positive = {_strings(lengths)}"
        if self.function.arguments or any(p.path.startswith("@") for p in self.function.parameters):
            rows = [[a.type, a.name, *([str(a.size)] if a.size else []), *a.words] for a in self.function.arguments]
            told += f", c_arguments = [{', '.join(map(_strings, rows))}]"
            told += f", c_paths = {_strings([p.path for p in self.function.parameters])}"
        return f" attributes {{{told}{_part_text(self.function.part)}}}"

    def parameter(self, k: int) -> str:
        """A parameter of the function, as it is declared."""
        parameter = self.function.parameters[k]
        type_ = parameter.type.mlir if parameter.value is not None else self.memref(parameter.name)
        return f"%{parameter.name}: {type_}{self.locations.of(parameter.loc, parameter.name)}"

    def _declared(self, parameter: tp.Parameter) -> str:
        """C's own view of a parameter, for callers of what is made of the function: type, name and extents.

        The type is that of the elements, or of the rows where C has them in numbers (`double[5]`).
        """
        if parameter.value is not None:
            return f'["{parameter.numbers or parameter.type.c}", "{parameter.name}"]'
        array = self.function.arrays[parameter.name]
        extents = "".join(f', "{"?" if form is None else form.text(self._in_parameters)}"' for form in array.shape)
        rows = [form.constant for form in array.shape[1:] if form is not None] if array.told else []
        kind = parameter.numbers or array.element.c
        if rows and None not in rows:
            kind = f"{'const ' if array.constant else ''}{kind}{''.join(f'[{extent}]' for extent in rows)}"
        return f'["{kind}", "{parameter.name}"{extents}]'

    def _positive(self) -> list[str]:
        """The lengths of rows that are at least 1: by their declaration, or as is assumed."""
        assumed = (c.form for a in self.function.assumptions for c in a.conds)
        arrays = (self.function.arrays[p.name] for p in self.function.parameters if p.value is None)
        lengths = dict.fromkeys(form for array in arrays for form in array.shape[1:] if form is not None)
        known = self.function.facts.with_forms(assumed)
        return [f.text(self._in_parameters) for f in lengths if f.constant is None and known.proves(f - 1)]

    def _in_parameters(self, name: str) -> str:
        """A size over the integer parameters."""
        quotient = self.quotients.get(name)
        if quotient is None:
            return name
        left, right = (form.text(self._in_parameters) for form in (quotient.left, quotient.right))
        return f"(({left}) / ({right}))"

    def memref(self, name: str) -> str:
        """The type of an array."""
        array = self.function.arrays[name]
        element = "i8" if array.element.width == 1 else array.element.mlir
        return f"memref<{''.join(f'{extent(e)}x' for e in array.shape)}{element}>"

    def _prologue(self) -> None:
        used = {n for form in self._forms() for n in form.names()}
        quotients: list[tp.Quotient] = []
        for quotient in reversed(self.function.quotients):  # each is over those before it
            if quotient.name in used:
                quotients.insert(0, quotient)
                used |= quotient.left.names() | quotient.right.names()
        for name, parameter in self.sizes.items():
            if name in used:
                self.size(parameter)
        for quotient in quotients:
            self._quotient(quotient)
        self._products(self._forms())
        for array in self.function.arrays.values():
            if array.kind == "global":
                self._line(f"%{array.name} = memref.get_global @{array.name} : {self.memref(array.name)}", array.loc)
            elif array.kind in ("cell", "local"):
                self._allocation(array)

    def size(self, parameter: tp.Parameter) -> None:
        """An integer parameter as an index."""
        cast, name = "index_cast" if parameter.type.signed else "index_castui", parameter.name
        self._line(f"%{name}.index = arith.{cast} %{name} : {parameter.type.mlir} to index", parameter.loc)

    def _quotient(self, quotient: tp.Quotient) -> None:
        """A quotient as an index; by 1 where its divisor is 0, which the source then does not divide by."""
        loc = quotient.loc
        self._products((quotient.left, quotient.right))
        left, right = (self._applied(form, loc) for form in (quotient.left, quotient.right))
        if quotient.right.constant is None:
            one = self._op("arith.constant 1 : index", loc)
            right = self._op(f"arith.max{'si' if quotient.positive else 'ui'} {right}, {one} : index", loc)
        self._line(f"%{quotient.name}.index = arith.{quotient.operation} {left}, {right} : index", loc)

    def _products(self, forms: Iterable[Poly]) -> None:
        """Products of sizes, as sizes of their own."""
        done = self._products_made
        for mono in dict.fromkeys(m for form in forms for m, _ in form.terms if len(m) > 1):
            value = self._operand(str(mono[0]))
            for k, atom in enumerate(mono[1:], 2):
                name = f"%{product(mono[:k])}.index"
                if name not in done:
                    self._line(f"{name} = arith.muli {value}, %{atom}.index : index", self.function.loc)
                done.add(name)
                value = name

    def _allocation(self, array: tp.Array) -> None:
        sizes = []
        for form in array.shape:
            if form is not None and form.constant is None:
                sizes.append(self._op(f"affine.apply {self.map((form,))}", array.loc))
        kind = "alloc" if is_large(array) else "alloca"
        name = array.name if array.kind == "local" else ""
        text = f"%{array.name} = memref.{kind}({', '.join(sizes)}) : {self.memref(array.name)}"
        self._line(text, array.loc, name)

    def _deallocations(self) -> None:
        for array in self.function.arrays.values():
            if array.kind == "local" and is_large(array):
                self._line(f"memref.dealloc %{array.name} : {self.memref(array.name)}", array.loc)

    def _forms(self) -> Iterator[Poly]:
        for array in self.function.arrays.values():
            if array.kind == "local":
                yield from (e for e in array.shape if e is not None)
        for node in walk(self.function.body):
            if not (isinstance(node, tp.IndexOf) and self._is_parameter(node)):
                yield from forms_of(node)

    # ---- integers ----------------------------------------------------------------------------------

    def _operand(self, name: str) -> str:
        return f"%{name}.index" if name in self.sizes or name in self.quotients or "." in name else f"%{name}"

    def inline(self, form: Poly) -> str:
        """A form over SSA values, as in a subscript."""
        return spelled(form, {n: self._operand(n) for n in operands(form)})

    def map(self, forms: tuple[Poly, ...]) -> str:
        """Forms as a map with its operands."""
        names = sorted({n for form in forms for n in operands(form)})
        letters = {n: f"d{k}" for k, n in enumerate(names)}
        dims, passed = ", ".join(letters.values()), ", ".join(map(self._operand, names))
        return f"affine_map<({dims}) -> ({', '.join(spelled(f, letters) for f in forms)})>({passed})"

    def _bound(self, forms: tuple[Poly, ...], extremum: str) -> str:
        if len(forms) > 1:
            return f"{extremum} {self.map(forms)}"
        (form,) = forms
        if form.constant is not None:
            return str(form.constant)
        (mono, c), *rest = form.terms
        simple = not rest and c == 1 and len(mono) == 1 and (mono[0] in self.sizes or mono[0] in self.quotients)
        return self._operand(str(mono[0])) if simple else self.map(forms)

    # ---- nodes -------------------------------------------------------------------------------------

    def _block(self, nodes: tuple[tp.Node, ...]) -> None:
        for node in nodes:
            self._node(node)

    def _node(self, node: tp.Node) -> None:
        match node:
            case tp.Let():
                text = node.text.format(*(self.names[a] for a in node.args))
                self._define(node.dst, text, node.loc)
            case tp.IndexOf():
                self._index(node)
            case tp.Read():
                self._load(node)
            case tp.Write():
                self._store(node)
            case tp.For():
                low, high = self._bound(node.lower, "max"), self._bound(node.upper, "min")
                step = f" step {node.step}" if node.step > 1 else ""
                self._region(f"affine.for %{node.iv} = {low} to {high}{step} {{", node.body)
                self._line("}", node.loc)
            case tp.If():
                self._branches(f"{self._test(node)} {{", node)
            case tp.Choose():
                self._branches(f"scf.if {self.names[node.cond]} {{", node)

    def _load(self, node: tp.Read) -> None:
        dialect, element = self._access(node)
        self._define(node.dst, f"{dialect}.load {element}", node.loc)
        if self._is_truth(node):
            self._define(node.dst, f"arith.trunci {self.names[node.dst]} : i8 to i1", node.loc)

    def _store(self, node: tp.Write) -> None:
        value = self.names[node.value]
        if self._is_truth(node):
            value = self._op(f"arith.extui {value} : i1 to i8", node.loc)
        dialect, element = self._access(node)
        self._line(f"{dialect}.store {value}, {element}", node.loc)

    def _is_truth(self, node: tp.Read | tp.Write) -> bool:
        """Truth values lie in memory as bytes: there are no smaller ones to store."""
        return self.function.arrays[node.array].element.width == 1

    def _region(self, head: str, body: tuple[tp.Node, ...]) -> None:
        """The lines of a region behind its head; what closes it is left to the caller."""
        with self.region(head):
            self._block(body)

    def _branches(self, head: str, node: tp.If | tp.Choose) -> None:
        self._region(head, node.then)
        if node.orelse:
            self._region("} else {", node.orelse)
        self._line("}", node.loc)

    def _define(self, value: int, text: str, loc: Loc) -> None:
        self.names[value] = self._op(text, loc)

    def _access(self, node: tp.Read | tp.Write) -> tuple[str, str]:
        """The dialect of a load or store, and the element."""
        if any(is_data(form) for form in node.subscripts):
            places = ", ".join(self._place(form, node.loc) for form in node.subscripts)
            return "memref", f"%{node.array}[{places}] : {self.memref(node.array)}"
        subscripts = ", ".join(map(self.inline, node.subscripts))
        return "affine", f"%{node.array}[{subscripts}] : {self.memref(node.array)}"

    def _place(self, form: Poly, loc: Loc) -> str:
        """A form as an index, with what is data in it by operations."""
        total = ""
        rest = form
        for name in sorted(n for n in form.names() if n.startswith(MARK)):
            c = form.coefficient(name)
            rest, term = rest - var(name) * c, self.names[int(name[1:])]
            if c != 1:
                number = self._op(f"arith.constant {c} : index", loc)
                term = self._op(f"arith.muli {term}, {number} : index", loc)
            total = self._joined("addi", total, term, loc, "index")
        if total and rest.constant == 0:
            return total
        applied = self._op(f"affine.apply {self.map((rest,))}", loc)
        return self._joined("addi", total, applied, loc, "index")

    def _is_parameter(self, node: tp.IndexOf) -> bool:
        (mono, c), *rest = node.form.terms
        if rest or c != 1 or len(mono) != 1 or mono[0] not in self.sizes:
            return False
        return self.sizes[str(mono[0])].type.mlir == node.type

    def _index(self, node: tp.IndexOf) -> None:
        if self._is_parameter(node):
            self.names[node.dst] = f"%{node.form.terms[0][0][0]}"
            return
        index = self._applied(node.form, node.loc)
        self._define(node.dst, f"arith.index_cast {index} : index to {node.type}", node.loc)

    def _applied(self, form: Poly, loc: Loc) -> str:
        """A form as one value."""
        index = self._bound((form,), "") if form.constant is None else ""
        if not index.startswith("%"):
            index = self._op(f"affine.apply {self.map((form,))}", loc)
        return index

    # ---- conditions --------------------------------------------------------------------------------

    def _test(self, node: tp.If) -> str:
        if len(node.when) > 1:
            return f"scf.if {self._truth(node.when, node.loc)}"
        (conds,) = node.when
        names = sorted({n for c in conds for n in operands(c.form)})
        letters = {n: f"d{k}" for k, n in enumerate(names)}
        body = ", ".join(f"{spelled(c.form, letters)} {'==' if c.equality else '>='} 0" for c in conds)
        passed = ", ".join(map(self._operand, names))
        return f"affine.if affine_set<({', '.join(letters.values())}) : ({body})>({passed})"

    def _truth(self, when: tp.Alternatives, loc: Loc) -> str:
        zero = self._op("arith.constant 0 : index", loc)
        whole = ""
        for conds in when:
            all_of = ""
            for cond in conds:
                form = self._op(f"affine.apply {self.map((cond.form,))}", loc)
                predicate = "eq" if cond.equality else "sge"
                test = self._op(f"arith.cmpi {predicate}, {form}, {zero} : index", loc)
                all_of = self._joined("andi", all_of, test, loc)
            whole = self._joined("ori", whole, all_of, loc)
        return whole

    def _joined(self, operation: str, a: str, b: str, loc: Loc, kind: str = "i1") -> str:
        if not a:
            return b
        return self._op(f"arith.{operation} {a}, {b} : {kind}", loc)


def _strings(texts: list[str]) -> str:
    quoted = [f'"{text}"' for text in texts]
    return f"[{', '.join(quoted)}]"


def _part_text(part: tp.PartOf | None) -> str:
    """The attribute of a function that is a part of another one."""
    if part is None:
        return ""
    bytes_ = "" if part.span is None else f", bytes = [{part.span[0]}, {part.span[1]}]"
    return f', raise.part = {{of = "{part.function}", call = "{part.call}"{bytes_}}}'
