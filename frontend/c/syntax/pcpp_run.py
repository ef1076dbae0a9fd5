"""Runs pcpp as a process of its own: `pcpp_run.py FILENAME -Ifolder… -Dname=value…`, text on standard input."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from pathlib import Path

from pcpp import Preprocessor


def main(arguments: Sequence[str]) -> int:
    """Preprocess standard input to standard output; the exit status is 1 after an error."""
    filename, *flags = arguments
    tool = Preprocessor()
    tool.line_directive = "#"
    tool.add_path(str(Path(filename).parent))
    for flag in flags:
        if flag.startswith("-I"):
            tool.add_path(flag[2:])
        elif flag.startswith("-D"):
            name, _, value = flag[2:].partition("=")
            tool.define(f"{name} {value if '=' in flag else '1'}")
    # The line marker on the first line is for a compiler; here the name is told.
    tool.parse(sys.stdin.read().partition("\n")[2], filename)
    output = io.StringIO()
    tool.write(output)
    sys.stdout.write(output.getvalue())
    return 1 if tool.return_code else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
