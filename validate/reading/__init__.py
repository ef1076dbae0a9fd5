"""Reading for comparison: any function becomes a loop program, and two functions become a `Pair`.

The text of a module in any target's dialect comes in. A `Side` goes out (the program and what was assumed), and of two
sides a `Pair` over the same arguments, with equal names for equal sizes.

- `bufferised` lowers tensors and structured operations to loops over memory.
- `target_control_flow` replaces a target's loops by `scf.for`, and its branches by selections.
- `upstream_text` takes a module of a target's dialect to upstream's dialects.
- `indirect_loads` computes subscripts where they are read, in place of tensors of subscripts.
- `index_arithmetic` reads integer arithmetic on positions as affine forms, and names products and quotients of sizes.
- `value_ranges` drops clamps and comparisons that positions do not need.
- `memory_use` finds uses of freed memory, and the extents that casts assume.
- `structured_operations` checks parallel iterations, and says which extents operations take for equal.
- `same_text` sees that two programs are the same but for names.
- `shared_variables` puts the variables of two modules at the same positions, and makes one input of what both sides
  read at the same positions that are data.
- `function_body` reads the body of a function, and `reading` one side with it.
- `pair` reads two functions as a pair.
- `overlap_tests` does so where the target tests whether its arguments overlap.
"""
