"""Transformations of loop programs: each file turns a `Program` into an equal one.

They take away what a programmer or a compiler put into the loops (tiles, flat arrays, remainders, scattered sums), so
that the search sees the plain loops. Only the order of sums changes, and the files that change it say so.

- `untile` takes loops over tiles away, where those iterations that touch one element keep their order.
- `store_forwarding` puts what a local array holds where single elements or copies of it are read.
- `partial_sums` takes the sums of tiles as part of the sum that they are added to.
- `reroll` rolls unrolled loops up, and joins them with the loop over what remains.
- `loop_shifting` lets loops count from where they read, which takes outer loops out of subscripts.
- `scatter_to_gather` turns sums that are scattered into loops over the elements that are written.
- `turns` takes loops apart where conditions inside begin or cease to cut other loops.
- `periodic_halo` copies an array that is read periodically together with its border.
- `strip_mine` cuts loops into strips, or runs them over quotients, so that quotients become loop variables.
- `delays` makes an array of a cell that holds what an earlier iteration computed.
- `kept_places` turns conditional stores of iteration numbers into reductions (find-last, argmax).
- `array_reshape` views flat arrays with as many dimensions as their subscripts have digits.
"""
