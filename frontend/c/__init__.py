"""The C front end: static-control C to affine MLIR.

C text and `COptions` (include folders, definitions, one function's name) come in. A `SourceModule` goes out: MLIR text,
the signatures of its functions, what was refused, what is assumed because C does not promise it, and, for `--guard`, a
run-time test and a fallback for each function.

- `c_to_mlir` is the front end as one function, `convert`: it reads the file, and has `frontend/lower` do the rest.
- `read_function` makes a function of the module of one of C's, with the test of its assumptions, and `read_parts` of
  the loops of one that stays in C.
- `found_functions` collects them, with the variables that they use and what is said of the others.
- `c_options` defines `COptions`.
- `read_c` is the reader as one function: text to core.
- `clang/` is libclang as the reader sees it. `read/` reads its cursors into the core, and `cplusplus/` those that only
  C++ has.
- `parts/` makes functions of parts of functions that stay in C, and says what becomes of each loop.
"""

from raising.frontend.c.c_options import COptions
from raising.frontend.c.c_to_mlir import convert
from raising.frontend.lower.ir.module import SourceFunction, SourceLoop, SourceModule, SourceParameter, SourceRemark

__all__ = ["COptions", "SourceFunction", "SourceLoop", "SourceModule", "SourceParameter", "SourceRemark", "convert"]
