"""Parts of functions: where a function stays in C, the loops of it that can be read become functions of their own.

A function of the core comes in; `Part`s go out, each with the function of the core that does the same, and what
becomes of every loop of the file.

- `outlining` makes functions of parts, over what they read and write; `array_lengths` says their types.
- `passed_variables` says how the variables around a part are passed, and `possible_writes` which may change meanwhile.
- `held_pointers` finds pointers in memory that stay the same while a part runs.
- `parts_of_functions` looks for the largest parts that can be read, beside those that `#pragma scop` marks.
- `loops_of_file` says what becomes of each loop.
"""
