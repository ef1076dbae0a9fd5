"""A segment's terms as operations in place of its loops.

The new operations are parsed as a function of their own and moved to where the last loop stood. All tensor operations
come first and all writes last, so that no write is seen by a value read before it; a value that is a bare view of an
array which an earlier write changes is copied first.

    before  affine.for %i, %j { affine.store (arith.mulf (affine.load %a[%i, %j]), %x), %b[%i, %j] }
    after   %t = bufferization.to_tensor %a restrict : memref<8x9xf32> to tensor<8x9xf32>
            %r = linalg.mul ins(%t, %x : tensor<8x9xf32>, f32) outs(%new : tensor<8x9xf32>)
            bufferization.materialize_in_destination %r in restrict writable %b
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Cond, Lin, var
from raising.emit.gathered_inputs import Gatherer
from raising.emit.origins import place
from raising.emit.rows_view import in_rows
from raising.frontend.mlir.flat_rows import affine
from raising.frontend.mlir.reader import Function
from raising.frontend.mlir.segments import Segment
from raising.grammar.emit.term_builder import Builder
from raising.grammar.select.selector import Argument, Selector
from raising.grammar.terms.term import Apply, Either, Input, Insert, Reshape, TensorType, Term, Window, nodes
from raising.segment.segment_result import SegmentResult
from raising.support.mlir.walk import inside
from raising.support.record import dataclass, replace


@dataclass(frozen=True)
class _Handles:
    """The SSA names of a helper function's arguments, and the values they stand for."""

    names: list[str]
    values: list[Any]

    def add(self, name: str, value: Any) -> None:
        if name not in self.names:
            self.names.append(name)
            self.values.append(value)


