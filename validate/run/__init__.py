"""Runs of loop programs: in exact arithmetic, in floats with error bounds, and as trees of operations.

A `Pair` of programs and input values come in; counterexamples, rounding evidence or "same operations" go out.

- `run` runs a program, or both of a pair, at given sizes in any arithmetic.
- `integer_spans` says between which numbers integers stay.
- `preconditions` says on which numbers divisions, shifts and conversions are defined.
- `promised` leaves results without a value that break what a flag of the source promises.
- `narrow_sums` looks for sums that wrap around in one program only, after many steps.
- `telling_inputs` draws inputs on which two programs may differ.
- `sizes_to_run` chooses sizes for that.
- `replay` runs a suspected counterexample exactly.
- `running_error` runs both programs in floats, with a bound beside each.
- `strict_operations` compares trees of floating-point operations.
- `strict_integers` takes integers in them for sums, whose order does not matter.
- `strict` decides whether two programs round alike, for `--strict-fp`.
- `of_proof` says what a proof leaves to say of integers that wrap and of floats that round.
"""
