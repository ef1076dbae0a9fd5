"""How a C file is read."""

from __future__ import annotations

from raising.support.record import dataclass


@dataclass(frozen=True)
class COptions:
    """The flags of a compiler (`-I`, `-D NAME` or `NAME=VALUE`), and the one function to take (None: all).

    `flags` are further ones of a compiler's command line, each value in an argument of its own or behind its flag;
    `compile_commands` is a compilation database in which the file's own flags are found, which come first.
    `language` is `c` or `c++`. With `guard`, the module has tests of what is assumed, and the loops as C has them, if
    there is to be a `fallback`; else it is joined with what the compiler makes of the file, and shares its static
    variables. With `whole`, functions outside of the subset are written as C has them, as far as that can be said.
    Reading a function may take the `share` of the steps that it may take at most.
    """

    include_dirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    function: str | None = None
    guard: bool = False
    fallback: bool = True
    whole: bool = False
    share: float = 1.0
    flags: tuple[str, ...] = ()
    compile_commands: str | None = None
    language: str = "c"
