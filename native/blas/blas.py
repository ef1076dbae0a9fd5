"""Contractions as calls of BLAS, through its C interface.

before  linalg.generic ins(%a, %b) outs(%c)         # a sum of products of f64
after   func.call @cblas_dgemm(101, 111, 111, 64, 64, 64, 1.0, %a, 64, %b, 64, 1.0, %c, 64)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from raising.native.base.target import Target
from raising.native.blas.call_site import read_contraction, replace_by_call, routine
from raising.native.blas.emit_calls import CallSite, applies, write_call
from raising.native.blas.library import Library
from raising.native.blas.recognise_routine import Form, read_form
from raising.native.contraction.aliasing import without_hazards
from raising.native.contraction.gemm import Gemm
from raising.native.contraction.recognise_contraction import Match, match, readings
from raising.native.contraction.schedule_contractions import Write, own_code, replace_contractions
from raising.native.nest.dataflow import Flow
from raising.native.nest.kernel_call import move_up
from raising.native.nest.read_views import Reader
from raising.support.mlir.walk import named
from raising.support.record import dataclass

Chooser = Callable[[str, str, tuple[int | None, ...]], bool]
"""Whether BLAS does a contraction: routine, element type, extents m, n, k (None: not known; n is 1 for a vector)."""


def call_blas(module: Any, library: Library, target: Target, choose: Chooser) -> tuple[bool, frozenset[str]]:
    """Replace the contractions of a module that BLAS can do, and that are chosen, by calls of it.

    Whether there are any, and the functions that were added; those that BLAS can do but that are not chosen become
    our own code.
    """
    finder = _Finder(library, target, choose)
    kernels = replace_contractions(module, finder.find, "product")
    for op in named(module, "linalg.generic"):
        found = read_contraction(op)
        if found is not None and choose(found.routine, found.element, found.sizes):
            finder.used = replace_by_call(module, op, found, library) or finder.used
    return finder.used, kernels


@dataclass
class _Finder:
    """Finds what BLAS can do; `used` once there is a call."""

    library: Library
    target: Target
    choose: Chooser
    used: bool = False

    def find(self, flow: Flow, at: int) -> tuple[Match, Write] | None:
        """The contraction at an item of a block, and what writes it, if BLAS can do it."""
        own = match(flow, at)
        for found in readings(flow, at):
            form = read_form(found.gemm)
            if form is None or not self.library.has(routine(form.routine, found.gemm.element)):
                continue
            always = applies(form, found.gemm, self.library.largest)
            if always is False:
                continue
            if not self._chosen(form, found.gemm):
                return None if own is None else (own, own_code(own.gemm, self.target))
            other = _instead(own, found)
            if always or other is not None:
                self.used = True
                return found, self._call(form, found.gemm, None if always else other)
        return None

    def _chosen(self, form: Form, gemm: Gemm) -> bool:
        return self.choose(form.routine, gemm.element, tuple(gemm.extent(each) for each in (gemm.m, gemm.n, gemm.k)))

    def _call(self, form: Form, gemm: Gemm, other: Gemm | None) -> Write:
        def write(module: Any, name: str, reader: Reader, before: Any) -> Any:
            place = CallSite(module, reader, self.target, self.library, name)
            move_up([reader.values[each] for each in _around(gemm)], before)
            if other is None:
                return write_call(place, form, gemm, before, None)
            own = own_code(other, self.target)(module, name, reader, before)
            return write_call(place, form, gemm, own, own)

        return write


def _instead(own: Match | None, found: Match) -> Gemm | None:
    """The code of our own that runs where BLAS may not be called."""
    if own is not None and (own.at, own.taken) == (found.at, found.taken):
        return own.gemm
    return without_hazards(found.gemm)


def _around(gemm: Gemm) -> list[str]:
    """The names around a contraction that it uses."""
    captured = [name for fragment in gemm.fragments for name, _ in fragment.captured]
    indices = [*gemm.extents, *(index for access in gemm.accesses for index in access.map)]
    symbols = {symbol for index in indices for symbol in index.symbols if "." not in symbol}
    return [*(access.array.name for access in gemm.accesses), *captured, *sorted(symbols)]
