"""Peers that compile the loops as they are: gcc, clang, and clang with Polly."""

from __future__ import annotations

from raising.polybench.peers.c_compiler import CompilerError, compiled, compiler, version
from raising.polybench.peers.peer import Peer, Skipped, Subject
from raising.polybench.peers.timing import Program, in_place

NATIVE = ("-O3", "-march=native")
POLLY = ("-mllvm", "-polly", "-mllvm", "-polly-vectorizer=stripmine")
FLAGS = {
    "gcc-O3": ("gcc", ("-O3",)),
    "gcc-native": ("gcc", NATIVE),
    "gcc-fast": ("gcc", (*NATIVE, "-ffast-math")),
    "clang-O3": ("clang", ("-O3",)),
    "clang-native": ("clang", NATIVE),
    "clang-fast": ("clang", (*NATIVE, "-ffast-math")),
    "polly": ("clang", (*NATIVE, *POLLY)),
}
"""Name of the peer to the compiler's family and its flags."""


def compilers() -> list[Peer]:
    """One peer per compiler and set of flags."""
    return [_peer(name, family, flags) for name, (family, flags) in FLAGS.items()]


def _peer(name: str, family: str, flags: tuple[str, ...]) -> Peer:
    def told() -> str:
        return f"{version(_path(family))} {' '.join(flags)}"

    def prepare(subject: Subject) -> Program:
        if subject.source.suffix != ".c":
            raise Skipped("the source is not C")
        try:
            call = compiled(subject.source, subject.function, _path(family), flags, subject.defines)
        except CompilerError as error:
            raise Skipped(str(error)) from None
        return in_place(call, subject.values, subject.outputs)

    return Peer(name, told, prepare, threaded=False)


def _path(family: str) -> str:
    try:
        return compiler(family)
    except CompilerError as error:
        raise Skipped(str(error)) from None
