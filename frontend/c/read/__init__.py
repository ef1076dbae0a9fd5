"""C into the core: libclang's cursors become types, expressions, statements and a unit.

A file as text with the flags of a compiler comes in, a `Unit` of the core goes out. What cannot be read is a `Refused`
statement, the smallest one around it.

- `file_reader` reads a parsed file.
- `clang_types` gives the core's types and the layouts of records.
- `reader_state` is the state of reading a function, with the tables of readers by kind of cursor.
- `operators`, `by_reference`, `complex_numbers`, `conversions`, `assignments`, `function_calls` and `initialisers` read
  expressions.
- `local_variables`, `array_extents`, `switches` and `c_statements` read statements.
"""
