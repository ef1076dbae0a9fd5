"""A cache of machine code: entries are found by the text and the options that the code was made from."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import cache as once
from pathlib import Path
from typing import Any

from raising.native.base.compile_options import CompileOptions
from raising.native.base.signature import Needed, Needs, Parameter, Positions, Signature
from raising.native.base.target import Target
from raising.support import cache
from raising.support.versions import source_files, stamp, versions

Kept = tuple[bytes, tuple[Signature, ...], tuple[str, ...]]
"""An object file, the functions in it, and the libraries that it needs."""

_MADE_BY = ("xtc-mlir-python-bindings", "llvmlite", "jaxlib")


def code_for(data: bytes, options: CompileOptions, target: Target, make: Callable[[], Kept]) -> Kept:
    """The code that `make` makes, now or in an earlier process with the same text, choices and machine."""
    parts = [data, repr(replace(options, cache=True, unchecked=False)).encode(), repr(target).encode(), made_by()]
    file = cache.entry("native", parts)
    known = from_text(cache.read(file))
    if known is None or not all(map(_is_there, known[2])):
        known = make()
        cache.write(file, as_text(known))
    return known


def _is_there(library: str) -> bool:
    """Whether a library still lies where the code was made with it; its environment may be gone."""
    return not Path(library).is_absolute() or Path(library).exists()


def as_text(kept: Kept) -> str:
    """Code as the text of an entry."""
    code, signatures, libraries = kept
    functions = [asdict(s) for s in signatures]
    return json.dumps({"code": base64.b64encode(code).decode(), "functions": functions, "libraries": libraries})


def from_text(text: str | None) -> Kept | None:
    """What `as_text` wrote."""
    if text is None:
        return None
    found = json.loads(text)
    functions = tuple(_signature(s) for s in found["functions"])
    return base64.b64decode(found["code"]), functions, tuple(found["libraries"])


def _signature(found: dict[str, Any]) -> Signature:
    parameters, variables = (tuple(map(_parameter, found[part])) for part in ("parameters", "variables"))
    needs, returns = _needs(found["needs"]), tuple(found["returns"])
    return Signature(found["name"], parameters, returns, variables, needs, tested=found["tested"])


def _parameter(found: dict[str, Any]) -> Parameter:
    return Parameter(**(found | {"shape": None if found["shape"] is None else tuple(found["shape"])}))


def _needs(found: dict[str, Any] | None) -> Needs | None:
    if found is None:
        return None
    sizes = tuple((number, dim) for number, dim in found["sizes"])
    results = tuple((number, tuple(forms)) for number, forms in found["results"])
    arrays = tuple(Needed(**each) for each in found["arrays"])
    positions = tuple(Positions(**each) for each in found["positions"])
    return Needs(sizes, arrays, results, found["unknown"], found["wrong"], positions)


@once
def made_by() -> bytes:
    """The versions that code and its signatures depend on: the sources of the program and the packages it uses."""
    sources = (path.read_bytes() for path in source_files("native", "support"))
    foreign = repr(sorted(versions(_MADE_BY).items())).encode()
    return b"".join(hashlib.sha256(part).digest() for part in (*sources, foreign, stamp().encode()))
