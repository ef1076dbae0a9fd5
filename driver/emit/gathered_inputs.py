"""Gathered arrays as tensors: an operation whose body reads at positions that are data.

before  %x = memref.load %a[(affine.load %at[%i])]
after   linalg.generic ins(%at : tensor<8xindex>) { ^bb0(%p: index): linalg.yield (tensor.extract %a[%p]) }
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from raising.affine.ir.affine_expr import Lin, var
from raising.affine.ir.program import Array, Gathered
from raising.grammar.emit.mask_fusion import index_value
from raising.grammar.emit.term_builder import Builder
from raising.grammar.select.selector import Argument
from raising.grammar.terms.term import TensorType
from raising.support.record import dataclass

Bounds = list[tuple[Lin, Lin]]
"""The first position and the extent along each dimension."""


@dataclass(frozen=True)
class Gatherer:
    """Writes gathered arrays by `builder`; `arrays` are all arrays of the function, `view` is one as a tensor."""

    builder: Builder
    arrays: Mapping[str, Array]
    view: Callable[[str], Argument]

    def tensor(self, what: Gathered, element: str, box: Bounds) -> Argument:
        """A box of a gathered array."""
        operands = [self._part(name, [box[d] for d in at]) for name, _, at in what.positions]
        maps = [", ".join(f"d{d}" for d in at) for _, _, at in what.positions]
        dims = ", ".join(f"d{k}" for k in range(len(box)))
        result = self.builder.empty(TensorType(element, tuple(extent for _, extent in box)))
        ins = f"ins({', '.join(o.name for o in operands)} : {', '.join(o.type for o in operands)})" if operands else ""
        texts = ", ".join(f"affine_map<({dims}) -> ({m})>" for m in (*maps, dims))
        kinds = ", ".join('"parallel"' for _ in box)
        integers = [f"%p{k}: {self.arrays[name].element}" for k, (name, *_) in enumerate(what.positions)]
        name = self.builder.fresh()
        self.builder.lines += [
            f"{name} = linalg.generic {{indexing_maps = [{texts}], iterator_types = [{kinds}]}} {ins} "
            f"outs({result.name} : {result.type}) {{",
            f"^bb0({', '.join([*integers, f'%old: {element}'])}):",
            *self._body(what, element, box),
            f"}} -> {result.type}",
        ]
        self.builder.said.append("linalg.generic")
        return Argument(name, result.type)

    def _part(self, name: str, box: Bounds) -> Argument:
        """A box of an array of positions."""
        array = self.arrays[name]
        if array.gathered is not None:
            return self.tensor(array.gathered, array.element, box)
        if not box:
            return self.view(name)
        view, kind = self.view(name), self.builder.tensor(TensorType(array.element, tuple(e for _, e in box)))
        starts = ", ".join(str(low.const) if low.is_const else self.builder.index(low) for low, _ in box)
        extents = ", ".join(str(e.const) if e.is_const else self.builder.size(e) for _, e in box)
        ones = ", ".join("1" for _ in box)
        text = f"tensor.extract_slice {view.name}[{starts}] [{extents}] [{ones}] : {view.type} to {kind}"
        return Argument(self.builder.once(text), kind)

    def _body(self, what: Gathered, element: str, box: Bounds) -> list[str]:
        """The operations of one iteration."""
        lines: list[str] = []
        names: dict[str, str] = {}

        def emit(operation: str) -> str:
            name = self.builder.fresh()
            lines.append(f"{name} = {operation}")
            return name

        def place(dim: int) -> str:
            at = emit(f"linalg.index {dim} : index")
            return index_value(var("d") + box[dim][0], self.builder.names | {"d": at}, emit, emit)

        for k, (array, unsigned, _) in enumerate(what.positions):
            kind, cast = self.arrays[array].element, "arith.index_castui" if unsigned else "arith.index_cast"
            names[f"p{k}"] = f"%p{k}" if kind == "index" else emit(f"{cast} %p{k} : {kind} to index")
        kept, subscripts = iter(range(len(box) - what.forms.count(None), len(box))), []
        for form in what.forms:
            if form is None:
                subscripts.append(place(next(kept)))
            else:
                names |= {n: place(int(n[1:])) for n in sorted(form.names()) if n[0] == "d"}
                subscripts.append(index_value(form, names, emit, emit))
        source = self.view(what.array)
        value = emit(f"tensor.extract {source.name}[{', '.join(subscripts)}] : {source.type}")
        return [*lines, f"linalg.yield {value} : {element}"]
