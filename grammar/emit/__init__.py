"""Terms as MLIR text: instruction selection has been done, here the operations are written.

Terms and a `Speller` come in; text of operations goes out, each distinct node once, operands first, readers of a
tensor before the operation that may overwrite it.

- `guarded_choices` writes a choice as a branch, where a side would read outside of an array at other sizes.
- `carried_loops` fills the target's template of a sequential loop over tensors.
- `mask_fusion` computes masks and comparisons inside of the operation that selects by them.
- `operation_lines` collects lines, each distinct operation once; both builders are such lines.
- `term_builder` writes operations with destinations (`Builder`).
- `value_targets` writes operations of tensor values alone (`PureBuilder`).
"""
