"""Text or bytecode as a verified module of MLIR, or an error with its place."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from mlir import ir

from raising.frontend.mlir.attributes import source_location
from raising.support.errors import InputError
from raising.support.isolate import another_mlir
from raising.support.source import Loc

_LOADED = ["affine", "arith", "func", "memref", "scf"]


def make_context(*made: str) -> Any:
    """A context without threads. Of the dialects that are there, it loads what a text names, and what loops are made of
    at once, and those of which operations are `made`: to load all of them takes as long as to read ten files.

    `InputError` where there is another copy of MLIR.
    """
    if another_mlir():
        raise InputError(Loc(), "'circt' is imported, and its MLIR crashes beside ours: use a process that does not")
    context = ir.Context(load_on_create_dialects=[*_LOADED, *made])
    context.enable_multithreading(False)
    return context


def parse_module(text: str | bytes, file: str, bindings: Any = ir) -> Any:
    """A verified module in the context that is entered, by upstream's bindings or other ones; or `InputError`.

    With other bindings no context of upstream's is made: two copies of MLIR crash in one process once both have one.
    """
    _check_depth(text, file)
    # An anonymous buffer has no name: a location attribute cannot be set for it, so `_renamed` does it later.
    try:
        return bindings.Module.parse(with_known_layout(text) if bindings is ir else text)
    except bindings.MLIRError as error:
        for diagnostic in error.error_diagnostics:
            where = replace(source_location(diagnostic.location, Loc(file)), file=file)
            raise InputError(where, diagnostic.message) from None
        raise InputError(Loc(file), "not a valid MLIR module") from None
    except UnicodeDecodeError:
        raise InputError(Loc(file), "not text in UTF-8") from None


_LAYOUT = "#dlti.dl_spec<"


def with_known_layout(text: str | bytes) -> str | bytes:
    """The text; with empty data layouts if only these keep it from being valid: older ones are spelled otherwise."""
    plain = text if isinstance(text, str) else text.decode(errors="ignore")
    if _LAYOUT not in plain or _is_valid(text):
        return text
    other = _without_layout(plain)
    return other if _is_valid(other) else text


def _is_valid(text: str | bytes) -> bool:
    with make_context():
        try:
            ir.Module.parse(text)
        except ir.MLIRError:
            return False
    return True


def _without_layout(text: str) -> str:
    """The text with empty data layouts, on as many lines."""
    out, at = [], 0
    while (start := text.find(_LAYOUT, at)) >= 0:
        end, depth = start + len(_LAYOUT), 1
        while depth and end < len(text):
            depth += {"<": 1, ">": -1}.get(text[end], 0) if text[end - 1] != "-" else 0
            end += 1
        out += [text[at : start + len(_LAYOUT)], "\n" * text.count("\n", start, end), ">"]
        at = end
    return "".join([*out, text[at:]])


MOST_NESTED = 2000
"""Levels of braces and brackets that are parsed: MLIR's parser calls itself, and crashes at some more."""


def _check_depth(text: str | bytes, file: str) -> None:
    depth = 0
    data = text.encode() if isinstance(text, str) else text
    for found in re.finditer(rb"[][{}]", data):
        depth += 1 if found[0] in b"{[" else -1
        if depth > MOST_NESTED:
            line = data.count(b"\n", 0, found.start()) + 1
            raise InputError(Loc(file, line, 1), f"nested deeper than {MOST_NESTED} levels")
