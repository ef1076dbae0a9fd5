"""`OperationLines`: the text of operations while terms are written, each distinct operation without effects once."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Self

from raising.affine.ir.affine_expr import Lin
from raising.grammar.select.selector import Selector


class OperationLines:
    """Lines of operations in the order of execution; `said` are the operations of the target that they use.

    `sizes` gives each size symbol of the terms as a form over names of the function.
    """

    def __init__(self, selector: Selector, sizes: Mapping[str, Lin]) -> None:
        self.selector, self.sizes = selector, sizes
        self.lines: list[str] = []
        self.said: list[str] = []
        self._shared: dict[str, str] = {}
        self._names = itertools.count(1)

    def fresh(self) -> str:
        """A new SSA name."""
        return f"%r{next(self._names)}"

    def once(self, operation: str) -> str:
        """The SSA name of an operation without effects, written at first use."""
        if operation not in self._shared:
            self._shared[operation] = self.fresh()
            self.lines.append(f"{self._shared[operation]} = {operation}")
        return self._shared[operation]

    def resolved(self, form: Lin) -> Lin:
        """A size over symbols as one over names of the function."""
        return form.substitute(self.sizes.get)

    def _continues(self, outer: Self) -> None:
        """Be lines in a region of others: values that are known there are known here, and not the other way round."""
        self.said, self._shared, self._names = outer.said, dict(outer._shared), outer._names
