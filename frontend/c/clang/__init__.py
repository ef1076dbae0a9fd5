"""libclang as the reader of C sees it.

- `libclang` binds the library through ctypes.
- `translation_unit` is a parsed file with its diagnostics and places; `bounded_parse` limits what parsing may take.
- `cursor` is one of its cursors, and `cursor_kinds` names the numbers of their kinds.
- `compile_flags` takes from a command line, or a compilation database, what decides the meaning of a file.
- `files_read` says what the meaning of a file hangs on besides its text.
- `for_headers`, `string_literals` and `scop_marks` find what clang's interface leaves out.
"""
