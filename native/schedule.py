"""Fast loops in place of linalg operations on memory."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from native.columns import columns_as_rows
from native.loops import Machine
from native.schedule_contractions import schedule_contractions
from native.schedule_loops import schedule_loops
from native.target import Target


def schedule(module: Any, target: Target, fp: str, kernels: Collection[str] = ()) -> None:
    """Rewrite the module in place; what stays linalg becomes plain loops later.

    `kernels` are functions that are done already and touch only the memory that they are passed.
    """
    kernels = schedule_contractions(module, target, fp, kernels)
    copies = columns_as_rows(module)
    machine = Machine(target.vector_bits, target.l2, target.threads, target.l3)
    schedule_loops(module, machine, fp == "strict", {*kernels, *copies})
