"""`raising.jit`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

from raising.decorator.decorated import Decorated
from raising.decorator.settings import Settings
from raising.decorator.sources import Sources, place_of

if TYPE_CHECKING:
    from raising.decorator.specialisation import Specialisation
    from raising.support.errors import InputError

_SIZES = 2
"""Code for so many sizes alone is made, as it is faster; more calls would wait for it."""


@overload
def jit(function: Callable[..., Any], /) -> Jitted: ...
@overload
def jit(**options: Any) -> Callable[[Callable[..., Any]], Jitted]: ...
def jit(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Raise and compile a function of arrays and numbers when it is called.

    `@raising.jit`, or `@raising.jit(threads=2)`: `options` are fields of `raising.decorator.settings.Settings`.

    The types come from the arguments of the call. The code is made once for each combination of types, numbers of
    dimensions, and extents that are equal or one; it serves all sizes, and is kept on disk for other processes. What
    the function computes is what NumPy computes: float32 and Python's numbers as NEP 50 says. What cannot be
    compiled raises `raising.support.errors.InputError` with its place: nothing is run by Python instead.
    """
    settings = replace(Settings(), **options) if options else Settings()
    if function is None:
        return lambda given: Jitted(given, settings)
    return Jitted(function, settings)


class Jitted(Decorated):
    """A function that is raised and compiled when it is called; see `raising.jit`."""

    _decorator = "jit"

    def __init__(self, function: Callable[..., Any], settings: Settings) -> None:
        super().__init__(function, settings)
        code = self.py_func.__code__
        self._names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        self._positional = code.co_argcount
        self._plain = code.co_argcount if not code.co_kwonlyargcount else -1
        self._only_by_position = code.co_posonlyargcount
        defaults = self.py_func.__defaults__ or ()
        last = self._names[self._positional - len(defaults) : self._positional]
        self._defaults = {**dict(zip(last, defaults, strict=True)), **(self.py_func.__kwdefaults__ or {})}
        self._quick: Any = None
        self._known: dict[Any, list[Specialisation]] = {}
        self._written: dict[Any, Specialisation] = {}  # where positions that are data count from the end
        self._told: dict[str, Any] = {}  # parameters that are known: None, a text, or a number as `_valued` says
        self._others: dict[Any, Jitted] = {}  # with other such parameters
        self._valued: dict[Any, InputError] = {}  # kinds of arguments with why they need integers that are known
        self._refused: dict[Any, InputError] = {}  # kinds of arguments, also with shapes, and why there is no code

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the compiled function; it is compiled first for arguments of new types."""
        if kwargs or len(args) != self._plain:
            args = self._bound(args, kwargs)
        quick = self._quick
        if quick is not None:
            found = quick[0](*args)
            if found is not quick[1]:
                return found
        return self._called(args)

    # ---- what a call needs -------------------------------------------------------------------------

    def _bound(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The arguments in the order of the parameters; TypeError as Python says it."""
        rest = self._names[len(args) :]
        given = {**self._defaults, **kwargs}
        known = len(args) <= self._positional and kwargs.keys() <= {*rest} and given.keys() >= {*rest}
        if known and not self._only_by_position:
            return (*args, *[given[name] for name in rest])
        return self._as_python(args, kwargs)

    def _as_python(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        import inspect

        bound = inspect.signature(self.py_func).bind(*args, **kwargs)
        bound.apply_defaults()
        return tuple(bound.arguments[name] for name in self._names)

    def _called(self, arguments: Sequence[Any]) -> Any:
        from raising.decorator.call_types import read
        from raising.native.base.unsupported import PositionError
        from raising.native.call.python_function import CLOSER

        if any(a is None or isinstance(a, str | tuple) for a in arguments):
            other, rest = self._other(arguments)
            return other(*rest)
        place = place_of(self.py_func)
        values = [read(v, n, place) for v, n in zip(arguments, self._names, strict=True)]
        if (found := self._specialised(values)) is None:
            other, rest = self._for_integers(arguments, values)
            return other(*rest)
        if any(getattr(a, "ndim", None) == 0 and hasattr(a, "__setitem__") for a in arguments):
            self._check_unchanged()
        try:
            result = found(values)
        except PositionError as error:  # below 0 it counts from the end, which only loops as they are written do
            found = self._looking(values, error)
            result = found(values)
        if all(v is a for v, a in zip(values, arguments, strict=True)):
            quick = found.quickly(values)
            self._quick = None if quick is None else (quick, CLOSER)
        return result

    def _for_integers(self, arguments: Sequence[Any], values: Sequence[Any]) -> tuple[Jitted, list[Any]]:
        """The function that knows the integers among its arguments, where none that does not can be compiled; the
        error of that again where there is no such function.
        """
        from raising.decorator.call_types import kind_of, read, shapes_of
        from raising.support.errors import InputError

        key = tuple(map(kind_of, values))
        whole = [n for n, v in zip(self._names, arguments, strict=True) if type(v) in (int, bool)]
        if whole:
            other, rest = self._other(arguments, whole)
            try:
                known = [read(v, n, place_of(self.py_func)) for v, n in zip(rest, other._names, strict=True)]
                if other._specialised(known) is not None:
                    return other, rest
            except InputError:
                pass
        here = key, shapes_of(values)
        with self._lock:  # other shapes are tried again, and these are not
            why = self._valued.pop(key, None) or self._refused.get(here) or self._refused[key]
            self._refused[here] = self._refused[key] = why
        raise InputError(why.loc, why.message)

    def _other(self, arguments: Sequence[Any], more: Collection[str] = ()) -> tuple[Jitted, list[Any]]:
        """The function for arguments some of which are None or a text, or are to be known; and the other arguments.

        The parts of a tuple are arguments of their own.
        """
        from raising.decorator.call_types import parts_of

        told: dict[str, Any] = {}
        rest: list[tuple[str, Any]] = []
        for name, value in zip(self._names, arguments, strict=True):
            if isinstance(value, tuple):
                told[name] = parts = parts_of(name, value, {*self.py_func.__code__.co_varnames, *self._names})
                rest += zip(parts.names, value, strict=True)
            elif value is None or isinstance(value, str) or name in more:
                told[name] = str.__str__(value) if isinstance(value, str) else value
            else:
                rest.append((name, value))
        with self._lock:
            other = self._others.setdefault(repr(told), Jitted(self.py_func, self.settings))
            other._told, other._names = self._told | told, tuple(name for name, _ in rest)
            other._plain = other._positional = len(rest)
        return other, [value for _, value in rest]

    def _check_unchanged(self) -> None:
        """An array without dimensions counts as its number: `InputError` where Python would change it by `a += x`."""
        from raising.decorator.sources import changed_in_place
        from raising.support.errors import InputError

        changed = changed_in_place(self._found_sources())
        if changed is not None:
            told = f"'{changed[0]}' may be an argument, and one is an array without dimensions; give a number"
            raise InputError(changed[1], f"{told}, or write '{changed[0]} = ...'")

    def _found_sources(self) -> Sources:
        known, found = self._sources is not None, super()._found_sources()
        if self._told and not known:
            from raising.frontend.python.inner_functions.known_arguments import fixed_values

            fixed_values(found.functions[found.name], self._told)
        return found

    def _specialised(self, values: Sequence[Any]) -> Specialisation | None:
        """The code for these arguments; None where integers among them have to be known."""
        from raising.decorator.call_types import kind_of, shapes_of

        key = tuple(map(kind_of, values))
        for known in self._known.get(key, ()):
            if known.fits(values):
                return known
        with self._lock:  # one thread compiles; what it made serves those that waited
            for known in self._known.get(key, ()):
                if known.fits(values):
                    return known
            refused = key in self._valued or (key, shapes_of(values)) in self._refused
            return None if refused else self._made(key, values)

    def _looking(self, values: Sequence[Any], error: Exception) -> Specialisation:
        """The code as it is written, which looks at each subscript; the error again where there is none."""
        from raising.decorator.call_types import kind_of, pattern_of, shapes_of
        from raising.support.errors import InputError

        key, pattern = tuple(map(kind_of, values)), pattern_of(self._names, shapes_of(values))
        with self._lock:
            if (key, pattern) not in self._written:
                try:
                    self._written[key, pattern] = self._compiled(key, pattern, as_written=True)
                except InputError:
                    raise error from None
            return self._written[key, pattern]

    def _made(self, key: tuple[Any, ...], values: Sequence[Any]) -> Specialisation | None:
        """New code: with open sizes; where that cannot be, or what it assumes does not hold, for these sizes alone;
        where neither serves, loops as they are written, which look at each access and ask where something is needed, or
        these for these sizes alone.
        These come sooner where data tell how often a loop runs: written out, it would be compiled for each size again.
        They come before a third size that would have code of its own, too. Where all are refused, integers may have to
        be known (`_for_integers`).
        """
        from raising.decorator.call_types import DataDecide, exact, pattern_of, shapes_of
        from raising.support.errors import InputError

        shapes = shapes_of(values)
        patterns = [pattern_of(self._names, shapes), exact(shapes)]
        tries = [(pattern, kept) for kept in (False, True) for pattern in dict.fromkeys(patterns)]
        alone = [one for one in self._known.get(key, ()) if all(isinstance(e, int) for e in one.pattern)]
        if len(alone) >= _SIZES and len(tries) > 2:
            tries[1:3] = reversed(tries[1:3])
        told, refused, last = "", None, None
        while tries:
            pattern, kept = tries.pop(0)
            if kept and told and last is not None and pattern == patterns[0]:
                raise last  # it says why these sizes cannot be
            try:
                made, last = self._compiled(key, pattern, kept), None
            except InputError as error:
                refused, last = refused or error, error
                if isinstance(error, DataDecide):
                    tries.sort(reverse=True, key=lambda way: way[1])
                continue
            self._known.setdefault(key, []).append(made)
            complaint = made.complaint(values)
            if complaint is None:
                return made
            told = told if kept and told else f"{complaint['where']}: {complaint['text']}"
        if refused is not None and not told:
            self._valued[key] = refused
            return None
        why = InputError(place_of(self.py_func), f"these arguments do not fit: it is needed that {told}")
        if not any(type(value) in (int, bool) for value in values):
            raise why
        self._refused[key, shapes] = why  # another integer may fit, or this one where it is known
        return None

    def _compiled(
        self, key: tuple[Any, ...], pattern: tuple[int | str, ...], as_written: bool = False
    ) -> Specialisation:
        from raising.decorator.specialisation import Specialisation
        from raising.decorator.stored import built

        kinds = dict(zip(self._names, key, strict=True))
        found = built(self._found_sources(), kinds, pattern, self.settings, as_written)
        return Specialisation(self._names, pattern, found, self.settings)

    # ---- for people --------------------------------------------------------------------------------

    def compile(self, *args: Any, **kwargs: Any) -> Jitted:
        """Compile for arguments such as these, without a call."""
        from raising.decorator.call_types import read

        place, wanted = place_of(self.py_func), self
        bound: Sequence[Any] = self._bound(args, kwargs)
        while any(a is None or isinstance(a, str | tuple) for a in bound):
            wanted, bound = wanted._other(bound)
        values = [read(v, n, place) for v, n in zip(bound, wanted._names, strict=True)]
        if wanted._specialised(values) is None:
            wanted._for_integers(bound, values)
        return self

    def _so_far(self) -> Iterable[Specialisation]:
        functions = (self, *self._others.values())
        return (one for each in functions for known in each._known.values() for one in known)
