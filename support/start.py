"""Where the commands start: until one of them says otherwise, Ctrl-C ends it as it ends any other program.

As Python has it, Ctrl-C raises an exception wherever the program is. In the middle of an import that is a page of
text, or a crash, because some libraries do not expect it. Only `signal` is imported before that is changed.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from importlib import import_module


def _command(module: str) -> Callable[[], int]:
    """The function that a script calls: it runs the command of a module, named because it lies above this room."""

    def run() -> int:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        status: int | None = import_module("raising.commands.served").status(module)
        return status if status is not None else int(import_module(module).main())

    return run


raise_ = _command("raising.commands.raise_command")
raise_bench = _command("raising.polybench.bench_command")
raise_cc = _command("raising.cc.cc_command")
raise_check = _command("raising.commands.check_command")
raise_compile = _command("raising.commands.compile_command")
raise_explore = _command("raising.explore.explore_command")
raise_grammar = _command("raising.grammar.grammar_command")
raise_opt = _command("raising.commands.opt_command")
