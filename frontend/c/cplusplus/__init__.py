"""C++ as far as it is C: what its cursors have beside those of C, into the core.

Importing `object_calls` and `range_loops` fills the tables of `frontend/c/read`, which reads everything else.

- `containers` says what `std::vector`, `std::array` and `std::span` are in memory: a pointer and a number of elements.
- `object_calls` reads calls of members, constructors, operators and functions of the library, and C++'s casts.
- `range_loops` reads `for (T x : range)`.
"""
