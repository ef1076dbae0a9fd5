"""The errors of compiling a program and of calling it."""

from __future__ import annotations


class CompileError(Exception):
    """A module, or a choice of options, that cannot become machine code; the message is one line and says why."""


class CallError(ValueError):
    """Arguments that do not fit the compiled function; nothing was run."""


class PositionError(CallError):
    """An element of an argument that is a position in an array, and lies outside of it."""
