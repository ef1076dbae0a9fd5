"""The C front end: static-control C to affine MLIR.

C text and `COptions` (include folders, definitions, one function's name) come in. A `CModule` goes out: MLIR text, the
signatures of its functions, what was refused, what is assumed because C does not promise it, and, for `--guard`, a
run-time test and a fallback for each function.

- `c_to_mlir` is the front end as one function, `convert`: it runs the rooms below in this order.
- `ir/` defines the typed program between C and MLIR, and the options and results of the front end.
- `clang/` is libclang as the reader sees it, and `read/` reads its cursors into the core.
- `from_core/` lowers a function of the core to a typed program, with what is `known/` of its values.
- `typed_program` does so with every pass, for all languages.
- `parts/` makes functions of parts of functions that stay in C, and says what becomes of each loop.
- `passes/` rewrites typed programs: delinearisation, if-conversion, promotion of cells to values.
- `emit/` writes a typed program as MLIR text.
"""

from raising.frontend.c.c_to_mlir import convert
from raising.frontend.c.ir.module import CFunction, CLoop, CModule, COptions, CParam, CRemark

__all__ = ["CFunction", "CLoop", "CModule", "COptions", "CParam", "CRemark", "convert"]
