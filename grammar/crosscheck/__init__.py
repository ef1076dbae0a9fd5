"""The measured meaning of operations against executors that do not use the target's lowering.

`Job`s (an instance and what was read of it) come in; for each, nothing goes out if all executions on random input agree
with what was read, else the reason.

- `crosscheck` fills an instance, runs it, and computes its meaning on the same floats.
- `destination_style` writes an instance so that it stores its result into an argument.
- `execution_engine` compiles an instance, for dialects that have no interpreter.
"""
