"""Lowers an instance with its target's own pipeline and traces what is left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlir import ir
from mlir.passmanager import PassManager

from raising.frontend.mlir.parse_module import make_context
from raising.grammar.dialects.host import Host
from raising.grammar.dialects.op_signature import Op
from raising.grammar.measure.tracer import Trace, trace
from raising.grammar.measure.workbench import Attrs, NotStructured, defaults_of
from raising.grammar.terms.scalar_ops import SCALARS
from raising.support.mlir.diagnostics import first_error


class Lowering:
    """The way from text of a target to a trace."""

    def __init__(self, host: Host, scalars: dict[str, Op]) -> None:
        self.host = host
        self.defaults = defaults(scalars)
        self.context = make_context()
        self.context.allow_unregistered_dialects = True
        self._handler = self.context.attach_diagnostic_handler(lambda _: True)
        with self.context:
            self._finish: Any = PassManager.parse(host.target.finish) if host.target.finish else None

    def lowered(self, text: str) -> Any:
        """The lowered module, in upstream's MLIR."""
        try:
            with self.host.context:
                module = self.host.ir.Module.parse(text)
                self.host.lower(module)
            generic = module.operation.get_asm(print_generic_op_form=True)
            with self.context:
                result = ir.Module.parse(generic)
                if self._finish is not None:
                    self._finish.run(result.operation)
        except (*self.host.errors, ir.MLIRError) as error:
            raise NotStructured(f"its lowering fails: {first_error(error)}") from None
        return result

    def trace(self, text: str) -> Trace:
        """The trace of the first function of a module."""
        module = self.lowered(text)
        with self.context:
            return trace(module.body.operations[0], self.defaults)


def defaults(scalars: Mapping[str, Op]) -> dict[str, Attrs]:
    """The scalar operations that have a meaning, with the attributes that need not be said."""
    found: dict[str, Attrs] = dict.fromkeys(SCALARS, ())
    for name, op in ((n, o) for n, o in scalars.items() if n in SCALARS):
        found[name] = defaults_of(op)
    return found
