"""Loop nests: linalg operations on memory as values with affine accesses, and the text that replaces them.

A block of an MLIR function comes in; `Item`s go out, each a `Nest` (dimensions, accesses, scalar operations) or
`Effects`. Schedules are made from nests alone, and come back as kernels: private functions with a call.

- `nest` defines nests.
- `read_views` traces index values and views of memrefs.
- `read_nests` reads the operations of a block.
- `active` narrows loops to the points at which a nest does something.
- `clamps` puts the bounds of a value one after the other.
- `dependence` computes distances between accesses.
- `fragment` defines elementwise expressions over a nest's dimensions.
- `fragment_algebra` takes them apart and puts them together.
- `dataflow` finds which item reads what another one wrote.
- `mlir_builder` writes the text of a function: lines, loops that carry values, and constants in front.
- `index_formulas` reads formulas of indices, `min(%a + 1, 8)`, each sign of which becomes an operation.
- `folded_lines` adds index arithmetic and branches that are computed at once where their operands are known.
- `loop_blocks` cuts a loop into blocks of iterations, with a part of each sum for each.
- `kernel_call` puts a kernel in place of operations.
"""
