"""Loops whose iterations need one another: time loops, recurrences, scans.

A loop that has to run in sequence and the nests in it come in; code goes out that still keeps vectors, caches and
threads busy.

- `outer_vectorise` vectorises across independent lines of a recurrence.
- `row_terms` finds what a recurrence may compute along lines that are rows, before it is transposed.
- `line_solvers` lets each line go through two such loops before the next one begins.
- `mirrored_updates` updates a row from its own mirror image in place, from both ends.
- `carried_products` fuses products with sums where the next iteration waits for both.
- `recurrence_plan` finds linear recurrences, of elements before and of scalars that are carried.
- `extremum_states` finds states that are the larger of two numbers, as in tables of dynamic programming.
- `extremum_emit` writes their code on vectors.
- `recurrence_emit` writes their code on vectors.
- `wavefront` runs several repetitions of a sweep in place at once, as lines or as scans.
- `register_pipeline_plan` plans several iterations of a loop over vectors in one sweep.
- `register_pipeline_emit` writes the code of such plans.
- `time_skewing` runs several iterations of a time loop in one sweep over the rows.
- `time_loop` picks one of these for a time loop.
"""
