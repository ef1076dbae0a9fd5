"""Modules as text through xDSL: into the form that every MLIR reads, and with what patterns add to their e-graphs."""

from __future__ import annotations

import os
from typing import Any


class PatternError(Exception):
    """xDSL cannot apply patterns to a module; the message says why."""


def as_generic(data: bytes) -> str | None:
    """A module in the form that every MLIR reads; None if xDSL cannot read it."""
    return transformed(data, lambda context, module: None)


def with_patterns(text: str, patterns: str, tools: str) -> str:
    """A module with e-graphs after xDSL added to them what patterns in its `pdl` dialect make.

    `patterns` is the path of a module with them; `tools` the folder of `mlir-opt`, which xDSL runs.
    """
    from xdsl.transforms.apply_eqsat_pdl import ApplyEqsatPDLPass

    path = os.environ.get("PATH", "")
    os.environ["PATH"] = f"{tools}{os.pathsep}{path}"
    try:
        found = transformed(text.encode(), ApplyEqsatPDLPass(pdl_file=patterns).apply)
    except Exception as error:  # whatever patterns bring its interpreter to
        raise PatternError(" ".join(str(error).split())[:300] or type(error).__name__) from error
    finally:
        os.environ["PATH"] = path
    if found is None:
        raise PatternError("it does not read the module or the patterns")
    return found


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
    except (ParseError, VerifyException, UnicodeDecodeError, AssertionError):  # by assertions it says what it lacks
        return None
    return out.getvalue()
