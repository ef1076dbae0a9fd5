"""Figures that other systems published. They were measured on other machines, and are shown as such."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from raising.support.record import dataclass


@dataclass(frozen=True)
class Published:
    """Seconds to raise each kernel, or the authors' word for no result; candidates where they were told."""

    name: str
    source: str
    seconds: Mapping[str, float | str]
    enumerated: Mapping[str, int] = field(default_factory=dict)

    @property
    def raised(self) -> list[str]:
        """The kernels that the system raises."""
        return [kernel for kernel, value in self.seconds.items() if not isinstance(value, str)]


def _read() -> Mapping[str, Any]:
    with (Path(__file__).parent / "published.toml").open("rb") as file:
        return tomllib.load(file)


_TABLE = _read()

PUBLISHED = tuple(Published(name, **entry) for name, entry in _TABLE.items() if name != "coverage")
"""The systems that published times."""

COVERAGE: Mapping[str, int] = {
    **{system.name: len(system.raised) for system in PUBLISHED},
    **{name: len(kernels) for name, kernels in _TABLE["coverage"].items()},
}
"""How many PolyBench kernels each system raises, as published."""
