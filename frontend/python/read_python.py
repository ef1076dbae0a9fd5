"""The reader of Python as one function: text to core."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace

from raising.frontend.core.statement_nodes import Function, Unit
from raising.frontend.lower.ir.module import Refused, SourceRemark
from raising.frontend.python.annotations import Given, Signature, parameters, signature
from raising.frontend.python.calls import Translated
from raising.frontend.python.inner_functions.comprehensions import written_as_loops
from raising.frontend.python.inner_functions.known_arguments import put_in
from raising.frontend.python.inner_functions.named_tuples import with_constants, with_parts_named
from raising.frontend.python.inner_functions.nested_functions import taken_out
from raising.frontend.python.inner_functions.returned_arguments import put_for_calls
from raising.frontend.python.module import Module, parse
from raising.frontend.python.numpy_library.made_syntax import placed
from raising.frontend.python.numpy_library.numpy_definitions import defined
from raising.frontend.python.statements import Statements
from raising.frontend.python.variables.counted_loops import with_counters
from raising.frontend.python.variables.scopes import mentioned, without_hints
from raising.frontend.python.variables.ways_out import in_fewer_forms, without_continue
from raising.frontend.python.whole_arrays.second_names import resolved, written_out
from raising.support.errors import InputError
from raising.support.record import dataclass
from raising.support.source import Loc, unused_name


@dataclass(frozen=True)
class PythonUnit:
    """A file in the core: those of the `wanted` functions that could be read, and what they call.

    `signatures` are theirs; `refused` says why the others stay in Python, each with its place.
    """

    unit: Unit
    wanted: tuple[str, ...]
    signatures: dict[str, Signature]
    refused: tuple[SourceRemark, ...]


def read_python(source: str, filename: str, function: str | None = None) -> PythonUnit:
    """The functions of a Python file (or the one that is named); those that start with `_` are helpers of others.

    Raises `raising.support.errors.InputError` if the text is not Python or has no such function.
    """
    module = parse(source, filename)
    functions = module.functions
    if function is not None and function not in functions:
        raise InputError(Loc(filename), f"there is no function '{function}'")
    wanted = [function] if function else [n for n in functions if not n.startswith("_")] or [*functions]
    return read_module(module, wanted)


def read_module(module: Module, wanted: Sequence[str]) -> PythonUnit:
    """Functions of a file whose top level was read."""
    reader = _Reader(module)
    for name in wanted:
        reader.read(name)
    routines: dict[str, Function] = {t.function.name: t.function for t in reader.known.values()}
    return PythonUnit(
        Unit(module.file, "Python", {}, {}, routines),
        tuple(name for name in wanted if name in routines),
        {t.function.name: t.signature for t in reader.known.values()},
        tuple(reader.refused),
    )


class _Reader:
    """Reads functions, each after those that it calls."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.known: dict[tuple[str, Given], Translated] = {}
        self.refused = [SourceRemark(error.loc, error.reason) for error in module.refused]
        self._open: list[str] = []

    def read(self, name: str) -> None:
        """A function, or the reason why it stays."""
        try:
            self.translated(name)
        except Refused as error:
            self.refused.append(SourceRemark(error.loc, f"function '{name}' stays in Python: {error.reason}"))
        except RecursionError:
            place = self.module.place(self.module.functions[name])
            self.refused.append(SourceRemark(place, f"function '{name}' stays in Python: it is nested too deeply"))

    def translated(self, name: str, given: Given = ()) -> Translated:
        """A function in the core; one whose parameters have no types, with those of the arguments of a call."""
        if (name, given) in self.known:
            return self.known[name, given]
        node = self.module.functions[name]
        loc = self.module.place(node)
        if not name.isascii():
            raise Refused(loc, "only names in ASCII are supported")
        if name in self._open:
            raise Refused(loc, f"calls '{name}' recursively")
        self._open.append(name)
        try:
            found = signature(self.module, self._rewritten(_with_ranks(deepcopy(node), given)), given)
            statements = Statements(self.module, found, self.translated)
            function = statements.function()
            found.number = statements.result
        finally:
            self._open.pop()
        symbol = f"{name}.{len(self.known)}" if given else name
        self.known[name, given] = Translated(found, replace(function, name=symbol), statements.result)
        return self.known[name, given]

    def _rewritten(self, function: ast.FunctionDef) -> ast.FunctionDef:
        """The syntax of a function in fewer forms, changed in place: what each pass leaves is in its file."""
        without_hints(self.module, function)
        in_fewer_forms(function)
        taken_out(self.module, put_in(self.module, function))
        defined(self.module, without_continue(with_constants(self.module, put_in(self.module, function))))
        with_parts_named(self.module, function)
        written_out(function)
        with_counters(self.module, function, lambda name: unused_name(name, mentioned([function])))
        resolved(put_for_calls(self.module, function), self.module.functions)
        return written_as_loops(self.module, function)


def _with_ranks(function: ast.FunctionDef, given: Given) -> ast.FunctionDef:
    """A function with what is known of its parameters as annotations: how many dimensions they have; in place."""
    ranks = {name: rank for name, _, rank in given if rank}
    for argument in parameters(function):
        if argument.arg in ranks:
            extents: list[ast.expr] = [ast.Slice() for _ in range(ranks[argument.arg])]
            shape = ast.Subscript(ast.Name("array", ast.Load()), ast.Tuple(extents, ast.Load()), ast.Load())
            argument.annotation = placed(shape, argument)
    return function
