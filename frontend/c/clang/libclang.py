"""libclang through ctypes: the structures and functions of its C interface that the reader needs.

The package `libclang` carries the library; its own bindings are not imported, because they take longer to load than a
small file takes to read. Names and numbers are those of `clang-c/Index.h` of version 18.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
from collections.abc import Iterator
from ctypes import POINTER, Structure, c_char_p, c_double, c_int, c_longlong, c_uint, c_ulong, c_ulonglong, c_void_p
from functools import cache
from pathlib import Path
from typing import Any

from raising.support.errors import InputError
from raising.support.source import Loc

# ---- structures ---------------------------------------------------------------------------------


class RawCursor(Structure):
    """The structure CXCursor."""

    _fields_ = (("kind", c_int), ("xdata", c_int), ("d0", c_void_p), ("d1", c_void_p), ("d2", c_void_p))
    kind: int
    d0: int
    d1: int


class RawType(Structure):
    """CXType; `d0` identifies the type with its qualifiers and its spelling."""

    _fields_ = (("kind", c_int), ("d0", c_void_p), ("d1", c_void_p))
    kind: int
    d0: int


class RawString(Structure):
    """The structure CXString."""

    _fields_ = (("data", c_void_p), ("flags", c_uint))


class RawLocation(Structure):
    """The structure CXSourceLocation."""

    _fields_ = (("p0", c_void_p), ("p1", c_void_p), ("number", c_uint))


class RawRange(Structure):
    """The structure CXSourceRange."""

    _fields_ = (("p0", c_void_p), ("p1", c_void_p), ("start", c_uint), ("end", c_uint))


class UnsavedFile(Structure):
    """The structure CXUnsavedFile."""

    _fields_ = (("name", c_char_p), ("contents", c_char_p), ("length", c_ulong))


class RawRanges(Structure):
    """The structure CXSourceRangeList."""

    _fields_ = (("count", c_uint), ("ranges", POINTER(RawRange)))


_Visitor = ctypes.CFUNCTYPE(c_int, RawCursor, RawCursor, c_void_p)
_FieldVisitor = ctypes.CFUNCTYPE(c_int, RawCursor, c_void_p)

_SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "createIndex": (c_void_p, (c_int, c_int)),
    "disposeIndex": (None, (c_void_p,)),
    "toggleCrashRecovery": (None, (c_uint,)),
    "parseTranslationUnit2": (
        c_int,
        (c_void_p, c_char_p, c_void_p, c_int, c_void_p, c_uint, c_uint, POINTER(c_void_p)),
    ),
    "disposeTranslationUnit": (None, (c_void_p,)),
    "getTranslationUnitCursor": (RawCursor, (c_void_p,)),
    "getNumDiagnostics": (c_uint, (c_void_p,)),
    "getDiagnostic": (c_void_p, (c_void_p, c_uint)),
    "disposeDiagnostic": (None, (c_void_p,)),
    "getDiagnosticSeverity": (c_int, (c_void_p,)),
    "getDiagnosticSpelling": (RawString, (c_void_p,)),
    "getDiagnosticLocation": (RawLocation, (c_void_p,)),
    "getCString": (c_char_p, (RawString,)),
    "disposeString": (None, (RawString,)),
    "visitChildren": (c_uint, (RawCursor, _Visitor, c_void_p)),
    "getCursorSpelling": (RawString, (RawCursor,)),
    "getCursorLocation": (RawLocation, (RawCursor,)),
    "getCursorExtent": (RawRange, (RawCursor,)),
    "getCursorType": (RawType, (RawCursor,)),
    "getCursorReferenced": (RawCursor, (RawCursor,)),
    "getCursorDefinition": (RawCursor, (RawCursor,)),
    "getCanonicalCursor": (RawCursor, (RawCursor,)),
    "getCursorSemanticParent": (RawCursor, (RawCursor,)),
    "getCursorLinkage": (c_int, (RawCursor,)),
    "getCursorTLSKind": (c_int, (RawCursor,)),
    "getCursorBinaryOperatorKind": (c_int, (RawCursor,)),
    "getCursorUnaryOperatorKind": (c_int, (RawCursor,)),
    "Cursor_getStorageClass": (c_int, (RawCursor,)),
    "Cursor_getMangling": (RawString, (RawCursor,)),
    "Cursor_getVarDeclInitializer": (RawCursor, (RawCursor,)),
    "Cursor_isFunctionInlined": (c_uint, (RawCursor,)),
    "Cursor_isVariadic": (c_uint, (RawCursor,)),
    "Cursor_isAnonymous": (c_uint, (RawCursor,)),
    "Cursor_getOffsetOfField": (c_longlong, (RawCursor,)),
    "Cursor_Evaluate": (c_void_p, (RawCursor,)),
    "EvalResult_getKind": (c_int, (c_void_p,)),
    "EvalResult_isUnsignedInt": (c_uint, (c_void_p,)),
    "EvalResult_getAsLongLong": (c_longlong, (c_void_p,)),
    "EvalResult_getAsUnsigned": (c_ulonglong, (c_void_p,)),
    "EvalResult_getAsDouble": (c_double, (c_void_p,)),
    "EvalResult_dispose": (None, (c_void_p,)),
    "getEnumConstantDeclValue": (c_longlong, (RawCursor,)),
    "getEnumConstantDeclUnsignedValue": (c_ulonglong, (RawCursor,)),
    "getEnumDeclIntegerType": (RawType, (RawCursor,)),
    "getFieldDeclBitWidth": (c_int, (RawCursor,)),
    "getTypedefDeclUnderlyingType": (RawType, (RawCursor,)),
    "getTypeSpelling": (RawString, (RawType,)),
    "getTypeDeclaration": (RawCursor, (RawType,)),
    "getCanonicalType": (RawType, (RawType,)),
    "getPointeeType": (RawType, (RawType,)),
    "getArrayElementType": (RawType, (RawType,)),
    "getArraySize": (c_longlong, (RawType,)),
    "getElementType": (RawType, (RawType,)),
    "getResultType": (RawType, (RawType,)),
    "getNumArgTypes": (c_int, (RawType,)),
    "getArgType": (RawType, (RawType, c_uint)),
    "isFunctionTypeVariadic": (c_uint, (RawType,)),
    "isConstQualifiedType": (c_uint, (RawType,)),
    "isVolatileQualifiedType": (c_uint, (RawType,)),
    "isRestrictQualifiedType": (c_uint, (RawType,)),
    "isPODType": (c_uint, (RawType,)),
    "Type_getNumTemplateArguments": (c_int, (RawType,)),
    "Type_getTemplateArgumentAsType": (RawType, (RawType, c_uint)),
    "Type_getNamedType": (RawType, (RawType,)),
    "Type_visitFields": (c_uint, (RawType, _FieldVisitor, c_void_p)),
    "Type_getSizeOf": (c_longlong, (RawType,)),
    "Location_isFromMainFile": (c_int, (RawLocation,)),
    "Location_isInSystemHeader": (c_int, (RawLocation,)),
    "getExpansionLocation": (None, (RawLocation, c_void_p, c_void_p, c_void_p, c_void_p)),
    "getFileLocation": (None, (RawLocation, c_void_p, c_void_p, c_void_p, c_void_p)),
    "getPresumedLocation": (None, (RawLocation, c_void_p, c_void_p, c_void_p)),
    "getRangeStart": (RawLocation, (RawRange,)),
    "getRangeEnd": (RawLocation, (RawRange,)),
    "getFileName": (RawString, (c_void_p,)),
    "getInclusions": (None, (c_void_p, c_void_p, c_void_p)),
    "getFile": (c_void_p, (c_void_p, c_char_p)),
    "getFileContents": (c_void_p, (c_void_p, c_void_p, c_void_p)),
    "getSkippedRanges": (POINTER(RawRanges), (c_void_p, c_void_p)),
    "disposeSourceRangeList": (None, (POINTER(RawRanges),)),
}


class Library:
    """The functions of libclang as attributes, without their prefix `clang_`."""

    def __init__(self, path: str) -> None:
        loaded = ctypes.CDLL(path)
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(loaded, f"clang_{name}")
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)
        self._visitor = _Visitor(self._visit)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"libclang's clang_{name} is not declared here")

    def text(self, string: RawString) -> str:
        """A string of libclang, which is disposed of."""
        raw = self.getCString(string)
        self.disposeString(string)
        return "" if raw is None else raw.decode(errors="replace")

    def children(self, cursor: RawCursor) -> list[RawCursor]:
        """The cursors directly inside of a cursor, in the order of the text."""
        self._found: list[RawCursor] = []
        self.visitChildren(cursor, self._visitor, None)
        return self._found

    def fields(self, record: RawType) -> list[RawCursor]:
        """The fields of a record, also those without a name."""
        self._found = []
        visitor = _FieldVisitor(lambda child, data: self._visit(child, child, data))
        self.Type_visitFields(record, visitor, None)
        return self._found

    def _visit(self, child: RawCursor, _parent: RawCursor, _data: Any) -> int:
        self._found.append(child)
        return 1


def _candidates() -> Iterator[str]:
    spec = importlib.util.find_spec("clang")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        for pattern in ("libclang.so*", "libclang.dylib", "libclang.dll"):
            yield from map(str, sorted((Path(folder) / "native").glob(pattern)))
    from ctypes.util import find_library  # slow to import, and rarely needed

    found = find_library("clang-18") or find_library("clang")
    if found:
        yield found


@cache
def library() -> Library:
    """libclang, loaded once; `InputError` if the machine does not have a version that serves."""
    os.environ.setdefault("LIBCLANG_NOTHREADS", "1")  # its own thread has too small a stack for long expressions
    reason = "it is not installed"
    for path in _candidates():
        try:
            return Library(path)
        except (OSError, AttributeError) as error:
            reason = str(error)
    raise InputError(Loc(), f"C is read by libclang (the package 'libclang'), which cannot be used: {reason}")
