"""The configuration of a target: where it is defined and how it is lowered (`targets/*.toml`)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import Any

from grammar.load import UnknownTarget


@dataclass(frozen=True)
class Target:
    """One `targets/*.toml`, as read."""

    name: str
    operations: tuple[str, ...]
    scalars: tuple[str, ...]
    dialects: tuple[str, ...]
    pipeline: str
    result: str
    general: bool
    iterator: str
    index: str
    terminator: str
    builtin_region: str
    trait: str
    max_rank: int
    max_inputs: int
    max_sampled_dims: int


def targets() -> tuple[str, ...]:
    """The names of the known targets."""
    folder = resources.files("grammar") / "targets"
    return tuple(sorted(f.name[: -len(".toml")] for f in folder.iterdir() if f.name.endswith(".toml")))


def read_target(name: str) -> Target:
    """The configuration of the target `name`."""
    if name not in targets():
        raise UnknownTarget(f"unknown target '{name}' (known: {', '.join(targets())})")
    text = (resources.files("grammar") / "targets" / f"{name}.toml").read_text()
    sections = tomllib.loads(text)
    fields: dict[str, Any] = {key: value for section in sections.values() for key, value in section.items()}
    fields = {k: tuple(v) if isinstance(v, list) else v for k, v in fields.items()}
    return Target(name=name, **fields)
