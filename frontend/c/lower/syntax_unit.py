"""What the ladder lowers: the functions of a file as syntax of C, as the Python front end makes them."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from raising.support.record import dataclass


@dataclass
class Unit:
    """What a file declares, by name; all of it syntax."""

    typedefs: dict[str, Any] = field(default_factory=dict)
    enumerators: list[Any] = field(default_factory=list)
    globals: dict[str, Any] = field(default_factory=dict)
    functions: dict[str, Any] = field(default_factory=dict)
    assigned: dict[Any, frozenset[str]] = field(default_factory=dict)  # what is known already, by the syntax
    language: str = "C"  # what the syntax was made from
    steps: int = 0  # how many expressions were lowered
    constants: dict[str, Any] | None = None  # the values of the enumerators, once they are known

    @property
    def has_flat_memory(self) -> bool:
        """True if memory of one dimension may hold rows, whose length is found from its subscripts."""
        return self.language == "C"
