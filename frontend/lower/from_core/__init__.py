"""Lowering: a function of the core becomes a typed program.

A `Function` of the core and its `Unit` come in; a `Function` of `frontend.lower.ir.nodes` goes out, or `Refused`.
Integers are followed as polynomials over loop variables and sizes for as long as that is possible; an integer variable
for which it is not gets a memory of its own, and lowering starts again. Every file is functions over a `State` of
`frontend.lower.known`, in tables by the class of a node.

- `values_of` gives the values of expressions: literals, operators, conversions, pointers, functions.
- `conditions` makes domains of conditions over sizes, and truth values of others; it branches on both.
- `named_variables` says what names mean, reads and writes them, and declares.
- `complex_values` has complex numbers as pairs.
- `record_fields` says what a field of a struct is, and `record_variables` makes variables of those of a local struct.
- `parameters/` makes the parameters of the loops.
- `statement_order` runs statements; what follows a branch that leaves goes into its other side.
- `loops_that_count` puts counters in closed form and makes a bound of a loop's condition.
- `unrolled_loops` unrolls loops of a few known iterations where they are read no other way.
- `inlining` inlines calls, and `whole_memory` makes loops of `memset` and its like.
- `function_to_typed` lowers a whole function (`lower`), or as it is written, with nothing assumed (`original`).
- `file_variables` says which of the file's variables a module can have, and writes them, with the contents that
  `initial_bytes` computes.
"""
