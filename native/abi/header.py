"""A C header for compiled functions.

before  func.func @scale(%a: memref<?x8xf64>, %f: f64)
after   /* arg0[arg0_size0][8] */
        void scale(const double *RESTRICT arg0, int64_t arg0_size0, double arg1);
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raising.native.base.signature import C_TYPES, Parameter, Signature
from raising.native.input.variable_symbols import Symbol

_KEYWORDS = frozenset(
    ("auto", "bool", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern")
    + ("float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed")
    + ("sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while")
)


_OF_CPP = frozenset(
    ("alignas", "alignof", "and", "asm", "catch", "class", "concept", "constexpr", "decltype", "delete", "explicit")
    + ("export", "false", "friend", "mutable", "namespace", "new", "noexcept", "not", "nullptr", "operator", "or")
    + ("private", "protected", "public", "requires", "template", "this", "throw", "true", "try", "typeid", "typename")
    + ("using", "virtual", "xor")
)
_NAME = re.compile(r"[A-Za-z_$][\w$]*")


def header(signatures: Sequence[Signature], source: str, guard: str, symbols: Sequence[Symbol] = ()) -> str:
    """The declarations of functions, and of variables that other files see.

    `source` is named in a comment, `guard` is made into the include guard. Arrays are row-major and must not overlap
    where one of them is written, unless the function tests that.
    """
    macro = re.sub(r"\W", "_", guard).upper()
    macro = macro if not macro[:1].isdigit() else f"H_{macro}"
    functions = "\n".join(_declaration(s) for s in signatures)
    variables = "".join(_variable(s) for s in symbols if s.public)
    name = re.sub(r"[^ -~]|[*\\]", "?", source)
    return f"""\
/* Made by raise-compile from {name}. Arrays are row-major; one that is `restrict` and written overlaps no other. */
#ifndef {macro}
#define {macro}

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#define RESTRICT
#else
#define RESTRICT restrict
#endif

{variables}{functions}
#undef RESTRICT
#ifdef __cplusplus
}}
#endif

#endif
"""


def _declaration(signature: Signature) -> str:
    if signature.in_records:
        return f"/* {signature.name} has the declaration of its source: ({_listed(signature)}) */\n"
    result = signature.result or C_TYPES[signature.returns[0]] if signature.returns else "void"
    parameters = [text for p in signature.parameters for text in _parameters(p, signature.tested)]
    comment = "".join(f"/* {line} */\n" for p in signature.parameters if (line := _extents(p)))
    name = _identifier(signature.name, _KEYWORDS)
    symbol = "" if name == signature.name else f' __asm__("{signature.name}")'
    return f"{comment}{result} {name}({', '.join(parameters) or 'void'}){symbol};\n"


def _listed(signature: Signature) -> str:
    """The arguments of a function that takes structs, for people."""
    return ", ".join(argument.name for argument in signature.arguments)


def _variable(symbol: Symbol) -> str:
    if not symbol.c_type:
        return f"/* {symbol.name} is declared where its struct is */\n"
    extents = "".join(f"[{extent}]" for extent in symbol.shape)
    constant = "const " if symbol.constant else ""
    return f"extern {constant}{symbol.c_type} {symbol.name}{extents};\n"


def _parameters(parameter: Parameter, tested: bool) -> list[str]:
    name = _identifier(parameter.name)
    if parameter.shape is None:
        return [f"{parameter.c_type} {name}"]
    constant = "" if parameter.written else "const "
    sizes = [f"int64_t {name}_size{d}" for d in parameter.open_dims]
    restrict = "" if tested else "RESTRICT "
    if parameter.in_rows:
        first, *rows = parameter.shape
        pointer = f"(*{restrict}{name})" if first is None or isinstance(first, str) else f"{name}[{restrict}{first}]"
        return [f"{parameter.in_rows} {pointer}{''.join(f'[{extent}]' for extent in rows)}", *sizes]
    return [f"{constant}{parameter.c_type} *{restrict}{name}", *sizes]


def _extents(parameter: Parameter) -> str:
    """The shape of an array, for people."""
    if not parameter.shape:
        return ""
    name = _identifier(parameter.name)
    extents = [f"{name}_size{d}" if extent is None else str(extent) for d, extent in enumerate(parameter.shape)]
    return name + "".join(f"[{extent}]" for extent in extents)


def _identifier(name: str, taken: frozenset[str] = _KEYWORDS | _OF_CPP) -> str:
    """A name for C and C++: one that is a word of theirs gets a line behind it, as does what is none in C."""
    if _NAME.fullmatch(name) and name not in taken:
        return name
    return f"{re.sub(r'[^A-Za-z0-9_$]', '_', name)}_"