class _Writer:
    def __init__(
        self,
        function: Function,
        segment: Segment,
        result: SegmentResult,
        selector: Selector,
        tested: tuple[Cond, ...] = (),
    ) -> None:
        self.function, self.segment, self.result = function, segment, result
        enough = () if result.standing is None else result.standing.long_enough
        self.tested = (*tested, *enough, *_whole_rows(function, result))
        self.handles = _Handles([], [])
        self.builder = Builder(selector, result.values, {})
        self.written = {n for n in result.terms if result.program.arrays[n].kind != "scalar"}

    def _memory(self, array: str) -> Argument:
        """The memory of an array; flat memory has a view with its rows."""
        reader = self.function.reader
        value = reader.values[array]
        self.handles.add(f"%{array}", value)
        if array in reader.flat.rows:
            return in_rows(self.builder, reader.arrays[array], value.type)
        return Argument(f"%{array}", str(value.type))

    # ---- names of the function -------------------------------------------------------------------

    def sizes(self) -> None:
        """Give each name that a size mentions its SSA value."""
        reader = self.function.reader
        forms = [*self.result.values.values(), *(c.form for c in self.tested)]
        forms += [e for n in reader.flat.rows for e in reader.arrays[n].shape[1:]]
        names = sorted({n for form in forms for n in form.names()}, key=lambda n: (n not in reader.values, n))
        for name in names:
            if name in reader.values:
                self.handles.add(f"%{name}", reader.values[name])
                self.builder.names[name] = self._as_index(name)
            else:
                array, _, dim = name.rpartition("_")
                memory = self._memory(array)
                position = self.builder.once(f"arith.constant {dim} : index")
                self.builder.positive.add(name)
                self.builder.names[name] = self.builder.once(f"memref.dim {memory.name}, {position} : {memory.type}")

    def _as_index(self, name: str) -> str:
        kind = str(self.function.reader.values[name].type)
        casts = self.function.reader.signs.get(name, set())
        cast = "arith.index_castui" if casts == {"arith.index_castui"} and kind != "i64" else "arith.index_cast"
        return f"%{name}" if kind == "index" else self.builder.once(f"{cast} %{name} : {kind} to index")

    def inputs(self, roots: list[Term]) -> None:
        """Bind every input: scalars as they are, arrays as tensors."""
        for node in nodes(tuple(roots)):
            if isinstance(node, Input):
                scalar = self.function.reader.scalars.get(node.name)
                if scalar is not None:
                    self.handles.add(f"%{node.name}", self.function.reader.values[node.name])
                    self.builder.values[node.digest] = Argument(f"%{node.name}", scalar.element)
                else:
                    self.builder.values[node.digest] = self._as_tensor(node.name, node.type)

    def _as_tensor(self, array: str, kind: TensorType) -> Argument:
        gathered = self.result.program.arrays[array].gathered
        if gathered is not None:
            lows = [self.builder.resolved(low) for low in gathered.low]
            gatherer = Gatherer(self.builder, self.function.reader.arrays, self._view)
            box = list(zip(lows, self.builder.extents(kind), strict=True))
            return gatherer.tensor(gathered, kind.element, box)
        view = self._view(array)
        if not self._is_prefix(array):
            return Argument(view.name, self.builder.tensor(kind))
        text = f"tensor.extract_slice {view.name}{self._prefix(array)} : {view.type} to {self.builder.tensor(kind)}"
        return Argument(self.builder.once(text), self.builder.tensor(kind))

    def _view(self, array: str) -> Argument:
        """All of an array."""
        memory, whole = self._memory(array), self._whole_type(array)
        writable = " writable" if array in self.written else ""
        view = self.builder.once(f"bufferization.to_tensor {memory.name} restrict{writable} : {memory.type} to {whole}")
        return Argument(view, whole)

    def _whole_type(self, array: str) -> str:
        memref = ir.MemRefType(ir.Type.parse(self._memory(array).type))
        dims = "".join("?x" if memref.is_dynamic_dim(d) else f"{memref.shape[d]}x" for d in range(memref.rank))
        return f"tensor<{dims}{memref.element_type}>"

    def _extents(self, array: str) -> list[Lin]:
        return [self.builder.resolved(s) for s in self.result.program.arrays[array].shape]

    def _is_prefix(self, array: str) -> bool:
        """True if the loops walk a `?` extent to a bound that is not the array's own."""
        own = self.function.reader.arrays[array].shape
        return any(e != o for e, o in zip(self._extents(array), own, strict=True))

    def _prefix(self, array: str) -> str:
        extents = [str(e.const) if e.is_const else self.builder.size(e) for e in self._extents(array)]
        zeros, ones = ", ".join("0" for _ in extents), ", ".join("1" for _ in extents)
        return f"[{zeros}][{', '.join(extents)}][{ones}]"

    # ---- results ---------------------------------------------------------------------------------

    def results(self) -> list[Argument]:
        """Write arrays back, copies of endangered views first; the values of cells, in their order."""
        terms = {n: self._apart(t, self.written - {n}) for n, t in self.result.terms.items()}
        values = dict(zip(terms, self.builder.build(list(terms.values())), strict=True))
        cells = []
        for cell, result in self.segment.cells:
            cells.append(self._cell(values[cell], cell, str(result.type)) if cell in values else Argument("", ""))
        for array in (n for n in terms if n in self.written):
            if terms[array] != Input(terms[array].type, array):
                self._write(array, self.builder.as_tensor(values[array], terms[array].type))
        return cells

    def _cell(self, value: Argument, cell: str, kind: str) -> Argument:
        """The value that a loop yields, converted to the type of the loop's result."""
        scalar = self.builder.as_scalar(value, self.result.program.arrays[cell].element)
        if kind == scalar.type:
            return scalar
        return Argument(self.builder.once(f"arith.index_cast {scalar.name} : {scalar.type} to {kind}"), kind)

    def _apart(self, term: Term, written: set[str]) -> Term:
        """A term with copies in place of views of memory that is `written`; of an insertion, only what is inserted."""
        if not _viewed(term) & written:
            return term
        match term:
            case Insert():
                return replace(term, into=self._apart(term.into, written), piece=self._apart(term.piece, written))
            case Either():
                return replace(term, yes=self._apart(term.yes, written), no=self._apart(term.no, written))
        all_of_it = range(term.type.rank)
        copy = Window(term.type, term, tuple(Lin(0) for _ in all_of_it), tuple(all_of_it), tuple(1 for _ in all_of_it))
        self.builder.copied.add(copy.digest)
        return copy

    def _write(self, array: str, value: Argument) -> None:
        memory, whole = self._memory(array), self._whole_type(array)
        if self._is_prefix(array):
            view = self.builder.once(
                f"bufferization.to_tensor {memory.name} restrict writable : {memory.type} to {whole}"
            )
            name = self.builder.fresh()
            box = self._prefix(array)
            self.builder.lines.append(
                f"{name} = tensor.insert_slice {value.name} into {view}{box} : {value.type} into {whole}"
            )
            value = Argument(name, whole)
        self.builder.lines.append(
            f"bufferization.materialize_in_destination {value.name} in restrict writable {memory.name} "
            f": ({value.type}, {memory.type}) -> ()"
        )

    def text(self) -> str:
        """Write the helper function, and return its text."""
        self.sizes()
        lines = self.builder.lines
        truth, before = self._truth(), len(lines)
        self.inputs(list(self.result.terms.values()))
        cells = [c for c in self.results() if c.name]
        types = ", ".join(c.type for c in cells)
        if truth:
            lines[before:] = [f"scf.if {truth} {{", *lines[before:], "} else {" if self.falls_back else "", "}"]
        arguments = ", ".join(f"{n}: {v.type}" for n, v in zip(self.handles.names, self.handles.values, strict=True))
        end = f"return {', '.join(c.name for c in cells)} : {types}" if cells else "return"
        return "\n".join([f"func.func @raised({arguments}) -> ({types}) {{", *lines, end, "}"])

    def _truth(self) -> str:
        """The condition under which the terms stand, which the builder may take for granted; empty if there is none."""
        stands = self.result.standing
        alternatives = () if stands is None or stands.everywhere else stands.alternatives
        if self.tested:
            alternatives = tuple((*self.tested, *conds) for conds in alternatives or ((),))
        if len(alternatives) == 1:
            self.builder.facts = tuple(Cond(self.builder.resolved(c.form), c.equality) for c in alternatives[0])
        return self.builder.holds(alternatives) if alternatives else ""

    @property
    def falls_back(self) -> bool:
        """Whether the loops are what runs where the terms do not stand."""
        stands = self.result.standing
        return bool(self.tested) or (stands is not None and not (stands.everywhere or stands.idle))


