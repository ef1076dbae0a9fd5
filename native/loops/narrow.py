"""Narrow integers: values of a body are computed on as few bits as they need.

C computes on 32 bits what begins and ends with 8 or 16. Which values occur follows from the types of what is read and
from the operations (intervals, Cousot and Cousot 1976); an operation whose values fit in fewer bits gives the same on
these. A vector then has two or four times as many elements.

    before  %s = arith.addi (arith.extui %a : i8 to i32), (arith.extui %b : i8 to i32) : i32
    after   %s = arith.addi (arith.extui %a : i8 to i16), (arith.extui %b : i8 to i16) : i16
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import field, replace
from functools import cached_property

from raising.affine.ir.integer_functions import SPANS
from raising.affine.ir.spans import Span
from raising.native.loops.vector_ops import element_bits
from raising.native.nest.nest import Nest, Scalar
from raising.support.record import dataclass

_WIDTHS = (8, 16, 32, 64)
_INTEGER = re.compile(r"i(8|16|32|64)")
_NUMBER = re.compile(r"value = (-?\d+|true|false) : (\w+)")
_SIGNED, _UNSIGNED = ["shrsi", "divsi", "remsi", "maxsi", "minsi"], ["shrui", "divui", "remui", "maxui", "minui"]
_ABSOLUTE = "math.absi"
_INDEX_SUMS = ("arith.addi", "arith.subi", "arith.muli")
_MODULAR = ("addi", "subi", "muli", "shli", "andi", "ori", "xori", "select")
_LOW_BITS = ("addi", "subi", "muli", "andi", "ori", "xori")
_SHORT = 16
_LEAST = {"muli": 16, "shli": 16, "shrsi": 16, "shrui": 16, "divsi": 16, "divui": 16, "remsi": 16, "remui": 16}
"""Bits below which processors have no such operation on vectors."""


def narrowed(nest: Nest) -> Nest:
    """The nest with its integers on fewer bits; itself if none of them is the widest that it computes on."""
    wide = max((computed_bits(scalar) for scalar in nest.body), default=0)
    if wide <= _memory(nest) or not any(_INTEGER.fullmatch(scalar.result) for scalar in nest.body):
        return nest
    writer = Narrower(nest)
    yields = tuple(
        writer.of_type(name, write.array.element) for name, write in zip(nest.yields, nest.writes, strict=True)
    )
    found = replace(nest, body=tuple(writer.body), yields=yields).tidy
    return found if max(map(computed_bits, found.body), default=0) < wide else nest


def constant(scalar: Scalar) -> int | None:
    """The value of an integer constant."""
    found = _NUMBER.search(scalar.properties) if scalar.name == "arith.constant" else None
    if found is None or found[1] in ("true", "false") or not (found[2] == "index" or found[2].startswith("i")):
        return None
    return int(found[1])


def computed_bits(scalar: Scalar) -> int:
    """The bits of a value; 0 for truth values and indices."""
    return element_bits(scalar.result) if scalar.result not in ("index", "i1") else 0


def _memory(nest: Nest) -> int:
    return max(element_bits(access.array.element) for access in (*nest.reads, *nest.writes))


def _full(bits: int) -> Span:
    return -(1 << (bits - 1)), (1 << (bits - 1)) - 1


def fits_signed(values: Span, bits: int) -> bool:
    """Whether all values are numbers with a sign of so many bits."""
    low, high = _full(bits)
    return low <= values[0] and values[1] <= high


def _unsigned(values: Span, bits: int) -> bool:
    return values[0] >= 0 and values[1] < 1 << bits


@dataclass(frozen=True)
class Narrow:
    """A value of the new body: so many of its lowest bits, which tell it from all others of its interval."""

    name: str
    bits: int
    values: Span


@dataclass
class Narrower:
    """Writes the operations of a nest that values need again, into `body`, on as few bits as their values need."""

    nest: Nest
    body: list[Scalar] = field(default_factory=list)
    _known: dict[str, Narrow | None] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)
    _casts: dict[tuple[str, int], str] = field(default_factory=dict)

    def of_type(self, name: str, kind: str) -> str:
        """A value of the old body with the type that it had there."""
        value = self.value(name)
        if value is None:
            return self._names[name]
        return self.on(value, element_bits(kind))

    def value(self, name: str) -> Narrow | None:
        """An integer of the old body; None for another value, whose name is in `_names` then."""
        if name not in self._known:
            self._known[name] = self._made(name)
        return self._known[name]

    def on(self, value: Narrow, bits: int) -> str:
        """The value on so many bits."""
        if value.bits == bits:
            return value.name
        if value.name.startswith("="):  # a constant
            number = (int(value.name[1:]) + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))
            return self._once(f"={number}", bits, lambda: self._constant(number, bits))
        return self._once(value.name, bits, lambda: self._cast(value, bits))

    def _once(self, name: str, bits: int, make: Callable[[], str]) -> str:
        if (name, bits) not in self._casts:
            self._casts[name, bits] = make()
        return self._casts[name, bits]

    def _constant(self, number: int, bits: int) -> str:
        return self._add(Scalar("arith.constant", (), f"<{{value = {number} : i{bits}}}>", (), f"i{bits}"))

    def _cast(self, value: Narrow, bits: int) -> str:
        name = "trunci" if bits < value.bits else "extui" if value.values[0] >= 0 else "extsi"
        return self._add(Scalar(f"arith.{name}", (value.name,), "", (f"i{value.bits}",), f"i{bits}"))

    def _add(self, scalar: Scalar) -> str:
        self.body.append(scalar)
        return f"v{len(self.body) - 1}"

    def _made(self, name: str) -> Narrow | None:
        kind = self._type(name)
        scalar = self.nest.body[int(name[1:])] if name[0] == "v" else None
        if scalar is None:
            self._names[name] = name
            return Narrow(name, int(kind[1:]), _full(int(kind[1:]))) if _INTEGER.fullmatch(kind) else None
        number = constant(scalar)
        if number is not None and _INTEGER.fullmatch(kind):
            return Narrow(f"={number}", 0, (number, number))
        found = self._narrow(scalar) if _INTEGER.fullmatch(kind) or scalar.name == "arith.cmpi" else None
        if isinstance(found, Narrow):
            return found
        self._names[name] = found or self._same(scalar)
        return Narrow(self._names[name], int(kind[1:]), _full(int(kind[1:]))) if _INTEGER.fullmatch(kind) else None

    def _type(self, name: str) -> str:
        if name[0] == "v":
            return self.nest.body[int(name[1:])].result
        return dict(self.nest.captured)[name] if name[0] == "%" else self.nest.reads[int(name[2:])].array.element

    def _same(self, scalar: Scalar) -> str:
        """An operation on the types that it had."""
        args = tuple(self.of_type(arg, kind) for arg, kind in zip(scalar.args, scalar.operands, strict=True))
        return self._add(replace(scalar, args=args))

    def _narrow(self, scalar: Scalar) -> Narrow | str | None:
        """An operation on fewer bits, as a value, or as the name of a condition; None if that is not possible."""
        name = scalar.name.removeprefix("arith.")
        if name in ("extui", "extsi", "trunci"):
            return self._converted(name, scalar)
        if name == "index_cast" and scalar.operands == ("index",):
            return self._from_index(scalar)
        numbers = scalar.args[1:] if name == "select" else scalar.args
        if not all(_INTEGER.fullmatch(self._type(arg)) for arg in numbers):
            return None
        values = [value for arg in numbers if (value := self.value(arg)) is not None]
        if name == "cmpi":
            return self._compared(scalar, values)
        result = _result(name, [value.values for value in values], int(scalar.result[1:]))
        if name in _MODULAR:
            return self._modular(name, scalar, values, result)
        if name == _ABSOLUTE:
            return self._absolute(scalar, values[0])
        return self._exact(name, scalar, values, result) if name in (*_SIGNED, *_UNSIGNED) else None

    def _converted(self, name: str, scalar: Scalar) -> Narrow | None:
        """A conversion: the same bits, with more or less known of them."""
        (source,), bits = scalar.operands, int(scalar.result[1:])
        if source == "i1":
            flag = self._add(replace(scalar, args=(self.of_type(scalar.args[0], source),), result="i8"))
            return Narrow(flag, 8, (0, 1) if name == "extui" else (-1, 0))
        value = self.value(scalar.args[0]) if _INTEGER.fullmatch(source) else None
        if value is None:
            return None
        if name == "extsi" or (name == "extui" and value.values[0] >= 0):
            return value
        if name == "extui":
            own = int(source[1:])
            return Narrow(self.on(value, own), own, (0, (1 << own) - 1))
        if fits_signed(value.values, bits):
            return value
        return Narrow(self._lowest(scalar.args[0], bits), bits, _full(bits))

    def _lowest(self, name: str, bits: int) -> str:
        """The lowest bits of an integer, which follow from those of its operands where it is for them alone.

        Choices stay whole: LLVM knows those that are limits, or absolute values.
        """
        scalar, value = self.nest.body[int(name[1:])] if name[0] == "v" else None, self.value(name)
        kind = "" if scalar is None else scalar.name.removeprefix("arith.")
        own, alone = max(bits, _LEAST.get(kind, 8)), self._uses[name] == 1 and kind in _LOW_BITS
        assert value is not None
        if scalar is None or not alone or value.bits <= own:
            return self.on(value, bits)
        args = tuple(self._lowest(arg, own) for arg in scalar.args)
        made = self._add(Scalar(scalar.name, args, "", (f"i{own}",) * len(args), f"i{own}"))
        return self._cast(Narrow(made, own, _full(own)), bits) if own > bits else made

    @cached_property
    def _uses(self) -> Counter[str]:
        """How often each name is used."""
        return Counter((*self.nest.yields, *(arg for scalar in self.nest.body for arg in scalar.args)))

    def _from_index(self, scalar: Scalar) -> Narrow | None:
        """An index whose values are known, where it becomes an integer."""
        values = self._index(scalar.args[0])
        bits = next(
            (each for each in _WIDTHS if values and (fits_signed(values, each) or _unsigned(values, each))), None
        )
        if values is None or bits is None or bits > int(scalar.result[1:]):
            return None
        source = self.of_type(scalar.args[0], "index")
        return Narrow(self._add(replace(scalar, args=(source,), result=f"i{bits}")), bits, values)

    def _index(self, name: str) -> Span | None:
        """The values of an index that is made of narrower integers."""
        scalar = self.nest.body[int(name[1:])] if name[0] == "v" else None
        if scalar is None:
            return None
        number = constant(scalar)
        if number is not None:
            return number, number
        if scalar.name in ("arith.index_cast", "arith.index_castui"):
            source = self._type(scalar.args[0])
            bits = int(source[1:]) if _INTEGER.fullmatch(source) else 64
            return (_full(bits) if scalar.name == "arith.index_cast" else (0, (1 << bits) - 1)) if bits < 64 else None
        given = [self._index(arg) for arg in scalar.args] if scalar.name in _INDEX_SUMS else []
        known = [each for each in given if each is not None]
        return _result(scalar.name.removeprefix("arith."), known, 64) if known and len(known) == len(given) else None

    def _modular(self, name: str, scalar: Scalar, values: list[Narrow], result: Span | None) -> Narrow | None:
        """An operation whose lowest bits follow from those of its operands."""
        if result is None:
            return None
        for bits in _WIDTHS:
            if bits >= _least(name, values) and (fits_signed(result, bits) or _unsigned(result, bits)):
                if name == "shli" and values[1].values[1] >= bits:
                    continue
                return self._on_bits(scalar, name, values, bits, result)
        return None

    def _absolute(self, scalar: Scalar, value: Narrow) -> Narrow | None:
        """An absolute value, of numbers whose least one has it too."""
        result = SPANS[_ABSOLUTE](value.values)
        for bits in _WIDTHS:
            if result is not None and bits >= _least("absi", [value]) and fits_signed(result, bits):
                kind = f"i{bits}"
                new = replace(scalar, args=(self.on(value, bits),), operands=(kind,), result=kind)
                return Narrow(self._add(new), bits, result)
        return None

    def _exact(self, name: str, scalar: Scalar, values: list[Narrow], result: Span | None) -> Narrow | None:
        """An operation that needs its operands whole."""
        every = [value.values for value in values]
        if result is None or (name in _UNSIGNED and any(each[0] < 0 for each in every)):
            return None
        stem = name[:-2]
        for bits in _WIDTHS:
            for suffix, fits in (("si", fits_signed), ("ui", _unsigned)):
                shifts_out = stem == "shr" and every[1][1] >= bits
                if (
                    bits >= _least(name, values)
                    and not shifts_out
                    and all(fits(each, bits) for each in (*every, result))
                ):
                    return self._on_bits(scalar, stem + suffix, values, bits, result)
        return None

    def _on_bits(self, scalar: Scalar, name: str, values: list[Narrow], bits: int, result: Span) -> Narrow:
        kind = f"i{bits}"
        args = [self.on(value, bits) for value in values]
        operands = [kind] * len(args)
        if name == "select":
            args, operands = [self.of_type(scalar.args[0], "i1"), *args], ["i1", *operands]
        new = Scalar(f"arith.{name}", tuple(args), "", tuple(operands), kind)
        return Narrow(self._add(new), bits, result)

    def _compared(self, scalar: Scalar, values: list[Narrow]) -> str | None:
        """A comparison, on the bits that its operands need."""
        found = re.search(r"predicate = (\d+)", scalar.properties)
        every = [value.values for value in values]
        if found is None or len(values) != 2:
            return None
        predicate = int(found[1])
        if predicate > _LAST_SIGNED and any(each[0] < 0 for each in every):
            return None
        for bits in _WIDTHS:
            for fits, signed in ((fits_signed, True), (_unsigned, False)):
                if all(fits(each, bits) for each in every):
                    code = _predicate(predicate, signed)
                    args = tuple(self.on(value, bits) for value in values)
                    text = re.sub(r"predicate = \d+", f"predicate = {code}", scalar.properties)
                    return self._add(replace(scalar, args=args, properties=text, operands=(f"i{bits}",) * 2))
        return None


def _least(name: str, values: list[Narrow]) -> int:
    """The bits that an operation is done on, at least: on bytes only where there are some, as few others are."""
    given = [value.bits for value in values if value.bits]
    return max(_LEAST.get(name, 8), min(*given, _SHORT)) if given else _LEAST.get(name, 8)


_LAST_SIGNED, _BETWEEN = 5, 4
"""The number of the last signed comparison, and how far from a signed one its unsigned form is."""


def _predicate(number: int, signed: bool) -> int:
    if number < 2:  # equal, not equal
        return number
    base = number - _BETWEEN if number > _LAST_SIGNED else number
    return base if signed else base + _BETWEEN


def _result(name: str, given: list[Span], bits: int) -> Span | None:
    """The values of an operation on so many bits; None if that is not known, or it wraps around."""
    rule = SPANS.get(f"arith.{name}")
    found = rule(*given) if rule else None
    if name.startswith(("div", "rem")) and given[1][0] <= 0:  # the least number by -1 overflows in the narrower type
        return None
    return found if found is not None and fits_signed(found, bits) else None
