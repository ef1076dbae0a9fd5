"""One file as libclang has parsed it: its diagnostics, and the places of its cursors in what the user wrote."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Sequence
from ctypes import byref, c_size_t, c_uint, c_void_p

from raising.frontend.c.clang.bounded_parse import TooMuch, bounded
from raising.frontend.c.clang.libclang import Library, RawCursor, RawLocation, RawString, UnsavedFile, library
from raising.support.errors import InputError
from raising.support.source import Loc

_ALWAYS = (
    "-w",  # what a compiler only warns of is no concern of ours ...
    "-Wno-error=implicit-function-declaration",  # ... and that includes what C before 1999 has, as gcc takes it
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-function-pointer-types",
    "-ferror-limit=0",
)
_TAKEN = re.compile(r"'(?:__)?malloc(?:__)?' attribute takes no arguments")
"""What is an error to clang and none to gcc: who frees the memory that a function returns."""
_LINE_END = re.compile(rb"\r\n|\n|\r")
_ERROR, _FATAL = 3, 4
_FLAGS = "<command line>"
_STDIN = "<stdin>"  # "-" would have clang read the standard input itself
_DETAILED, _KEEP_GOING = 0x01, 0x200
_LINE_MARKER = re.compile(r"^[ \t]*#[ \t]*(?:line[ \t]+\d|\d+[ \t]+\")", re.MULTILINE)


class Source:
    """A parsed file, for a `with` statement: its cursors are valid inside of that.

    Where it is `watched`, `said` is what clang says about the folders that it searches; while it parses, nothing else
    of the process can write to standard error.
    """

    def __init__(
        self, text: str, filename: str, arguments: Sequence[str], detailed: bool = False, watched: bool = False
    ) -> None:
        self.lib: Library = library()
        self.filename = filename
        self._name = _STDIN if filename == "-" else f"./{filename}" if filename.startswith(("-", "@")) else filename
        self.text = text.encode()
        self._files: dict[int | None, str] = {}
        self._texts: dict[int, bytes] = {}
        self._lines: dict[int | None, list[int]] = {}
        self._handle, self._offset = c_void_p(), c_uint()
        # Without lines and columns, for which clang would search from the start of the line each time.
        self._out = byref(self._handle), None, None, byref(self._offset)
        self.plus = "c++" in arguments[:2]
        self.limited_range = "-fcx-limited-range" in arguments  # products of complex numbers recover no infinities
        self._presumed = _LINE_MARKER.search(text) is not None
        self.said = ""
        given = [*_ALWAYS, *arguments]
        self.unit = self._watched(given, detailed) if watched else self._parse(given, detailed)
        try:
            self._refuse_errors()
        except InputError:
            self.__exit__()
            raise

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        """Gives its memory back; no cursor of it may be asked for anything from then on."""
        self.lib.disposeTranslationUnit(self.unit)
        self.lib.disposeIndex(self._index)

    def _parse(self, arguments: list[str], detailed: bool) -> c_void_p:
        self._index = c_void_p(self.lib.createIndex(0, 0))
        name = self._name.encode()
        unsaved = UnsavedFile(name, self.text, len(self.text))
        given = (ctypes.c_char_p * len(arguments))(*[a.encode() for a in arguments])
        unit = c_void_p()
        options = _KEEP_GOING | (_DETAILED if detailed else 0)
        status = self._bounded(
            lambda: self.lib.parseTranslationUnit2(
                self._index, name, given, len(arguments), byref(unsaved), 1, options, byref(unit)
            )
        )
        if status or not unit:
            self.lib.disposeIndex(self._index)
            raise InputError(Loc(self.filename), f"libclang cannot parse it (status {status}); are its flags valid?")
        return unit

    def _watched(self, arguments: list[str], detailed: bool) -> c_void_p:
        """Parses, and keeps what clang writes to standard error in the meantime."""
        import tempfile

        with tempfile.TemporaryFile() as log:
            sys.stderr.flush()
            before = os.dup(2)
            os.dup2(log.fileno(), 2)
            try:
                return self._parse([*arguments, "-v"], detailed)
            finally:
                os.dup2(before, 2)
                os.close(before)
                log.seek(0)
                self.said = log.read().decode(errors="surrogateescape")

    def _bounded(self, parse: Callable[[], int]) -> int:
        try:
            return bounded(parse)
        except TooMuch:
            raise InputError(Loc(self.filename), "it takes more time or memory to parse than allowed") from None

    @property
    def root(self) -> RawCursor:
        """The cursor of the whole file."""
        found: RawCursor = self.lib.getTranslationUnitCursor(self.unit)
        return found

    def _refuse_errors(self) -> None:
        """`InputError` for what is no C; what clang cannot read in another compiler's headers is not the user's."""
        errors = []
        for k in range(self.lib.getNumDiagnostics(self.unit)):
            diagnostic = c_void_p(self.lib.getDiagnostic(self.unit, k))
            severity, location = self.lib.getDiagnosticSeverity(diagnostic), self.lib.getDiagnosticLocation(diagnostic)
            if severity >= _FATAL or (severity >= _ERROR and not self.lib.Location_isInSystemHeader(location)):
                text = self.lib.text(self.lib.getDiagnosticSpelling(diagnostic))
                if not _TAKEN.fullmatch(text):
                    errors.append((self.place(location) if self._in_file(location) else Loc(_FLAGS), text))
            self.lib.disposeDiagnostic(diagnostic)
        if errors:
            loc, message = errors[0]
            more = len(errors) - 1
            raise InputError(loc, message + (f" (and {more} more error{'s' * (more > 1)})" if more else ""))

    def _in_file(self, location: RawLocation) -> bool:
        """False for what the flags say, which clang reads as text without a file."""
        self.lib.getFileLocation(location, *self._out)
        return bool(self._handle.value)

    # ---- places ------------------------------------------------------------------------------------

    def place(self, location: RawLocation) -> Loc:
        """A location as a place in a file: of a macro where it is used, of its argument where that is written."""
        if self._presumed:
            return self._presumed_place(location)
        self.lib.getFileLocation(location, *self._out)
        handle, offset = self._handle.value, self._offset.value
        starts = self._lines.get(handle) or self._starts(handle)
        line = bisect_right(starts, offset)
        return Loc(self.file(handle), line, offset - starts[line - 1] + 1)

    def _starts(self, handle: int | None) -> list[int]:
        """The bytes at which the lines of a file begin."""
        self._lines[handle] = [0, *(m.end() for m in _LINE_END.finditer(self.text_of(handle)))]
        return self._lines[handle]

    def _presumed_place(self, location: RawLocation) -> Loc:
        name, line, column = RawString(), c_uint(), c_uint()
        self.lib.getPresumedLocation(location, byref(name), byref(line), byref(column))
        return Loc(self._shown(self.lib.text(name)), line.value, column.value)

    def _shown(self, name: str) -> str:
        return self.filename if name in ("", self._name) else name

    def offset(self, location: RawLocation) -> int:
        """The byte in its file at which a location is expanded."""
        self.lib.getExpansionLocation(location, *self._out)
        return self._offset.value

    def written(self, location: RawLocation) -> tuple[bytes, int]:
        """The text of the file in which a location is written, and the byte there: of a macro's argument, its own."""
        self.lib.getFileLocation(location, *self._out)
        return self.text_of(self._handle.value), self._offset.value

    def text_of(self, handle: int | None) -> bytes:
        """The text of a file, as clang read it."""
        if handle is None:
            return b""
        if handle not in self._texts:
            size = c_size_t()
            start = self.lib.getFileContents(self.unit, c_void_p(handle), byref(size))
            self._texts[handle] = ctypes.string_at(start, size.value) if start else b""
        return self._texts[handle]

    def file(self, handle: int | None) -> str:
        """The name of a file."""
        if handle not in self._files:
            name = self.lib.text(self.lib.getFileName(c_void_p(handle))) if handle else self._name
            self._files[handle] = self._shown(name)
        return self._files[handle]

    def skipped(self) -> list[tuple[int, int]]:
        """The parts of the file that `#if` leaves out, in bytes; asks for a `detailed` source."""
        file = c_void_p(self.lib.getFile(self.unit, self._name.encode()))
        ranges = self.lib.getSkippedRanges(self.unit, file)
        found = []
        for k in range(ranges.contents.count):
            one = ranges.contents.ranges[k]
            found.append((self.offset(self.lib.getRangeStart(one)), self.offset(self.lib.getRangeEnd(one))))
        self.lib.disposeSourceRangeList(ranges)
        return found
