"""`dataclass` for a program that starts anew for every file: the same classes, created in a fiftieth of the time.

The standard decorator reads the annotations of each class and compiles the text of six methods. Here a class is
described, and a method made, when they are first asked for: of most classes of a run they never are. Comparison, hash
and representation are closures over the fields, and only `__init__` is compiled. A command creates about 400 classes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import replace as replace
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True, repr=True):
        """As `dataclasses.dataclass` with these options; a class without a docstring gets no signature as one."""

        def made(cls: type) -> type:
            return _made(cls, frozen, eq, repr)

        return made if cls is None else made(cls)

    def replace(record, /, **changes):
        """As `dataclasses.replace`, which is imported with the first call."""
        import dataclasses

        return dataclasses.replace(record, **changes)


Method = Callable[..., Any]
_DESCRIPTION = "__dataclass_fields__", "__dataclass_params__", "__match_args__"


def _made(cls: type, frozen: bool, eq: bool, repr: bool) -> type:
    own = vars(cls)
    if cls.__doc__ is None:
        cls.__doc__ = cls.__name__
    methods = {"__init__": _initialiser_of_frozen if frozen else _initialiser}
    if repr:
        methods["__repr__"] = _shower
    if eq:
        methods["__eq__"] = _equality
    if eq and own.get("__hash__") is None:  # none of its own: one that defines `__eq__` has it as None
        cls.__hash__ = _at_first(cls, "__hash__", _hasher) if frozen else None  # type: ignore[method-assign, assignment]
    for name, make in methods.items():
        if name not in own:
            setattr(cls, name, _at_first(cls, name, make))
    if frozen:
        cls.__setattr__, cls.__delattr__ = _refuse_to_set, _refuse_to_delete  # type: ignore[assignment]
    for name in _DESCRIPTION:
        setattr(cls, name, _Late(cls, name))
    standard = sys.modules.get("dataclasses")  # which takes longer to import than all that `--help` needs
    if standard and any(type(value) is standard.Field for value in own.values()):  # in the place of a default
        _describe(cls)
    return cls


class _Late:
    """A part of what the standard module knows of a class, found out when somebody asks for it."""

    def __init__(self, cls: type, name: str) -> None:
        self.cls, self.name = cls, name

    def __get__(self, _: object, __: type) -> Any:
        _describe(self.cls)
        return vars(self.cls)[self.name]


def _describe(cls: type) -> None:
    """Put what the standard module knows of a class in the place of what is late; twice does no harm."""
    import dataclasses

    dataclasses.dataclass(init=False, repr=False, eq=False, match_args=False)(cls)
    cls.__match_args__ = tuple([f.name for f in _fields(cls) if f.init])  # type: ignore[attr-defined, misc]


def _at_first(cls: type, name: str, make: Callable[[type], Method]) -> Method:
    """A method until its first call: only then is it made, which most methods of a run never are."""

    def method(*given: Any, **named: Any) -> Any:
        made = make(cls)
        if vars(cls)[name] is method:
            made.__qualname__ = method.__qualname__
            setattr(cls, name, made)
        return made(*given, **named)

    method.__name__, method.__qualname__ = name, f"{cls.__qualname__}.{name}"
    return method


def _fields(cls: type) -> tuple[Any, ...]:
    import dataclasses

    return dataclasses.fields(cls)


def _initialiser_of_frozen(cls: type) -> Method:
    return _initialiser(cls, True)


def _initialiser(cls: type, frozen: bool = False) -> Method:
    """`__init__` as text, since it is called often and its arguments have names."""
    import dataclasses

    known: dict[str, Any] = {"_set": object.__setattr__, "_missing": dataclasses.MISSING}
    arguments, body = ["self"], []
    for k, field in enumerate(_fields(cls)):
        name, value, default = field.name, field.name, ""
        if field.default is not dataclasses.MISSING:
            known[f"_{k}"], default = field.default, f"=_{k}"
        elif field.default_factory is not dataclasses.MISSING:
            known[f"_{k}"], default, value = (
                field.default_factory,
                "=_missing",
                f"_{k}() if {name} is _missing else {name}",
            )
        arguments.append(f"{name}{default}")
        body.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    exec(f"def __init__({', '.join(arguments)}):\n " + "\n ".join(body or ["pass"]), known)
    made: Method = known["__init__"]
    return made


def _compared(cls: type) -> Callable[[Any], tuple[Any, ...]]:
    """The values of an object that are compared, as a tuple: a value is equal to itself even if it says not (NaN)."""
    names = [f.name for f in _fields(cls) if f.compare]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda self: tuple([getattr(self, name) for name in names])


def _equality(cls: type) -> Method:
    of = _compared(cls)

    def __eq__(self: Any, other: Any) -> bool:
        if self is other:
            return True
        return of(self) == of(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _hasher(cls: type) -> Method:
    of = _compared(cls)

    def __hash__(self: Any) -> int:
        return hash(of(self))

    return __hash__


def _shower(cls: type) -> Method:
    names = [f.name for f in _fields(cls) if f.repr]

    def __repr__(self: Any) -> str:
        return f"{self.__class__.__qualname__}({', '.join([f'{name}={getattr(self, name)!r}' for name in names])})"

    return __repr__


def _refuse_to_set(_: object, name: str, value: object) -> NoReturn:
    import dataclasses

    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_: object, name: str) -> NoReturn:
    import dataclasses

    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
