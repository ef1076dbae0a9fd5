"""What the two decorators have in common: the plain function, its pickles, and what there is to see of it."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pickle import PicklingError
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from raising.decorator.settings import Settings
from raising.decorator.sources import Sources, collect, plain

if TYPE_CHECKING:
    from raising.decorator.inspection import Inspection
    from raising.decorator.specialisation import Specialisation


class Decorated:
    """A function that is compiled when it is called. Calls from several threads at once are fine.

    `py_func` is the function as it was written, and `_names` are its parameters.
    """

    _decorator = ""
    _names: Sequence[str]
    _all: WeakSet[Decorated] = WeakSet()

    def __init__(self, function: Callable[..., Any], settings: Settings) -> None:
        self.py_func, self.settings = plain(function), settings
        self._static = isinstance(function, staticmethod)
        functools.update_wrapper(self, self.py_func)
        self._sources: Sources | None = None
        self._lock = threading.RLock()
        self._all.add(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the compiled function."""
        raise NotImplementedError

    def __repr__(self) -> str:
        count = sum(1 for _ in self._so_far())
        compiled = f", compiled for {count} kind{'s' * (count != 1)} of arguments" if count else ""
        return f"<raising.{self._decorator} {self.py_func.__qualname__}({', '.join(self._names)}){compiled}>"

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """Bind as a function does: an object in front of the other arguments is refused by its name."""
        return self if instance is None or self._static else MethodType(self, instance)

    def __reduce__(self) -> tuple[Any, ...]:
        """By the name of the function: the process that reads it imports its module."""
        name = self.py_func.__qualname__
        if "<" in name:
            raise PicklingError(f"'{name}' is inside of a function, where no other process finds it")
        return named, (self.py_func.__module__, name, partial(type(self), **self._options()))

    def inspect(self) -> Inspection:
        """Everything that was made of the function so far: source, raised program, assembly, verdict, assumptions."""
        from raising.decorator.inspection import Inspection

        return Inspection(self.py_func, tuple((one.names, one) for one in self._so_far()))

    def _options(self) -> Mapping[str, Any]:
        """What the function is decorated with."""
        return {"settings": self.settings}

    def _so_far(self) -> Iterable[Specialisation]:
        """The code that was made so far."""
        raise NotImplementedError

    def _found_sources(self) -> Sources:
        if self._sources is None:
            self._sources = collect(self.py_func)
        return self._sources


def _unlock() -> None:
    """In a forked child, the thread that compiled is not there: nobody else would open the lock that it had."""
    for each in Decorated._all:
        each._lock = threading.RLock()


os.register_at_fork(after_in_child=_unlock)


def named(module: str, name: str, made: Callable[[Callable[..., Any]], Any]) -> Any:
    """The function of a module by its name, for pickles; decorated here if the module has it as it was written."""
    from importlib import import_module

    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return made(found) if isinstance(found, FunctionType) else found
