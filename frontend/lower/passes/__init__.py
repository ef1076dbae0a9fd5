"""Passes over typed programs, from `Function` to `Function`.

- `delinearise` gives flat arrays the shape that their subscripts imply.
- `flat_loops` makes loops over rows and columns of loops over all elements of a flat array.
- `stored_positions` stores positions that are computed, so that loads are at positions that arrays hold;
  `position_loops` makes the loops that compute them once more.
- `exact_quotients` takes quotients of sizes to leave no remainder, where rows are made of such pieces.
- `small_arrays` makes variables of the elements of small local arrays.
- `if_conversion` turns branches on data into selections where both sides may be evaluated.
- `known_choices` takes choices away of which both sides are the same.
- `unswitching` puts branches on what no iteration changes in front of their loops.
- `touched_memory` says which memory is accessed whenever a block runs.
- `first_elements` assumes of memory behind pointers that it is not used in front of where they point.
- `places_of_fields` passes the addresses of fields that are assumed not to change, for the test of that.
- `unsigned_sizes` assumes of sizes of 64 bits without sign that an index holds them, where memory does not say so.
- `mem2reg` turns cells back into values and drops what nobody uses.
"""
