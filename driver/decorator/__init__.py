"""`raising.jit` and `raising.vectorize`: decorators that raise and compile a function for the arguments of its calls.

A Python function comes in; an object goes out that is called in its place. Nothing heavy is imported before its first
call, and nothing that compiles where the code lies on disk.

- `sources` collects the syntax of a function and of what it calls, with the values of names from outside of it.
- `call_types` says what the arguments of a call are, and makes arrays of what is none.
- `build_code` reads, raises, optimises and compiles a function for types of arguments, in a child process.
- `size_forms` evaluates extents of results, and what is assumed of sizes.
- `specialisation` is code for some types: it tells whether a call fits, and calls it.
- `decorated` has what both decorators have; `jitted` is the decorator of functions of whole arrays.
- `element_loops` makes loops over arrays of a function of numbers; `vectorised` is the decorator.
- `stored` keeps code on disk; `settings` are the options.
- `inspection` shows what was made of a function.
"""
