"""C text to syntax: preprocessing and parsing.

The text of a file and `COptions` come in; a `Unit` goes out: typedefs, enumerators, globals and function definitions
in pycparser's syntax.

- `preprocess` runs the machine's compiler, or pcpp, with our own headers (`include/`).
- `pcpp_run` is the process in which pcpp runs.
- `parse` makes tokens and syntax of preprocessed text.
- `switch` turns a `switch` without fall-through into a chain of `if`.
"""
