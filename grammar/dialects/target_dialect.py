"""The configuration of a target: where it is defined and how it is lowered (`targets/*.toml`)."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from raising.grammar.dialects.load import UnknownTarget
from raising.support.errors import needs
from raising.support.record import dataclass


class UnusableTarget(ValueError):
    """A target's own files cannot be used; the message names the file and what is wrong with it."""


_TARGETS = Path(__file__).parents[1] / "targets"
CANONICAL = "builtin.module(canonicalize)"  # casts between what an operation and its function are given are folded


@dataclass(frozen=True)
class Source:
    """A text that a target is made of, and the name of the file it stands in."""

    file: str
    text: str


@dataclass(frozen=True)
class Fill:
    """The operation that makes a tensor of one value; in its attribute, `{}` is the value and `{type}` the type."""

    operation: str
    attribute: str
    form: str


@dataclass(frozen=True)
class Target:
    """One `targets/*.toml`, or one outside of the package (see `external`), as read."""

    name: str
    operations: tuple[str, ...] = ()  # TableGen files
    bindings_module: str = ""  # or the module of generated operation classes
    td: str = ""  # or a user's TableGen file
    irdl: Source | None = None  # or IRDL; the dialect is registered from it
    structs: str = ""  # the module that holds the classes of struct attributes
    packages: tuple[str, ...] = ()  # the wheels that the definitions come from
    scalars: tuple[str, ...] = ()
    dialects: tuple[str, ...] = ()
    bindings: str = "mlir"  # the Python package of the MLIR that knows the dialect
    registries: tuple[str, ...] = ()  # functions that set it up: on a registry, a context, or nothing
    contexts: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    functions: Source | None = None  # what operations mean: a function per operation, inlined before the pipeline
    recurrences: Source | None = None  # what operations compute that are recurrences: a function for each
    beside: tuple[str, ...] = ()  # dialects that its modules have operations of, too
    exact: tuple[tuple[str, str], ...] = ()  # operations that this pipeline would approximate, and what they compute
    widened: tuple[str, ...] = ()  # operations that this pipeline extends by their signs, behind one that converts
    prepare: str = ""  # the pipeline that brings these to its own operations
    pipeline: str = ""
    finish: str = ""
    executor: str = ""
    fill: Fill | None = None
    result: str = ""
    general: bool = False
    iterator: str = ""
    index: str = ""
    terminator: str = ""
    builtin_region: str = ""
    trait: str = ""
    infer: str = ""  # a pipeline that finds result types
    constants: tuple[str, ...] = ()  # how operands that have to be constant are made
    elements: tuple[str, ...] = ("f64", "i32", "i1")  # any float, any integer, the truth values
    narrow: tuple[str, ...] = ()  # of some of these kinds another width, to see what operations change it
    loop: str = ""  # a loop that carries tensors, see `raising.grammar.emit.carried_loops`
    branches: tuple[
        str, ...
    ] = ()  # operations that take one of their regions, see `raising.validate.reading.target_control_flow`
    window: str = ""  # a window at a place that a loop's variable tells, where the family `window` has constant places
    place: str = ""  # a window's elements replaced by others
    units: bool = False  # dimensions of extent one stretch to others
    max_rank: int = 4
    max_inputs: int = 3
    max_fixed_rank: int = 4  # of operations that take no operands up to max_rank
    max_fixed_inputs: int = 3  # of operations with a region of their own
    max_sampled_dims: int = 3


def targets() -> tuple[str, ...]:
    """The names of the known targets."""
    return tuple(sorted(f.name[: -len(".toml")] for f in _TARGETS.iterdir() if f.name.endswith(".toml")))


@cache
def read_target(name: str) -> Target:
    """The configuration of the target `name`, read once."""
    import tomllib  # takes long, and is of use here only

    if name not in targets():
        raise UnknownTarget(f"unknown target '{name}' (known: {', '.join(targets())}; or the path of a .toml file)")
    text = (_TARGETS / f"{name}.toml").read_text()
    sections = tomllib.loads(text)
    fields: dict[str, Any] = {key: value for section in sections.values() for key, value in section.items()}
    fields = {k: tuple(v) if isinstance(v, list) else v for k, v in fields.items()}
    if "recurrences" in fields:
        functions = (_TARGETS / fields["recurrences"]).read_text()
        fields["recurrences"] = Source(fields["recurrences"], functions + functions.replace("f64", "f32"))
    return Target(name=name, **fields)


def check_installed(target: Target) -> None:
    """`UnusableTarget` if the package whose MLIR knows the target's dialect is not there: it may be an optional one."""
    package = target.bindings.partition(".")[0]
    if find_spec(package) is None:
        raise UnusableTarget(f"target '{target.name}' {needs(package)}")
