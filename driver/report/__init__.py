"""What there is to say about a result: a `RaiseResult` in, remarks and statistics out.

- `source_names` recalls the names of values in the source, which MLIR forgets.
- `report` writes verdicts, counts, explanations and the numbers of `--stats`.
- `loop_fates` says what became of each loop of a C file.
- `tested` puts guards into a result, and takes what they test out of its verdicts.
"""
