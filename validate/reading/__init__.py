"""Reading for comparison: any function becomes a loop program, and two functions become a `Pair`.

The text of a module in any target's dialect comes in. A `Side` goes out (the program and what was assumed), and of two
sides a `Pair` over the same arguments, with equal names for equal sizes.

- `bufferised` lowers tensors and structured operations to loops over memory.
- `if_to_select` replaces a target's branches by selections.
- `while_to_for` replaces a target's loops by `scf.for`.
- `indirect_loads` computes subscripts where they are read, in place of tensors of subscripts.
- `index_arithmetic` reads integer arithmetic on positions as affine forms, and names products and quotients of sizes.
- `value_ranges` drops clamps and comparisons that positions do not need.
- `memory_use` finds uses of freed memory, and the extents that casts assume.
- `structured_operations` checks parallel iterations, and says which extents operations take for equal.
- `renaming` renames the values and sizes of a program.
- `same_text` sees that two programs are the same but for names.
- `shared_variables` puts the variables of two modules at the same positions, and makes one input of what both sides
  read at the same positions that are data.
- `reading` reads one side.
- `pair` reads two functions as a pair.
- `overlap_tests` does so where the target tests whether its arguments overlap.
"""
