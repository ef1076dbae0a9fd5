"""Reads operation signatures from TableGen definitions, through `llvm-tblgen --dump-json`.

Nothing here knows a dialect: whatever an `Op` record states is taken over, and
an argument that is neither operand, attribute nor property is of kind `unknown`.
"""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from raising.grammar.dialects.op_signature import Attr, Op, Operand
from raising.grammar.terms.structured_op import Excluded

Record = dict[str, Any]

UNKNOWN = "unknown"  # the kind of an argument that is neither operand, attribute nor property
_SECONDS = 60
_WRAPPERS = {"OptionalAttr", "DefaultValuedAttr", "DefaultValuedOptionalAttr", "ConfinedAttr"}


class NoDefinitions(RuntimeError):
    """The definition files or `llvm-tblgen` are not installed."""


def site_packages() -> Path:
    """The folder in which the `llvm` and `mlir` packages are installed."""
    spec = importlib.util.find_spec("mlir")
    if spec is None or not spec.submodule_search_locations:
        raise NoDefinitions("the MLIR Python package is not installed")
    return Path(next(iter(spec.submodule_search_locations))).parent


def include_folder() -> Path:
    """The folder that TableGen's `include` lines start from."""
    folder = site_packages() / "mlir" / "include"
    if not (folder / "mlir" / "IR" / "OpBase.td").exists():
        raise NoDefinitions("the .td files are not installed: pip install 'raise-tensor[dev]'")
    return folder


