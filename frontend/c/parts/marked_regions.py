"""Regions between `#pragma scop` and `#pragma endscop`, as parts of functions."""

from __future__ import annotations

from collections.abc import Iterator

from raising.frontend.c.parts.outlining import Part
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.live_variables import Liveness
from raising.frontend.core.traverse import statements


def regions(function: st.Function, live: Liveness) -> Iterator[tuple[st.Region, Part]]:
    """The regions of a function, in order."""
    for item in statements(function.body or ()):
        if isinstance(item, st.Region):
            yield item, Part(item.body, item.loc, live.behind(item), item.span)
