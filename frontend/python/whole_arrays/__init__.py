"""Whole arrays: slices, broadcasting, elementwise functions, reductions and products, as loops of the core.

Syntax of Python comes in, statements of the core go out. An array expression is never made as such: its shape is found
first, then each of its elements is translated as an expression of numbers, inside of loops over the shape. Products,
reductions and calls in it are made before the loops, in arrays or variables of their own.

- `indexing/` finds shapes by the rules of broadcasting, and parts of arrays that subscripts name.
- `array_elements` translates elements.
- `temporaries` makes arrays that the source does not have, and loops over shapes.
- `masked` finds what masks select in reductions.
- `folds` makes reductions and products of matrices, before the loops that use them.
- `reordered` finds parts that `transpose`, `flip` and `swapaxes` name.
- `rearranged` makes what NumPy's functions make of arrays: rolled, joined, padded, summed up.
- `constructed` makes arrays of numbers: filled, ranges, diagonals, triangles.
- `picked` makes arrays of the elements that arrays of integers name.
- `padded` puts elements around arrays, and copies side by side.
- `second_names` puts parts of arrays in the places of their names, and gives new arrays names of their own;
  `owned_copies` copies arrays so that each name is one array, and `written_memory` says what a function may write.
- `call_arguments` makes arguments of calls, and finds their types for functions without annotations.
- `stores` assigns arrays to arrays, with NumPy's rule for those that overlap.
"""
