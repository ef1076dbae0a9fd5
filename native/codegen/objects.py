"""LLVM's text to machine code: optimised text, assembly, an object file, a shared library.

The symbols that an object still needs from libraries can be listed.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from raising.native.base.target import WITHOUT_LSR, Target, llvm, machine_for, triple_of
from raising.native.base.unsupported import CompileError
from raising.native.codegen.constant_masks import MARK, without_constant_masks
from raising.native.threads.runtime import runtime_text

LEVEL = 3
_LONG = 200_000
"""Characters of a function's text from which on LLVM's loop strength reduction is left out.

The time that it takes grows with the square of the addresses in a loop (2.9 of 3.2 s for one function of 4,500
instructions), and it makes loops over blocks, which compute in registers, hardly faster. So it is left out, too, where
products of blocks are functions of their own.
"""
_TEXT_OF_A_BYTE = 12
"""More characters than LLVM writes for a byte of bitcode, which are six or seven."""
_COMPILERS = ("cc", "gcc", "clang")
_CHECKS = "vector.scevcheck"
"""The block that tests whether counters wrap around, in front of a loop that LLVM made one on vectors.

Version 22 takes it that a counter of few bits (`i & 3` is one of two) does not wrap around where one of more bits does
not, and reads `t[k + (i & 3)]` as neighbours: in `SCEVWrapPredicate::implies` the widths are not compared. At least one
test is left wherever one is lost.
"""


class Code:
    """The code of LLVM's text for one target, optimised when somebody asks for it; the text is verified at once.

    With `runtime`, the pool of threads is part of it.
    """

    def __init__(self, text: str, target: Target, *, runtime: bool = False) -> None:
        self._of, self.machine = (text, target, runtime), machine_for(target)
        self._parsed = _parsed(*self._of, self.machine)

    @cached_property
    def module(self) -> Any:
        """LLVM's module after its passes."""
        module = _optimised(self._parsed, self.machine, vectors=True)
        if any(block.name.startswith(_CHECKS) for function in module.functions for block in function.blocks):
            module = _optimised(_parsed(*self._of, self.machine), self.machine, vectors=False)
        return _right_for_the_machine(module)

    @property
    def llvm(self) -> str:
        """The module as LLVM's text."""
        return str(self.module)

    @property
    def assembly(self) -> str:
        """The processor's assembly."""
        self._choose_passes()
        text: str = self.machine.emit_assembly(self.module)
        return text

    @property
    def object(self) -> bytes:
        """An object file, independent of its position."""
        self._choose_passes()
        data: bytes = self.machine.emit_object(self.module)
        return data

    def _choose_passes(self) -> None:
        """Leave strength reduction out, or not; LLVM has that as an option of the process."""
        may_be = len(self.module.as_bitcode()) > _LONG // _TEXT_OF_A_BYTE  # the text takes twice as long
        text = self.llvm if may_be else ""  # not function by function: each would number all of the module's values
        long = WITHOUT_LSR in text or any(len(function) > _LONG for function in text.split("\ndefine ")[1:])
        llvm().set_option("", f"-disable-lsr={'true' if long else 'false'}")


def _parsed(text: str, target: Target, runtime: bool, machine: Any) -> Any:
    """LLVM's module of a text, which is valid."""
    binding = llvm()
    try:
        module = binding.parse_assembly(text)
        if runtime:
            module.link_in(binding.parse_assembly(runtime_text(triple_of(target))))
        module.verify()
    except RuntimeError as error:
        raise CompileError(f"internal: LLVM refuses the code: {' '.join(str(error).split())}") from None
    module.triple = triple_of(target)
    module.data_layout = str(machine.target_data)
    return module


def _optimised(module: Any, machine: Any, vectors: bool) -> Any:
    """A module after LLVM's passes; with `vectors`, they make loops ones on vectors."""
    binding = llvm()
    options = binding.create_pipeline_tuning_options(speed_level=LEVEL)
    options.loop_vectorization = vectors
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return module


def _right_for_the_machine(module: Any) -> Any:
    """The module without what LLVM's code generator makes wrong code of."""
    if not any(function.name.startswith(MARK[1:]) for function in module.functions):
        return module
    text = str(module)
    changed = without_constant_masks(text)
    return module if changed == text else llvm().parse_assembly(changed)


def shared_library(code: bytes, libraries: Sequence[str] = (), *, stays: bool = False, triple: str = "") -> bytes:
    """An object file as a shared library, by the system's compiler, or the one for `triple`; all symbols must be found.

    `libraries` are paths of shared libraries to link with besides those of C, mathematics and threads.
    A library that `stays` is never unloaded: threads of its own may run in it.
    """
    compilers = [f"{triple}-gcc"] if triple else _COMPILERS
    compiler = next((path for name in compilers if (path := shutil.which(name))), None)
    if compiler is None:
        raise CompileError(f"a shared library needs a linker: there is none of {', '.join(compilers)}")
    with tempfile.TemporaryDirectory() as folder:
        source, result = Path(folder) / "code.o", Path(folder) / "code.so"
        source.write_bytes(code)
        folders = sorted({str(Path(library).parent) for library in libraries})
        paths = [f"-Wl,-rpath,{folder}" for folder in folders]
        command = [compiler, "-shared", "-o", str(result), str(source), *libraries, *paths]
        command += ["-Wl,-z,defs", "-Wl,-z,noexecstack", "-lm", "-lpthread", *(["-Wl,-z,nodelete"] if stays else [])]
        run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if run.returncode:
            raise CompileError(f"the linker failed: {_complaint(run.stderr)}")
        return result.read_bytes()


def _complaint(text: str) -> str:
    """The complaint of the linker, in one line."""
    lines = [line for line in text.splitlines() if "undefined" in line] or text.splitlines() or ["without a message"]
    return " ".join(lines[0].split())


_MAGIC = b"\x7fELF\x02\x01"  # 64 bits, little endian
_SYMBOL_TABLE = 2
_HEADER = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")


def undefined_symbols(code: bytes) -> frozenset[str]:
    """Names of the symbols that an ELF object uses and does not define; none for another format."""
    if not code.startswith(_MAGIC):
        return frozenset()
    (start,) = struct.unpack_from("<Q", code, 0x28)
    size, count = struct.unpack_from("<HH", code, 0x3A)
    headers = [_HEADER.unpack_from(code, start + k * size) for k in range(count)]
    found: set[str] = set()
    for _, kind, _, _, offset, length, link, *_ in headers:
        if kind == _SYMBOL_TABLE:
            names = headers[link][4]
            for name, _, _, section, _, _ in _SYMBOL.iter_unpack(code[offset : offset + length]):
                if section == 0 and name:
                    found.add(_string(code, names + name))
    return frozenset(found)


def _string(code: bytes, offset: int) -> str:
    return code[offset : code.index(b"\0", offset)].decode()
