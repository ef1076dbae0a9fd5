"""Compiled code under test runs in a child process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np

from raising.compile_module import Compiled, compile_module
from raising.support.isolate import Failed, run_isolated
from tests.native.guarded import guarded

Arrays = Sequence[np.ndarray[Any, Any]]


def isolated(work: Callable[[], Any]) -> Any:
    """What `work` returns, from a child; a crash is an error here."""
    outcome = run_isolated(work, timeout=120, extra_bytes=8 << 30)
    assert not isinstance(outcome, Failed), outcome.reason
    return outcome.value


def plainly_compiled(text: str, **settings: Any) -> Compiled:
    """A module compiled without our passes on loops, and without LLVM's, which take longer than to run it once.

    Nothing of that is kept: the cache, which knows nothing of what is left out, would give it for the whole, or the
    whole for it.
    """
    with (
        patch("raising.native.compile.schedule", lambda *_: None),
        patch("raising.native.codegen.objects.LEVEL", 0),
    ):
        return compile_module(text, **{**settings, "cache": False})


def called(text: str, arguments: Sequence[Any], plain: bool = False, **settings: Any) -> list[Any]:
    """The arguments after a call of the module's function; with `plain`, by loops that nothing was done to.

    Reading or writing beyond the end of one of its arrays is a crash.
    """
    return called_with(text, [arguments], plain, **settings)[0]


def called_with(text: str, calls: Sequence[Sequence[Any]], plain: bool = False, **settings: Any) -> list[list[Any]]:
    """As `called`, for several calls of what is compiled once."""
    return isolated(partial(_called, text, calls, plain, settings))  # type: ignore[no-any-return]


def _called(text: str, calls: Sequence[Sequence[Any]], plain: bool, settings: dict[str, Any]) -> list[list[Any]]:
    function = plainly_compiled(text, **settings) if plain else compile_module(text, **settings)
    found = [[guarded(v) if isinstance(v, np.ndarray) else v for v in arguments] for arguments in calls]
    for own in found:
        function(*own)
    return found
