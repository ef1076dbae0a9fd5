"""`python -m tests.kernels`: write every kernel's `.mlir` at LARGE sizes."""

from tests.kernels import FOLDER, committed
from tests.kernels.sources import SOURCES

for name in SOURCES:
    (FOLDER / f"{name}.mlir").write_text(committed(name))
