"""`python -m tests.kernels`: write every kernel's `.mlir` at LARGE sizes."""

from tests.kernels import EVERY, FOLDER, committed

for name in EVERY:
    (FOLDER / f"{name}.mlir").write_text(committed(name))
