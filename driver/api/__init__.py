"""What callers give and get: values without behaviour.

- `options` defines `RaiseOptions` and the names that its fields can have.
- `result` defines `RaiseResult`, `FunctionReport` and `Remark`.
- `jax_function` makes a function of JAX of a result.
"""
