"""The options of compiling a module."""

from __future__ import annotations

from raising.native.base.target import NATIVE, check_triple
from raising.native.base.unsupported import CompileError
from raising.support.record import dataclass

BACKENDS = ("mlir", "blas", "xla", "auto")
FP = ("strict", "reassoc", "fast")


@dataclass(frozen=True)
class CompileOptions:
    """Choices for one module.

    `fp`: `strict` computes what IEEE arithmetic gives in the module's own order;
    `reassoc` may add sums in another order and join a product with a sum;
    `fast` takes values to be finite, besides. Empty, it is `strict` if a function of the module says
    so (`raise.fp`), else `reassoc`. `blas_lib` is the path of a
    library with the C interface of BLAS. With `cache`, code that an earlier process
    made of the same text is used. `unchecked` lets Python call functions of which it is not known what they access.
    `triple` is another machine, as in `aarch64-linux-gnu`; empty: this one.
    """

    backend: str = "mlir"
    cpu: str = NATIVE
    threads: int = 1
    fp: str = ""
    blas_lib: str | None = None
    cache: bool = True
    unchecked: bool = False
    triple: str = ""

    def __post_init__(self) -> None:
        if self.backend not in BACKENDS:
            raise CompileError(f"unknown back end '{self.backend}' (known: {', '.join(BACKENDS)})")
        if self.fp and self.fp not in FP:
            raise CompileError(f"unknown arithmetic '{self.fp}' (known: {', '.join(FP)})")
        check_triple(self.triple)
        if self.triple and self.backend != "mlir":
            raise CompileError(f"the back end {self.backend} is for this machine, not for '{self.triple}'")
