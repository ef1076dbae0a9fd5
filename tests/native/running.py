"""Compiled code under test runs in a child process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np

from raising.compile_module import compile_module
from raising.support.isolate import Failed, run_isolated
from tests.native.guarded import guarded

Arrays = Sequence[np.ndarray[Any, Any]]


def isolated(work: Callable[[], Any]) -> Any:
    """What `work` returns, from a child; a crash is an error here."""
    outcome = run_isolated(work, timeout=120, extra_bytes=8 << 30)
    assert not isinstance(outcome, Failed), outcome.reason
    return outcome.value


def called(text: str, arguments: Sequence[Any], plain: bool = False, **settings: Any) -> list[Any]:
    """The arguments after a call of the module's function; with `plain`, by loops that nothing was done to.

    Reading or writing beyond the end of one of its arrays is a crash.
    """
    return isolated(partial(_call, text, arguments, plain, settings))  # type: ignore[no-any-return]


def _call(text: str, arguments: Sequence[Any], plain: bool, settings: dict[str, Any]) -> list[Any]:
    own = [guarded(value) if isinstance(value, np.ndarray) else value for value in arguments]
    if plain:
        with patch("raising.native.compile.schedule", lambda *_: None):
            compile_module(text, **settings)(*own)
    else:
        compile_module(text, **settings)(*own)
    return own
