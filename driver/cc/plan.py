"""What is known of one file to compile before anything is run: command lines, options, and its key in the cache."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from raising.cc.command_line import CommandLine
from raising.support.record import dataclass

_REORDERS = ("-ffast-math", "-fassociative-math", "-funsafe-math-optimizations")
_KEEPS = ("-fno-fast-math", "-fno-associative-math", "-fno-unsafe-math-optimizations")
_NO_NAN = ("-ffast-math",)
_MAYBE_NAN = ("-fno-finite-math-only", "-fsigned-zeros", "-ftrapping-math", "-fno-reciprocal-math", *_KEEPS)
_NO_ERRNO, _ERRNO = ("-fno-math-errno", "-ffast-math"), ("-fmath-errno", "-fno-fast-math")
_LIMITED = "-fcx-limited-range"
_FORMULAS, _RECOVERED = (_LIMITED, "-ffast-math"), ("-fno-cx-limited-range", "-fno-fast-math")
_ARCHITECTURE = re.compile(r"-march=(native|x86-64(-v[234])?)")
_MEANING = re.compile(r"-(std=.*|ansi|f(un)?signed-char|fgnu89-inline)")
_OTHER_OUTPUT = re.compile(
    r"-(fdump.*|fstack-usage|fcallgraph-info.*|fopt-info.*|Wa,.*|fdiagnostics-format.*|ftime.*|Q|v)"
)
_ENVIRONMENT = ("DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES")


@dataclass(frozen=True)
class Plan:
    """One C file of a command line, `source`, that becomes the object `target`."""

    compiler: str
    line: CommandLine
    source: str
    target: str

    @property
    def preprocess(self) -> list[str]:
        """The arguments that write the preprocessed text; `-o` is missing."""
        return [*self._flags(True), "-E", "-x", "c", self.source]

    @property
    def plain(self) -> list[str]:
        """The arguments with which the compiler makes the object, as the user has them."""
        if self.line.compiles_only and len(self.line.sources) == 1:
            return [text for a in self.line.arguments for text in a.texts]
        return [*self._flags(True), "-c", "-x", "c", self.source, "-o", self.target]

    def _flags(self, preprocessing: bool) -> list[str]:
        """The flags of the line; those for a linker are among them, of which clang complains where it compiles only."""
        unused = ["-Qunused-arguments"] if "clang" in Path(self.compiler).name else []
        return [*unused, *self.line.flags(preprocessing)]

    def edited(self, text: Path, out: Path) -> list[str]:
        """The arguments that compile a preprocessed text, of which the compiler says nothing."""
        return [*self._flags(False), "-w", "-c", "-x", "cpp-output", str(text), "-o", str(out)]

    @property
    def meaning(self) -> tuple[str, ...]:
        """The flags that decide what a preprocessed text means."""
        found = tuple(a.flag for a in self.line.arguments if _MEANING.fullmatch(a.flag))
        return (*found, _LIMITED) if self._last_says(_FORMULAS, _RECOVERED) else found

    def fp(self, given: str) -> str:
        """The freedom with floats: what is given, else what the compiler's flags say, of which the last one counts."""
        said = "fast" if self._last_says(_NO_NAN, _MAYBE_NAN) else "reassoc"
        return given or (said if self._last_says(_REORDERS, _KEEPS) else "strict")

    @property
    def errno(self) -> bool:
        """Whether functions of mathematics have to set `errno`."""
        return not self._last_says(_NO_ERRNO, _ERRNO)

    def _last_says(self, yes: Sequence[str], no: Sequence[str]) -> bool:
        said = self.line.last("-O.*") == "-Ofast"
        for a in self.line.arguments:
            said = (said or a.flag in yes) and a.flag not in no
        return said

    @property
    def cpu(self) -> str:
        """The processor that code is for: that of `-march`, else what every one can do."""
        found = _ARCHITECTURE.fullmatch(self.line.last("-march=.*"))
        return found[1] if found is not None else "x86-64"

    @property
    def dependences(self) -> Path | None:
        """The file of dependences that the compiler writes beside the object, if it writes one."""
        flags = [a.texts for a in self.line.arguments]
        written = [f for f in flags if f[0] in ("-MD", "-MMD")]
        given = [f[-1].removeprefix("-MF") for f in flags if f[0].startswith("-MF")]
        joined = [f[0].split(",", 2)[2] for f in flags if f[0].startswith(("-Wp,-MD,", "-Wp,-MMD,"))]
        if joined:
            return Path(joined[-1])
        return (Path(given[-1]) if given else Path(self.target).with_suffix(".d")) if written else None

    @property
    def can_be_kept(self) -> bool:
        """Whether object and dependences are all that the compiler writes."""
        others = any(_OTHER_OUTPUT.fullmatch(a.flag) for a in self.line.arguments)
        return not others and not any(name in os.environ for name in _ENVIRONMENT)


def plans(compiler: str, line: CommandLine, folder: Path) -> Sequence[Plan]:
    """The files of a command line with the objects that they become: the user's, or one in `folder`, to be linked."""
    found = []
    for k in line.sources:
        source = line.arguments[k].texts[0]
        own = line.output or f"{Path(source).stem}.o"
        target = own if line.compiles_only else str(folder / f"{k}-{Path(source).stem}.o")
        found.append(Plan(compiler, line, source, target))
    return found
