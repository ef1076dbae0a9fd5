"""Transformations of loop programs: each file turns a `Program` into an equal one.

They take away what a programmer or a compiler put into the loops (tiles, flat arrays, remainders, scattered sums), so
that the search sees the plain loops. Only the order of sums changes, and the files that change it say so.

- `untile` takes loops over tiles away, where those iterations that touch one element keep their order.
- `packed_copies` reads what a local array is a copy of.
- `partial_sums` takes the sums of tiles as part of the sum that they are added to.
- `reroll` rolls unrolled loops up, and joins them with the loop over what remains.
- `size_classes` finds which constants are one size, because loops tie them together.
- `symbolic_sizes` replaces constant sizes by symbols, so that one result holds for all sizes.
- `quotient_sizes` gives loops steps of 1, and makes sizes of quotients of sizes.
- `scatter_to_gather` turns sums that are scattered into loops over the elements that are written.
- `turns` takes loops apart where conditions inside begin or cease to cut other loops.
- `periodic_halo` copies an array that is read periodically together with its border.
- `strip_mine` cuts loops into strips, or runs them over quotients, so that quotients become loop variables.
- `delays` makes an array of a cell that holds what an earlier iteration computed.
- `kept_places` turns conditional stores of iteration numbers into reductions (find-last, argmax).
- `array_reshape` views flat arrays with as many dimensions as their subscripts have digits.
"""
