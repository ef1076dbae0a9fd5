"""`raising.vectorize`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from raising.decorator.decorated import Decorated
from raising.decorator.settings import Settings
from raising.decorator.sources import Sources, place_of
from raising.support.errors import InputError
from raising.support.source import unused_name

if TYPE_CHECKING:
    from raising.decorator.call_types import Kind, Pattern
    from raising.decorator.element_loops import Layout
    from raising.decorator.specialisation import Specialisation

_SIGNATURE = re.compile(r"\s*(\w+)\s*\(\s*(\w+(?:\s*,\s*\w+)*)?\s*,?\s*\)\s*")


class ElementTypes(NamedTuple):
    """A signature: the names of the types of the arguments, and of the result."""

    arguments: tuple[str, ...]
    result: str

    def __str__(self) -> str:
        return f"{self.result}({', '.join(self.arguments)})"


def vectorize(*given: Any, **options: Any) -> Any:
    """Make a function of numbers one of arrays of any shape, which are broadcast: element by element, compiled.

    `@raising.vectorize`, or with signatures, `@raising.vectorize("float32(float32, float32)")`: a call takes the
    first one to whose types its arguments can be converted without loss (TypeError if there is none). Without them
    the types are those of the arguments, and that of the result what NumPy computes (NEP 50). `options` are fields
    of `raising.decorator.settings.Settings`.

    Calls return an array, a number if all arguments are numbers, or fill `out=`. What cannot be compiled raises
    `raising.support.errors.InputError` with its place: nothing is run by Python instead. ValueError for what is no
    signature.
    """
    settings = replace(Settings(), **options) if options else Settings()
    if len(given) == 1 and callable(given[0]):
        return Vectorised(given[0], (), settings)
    texts = given[0] if len(given) == 1 and isinstance(given[0], list | tuple) else given
    signatures = tuple(map(_signature, texts))
    return lambda function: Vectorised(function, signatures, settings)


def _signature(text: Any) -> ElementTypes:
    from raising.decorator.call_types import NAMES

    match = _SIGNATURE.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ValueError(f"raising.vectorize: {text!r} is no signature such as 'float32(float32, float32)'")
    found = ElementTypes(tuple(re.findall(r"\w+", match[2] or "")), match[1])
    for name in (*found.arguments, found.result):
        if name not in NAMES:
            raise ValueError(
                f"raising.vectorize: unknown type '{name}' in '{text}' (known: {', '.join(sorted(NAMES))})"
            )
    return found


class Vectorised(Decorated):
    """A function of numbers that is called on arrays; see `raising.vectorize`."""

    _decorator = "vectorize"

    def __init__(self, function: Callable[..., Any], signatures: Sequence[ElementTypes], settings: Settings) -> None:
        super().__init__(function, settings)
        self.signatures = tuple(signatures)
        code = self.py_func.__code__
        self._names = code.co_varnames[: code.co_argcount]
        place = place_of(self.py_func)
        if not self._names or code.co_kwonlyargcount or code.co_flags & 12 or self.py_func.__defaults__:
            raise InputError(place, f"'{function.__name__}' has to take one number or more, by position")
        for one in self.signatures:
            if len(one.arguments) != len(self._names):
                raise InputError(place, f"'{function.__name__}' takes {len(self._names)} numbers, but not so '{one}'")
        self._known: dict[Any, tuple[Specialisation, Any]] = {}
        self._quick: Any = None
        """What calls such as the last one, and what it gives for others; None if there is none."""

    def __call__(self, *args: Any, out: Any = None) -> Any:
        """The results for all elements, in `out` or in a new array."""
        import numpy as np

        if len(args) != len(self._names):
            raise TypeError(f"{self.py_func.__name__}() takes {len(self._names)} arguments but {len(args)} were given")
        quick = self._quick
        if quick is not None and out is None:
            found = quick[0](*args)
            if found is not quick[1]:
                return found
        values, kinds = self._read(args)
        shapes = [getattr(v, "shape", ()) for v in values]
        try:
            shape = np.broadcast_shapes(*shapes)
        except ValueError:
            told = ", ".join(f"{n} {s}" for n, s in zip(self._names, shapes, strict=True))
            raise ValueError(f"the shapes of the arguments cannot be broadcast: {told}") from None
        return self._filled(values, kinds, shapes, shape, out)

    # ---- what a call needs -------------------------------------------------------------------------

    def _read(self, args: Sequence[Any]) -> tuple[list[Any], tuple[Kind, ...]]:
        """The arguments as arrays and numbers of the types that the code is for, and these types."""
        import numpy as np

        from raising.decorator.call_types import Kind, kind_of, read

        place = place_of(self.py_func)
        values = [read(v, n, place) for v, n in zip(args, self._names, strict=True)]
        if not self.signatures:
            return values, tuple(kind_of(v)._replace(rank=0) for v in values)
        for one in self.signatures:
            if all(_converts(v, t) for v, t in zip(values, one.arguments, strict=True)):
                made = [np.asarray(v).astype(t, copy=False)[()] for v, t in zip(values, one.arguments, strict=True)]
                return made, tuple(Kind(t, False, 0) for t in (*one.arguments, one.result))
        types = ", ".join(kind_of(v).dtype for v in values)
        known = "; ".join(map(str, self.signatures))
        raise TypeError(f"{self.py_func.__name__}() takes no ({types}) without loss: it is made for {known}")

    def _filled(self, values: list[Any], kinds: tuple[Kind, ...], shapes: Any, shape: tuple[int, ...], out: Any) -> Any:
        import numpy as np

        from raising.decorator.element_loops import laid_out, layout

        own, extents = layout(shapes, shape)
        known = self._known.get((kinds, own)) or self._made(kinds, own)
        found, dtype = known
        if out is not None:
            _check_out(out, shape, dtype)
        result = out if out is not None and _usable(out, dtype, values) else np.empty(shape, dtype)
        if result.size:
            given = [laid_out(v, d, extents) for v, d in zip(values, own.dims, strict=True)]
            arguments = [*given, result.reshape(extents)]
            complaint = found.complaint(arguments)
            if complaint is not None:
                raise InputError(place_of(self.py_func), f"these arguments do not fit: {complaint['text']}")
            found(arguments)
            if not self.signatures and own.loops == 1:
                self._quick = _quickly(found, arguments, values, result)
        if out is None:
            return result if shape or any(isinstance(v, np.ndarray) for v in values) else result[()]
        if result is not out:
            out[...] = result
        return out

    def _made(self, kinds: tuple[Kind, ...], own: Layout) -> tuple[Specialisation, Any]:
        """New code, for all sizes of such arguments; one thread compiles, and serves those that waited."""
        import numpy as np

        from raising.decorator.call_types import Kind
        from raising.decorator.element_loops import loops, pattern
        from raising.decorator.specialisation import Specialisation
        from raising.decorator.stored import number_of

        with self._lock:
            if (kinds, own) in self._known:
                return self._known[kinds, own]
            written = self._found_sources()
            if self.signatures:
                dtype = kinds[-1].dtype
            else:
                dtype = number_of(written, dict(zip(self._names, kinds, strict=True)), self.settings)
            names = (*self._names, unused_name("out", self._names))
            wanted = (*kinds[: len(self._names)], Kind(dtype, False, 0))
            sources, given = loops(written, names, own, wanted)
            extents = pattern(names, own)
            made = Specialisation(names, extents, _built(sources, given, extents, self.settings), self.settings)
            self._known[kinds, own] = made, np.dtype(dtype)
            return self._known[kinds, own]

    def _options(self) -> Mapping[str, Any]:
        return {"signatures": self.signatures, "settings": self.settings}

    def _so_far(self) -> Iterable[Specialisation]:
        return (one for one, _ in self._known.values())


def _quickly(found: Specialisation, arguments: Sequence[Any], values: Sequence[Any], result: Any) -> Any:
    """What calls the code with arrays as these, all of one shape, and what it gives for others; None if it cannot."""
    import numpy as np

    from raising.native.call.python_function import CLOSER

    arrays = [k for k, v in enumerate(values) if isinstance(v, np.ndarray)]
    enter, shape, dtype = found.quickly(arguments), result.shape, result.dtype
    if enter is None or not arrays or any(values[k].shape != shape for k in arrays):
        return None

    def of_vectors(*args: Any) -> Any:
        filled = np.empty(shape, dtype)
        return CLOSER if enter(*args, filled) is CLOSER else filled

    def of_others(*args: Any) -> Any:
        given = list(args)
        for k in arrays:
            array = given[k]
            if type(array) is not np.ndarray or array.shape != shape or not array.flags.c_contiguous:
                return CLOSER
            given[k] = array.reshape(-1)
        filled = np.empty(shape, dtype)
        return CLOSER if enter(*given, filled.reshape(-1)) is CLOSER else filled

    return of_vectors if len(shape) == 1 else of_others, CLOSER


def _built(sources: Sources, kinds: dict[str, Kind], pattern: Pattern, settings: Settings) -> dict[str, Any]:
    """The code; as it is written where it cannot be raised, as loops that depend on data."""
    from raising.decorator.stored import built

    try:
        return built(sources, kinds, pattern, settings)
    except InputError as error:
        try:
            return built(sources, kinds, pattern, settings, as_written=True)
        except InputError:
            raise error from None


def _converts(value: Any, dtype: str) -> bool:
    """Whether an argument has the values of a type; Python's numbers are what they are beside it (NEP 50)."""
    import numpy as np

    kind = np.dtype(dtype).kind
    if type(value) is bool:
        return True
    if type(value) is int:
        return kind == "f" or kind in "iu" and np.iinfo(dtype).min <= value <= np.iinfo(dtype).max
    if type(value) is float:
        return kind == "f"
    return np.can_cast(value.dtype, dtype, "safe")


def _check_out(out: Any, shape: tuple[int, ...], dtype: Any) -> None:
    """TypeError or ValueError as NumPy's ufuncs raise them."""
    import numpy as np

    if not isinstance(out, np.ndarray):
        raise TypeError(f"out has to be an array, not {type(out).__name__}")
    if out.shape != shape:
        raise ValueError(f"out has the shape {out.shape}, the results have {shape}")
    if not out.flags.writeable:
        raise ValueError("out is read-only")
    if not np.can_cast(dtype, out.dtype, "same_kind"):
        raise TypeError(f"results of type {dtype} cannot be stored in out, of type {out.dtype}")


def _usable(out: Any, dtype: Any, values: Sequence[Any]) -> bool:
    """Whether the code can write to an array as it is: it takes none that shares memory with what it reads."""
    import numpy as np

    simple = out.dtype == dtype and out.dtype.isnative and out.flags.c_contiguous and out.flags.aligned
    return simple and not any(isinstance(v, np.ndarray) and np.may_share_memory(v, out) for v in values)
