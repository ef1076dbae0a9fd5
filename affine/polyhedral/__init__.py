"""The polyhedral view of a program: sets and maps of isl, and what follows from its dependences.

A `Program` comes in. A `Scop` goes out, and from it a `Distribution` into parts, an expanded `Scop`, or the loops of a
recurrence that have to run in sequence (`Kept`).

- `scop` gives domains, access relations, the schedule and the exact value-based flow of a program.
- `chambers` cuts the parameters into regions in which a program behaves alike, with a point in each.
- `running_sizes` gives points at which all of a program runs.
- `expansion` splits local memories by live ranges and expands privatisable ones by the loops that reuse them.
- `counted_steps` counts the steps of integer-set operations, as a budget that no clock has a part in.
- `slice` cuts a part of a program out as a program of its own, and leaves out what never runs.
- `distribution` splits a program into its smallest independent parts over versions of its arrays.
- `bounding_box` describes a set of elements by symbolic bounds along each dimension.
- `independence` tells whether iterations of parallel loops meet in an element.
- `select_reductions` reads selections such as `x > m ? x : m` as accumulations.
- `loop_reconstruction` writes a program anew with one sequential loop around all of it.
- `sequential_loops` decides by dependences which loop of a recurrence has to stay.
- `index_set_splitting` splits a statement by where the values that it reads come from.
"""
