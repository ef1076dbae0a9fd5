"""The reader of MLIR: functions on memory become loop programs.

MLIR text or bytecode comes in. A `Source` goes out, with each `Function` as a list of items, and `Segment`s: runs of
loop nests that are one `Program` each. Operations of the module are not changed; the programs refer to them.

- `variables` turns variables of a module into arguments of the functions that use them.
- `attributes` turns affine maps, integer sets, locations and constants into our own values.
- `loop_nest` reads loops, conditions and accesses into nodes of a `Program` (`NestReader`).
- `gathers` reads loads at positions that are data.
- `flat_rows` finds rows in memory of one dimension, such as `a[i * m + j]`.
- `other_loops` reads parallel loops, with what they reduce, and `scf.while` loops that count.
- `branches_on_data` makes selections of branches whose sides may both be evaluated.
- `plain_scalars` names scalar operations by what they are, where a type or a constant makes them another one,
  and keeps questions for NaN and infinities apart from comparisons of numbers.
- `memory_views` reads parts of memory and other shapes of it.
- `ops` reads single operations, by a table of their names.
- `parse_module` makes a verified module of text.
- `reader` sorts the operations of each function into items.
- `booleans` turns stored truth values into numbers.
- `segments` joins neighbouring nests, and operations between them that depend on them, to one program.
"""
