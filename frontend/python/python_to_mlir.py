"""The Python front end as one function: text to a module of affine MLIR."""

from __future__ import annotations

import ast
from dataclasses import replace

from raising.frontend.lower.emit.fallback_text import Literal
from raising.frontend.lower.emit.mlir import Emitter
from raising.frontend.lower.emit.module_text import module_text
from raising.frontend.lower.emit.text import Locations
from raising.frontend.lower.from_core.function_to_typed import original
from raising.frontend.lower.ir.module import OnData, Refused, SourceModule, SourceRemark
from raising.frontend.lower.ir.nodes import Function, Parameter
from raising.frontend.lower.ir.polynomial import Poly, const
from raising.frontend.lower.jumps.exits_as_flags import with_exits_as_flags
from raising.frontend.lower.jumps.without_jumps import without_jumps
from raising.frontend.lower.known.state import Budget
from raising.frontend.lower.passes.mem2reg import promoted
from raising.frontend.lower.typed_program import branches_that_stay, typed_program
from raising.frontend.python.annotations import Shaped, Signature
from raising.frontend.python.checked_accesses import Checked, checked
from raising.frontend.python.read_python import PythonUnit, read_python
from raising.frontend.python.types import Kind


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


def kept(read: PythonUnit, name: str) -> tuple[SourceModule, Checked]:
    """A function as it is written, loops and all, which looks at each access when it runs (`checked_accesses`).

    The reasons for which a call may fail are numbered from one; the last parameter, of one element, gets the number.
    Raises `Refused`.
    """
    signature, failed = read.signatures[name], f"{name}_failed"
    routines = {own: with_exits_as_flags(routine) for own, routine in read.unit.routines.items()}
    unit, function, _ = without_jumps(replace(read.unit, routines=routines), routines[name], False)
    found = checked(unit, function, {n: s.sizes for n, s in read.signatures.items()}, failed)
    signature.results[failed] = Shaped(Kind("int64"), (ast.Constant(1),))
    literal = promoted(original(found.unit, found.function, Budget()))
    source = module_text([literal], [], [], [], emitter=lambda f, locations: _Kept(f, locations, signature))
    return source, found


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
            told = f"function '{name}' stays in Python: {error.reason}"
            refused.append(SourceRemark(where, told, isinstance(error, OnData)))
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
        for line in _size_of_array(parameter.name, array, position, self.memref(array), self.fresh()):
            self._line(line, parameter.loc)


class _Kept(Literal):
    """Writes a function as it is written, with the arrays that Python has."""

    def __init__(self, function: Function, locations: Locations, signature: Signature) -> None:
        arrays = {**signature.arrays, **signature.results}
        shaped = {n: replace(function.arrays[n], shape=_shape(s)) for n, s in arrays.items() if n in function.arrays}
        super().__init__(function, replace(function, arrays={**function.arrays, **shaped}), locations)
        self.told = signature.sizes

    @property
    def symbol(self) -> str:
        """The function's own name."""
        return self.function.name

    def parameters(self) -> str:
        """The parameters that Python has."""
        own = [k for k, p in enumerate(self.function.parameters) if p.name not in self.told]
        return ", ".join(map(self.outside.parameter, own))

    def _prologue(self) -> None:
        for parameter in self.function.parameters:
            if parameter.name in self.told:
                array, position = self.told[parameter.name]
                for line in _size_of_array(parameter.name, array, position, self.outside.memref(array), self.fresh()):
                    self._line(line, parameter.loc)
        super()._prologue()


def _shape(shaped: Shaped) -> tuple[Poly | None, ...]:
    numbers = [e.value if isinstance(e, ast.Constant) else None for e in shaped.extents]
    parts = (const(2),) if shaped.kind.is_complex else ()
    return (*(const(n) if isinstance(n, int) else None for n in numbers), *parts)


def _size_of_array(name: str, memory: str, position: int, type_: str, number: str) -> tuple[str, str, str]:
    """What makes a size that a dimension of an array tells, as an index and an integer; `number` is an unused name."""
    return (
        f"{number} = arith.constant {position} : index",
        f"%{name}.index = memref.dim %{memory}, {number} : {type_}",
        f"%{name} = arith.index_cast %{name}.index : index to i64",
    )
