"""The targets whose grammar is committed: standard library only, so that a command starts at once."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).parents[1] / "data"
SCALARS = "scalar"


def known() -> tuple[str, ...]:
    """The targets whose grammar is committed."""
    names = (f.name.removesuffix(".json") for f in DATA.iterdir() if f.name.endswith(".json"))
    return tuple(sorted(name for name in names if name != SCALARS))
