"""The boundary of compiled functions: what C and Python see of them.

A `Signature` and a function on memrefs come in; entry functions in LLVM's dialect and a C header go out.

- `size_bounds` expresses the sizes of temporaries over a function's arguments.
- `workspace` turns temporaries into arguments.
- `overlap_fallback` gives what runs where a run-time test fails a function of its own.
- `entry_lines` writes the lines of the entry functions.
- `c_entry` writes the function that C calls.
- `record_arguments` finds parameters in structs that C passes.
- `python_entry` writes the function that Python calls.
- `header` writes the C header.
"""
