"""C's conversions and operators on numbers."""

from __future__ import annotations

from raising.frontend.c.ir.module import Refused
from raising.frontend.c.ir.polynomial import Poly, const, of
from raising.frontend.c.ir.types import INT, Number, common, float_text, promoted, single
from raising.frontend.c.known.typed_values import (
    Cases,
    Data,
    Demote,
    Extremum,
    Formula,
    Nothing,
    Places,
    Ptr,
    Sym,
    Truth,
    Value,
)
from raising.frontend.c.lower.context import Context
from raising.support.source import Loc

MAX_TERMS = 64  # of a product that is followed symbolically
Numeric = Sym | Extremum | Cases | Data | Truth

FLOOR, MODULO = "floor /", "floor %"
"""Operators that C does not have: a quotient that rounds down, and what it leaves."""

_FLOAT = {"+": "addf", "-": "subf", "*": "mulf", "/": "divf"}
_INT = {"+": "addi", "-": "subi", "*": "muli", "&": "andi", "|": "ori", "^": "xori", "<<": "shli"}
_BY_SIGN = {
    "/": ("divsi", "divui"), "%": ("remsi", "remui"), ">>": ("shrsi", "shrui"), FLOOR: ("floordivsi", "divui"),
}  # fmt: skip
_ORDER = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}


def wrapped(value: int, t: Number) -> int:
    """An integer converted to an integer type."""
    if t.kind == "bool":
        return int(value != 0)
    value &= (1 << t.width) - 1
    return value - (1 << t.width) if t.signed and value >> (t.width - 1) else value


def _combined(op: str, x: Poly, y: Poly) -> Poly | None:
    if op == "*":
        return x * y if len(x.terms) * len(y.terms) <= MAX_TERMS else None
    if op in (FLOOR, MODULO):
        k = y.constant
        return None if k is None or k <= 0 or not x.is_linear else x.floordiv(k) if op == FLOOR else x.mod(k)
    return x + y if op == "+" else x - y


