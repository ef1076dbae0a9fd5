"""The Python front end as one function: text to a module of affine MLIR."""

from __future__ import annotations

from dataclasses import replace

from raising.frontend.lower.emit.mlir import Emitter
from raising.frontend.lower.emit.module_text import module_text
from raising.frontend.lower.emit.text import Locations
from raising.frontend.lower.ir.module import Refused, SourceModule, SourceRemark
from raising.frontend.lower.ir.nodes import Function, Parameter
from raising.frontend.lower.known.state import Budget
from raising.frontend.lower.typed_program import branches_that_stay, typed_program
from raising.frontend.python.read_python import PythonUnit, read_python


def convert(source: str, filename: str, function: str | None = None) -> SourceModule:
    """Every function of a Python file that is in the subset (or the one that is named), as affine MLIR.

    The text is parsed and never run. Functions whose names start with `_` are
    helpers. What is outside of the subset is in `refused`, with its place and
    the reason. Raises `raising.support.errors.InputError` if the text is not Python or
    has no such function.
    """
    return converted(read_python(source, filename, function))[0]


def converted(read: PythonUnit) -> tuple[SourceModule, list[Function]]:
    """The functions of a file in the core as affine MLIR, and as the typed programs that it is written from."""
    made, remarks, refused = _typed(read)
    for one in made:
        results = read.signatures[one.name].results
        told = f"in '{one.name}': result '{{}}' is a parameter behind the others"
        remarks += [SourceRemark(one.loc, told.format(name)) for name in results]
    refused = sorted((*read.refused, *refused), key=lambda r: r.place.line)

    def emitter(function: Function, locations: Locations) -> Emitter:
        return _Emitter(function, locations, read.signatures[function.name].sizes)

    found = module_text(made, [], remarks, refused, emitter=emitter)
    functions = []
    for f in found.functions:
        sizes = read.signatures[f.name].sizes
        functions.append(replace(f, parameters=tuple(p for p in f.parameters if p.name not in sizes)))
    return replace(found, functions=tuple(functions)), made


def _typed(read: PythonUnit) -> tuple[list[Function], list[SourceRemark], list[SourceRemark]]:
    """The functions as typed programs, what there is to say about them, and why others stay."""
    made: list[Function] = []
    remarks: list[SourceRemark] = []
    refused: list[SourceRemark] = []
    budget = Budget()
    for name in read.wanted:
        function = read.unit.routines[name]
        try:
            made.append(typed_program(read.unit, function, budget))
            remarks += branches_that_stay(made[-1])
        except Refused as error:
            where = error.loc if error.loc.line else function.loc
            refused.append(SourceRemark(where, f"function '{name}' stays in Python: {error.reason}"))
    return made, remarks, refused


class _Emitter(Emitter):
    """Writes a function whose arrays tell its sizes."""

    def __init__(self, function: Function, locations: Locations, told: dict[str, tuple[str, int]]) -> None:
        super().__init__(function, locations)
        self.told = told

    def parameters(self) -> str:
        """The parameters that Python has."""
        own = [k for k, p in enumerate(self.function.parameters) if p.name not in self.told]
        return ", ".join(map(self.parameter, own))

    def attributes(self) -> str:
        """No attributes: C's view of the parameters is MLIR's."""
        return ""

    def size(self, parameter: Parameter) -> None:
        """A size as an index: an integer parameter, or a dimension of an array."""
        if parameter.name not in self.told:
            super().size(parameter)
            return
        array, position = self.told[parameter.name]
        name, loc, number = parameter.name, parameter.loc, self.fresh()
        self._line(f"{number} = arith.constant {position} : index", loc)
        self._line(f"%{name}.index = memref.dim %{array}, {number} : {self.memref(array)}", loc)
        self._line(f"%{name} = arith.index_cast %{name}.index : index to i64", loc)
