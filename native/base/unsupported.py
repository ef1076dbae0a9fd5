"""What can be wrong with a program that is to become machine code."""

from __future__ import annotations


class CompileError(Exception):
    """A module, or a choice of options, that cannot become machine code; the message is one line and says why."""


class CallError(ValueError):
    """Arguments that do not fit the compiled function; nothing was run."""