def _whole_rows(function: Function, result: SegmentResult) -> Iterator[Cond]:
    """Conditions that flat memory has the accessed rows and that they are long enough, where that is not known."""
    for array, rows in function.reader.flat.rows.items():
        if array in result.program.arrays:
            yield from (Cond(affine(form)) for form in rows.assumed)
            yield from [Cond(var(f"{array}_0") - affine(rows.least))] if rows.least is not None else []


def _viewed(term: Term) -> set[str]:
    """The arrays whose memory a term's value may be: it only moves elements, or is computed in place."""
    match term:
        case Input():
            return {term.name}
        case Window() | Reshape():
            return _viewed(term.source)
        case Either():
            return _viewed(term.yes) | _viewed(term.no)
        case Insert():
            return _viewed(term.into) | _viewed(term.piece)  # the piece stands for the whole where it fills it
        case Apply() if term.init is not None:
            return _viewed(term.init)
    return set()


def replace_segment(
    function: Function,
    segment: Segment,
    nests: list[Any],
    result: SegmentResult,
    selector: Selector,
    tested: tuple[Cond, ...],
    places: bool,
) -> list[str]:
    """Put a solved segment's operations in place of its loops `nests`; the names of the target's operations used.

    The loops run where conditions on sizes that are `tested` do not hold. With `places`, the operations get the
    locations of the statements that they come from.
    """
    writer = _Writer(function, segment, result, selector, tested)
    text = writer.text()
    helper = ir.Module.parse(text)
    body = helper.body.operations[0].regions[0].blocks[0]
    for argument, value in zip(body.arguments, writer.handles.values, strict=True):
        argument.replace_all_uses_with(value)
    *moved, end = _within(helper.body.operations[0].operation)
    if places:
        place(moved, text, writer.builder.made, result, nests)
    for op in moved:
        op.move_before(nests[-1])
    cells = [(c, r) for c, r in segment.cells if c in result.terms]
    for (_, old), new in zip(cells, end.operands, strict=True):
        old.replace_all_uses_with(new)
    _rename(function, dict(zip([old for _, old in cells], end.operands, strict=True)))
    if writer.falls_back:
        last = next(iter(moved[-1].regions[1].blocks[0].operations))
        for nest in nests:
            nest.move_before(last)
    else:
        for nest in reversed(nests):
            nest.erase()
    return writer.builder.said


def _within(function: Any) -> list[Any]:
    """The operations of a function's body. To list them would import the classes of all their dialects."""
    return [op for op in inside(function) if op.parent == function]


def _rename(function: Function, replaced: dict[Any, Any]) -> None:
    """Later segments must find the new values where they knew the loops' results."""
    values = function.reader.values
    for name, value in list(values.items()):
        if value in replaced:
            values[name] = replaced[value]
