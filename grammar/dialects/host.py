"""The MLIR that knows a target's dialect: upstream's Python bindings, or those of another wheel.

Two wheels can be loaded in one process; they exchange modules as text.
"""

from __future__ import annotations

import importlib
import re
from typing import Any

from raising.grammar.dialects.function_library import Library, check_casts
from raising.grammar.dialects.target_dialect import CANONICAL, Source, Target
from raising.support.mlir.inline import inline_calls
from raising.support.mlir.walk import operations


class Host:
    """A context with a target's dialects loaded, made as its configuration says."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.ir: Any = importlib.import_module(f"{target.bindings}.ir")
        self.passes: Any = importlib.import_module(f"{target.bindings}.passmanager")
        self.context = self.ir.Context()
        self.context.enable_multithreading(False)
        registry = self.ir.DialectRegistry()
        for name in target.registries:
            imported(name)(registry)
        self.context.append_dialect_registry(registry)
        self.context.load_all_available_dialects()
        for name in target.contexts:
            imported(name)(self.context)
        for name in target.calls:
            imported(name)()
        for dialect in target.dialects:
            self.context.d[dialect]
        self._handler = self.context.attach_diagnostic_handler(lambda _: True)
        self._pipelines: dict[str, Any] = {}
        if target.irdl is not None:
            from raising.grammar.dialects.irdl import register

            register(self.context, target.irdl)
        self.library = self._library(target.functions)
        self.recurrences = self._library(target.recurrences)

    def _library(self, source: Source | None) -> Library | None:
        return None if source is None else Library(source, self.context, self.ir)

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """The exceptions that the bindings raise on bad input."""
        return (self.ir.MLIRError, ValueError, TypeError, AttributeError, RuntimeError)

    def attribute(self, text: str) -> Any:
        """An attribute, or None if the text is none."""
        try:
            return self.ir.Attribute.parse(text, self.context)
        except self.errors:
            return None

    def complaint(self, text: str) -> str:
        """The parser's diagnostics about the text of an attribute."""
        try:
            self.ir.Attribute.parse(text, self.context)
        except self.errors as error:
            return str(error)
        return ""

    def run(self, pipeline: str, module: Any) -> None:
        """Runs a pass pipeline on a module of this context."""
        if pipeline not in self._pipelines:
            self._pipelines[pipeline] = self.passes.PassManager.parse(pipeline, self.context)
        self._pipelines[pipeline].run(module.operation)

    def prepare(self, module: Any) -> None:
        """Leaves only operations of the target, and exact functions, in a module of this context, and no calls where
        that can be.
        """
        for name, exact in self.target.exact:
            for op in operations(module, lambda op, name=name: op.name == name):  # type: ignore[misc]
                self._become(op, exact)
        if self.target.prepare:
            self.run(self.target.prepare, module)
        for op in operations(module, lambda op: op.name in self.target.widened[1:]):
            self._widen(op, self.target.widened[0])
        inline_calls(module, self.ir)

    def _widen(self, op: Any, conversion: str) -> None:
        """Has operands of integers without signs converted to the elements of the result."""
        element = self.ir.RankedTensorType(op.results[0].type).element_type
        for k, operand in enumerate(op.operands):
            kind = self.ir.RankedTensorType(operand.type)
            if str(kind.element_type).startswith("ui") and kind.element_type != element:
                wide = self.ir.RankedTensorType.get(kind.shape, element, loc=op.location)
                with self.ir.InsertionPoint(op), op.location:
                    op.operands[k] = self.ir.Operation.create(conversion, [wide], [operand]).results[0]

    def _become(self, op: Any, name: str) -> None:
        """Puts an operation of another name, of the same operands and results, in place of one."""
        kinds, operands = [r.type for r in op.results], list(op.operands)
        with self.ir.InsertionPoint(op), op.location:
            new = self.ir.Operation.create(name, kinds, operands)
        for old, result in zip(op.results, new.results, strict=True):
            old.replace_all_uses_with(result)
        op.erase()

    def lower(self, module: Any) -> None:
        """Lowers a module of this context, in place, as the target's configuration says."""
        self.prepare(module)
        if self.library is not None:
            self.library.inline(module)
        if self.recurrences is not None and self.recurrences.inline(module):
            self.run(CANONICAL, module)
            check_casts(module, self.recurrences.file)
        self.run(self.target.pipeline, module)
        if self.library is not None:
            check_casts(module, self.library.file)

    def cases(self, dialect: str, kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The cases of an enumeration attribute, from the parser's complaint about a wrong one; and their text."""
        mnemonic = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.removesuffix("Attr")).lower()
        for form in ("#{d}<{m} {c}>", "#{d}.{m}<{c}>"):
            said = self.complaint(form.format(d=dialect, m=mnemonic, c="no_such_case"))
            listed = re.search(r"to be one of: ([\w, ]+)", said)
            if listed:
                cases = tuple(c.strip() for c in listed[1].split(","))
                return cases, tuple(form.format(d=dialect, m=mnemonic, c=c) for c in cases)
        return (), ()


def imported(name: str) -> Any:
    """The object that `package.module:name` names."""
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute)
