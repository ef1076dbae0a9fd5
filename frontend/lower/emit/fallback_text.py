"""A function that does what C says, on memrefs taken as flat memory: `@f.original`, the fallback of a guarded
function `f`, or `f` itself where nothing else can be said."""

from __future__ import annotations

from raising.frontend.lower.emit.mlir import Emitter
from raising.frontend.lower.emit.text import Locations, Unplaced, is_large
from raising.frontend.lower.ir import nodes as tp
from raising.frontend.lower.ir.polynomial import ADDRESS, MARK, Poly
from raising.support.mlir.permission import OVERLAPPING
from raising.support.source import Loc

ANY_LENGTH = (1 << 63) - 1


def original_text(function: tp.Function, like: tp.Function) -> str:
    """The function `@NAME.original`; `like` is the function whose signature it has."""
    return Literal(function, like, Unplaced()).text().replace("func.func @", "func.func private @", 1)


def written_text(function: tp.Function, like: tp.Function) -> str:
    """The function, in place of one that is raised; `like` is the same with the shapes that variables have."""
    return _Written(function, like, Unplaced()).text()


class Literal(Emitter):
    """Writes subscripts as arithmetic, and loops as `scf.while`."""

    def __init__(self, function: tp.Function, like: tp.Function, locations: Locations) -> None:
        super().__init__(function, locations)
        self.outside = Emitter(like, locations)

    @property
    def symbol(self) -> str:
        """The function's name."""
        return f"{self.function.name}.original"

    def parameters(self) -> str:
        """All parameters, as they are declared outside."""
        return self.outside.parameters()

    def _prologue(self) -> None:
        for array in self.function.arrays.values():
            if array.kind in ("cell", "local"):
                self._allocation(array)
            elif array.kind != "owned":
                self._flat(array)

    def _flat(self, array: tp.Array) -> None:
        """The memory behind a parameter or global, as one dimension."""
        like = self.outside.function.arrays.get(array.name)
        if like is None:  # read in a way that left nothing to be done
            return
        shaped, name = self.outside.memref(array.name), f"%{array.name}"
        if array.kind == "global":
            name = self._op(f"memref.get_global @{array.name} : {shaped}", array.loc)
        if shaped == self.memref(array.name):
            self.memories[array.name] = name
            return
        flat = self.memories[array.name] = self.fresh()
        length = self._op(f"arith.constant {ANY_LENGTH} : index", array.loc)
        cast = f"memref.reinterpret_cast {name} to offset: [0], sizes: [{length}], strides: [1]"
        self._line(f"{flat} = {cast} : {shaped} to {self.memref(array.name)}", array.loc)

    def _deallocations(self) -> None:
        for array in self.function.arrays.values():
            if array.kind == "local" and is_large(array):
                self._line(f"memref.dealloc %{array.name} : {self.memref(array.name)}", array.loc)

    def _node(self, node: tp.Node) -> None:
        match node:
            case tp.While():
                with self.region("scf.while : () -> () {"):
                    self._block(node.test)
                    self._line(f"scf.condition({self.names[node.cond]})", node.loc)
                with self.region("} do {"):
                    self._block(node.body)
                    self._line("scf.yield", node.loc)
                self._line("}", node.loc)
            case tp.Own():
                type_ = self.memref(node.array)
                (length,) = self.function.arrays[node.array].shape
                assert length is not None
                self._line(f"%{node.array} = memref.alloc({self._arithmetic(length, node.loc)}) : {type_}", node.loc)
                self._block(node.body)
                self._line(f"memref.dealloc %{node.array} : {type_}", node.loc)
            case _:
                super()._node(node)

    def _access(self, node: tp.Read | tp.Write) -> tuple[str, str]:
        array = self.outside.function.arrays.get(node.array)
        lead = array.lead if array is not None else 0
        subscripts = ", ".join(self._arithmetic(s + lead, node.loc) for s in node.subscripts)
        memory = self.memories.get(node.array, f"%{node.array}")
        return "memref", f"{memory}[{subscripts}] : {self.memref(node.array)}"

    def _index(self, node: tp.IndexOf) -> None:
        value = self._arithmetic(node.form, node.loc)
        self._define(node.dst, f"arith.index_cast {value} : index to {node.type}", node.loc)

    def _arithmetic(self, form: Poly, loc: Loc) -> str:
        """A form over numbered values as operations on `index`."""
        total = ""
        for mono, c in form.terms:
            product = ""
            for atom in mono:
                product = self._joined("muli", product, self._factor(str(atom), loc), loc, "index")
            if c != 1 or not mono:
                constant = self._op(f"arith.constant {c} : index", loc)
                product = self._joined("muli", product, constant, loc, "index")
            total = self._joined("addi", total, product, loc, "index")
        if not total:
            total = self._op("arith.constant 0 : index", loc)
        return total

    def _factor(self, name: str, loc: Loc) -> str:
        """A numbered value, or the address of an array."""
        if not name.startswith(ADDRESS):
            return self.names[int(name.removeprefix(MARK))]
        array = self.outside.function.arrays[name.removeprefix(ADDRESS)]
        shaped = self.outside.memref(array.name)
        start = self._op(f"memref.extract_aligned_pointer_as_index %{array.name} : {shaped} -> index", loc)
        return self._joined("addi", start, self._op(f"arith.constant {array.lead_bytes} : index", loc), loc, "index")


class _Written(Literal):
    """Writes a function that takes the place of C's."""

    @property
    def symbol(self) -> str:
        """The function's own name."""
        return self.function.name

    def attributes(self) -> str:
        """The attributes of the parameters in C; arrays may overlap."""
        return super().attributes().replace(" attributes {", f" attributes {{{OVERLAPPING}, ", 1)
