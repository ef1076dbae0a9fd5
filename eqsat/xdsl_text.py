"""Modules as xDSL prints them, and its passes over them."""

from __future__ import annotations

from typing import Any


def as_generic(data: bytes) -> str | None:
    """A module in the form that every MLIR reads; None if xDSL cannot read it."""
    return transformed(data, lambda context, module: None)


def transformed(data: bytes, change: Any) -> str | None:
    """A module in generic form after `change(context, module)`; None if xDSL cannot read it."""
    from io import StringIO

    from xdsl.context import Context
    from xdsl.parser import Parser
    from xdsl.printer import Printer
    from xdsl.universe import Universe
    from xdsl.utils.exceptions import ParseError, VerifyException

    context = Context(allow_unregistered=True)
    for name, factory in Universe.get_multiverse().all_dialects.items():
        context.register_dialect(name, factory)
    out = StringIO()
    try:
        module = Parser(context, data.decode()).parse_module()
        change(context, module)
        Printer(stream=out, print_generic_format=True).print_op(module)
    except (ParseError, VerifyException, UnicodeDecodeError):
        return None
    return out.getvalue()
