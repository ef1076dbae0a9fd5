"""The Python front end as one function: text to a module of affine MLIR, by way of C's syntax."""

from __future__ import annotations

from dataclasses import replace

from raising.frontend.c.emit.mlir import Emitter
from raising.frontend.c.emit.text import Locations
from raising.frontend.c.ir.module import CModule, CRemark, Refused
from raising.frontend.c.ir.nodes import Function, Parameter
from raising.frontend.c.lower.syntax_to_mlir import module_of
from raising.frontend.c.lower.syntax_unit import Unit
from raising.frontend.python import c_syntax as build
from raising.frontend.python.annotations import signature
from raising.frontend.python.calls import Translated
from raising.frontend.python.module import Module, parse
from raising.frontend.python.statements import Statements
from raising.support.errors import InputError
from raising.support.source import Loc


def convert(source: str, filename: str, function: str | None = None) -> CModule:
    """Every function of a Python file that is in the subset (or the one that is named), as affine MLIR.

    The text is parsed and never run. Functions whose names start with `_` are
    helpers. What is outside of the subset is in `refused`, with its place and
    the reason. Raises `raising.support.errors.InputError` if the text is not Python or
    has no such function.
    """
    reader = _Reader(parse(source, filename))
    functions = reader.module.functions
    if function is not None and function not in functions:
        raise InputError(Loc(filename), f"there is no function '{function}'")
    wanted = [function] if function else [n for n in functions if not n.startswith("_")] or [*functions]
    for name in wanted:
        reader.read(name)
    found = module_of(reader.unit, [n for n in wanted if n in reader.known], emitter=reader.emitter)
    refused = sorted((*reader.refused, *found.refused), key=lambda r: r.place.line)
    signatures = {name: t.signature for name, t in reader.known.items()}
    told = [
        CRemark(f.place, f"in '{f.name}': result '{name}' is a parameter behind the others")
        for f in found.functions
        for name in signatures[f.name].results
    ]
    functions_ = tuple(
        replace(f, parameters=tuple(p for p in f.parameters if p.name not in signatures[f.name].sizes))
        for f in found.functions
    )
    return replace(found, functions=functions_, remarks=(*found.remarks, *told), refused=tuple(refused))


class _Reader:
    """Translates functions, each after those that it calls."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.unit = Unit(language="Python")
        self.known: dict[str, Translated] = {}
        self.refused = [CRemark(error.loc, error.reason) for error in module.refused]
        self._open: list[str] = []

    def read(self, name: str) -> None:
        """A function, or the reason why it stays."""
        try:
            self.translated(name)
        except Refused as error:
            self.refused.append(CRemark(error.loc, f"function '{name}' stays in Python: {error.reason}"))
        except RecursionError:
            place = self.module.place(self.module.functions[name])
            self.refused.append(CRemark(place, f"function '{name}' stays in Python: it is nested too deeply"))

    def translated(self, name: str) -> Translated:
        """A function as syntax of C."""
        if name in self.known:
            return self.known[name]
        node = self.module.functions[name]
        loc = self.module.place(node)
        if not name.isascii():
            raise Refused(loc, "only names in ASCII are supported")
        if name in self._open:
            raise Refused(loc, f"calls '{name}' recursively")
        self._open.append(name)
        try:
            found = signature(self.module, node)
            statements = Statements(self.module, found, self.translated)
            body = statements.body()
            arrays = {**found.arrays, **found.results}
            parameters = [
                build.declare(p, arrays[p].kind, loc, [statements.integer(e) for e in arrays[p].extents])
                if p in arrays
                else build.declare(p, statements.kinds[p], loc)
                for p in (*found.sizes, *found.order, *found.results)
            ]
        finally:
            self._open.pop()
        self.unit.functions[name] = build.function(name, parameters, statements.result, body, loc)
        self.known[name] = Translated(found, self.unit.functions[name], statements.result)
        return self.known[name]

    def emitter(self, function: Function, locations: Locations) -> Emitter:
        """The emitter that writes a function."""
        return _Emitter(function, locations, self.known[function.name].signature.sizes)


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
