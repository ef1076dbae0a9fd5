"""The values that all rooms of the back end share.

- `compile_options` defines `CompileOptions`.
- `target` defines `Target`, the machine that code is made for.
- `signature` defines a function's `Signature`, as C and NumPy see it; `read_signature` reads it from a module.
- `effects` finds the arrays that a call may change.
- `unsupported` defines the errors of compiling and calling.
"""
