"""One measurement: from a task to a row.

A `Job` comes in; a row goes out with the times, the agreement and the texts of our programs and of all peers.

- `subjects` reads what a task is about, and makes its inputs.
- `raised` raises the function, checks and optimises it.
- `ours` compiles our programs.
- `references` runs the loops as the reference.
- `agreement` says what counts as the same result.
- `kernel_work` counts the arithmetic and bytes of loops.
- `roofline` measures what the machine can do at most.
- `comparison` checks and times programs side by side.
- `trial` runs a program on XLA once, where it can be ended.
- `bench_worker` makes the row, in a process of its own.
"""
