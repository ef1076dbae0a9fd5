"""The reader of Python as one function: text to core."""

from __future__ import annotations

from raising.frontend.c.ir.module import CRemark, Refused
from raising.frontend.core.statement_nodes import Function, Unit
from raising.frontend.python.annotations import Signature, signature
from raising.frontend.python.calls import Translated
from raising.frontend.python.module import Module, parse
from raising.frontend.python.statements import Statements
from raising.support.errors import InputError
from raising.support.record import dataclass
from raising.support.source import Loc


@dataclass(frozen=True)
class PythonUnit:
    """A file in the core: those of the `wanted` functions that could be read, and what they call.

    `signatures` are theirs; `refused` says why the others stay in Python, each with its place.
    """

    unit: Unit
    wanted: tuple[str, ...]
    signatures: dict[str, Signature]
    refused: tuple[CRemark, ...]


def read_python(source: str, filename: str, function: str | None = None) -> PythonUnit:
    """The functions of a Python file (or the one that is named); those that start with `_` are helpers of others.

    Raises `raising.support.errors.InputError` if the text is not Python or has no such function.
    """
    reader = _Reader(parse(source, filename))
    functions = reader.module.functions
    if function is not None and function not in functions:
        raise InputError(Loc(filename), f"there is no function '{function}'")
    wanted = [function] if function else [n for n in functions if not n.startswith("_")] or [*functions]
    for name in wanted:
        reader.read(name)
    routines: dict[str, Function] = {name: t.function for name, t in reader.known.items()}
    return PythonUnit(
        Unit(filename, "Python", {}, {}, routines),
        tuple(name for name in wanted if name in reader.known),
        {name: t.signature for name, t in reader.known.items()},
        tuple(reader.refused),
    )


class _Reader:
    """Reads functions, each after those that it calls."""

    def __init__(self, module: Module) -> None:
        self.module = module
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
        """A function in the core."""
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
            statements = Statements(self.module, signature(self.module, node), self.translated)
            self.known[name] = Translated(statements.signature, statements.function(), statements.result)
        finally:
            self._open.pop()
        return self.known[name]
