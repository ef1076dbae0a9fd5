"""The parameters of the loops: those of the source, and those that its structs and variables of the file become.

A `State` whose function is not lowered yet comes in; `Parameter`s go out, with what has to be assumed of their memory.

- `record_parameters` makes a parameter of each used field of a struct, and says how a caller finds them (`arguments`).
- `function_parameters` makes the parameters of a function in the order of the source.
- `needed_parameters` leaves out fields that nothing uses, and says which integers only conditions ask for.
- `overlaps` assumes that pointers do not overlap where nothing says so.
"""
