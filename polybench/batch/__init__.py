"""Batches: many tasks, each in a process of its own.

Options of the command come in; rows go out, saved one at a time.

- `tasks` makes the tasks of a batch from the command line.
- `workers` runs processes that measure, and the threads that wait for them.
- `progress` shows how far a batch is.
- `batch` runs a batch, and saves its rows.
"""