def read(td: str, folder: Path | None = None) -> tuple[Op, ...]:
    """The operations that one .td file and its includes define.

    `td` is relative to the include folder of the installed MLIR, or absolute;
    `folder` is searched for includes too.
    """
    tool = site_packages() / "llvm" / "bin" / "llvm-tblgen"
    if not tool.exists():
        raise NoDefinitions(f"no llvm-tblgen at {tool}")
    root = include_folder()
    folders = [root] if folder is None else [root, *_ancestors(folder)]
    command = [str(tool), "--dump-json", *(part for f in folders for part in ("-I", str(f))), str(root / td)]
    try:
        run = subprocess.run(command, capture_output=True, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        raise NoDefinitions(f"{td}: llvm-tblgen takes more than {_SECONDS} s") from None
    if run.returncode != 0:
        raise NoDefinitions(_complaint(run.stderr.decode(errors="replace"), td))
    try:
        return _Definitions(json.loads(run.stdout)).operations()
    except (KeyError, TypeError, ValueError) as missing:
        raise NoDefinitions(f"{td}: holds no operation definitions ({missing})") from None


def read_file(td: Path) -> tuple[tuple[Op, ...], tuple[Excluded, ...]]:
    """The operations that a user's file defines, and those whose definition is of an unknown kind."""
    try:
        text = td.read_bytes() if td.is_file() or not td.exists() else b""
    except OSError as error:
        raise NoDefinitions(f"{td}: cannot be read: {(error.strerror or str(error)).lower()}") from None
    if b"\0" in text or not text.strip():
        raise NoDefinitions(f"{td}: is no TableGen file")
    try:
        ops = read(str(td.resolve()), td.parent.resolve())
    except NoDefinitions as error:
        raise NoDefinitions(str(error).replace(str(td.resolve()), str(td))) from None
    if not ops:
        raise NoDefinitions(f"{td}: defines no operation")
    unknown = [(op, a) for op in ops for a in op.attrs if a.kind == UNKNOWN]
    return ops, tuple(Excluded(op.full_name, f"{td}: argument '{a.name}' is of unknown class") for op, a in unknown)


def _ancestors(folder: Path) -> list[Path]:
    """A folder and those above it: definitions include each other from the root of their project."""
    return [folder, *folder.parents][:-1]


def _complaint(said: str, td: str) -> str:
    """The first error of llvm-tblgen, with its place."""
    lines = said.strip().splitlines()
    line = next((line for line in lines if "error:" in line), lines[0] if lines else "cannot be read")
    place, _, text = line.partition("error:")
    return f"{place}{text.strip()}" if text and place.strip() else f"{td}: {(text or line).strip()}"


class _Definitions:
    """The records of one dump, by name."""

    def __init__(self, records: dict[str, Any]) -> None:
        self.records = records

    def operations(self) -> tuple[Op, ...]:
        names = self.records["!instanceof"].get("Op", ())
        return tuple(self._operation(self.records[name]) for name in names)

    def _get(self, ref: Any) -> Record:
        name = ref["def"] if isinstance(ref, dict) else ref
        record: Record = self.records[name]
        return record

    def _operation(self, op: Record) -> Op:
        operands, attrs = [], []
        for ref, name in op["arguments"]["args"]:
            record = self._constraint(ref)
            classes = record["!superclasses"]
            if "TypeConstraint" in classes:
                operands.append(self._operand(record, name))
            elif "AttrConstraint" in classes:
                attrs.append(self._attr(record, name))
            elif "Property" in classes:
                attrs.append(self._property(record, name))
            else:
                attrs.append(Attr(name, UNKNOWN))
        results = tuple(self._operand(self._constraint(ref), name) for ref, name in op["results"]["args"])
        return Op(
            dialect=self._get(op["opDialect"])["name"],
            name=op["opName"],
            operands=tuple(operands),
            attrs=tuple(attrs),
            results=results,
            regions=tuple(name or "" for _, name in op["regions"]["args"]),
            traits=tuple(dict.fromkeys(self._traits(op["traits"]))),
            summary=(op.get("summary") or "").strip(),
        )

    def _constraint(self, ref: Any) -> Record:
        record = self._get(ref)
        while "OpVariable" in record["!superclasses"]:  # Arg<…> and Res<…> only decorate a constraint
            record = self._get(record["constraint"])
        return record

    def _operand(self, record: Record, name: str | None) -> Operand:
        arity = "one"
        if {"Variadic", "VariadicOfVariadic"} & set(record["!superclasses"]):
            arity, record = "variadic", self._get(record["baseType"])
        elif "Optional" in record["!superclasses"]:
            arity, record = "optional", self._get(record["baseType"])
        constraint = record["summary"] if record["!anonymous"] else record["!name"]
        return Operand(name or "", constraint, arity)

    # ---- attributes ------------------------------------------------------------------------------

    def _attr(self, outer: Record, name: str) -> Attr:
        base = outer
        while _WRAPPERS & set(base["!superclasses"]) and base.get("baseAttr"):
            base = self._get(base["baseAttr"])
        element = self._get(base["elementAttr"]) if base.get("elementAttr") else None
        kind = _short(base["storageType"] or "Attribute")
        if element is not None:
            kind = re.sub("Attr$", "", _short(element["storageType"])) + "ArrayAttr"
        if kind == "IntegerAttr" and base["!name"] == "I32Attr":
            kind = "I32Attr"
        cases, values = self._cases(element or base)
        return Attr(name, kind, bool(outer["isOptional"]), outer["defaultValue"], cases, values)

    def _property(self, record: Record, name: str) -> Attr:
        default = record.get("defaultValue") or None
        return Attr(name, _short(record.get("storageType") or record["!name"]), False, default)

    def _cases(self, record: Record) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The cases of an enumeration by name, and as attributes are written."""
        enum = self._get(record["enum"]) if record.get("enum") else record
        members = [self._get(ref) for ref in enum.get("enumerants") or ()]
        cases = tuple(m["str"] or m["symbol"] for m in members)
        if record.get("mnemonic"):
            prefix = f"#{self._get(record['dialect'])['name']}.{record['mnemonic']}"
            return cases, tuple(f"{prefix}<{case}>" for case in cases)
        return cases, tuple(f"{m['value']} : i{enum.get('bitwidth', 64)}" for m in members)

    # ---- traits ----------------------------------------------------------------------------------

    def _traits(self, refs: list[Any]) -> Iterator[str]:
        for ref in refs:
            record = self._get(ref)
            if "TraitList" in record["!superclasses"]:
                yield from self._traits(record["traits"])
            else:
                yield _trait(record)


def _trait(record: Record) -> str:
    if record.get("cppInterfaceName"):
        return _short(record["cppInterfaceName"])
    spelled = record.get("trait")
    if spelled and "SideEffectsTraitBase" not in record["!superclasses"]:
        return _short(re.sub("<.*>", "", re.sub("::(Impl|Trait)$", "", spelled)))
    return str(record["!superclasses"][-1] if record["!anonymous"] else record["!name"])


def _short(cpp: str) -> str:
    return cpp.strip().split("::")[-1].strip()
