"""The terms that stand for types and attributes, and back.

The names are those of DialEgg (Zayed, Dubach, CGO 2025), so that its rule files
can be read. What has no constructor travels as its text: nothing is lost, but
rules cannot look into it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from raising.eqsat.egraph.sexpr import quoted

PRELUDE = """
(sort IntVec (Vec i64)) (sort FloatVec (Vec f64))
(sort Type) (sort TypeVec (Vec Type))
(sort Attr) (sort AttrVec (Vec Attr)) (sort AttrDict (Map String Attr))
(datatype AttrPair (NamedAttr String Attr) (ValueAttr Attr))
(sort Op) (sort OpVec (Vec Op))
(constructor Value (i64 Type) Op)
(constructor BlockArg (i64 i64 Type) Op)
(constructor Result (i64 Op) Op)
(datatype Block (Blk OpVec)) (sort BlockVec (Vec Block))
(datatype Region (Reg BlockVec)) (sort RegionVec (Vec Region))
(constructor type-of (Op) Type)
(function dims (Type) IntVec :no-merge)
(constructor F16 () Type) (constructor BF16 () Type) (constructor F32 () Type) (constructor F64 () Type)
(constructor F80 () Type) (constructor F128 () Type)
(constructor I1 () Type) (constructor I4 () Type) (constructor I8 () Type) (constructor I16 () Type)
(constructor I32 () Type) (constructor I64 () Type)
(constructor Int (i64) Type) (constructor SInt (i64) Type) (constructor UInt (i64) Type)
(constructor OtherInt (String) Type) (constructor Index () Type) (constructor None () Type)
(constructor Complex (Type) Type) (constructor Tuple (TypeVec) Type) (constructor Function (TypeVec TypeVec) Type)
(constructor Vector (IntVec Type) Type) (constructor RankedTensor (IntVec Type) Type)
(constructor UnrankedTensor (Type) Type) (constructor OpaqueType (String String) Type)
(constructor NoAttr () Attr) (constructor UnitAttr () Attr)
(constructor IntegerAttr (i64 Type) Attr) (constructor FloatAttr (f64 Type) Attr)
(constructor StringAttr (String) Attr) (constructor SymbolRefAttr (String) Attr) (constructor TypeAttr (Type) Attr)
(constructor ArrayAttr (AttrVec) Attr)
(constructor DenseIntArrayAttr (i64 IntVec Type) Attr) (constructor DenseFloatArrayAttr (f64 FloatVec Type) Attr)
(constructor DenseIntElementsAttr (FloatVec Type) Attr) (constructor DenseFPElementsAttr (FloatVec Type) Attr)
(constructor OpaqueAttr (String String) Attr)
"""

_NAMED_INTS = (1, 4, 8, 16, 32, 64)
_FLOATS = ("f16", "bf16", "f32", "f64", "f80", "f128")
_WIDEST = 64  # bits
_ENUM = re.compile(r"#(\w+)\.(\w+)<(\w+)>|#(\w+)<(\w+) (\w+)>")

Tree = tuple[Any, ...]
"""A term of type or attribute as read back: (constructor, arguments…); vectors are lists."""


class CannotRead(Exception):
    """A term that a rule made stands for no type or attribute."""


class Vocabulary:
    """Types and attributes of one MLIR context as terms; `enums` are attribute constructors over cases.

    `enums` maps a constructor that a rule file declares, such as
    `arith_fastmath`, to the names of its cases.
    """

    def __init__(self, ir: Any, enums: Mapping[str, frozenset[str]]) -> None:
        self.ir, self.enums = ir, enums
        self.opaque: dict[str, Any] = {}  # attributes that travel as text: read again, a resource would have no data

    # ---- into terms ------------------------------------------------------------------------------

    def type_term(self, kind: Any) -> str:
        """A type as a term."""
        ir, text = self.ir, str(kind)
        if isinstance(kind, ir.IntegerType):
            return _integer(ir.IntegerType(kind))
        if text in _FLOATS:
            return f"({text.upper()})"
        if text in ("index", "none"):
            return f"({text.capitalize()})"
        if isinstance(kind, ir.ComplexType):
            return f"(Complex {self.type_term(ir.ComplexType(kind).element_type)})"
        if isinstance(kind, ir.RankedTensorType):
            tensor = ir.RankedTensorType(kind)
            if tensor.has_static_shape and tensor.encoding is None:
                return f"(RankedTensor {_vector(tensor.shape)} {self.type_term(tensor.element_type)})"
        return f'(OpaqueType {quoted(text)} "")'

    def attribute_term(self, value: Any) -> str:
        """An attribute as a term."""
        ir, text = self.ir, str(value)
        if isinstance(value, ir.UnitAttr):
            return "(UnitAttr)"
        if isinstance(value, ir.BoolAttr):
            return f"(IntegerAttr {int(ir.BoolAttr(value).value)} (I1))"
        if isinstance(value, ir.IntegerAttr) and not self._is_wide(value.type):
            number = ir.IntegerAttr(value).value
            if -(2**63) <= number < 2**63:
                return f"(IntegerAttr {number} {self.type_term(value.type)})"
        if isinstance(value, ir.FloatAttr) and str(value.type) in ("f16", "bf16", "f32", "f64"):
            real = ir.FloatAttr(value).value
            if math.isfinite(real) and not (real == 0.0 and math.copysign(1.0, real) < 0):  # egglog has one zero
                return f"(FloatAttr {float_text(real)} {self.type_term(value.type)})"
        if isinstance(value, ir.StringAttr) and text.startswith('"') and text == quoted(ir.StringAttr(value).value):
            return f"(StringAttr {text})"
        if isinstance(value, ir.FlatSymbolRefAttr):
            return f"(SymbolRefAttr {quoted(ir.FlatSymbolRefAttr(value).value)})"
        if isinstance(value, ir.TypeAttr):
            return f"(TypeAttr {self.type_term(ir.TypeAttr(value).value)})"
        return self._enum(text) or f'(OpaqueAttr {quoted(self._kept(text, value))} "")'

    def _kept(self, text: str, value: Any) -> str:
        """The text that stands for an attribute here; two that differ have two, even if they print alike."""
        name, count = text, 0
        while self.opaque.setdefault(name, value) != value:
            count += 1
            name = f"{text} /* {count} */"
        return name

    def _is_wide(self, kind: Any) -> bool:
        """True for integers whose numbers the bindings cannot hand out: that would end the process."""
        return isinstance(kind, self.ir.IntegerType) and self.ir.IntegerType(kind).width > _WIDEST

    def _enum(self, text: str) -> str:
        match = _ENUM.fullmatch(text)
        if match is None:
            return ""
        dialect, kind, case = (g for g in match.groups() if g is not None)
        name = f"{dialect}_{kind}"
        return f"({name} ({case}))" if case in self.enums.get(name, ()) else ""

    # ---- and back --------------------------------------------------------------------------------

    def type_of(self, tree: Tree) -> Any:
        """The type that a term stands for."""
        name, args = tree[0], tree[1:]
        if name == "RankedTensor":
            return self.ir.RankedTensorType.get(list(args[0]), self.type_of(args[1]))
        return self._parse(self.ir.Type, self._type_text(name, args), tree)

    def _type_text(self, name: str, args: Tree) -> str:
        if name in ("OpaqueType", "OtherInt"):
            return str(args[0])
        if name in ("Int", "SInt", "UInt"):
            return f"{name.lower()[: -len('nt')]}{args[0]}"
        if name == "Complex":
            return f"complex<{self.type_of(args[0])}>"
        if name == "Vector":
            return f"vector<{'x'.join(map(str, args[0]))}x{self.type_of(args[1])}>"
        if name == "UnrankedTensor":
            return f"tensor<*x{self.type_of(args[0])}>"
        if name in ("Tuple", "Function"):
            lists = [", ".join(str(self.type_of(t)) for t in a) for a in args]
            return f"tuple<{lists[0]}>" if name == "Tuple" else f"({lists[0]}) -> ({lists[1]})"
        return name.lower()

    def attribute_of(self, tree: Tree) -> Any:
        """The attribute that a term stands for."""
        name, args = tree[0], tree[1:]
        if name == "IntegerAttr":
            return self._integer_of(int(args[0]), self.type_of(args[1]))
        if name == "FloatAttr":
            return self.ir.FloatAttr.get(self.type_of(args[1]), args[0])
        if name == "OpaqueAttr" and args[0] in self.opaque:
            return self.opaque[args[0]]
        return self._parse(self.ir.Attribute, self._attribute_text(name, args), tree)

    def _integer_of(self, number: int, kind: Any) -> Any:
        """Numbers that rules computed wrap around to the width of their type, as the operations do."""
        if isinstance(kind, self.ir.IntegerType):
            width = self.ir.IntegerType(kind).width
            number &= (1 << width) - 1
            if width > 1 and number >> (width - 1) and not self.ir.IntegerType(kind).is_unsigned:
                number -= 1 << width
        return self.ir.IntegerAttr.get(kind, number)

    def _attribute_text(self, name: str, args: Tree) -> str:
        if name in self.enums:
            dialect, kind = name.split("_", 1)
            short = f"#{dialect}.{kind}<{args[0][0]}>"
            return short if self._reads(short) else f"#{dialect}<{kind} {args[0][0]}>"
        if name == "OpaqueAttr":
            return str(args[0])
        if name == "StringAttr":
            return quoted(args[0])
        if name == "SymbolRefAttr":
            return "@" + quoted(args[0])
        if name == "TypeAttr":
            return str(self.type_of(args[0]))
        if name == "ArrayAttr":
            return f"[{', '.join(str(self.attribute_of(a)) for a in args[0])}]"
        if name in ("DenseIntArrayAttr", "DenseFloatArrayAttr"):
            numbers = ", ".join(map(str, args[1]))
            return f"array<{self.type_of(args[2])}{': ' if numbers else ''}{numbers}>"
        if name in ("DenseIntElementsAttr", "DenseFPElementsAttr"):
            return self._elements(args[0], self.type_of(args[1]), name == "DenseIntElementsAttr")
        return "unit" if name == "UnitAttr" else name

    def _elements(self, numbers: list[float], kind: Any, whole: bool) -> str:
        shown: Any = [int(n) if whole else float_text(n) for n in numbers]
        for size in reversed(self.ir.ShapedType(kind).shape[1:]):
            shown = [shown[i : i + size] for i in range(0, len(shown), size)]
        return f"dense<{str(shown).replace(chr(39), '')}> : {kind}"

    def _reads(self, text: str) -> bool:
        try:
            self.ir.Attribute.parse(text)
        except (self.ir.MLIRError, ValueError):
            return False
        return True

    def _parse(self, reader: Any, text: str, tree: Tree) -> Any:
        try:
            return reader.parse(text)
        except (self.ir.MLIRError, ValueError) as error:
            raise CannotRead(f"a rule made {tree!r}, which stands for no MLIR: {text}") from error


def _integer(kind: Any) -> str:
    if kind.is_signless:
        return f"(I{kind.width})" if kind.width in _NAMED_INTS else f"(Int {kind.width})"
    return f"({'SInt' if kind.is_signed else 'UInt'} {kind.width})"


def _vector(numbers: list[int]) -> str:
    return f"(vec-of {' '.join(map(str, numbers))})" if numbers else "(vec-empty)"


def float_text(number: float) -> str:
    """A literal that has a point, which the engine tells floats by, and no exponent without one."""
    text = repr(number)
    if "e" not in text:
        return text
    mantissa, exponent = text.split("e")
    return f"{mantissa}{'' if '.' in mantissa else '.0'}e{exponent}"
