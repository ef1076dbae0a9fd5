"""Tasks and records: what is to be measured, and the file of what was.

- `task` defines `Task` and `Job`.
- `records` reads and writes the file of a batch (`Record`), a row at a time.
"""