class Arithmetic(Context):
    """Numbers: conversions between types, and operators."""

    # ---- to data -----------------------------------------------------------------------------------

    def numeric(self, value: Value, loc: Loc) -> Numeric:
        """The value if it is a number."""
        if isinstance(value, Ptr | Places):
            raise Refused(loc, "a pointer is used as a number")
        if isinstance(value, Nothing | Formula):
            raise Refused(loc, "the value of a void function is used")
        return value

    def type_in(self, value: Numeric) -> Number:
        """The C type of a number."""
        return INT if isinstance(value, Truth) else value.type

    def constant(self, value: int, t: Number, loc: Loc) -> int:
        """An integer constant as data."""
        text = ("true" if value else "false") if t.width == 1 else f"{wrapped(value, t)} : {t.mlir}"
        return self.let(f"arith.constant {text}", (), t.mlir, loc)

    def real(self, value: float, t: Number, loc: Loc) -> Data:
        """A constant of a floating type."""
        return Data(self.let(f"arith.constant {float_text(value, t)} : {t.mlir}", (), t.mlir, loc), t)

    def data(self, value: Numeric, loc: Loc) -> Data:
        """The number as a numbered value of its own type."""
        match value:
            case Data():
                return value
            case Truth():
                return Data(self.let("arith.extui {0} : i1 to i32", (value.id,), "i32", loc), INT)
            case Cases():
                raise Demote(value.key)
            case Extremum():
                parts = [self.data(Sym(f, value.type), loc).id for f in value.forms]
                text = f"arith.{value.kind}{'si' if value.type.signed else 'ui'}"
                while len(parts) > 1:
                    parts[:2] = [self._op(text, (parts[0], parts[1]), value.type, loc).id]
                return Data(parts[0], value.type)
        return Data(self._polynomial(value.form, value.type, loc), value.type)

    def _polynomial(self, form: Poly, t: Number, loc: Loc) -> int:
        if form.constant is not None:
            return self.constant(form.constant, t, loc)
        if form.is_affine(self.facts.free):
            return self.index_of(form, t.mlir, loc)
        # Exact also where the product wraps: both sides are taken modulo a power of two.
        total: int | None = None
        for mono, c in form.terms:
            factors = [self.index_of(Poly((((a,), 1),)), t.mlir, loc) for a in mono]
            factors += [self.constant(c, t, loc)] if c != 1 or not mono else []
            product = factors[0]
            for factor in factors[1:]:
                product = self._op("arith.muli", (product, factor), t, loc).id
            total = product if total is None else self._op("arith.addi", (total, product), t, loc).id
        assert total is not None
        return total

    def _op(self, name: str, args: tuple[int, ...], t: Number, loc: Loc) -> Data:
        text = f"{name} {', '.join(f'{{{k}}}' for k in range(len(args)))} : {t.mlir}"
        return Data(self.let(text, args, t.mlir, loc), t)

    # ---- conversion --------------------------------------------------------------------------------

    def converted(self, value: Value, t: Number, loc: Loc) -> Numeric:
        """A number converted to a type."""
        number = self.numeric(value, loc)
        if self.type_in(number) == t and not isinstance(number, Truth):
            return number
        if isinstance(number, Sym):
            kept = self._symbolic(number, t, loc)
            if kept is not None:
                return kept
        if isinstance(number, Extremum) and not t.is_float and t.signed and t.width >= number.type.width:
            return Extremum(number.kind, number.forms, t)
        if t.kind == "bool":
            truth = self.truth_of(number, loc)
            return Data(self.let("arith.extui {0} : i1 to i8", (truth,), "i8", loc), t)
        return self._cast(self.data(number, loc), t, loc)

    def _symbolic(self, value: Sym, t: Number, loc: Loc) -> Numeric | None:
        """The conversion of a symbolic integer that stays one, or of a constant."""
        known = value.form.constant
        if known is not None:
            if t.is_float:
                return self.real(single(float(known)) if t.width == 32 else float(known), t, loc)
            return Sym(const(wrapped(known, t)), t)
        if t.is_float or t.kind == "bool":
            return None
        low, high = t.range
        fits = t.signed and (t.width > value.type.width or (t.width == value.type.width and value.type.signed))
        if fits:
            return Sym(value.form, t)
        if t.width >= 32:  # that index arithmetic stays within its types is assumed; a sign has to be known
            natural = t.signed or not value.type.signed
            if not natural and not self.holds(value.form, "it is converted to an unsigned type", loc):
                return None
            if t.range[1] < value.type.range[1]:
                self.fits(value.form, t, loc)
            return Sym(value.form, t)
        inside = self.facts.proves(value.form - low) and self.facts.proves(const(high) - value.form)
        return Sym(value.form, t) if inside or self.trial else None

    def _cast(self, value: Data, t: Number, loc: Loc) -> Data:
        a, b = value.type, t
        if a.mlir == b.mlir:
            return Data(value.id, t)
        sign = "s" if a.signed else "u"
        if a.is_float and b.is_float:
            name = "extf" if b.width > a.width else "truncf"
        elif b.is_float:
            name = f"{sign}itofp"
        elif a.is_float:
            # What C leaves undefined aside, a narrow or unsigned result is cut from a wider signed one.
            name = "fptosi" if b.signed or b.width < 64 else "fptoui"
            if b.width < 32 or (not b.signed and b.width == 32):
                wide = Number("int", 32 if b.width < 32 else 64)
                return self._cast(self._cast(value, wide, loc), t, loc)
        else:
            name = f"ext{sign}i" if b.width > a.width else "trunci"
        return Data(self.let(f"arith.{name} {{0}} : {a.mlir} to {b.mlir}", (value.id,), b.mlir, loc), t)

    # ---- operators ---------------------------------------------------------------------------------

    def binary(self, op: str, a: Numeric, b: Numeric, loc: Loc) -> Numeric:
        """`a op b` for an arithmetic operator."""
        shift = op in ("<<", ">>")
        t = promoted(self.type_in(a)) if shift else common(self.type_in(a), self.type_in(b))
        if isinstance(a, Sym) and isinstance(b, Sym) and not t.is_float:
            exact = self._exact(op, a, b, t, loc)
            if exact is not None:
                return exact
        if isinstance(a, Extremum) and isinstance(b, Sym) and op in "+-" and not t.is_float and t.signed:
            return Extremum(a.kind, tuple(f + b.form if op == "+" else f - b.form for f in a.forms), t)
        if op == MODULO and not t.is_float:
            return self.binary("-", a, self.binary("*", self.binary(FLOOR, a, b, loc), b, loc), loc)
        x, y = (self.data(self.converted(v, t, loc), loc) for v in (a, b))
        if t.is_float:
            if op not in _FLOAT:
                raise Refused(loc, f"operator '{op}' on floating numbers")
            return self._op(f"arith.{_FLOAT[op]}", (x.id, y.id), t, loc)
        name = _INT[op] if op in _INT else _BY_SIGN[op][not t.signed]
        return self._op(f"arith.{name}", (x.id, y.id), t, loc)

    def _exact(self, op: str, a: Sym, b: Sym, t: Number, loc: Loc) -> Numeric | None:
        """Symbolic arithmetic; None where C's result is not the integer that algebra gives."""
        left, right = self.converted(a, t, loc), self.converted(b, t, loc)
        if not isinstance(left, Sym) or not isinstance(right, Sym):
            return None
        x, y = left.form, right.form
        form = self._form(op, x, y, t, loc)
        if form is None:
            return None
        if op == FLOOR and self.facts.proves(x):
            self.facts = self.facts.with_forms((form,))
        if form.constant is not None:
            return Sym(const(wrapped(form.constant, t)), t)
        if not t.signed and op in ("+", "-", "*", "<<"):
            form = of({m: (c + (1 << t.width - 1)) % (1 << t.width) - (1 << t.width - 1) for m, c in form.terms})
            if any(c < 0 for _, c in form.terms) and not self.holds(form, "an unsigned difference", loc):
                return None
            self.fits(form, t, loc)
        return Sym(form, t)

    def _form(self, op: str, x: Poly, y: Poly, t: Number, loc: Loc) -> Poly | None:
        if op in ("+", "-", "*", FLOOR, MODULO):
            return _combined(op, x, y)
        k = y.constant
        if k is None:
            return None
        low = -k % (1 << t.width)  # of a mask that clears low bits, the first bit that it keeps
        if op == "&" and k and low & (low - 1) == 0:
            return x - x.mod(low)
        if k < 0:
            return None
        if op in ("<<", ">>"):
            return None if k > 62 else x * (1 << k) if op == "<<" else x.floordiv(1 << k)
        if op == "&" and k & (k + 1) == 0:
            return x.mod(k + 1)
        if op not in "/%" or k == 0:
            return None
        if x.constant is not None:
            quotient = abs(x.constant) // k * (1 if x.constant >= 0 else -1)
            return const(quotient if op == "/" else x.constant - quotient * k)
        if not x.is_linear or not self.holds(x, "it is divided, and rounds down", loc):
            return None
        return x.floordiv(k) if op == "/" else x.mod(k)

    def negative(self, a: Numeric, loc: Loc) -> Numeric:
        """`-a`."""
        t = promoted(self.type_in(a))
        if t.is_float:
            return self._op("arith.negf", (self.data(a, loc).id,), t, loc)
        return self.binary("-", Sym(const(0), t), a, loc)

    def truth_of(self, value: Value, loc: Loc) -> int:
        """The number of an i1 that says whether a number is not zero."""
        number = self.numeric(value, loc)
        if isinstance(number, Truth):
            return number.id
        data = self.data(number, loc)
        zero = self.real(0.0, data.type, loc).id if data.type.is_float else self.constant(0, data.type, loc)
        return self._comparison("!=", data.id, zero, data.type, loc)

    def compared(self, op: str, a: Numeric, b: Numeric, loc: Loc) -> Truth:
        """`a op b` for a comparison, on data."""
        t = common(self.type_in(a), self.type_in(b))
        x, y = (self.data(self.converted(v, t, loc), loc).id for v in (a, b))
        return Truth(self._comparison(op, x, y, t, loc))

    def _comparison(self, op: str, x: int, y: int, t: Number, loc: Loc) -> int:
        name = _ORDER[op]
        if t.is_float:
            text = f"arith.cmpf {'u' if name == 'ne' else 'o'}{name}, {{0}}, {{1}} : {t.mlir}"
        else:
            sign = "" if name in ("eq", "ne") else "s" if t.signed else "u"
            text = f"arith.cmpi {sign}{name}, {{0}}, {{1}} : {t.mlir}"
        return self.let(text, (x, y), "i1", loc)
