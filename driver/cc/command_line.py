"""What a compiler's command line compiles: the C files in it, and whether their code may be replaced."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from raising.support.record import dataclass

_WITH_VALUE = (
    *("-o", "-x", "-I", "-D", "-U", "-L", "-l", "-T", "-u", "-e", "-z", "-A", "-G", "-B", "-MF", "-MT", "-MQ"),
    *("-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-iprefix", "-iwithprefix", "-iwithprefixbefore"),
    *("-isysroot", "-imultilib", "-Xpreprocessor", "-Xassembler", "-Xlinker", "-Xclang", "-mllvm", "-aux-info"),
    *("-dumpbase", "-dumpbase-ext", "-dumpdir", "--param", "-wrapper", "-specs", "-target", "-arch", "-framework"),
    *("-Ttext", "-Tdata", "-Tbss"),
)
"""Flags whose value may stand in the next argument; one of a single letter, and a few more, may be joined to it."""

_NO_OBJECT = re.compile(
    r"-(E|S|M|MM|fsyntax-only|###|dump(machine|version|specs|fullversion)|print-.*|-help.*|-version)"
)
_PREPROCESSING = re.compile(
    r"-([DU].*|include|imacros|M|MM|MD|MMD|MP|MG|MF.*|MT.*|MQ.*|Wp,.*|Werror(=.*)?|pedantic-errors|Xpreprocessor)"
)
"""Flags that a preprocessed text is compiled without."""

_LEFT = (
    (r"-O0|-Og", "it is not optimised"),
    (r"-flto.*", "the object is not machine code"),
    (r"-fsanitize.*|-finstrument-.*|--?coverage|-fprofile.*|-ftest-coverage|-pg?|-fbranch-.*", "it is instrumented"),
    (r"-fwrapv.*|-ftrapv|-fno-strict-overflow", "integers of a sign may overflow"),
    (r"-fno-strict-aliasing", "memory may be used as of several types"),
    (r"-frounding-math|-fsignaling-nans|-fnon-call-exceptions", "arithmetic may have effects"),
    (r"-fno-builtin.*|-ffreestanding|-nostdlib|-nodefaultlibs|-nolibc|-nostdinc", "there may be no library of C"),
    (r"-fsingle-precision-constant", "constants are rounded to float"),
    (r"-m(16|32|x32|abi=.*|long-double.*|cmodel=.*|no-sse.*|general-regs-only|soft-float|fpmath=.*)", "of the target"),
    (r"-m(ms-bitfields|preferred-stack-boundary=.*|incoming-stack-boundary=.*)", "of the target"),
    (r"-f(short-.*|pack-struct.*|excess-precision=.*|openmp|openacc|fixed-.*|call-.*|split-stack)", "of the target"),
    (r"-f(whole-program|plugin.*|directives-only|preprocessed|compare-debug.*|working-directory)", "of a flag"),
    (
        r"-(save-temps.*|gsplit-dwarf.*|traditional.*|no-integrated-cpp|aux-info.*|wrapper.*|target.*|-target.*)",
        "of a flag",
    ),
    (
        r"-Xclang|-Xpreprocessor|-mllvm|-(Wp,(?!-MM?D,).*)|-emit-llvm|-specs.*|-C|-CC|-P|-dD|-dM|-dumpbase.*",
        "of a flag",
    ),
)
"""Flags under which code is left to the compiler, with the reason."""

_LEFT_BY = tuple((re.compile(flags), why) for flags, why in _LEFT)
_LEVEL = re.compile(r"-O(.*)")


@dataclass(frozen=True)
class Argument:
    """A flag with its value, if that stands in an argument of its own, or an input with its language."""

    texts: tuple[str, ...]
    language: str = ""

    @property
    def flag(self) -> str:
        """The flag; empty for an input."""
        return "" if self.language else self.texts[0]


@dataclass(frozen=True)
class CommandLine:
    """Arguments in their order, of which `sources` are those C files (by their numbers) that may be raised.

    Without `sources` the command is left to the compiler, because of `why`.
    """

    arguments: tuple[Argument, ...] = ()
    sources: tuple[int, ...] = ()
    why: str = ""

    @property
    def compiles_only(self) -> bool:
        """Whether the objects are what is asked for."""
        return any(a.flag == "-c" for a in self.arguments)

    @property
    def output(self) -> str:
        """The file to write, or nothing where the compiler names it."""
        return next((_value(a, "-o") for a in reversed(self.arguments) if a.flag.startswith("-o")), "")

    def last(self, pattern: str) -> str:
        """The last flag of this form, or nothing."""
        form = re.compile(pattern)
        return next((a.flag for a in reversed(self.arguments) if form.fullmatch(a.flag)), "")

    def flags(self, preprocessing: bool) -> list[str]:
        """All flags that are not of inputs, outputs and dependences; without those of the preprocessor if so."""
        taken: list[str] = []
        for a in self.arguments:
            plain = a.flag and a.flag != "-c" and not a.flag.startswith(("-o", "-x", "-l"))
            dependence = re.fullmatch(r"-M.*|-Wp,-M.*", a.flag) is not None
            if plain and not dependence and (preprocessing or not _PREPROCESSING.fullmatch(a.flag)):
                taken += a.texts
        return taken


def parsed(arguments: Sequence[str], usual: str = "c") -> CommandLine:
    """What a command line asks for; `arguments` have no response files any more. `usual` is the language of `.c`."""
    found = tuple(_arguments(arguments, usual))
    level = ""
    for a in found:
        if not a.flag:
            continue
        if _NO_OBJECT.fullmatch(a.flag):
            return CommandLine(found, why="no code is asked for")
        why = next((why for flags, why in _LEFT_BY if flags.fullmatch(a.flag) and not a.flag.startswith("-O")), "")
        if why:
            return CommandLine(found, why=f"{a.flag}: {why}")
        level = a.flag if _LEVEL.fullmatch(a.flag) else level
    if level in ("", "-O0", "-Og"):
        return CommandLine(found, why="it is not optimised")
    return _with_sources(CommandLine(found))


def _with_sources(line: CommandLine) -> CommandLine:
    inputs = [(k, a) for k, a in enumerate(line.arguments) if a.language]
    sources = tuple(k for k, a in inputs if a.language == "c" and a.texts[0] != "-")
    if not sources or any(a.texts[0] == "-" for _, a in inputs):
        return CommandLine(line.arguments, why="there is no file of C")
    if line.compiles_only and line.output and (len(inputs) > 1 or _is_special(line.output)):
        return CommandLine(line.arguments, why="of its output")
    if (len(inputs) > 1 or not line.compiles_only) and line.last("-M.*|-Wp,-M.*"):
        return CommandLine(line.arguments, why="of its dependences")
    return CommandLine(line.arguments, sources)


def _is_special(name: str) -> bool:
    return name == "-" or (Path(name).exists() and not Path(name).is_file())


def _arguments(texts: Sequence[str], usual: str) -> Iterator[Argument]:
    left, language = [*texts][::-1], "none"
    while left:
        text = left.pop()
        if text == "-" or not text.startswith("-"):
            yield Argument((text,), _language(text, language, usual))
            continue
        whole = (text, left.pop()) if text in _WITH_VALUE and left else (text,)
        language = _value(Argument(whole), "-x") if text.startswith("-x") else language
        yield Argument(whole)


def _language(name: str, given: str, usual: str) -> str:
    """`c`, or what is not raised; never empty."""
    if given != "none":
        return given
    return usual if Path(name).suffix == ".c" else "other"


def _value(argument: Argument, flag: str) -> str:
    return argument.texts[1] if len(argument.texts) > 1 else argument.texts[0].removeprefix(flag)
