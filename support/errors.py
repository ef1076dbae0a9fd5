"""Errors about an input as a whole: it cannot be read, or the time for it is over."""

from __future__ import annotations

import time

from raising.support.source import Loc
from raising.support.streams import shortened


class InputError(Exception):
    """The input cannot be read at all: it does not preprocess, parse or verify."""

    def __init__(self, loc: Loc, message: str):
        self.loc = loc
        self.message = shortened(message)  # it may quote all of the input
        super().__init__(f"{loc}: error: {self.message}")

    def __reduce__(self) -> tuple[type[InputError], tuple[Loc, str]]:
        return type(self), (self.loc, self.message)


class Stopped(Exception):
    """A bound was reached before an analysis came to its end."""


class OutOfTime(Stopped):
    """The time that the user gave is over."""


class OutOfWork(Stopped):
    """The steps that an analysis may take are used up (`raising.affine.polyhedral.counted_steps`)."""


def in_time(deadline: float) -> None:
    """`OutOfTime` after a time of the monotonic clock; for loops whose steps are short and whose number is not."""
    if time.monotonic() > deadline:
        raise OutOfTime


NEEDS = "needs the package"
_EXTRAS = {"jax": "xla", "jaxlib": "stablehlo", "scipy_openblas32": "blas"}


def needs(package: str) -> str:
    """What to say where an optional package is not installed."""
    extra = _EXTRAS.get(package)
    return f"{NEEDS} '{package}', which is not installed" + (f" (pip install 'raise-tensor[{extra}]')" if extra else "")


def described(error: Exception) -> str:
    """An exception that nothing was prepared for, in one line."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        return needs(error.name.partition(".")[0])
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
