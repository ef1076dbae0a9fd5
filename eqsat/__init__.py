"""Better equal programs by equality saturation.

An MLIR function (any dialect, no declarations needed) and rules come in; the cheapest equal function that was found
goes out (`Optimised`), or the e-graph itself. Operations with side effects stay where they are.

- `egraph/` turns a function into terms and saturates it in a child process.
- `ruleset/` reads, checks and proves the rules of our tables.
- `lift/` brings operations into the tensor algebra, by their measured meaning.
- `chains/` treats chains of products as a whole.
- `accuracy/` finds forms of scalar expressions whose floats are nearer to the real numbers.
- `hardware/` finds smaller and faster circuits of operations on bit-vectors.
- `extents/` gives extents that are known at run time only numbers, and takes them out again.
- `extract/` prices nodes and chooses a program.
- `rebuild/` writes the chosen nodes back into the function.
- `persist/` keeps e-graphs in the IR, and draws them.
- `tensor_rules` binds the rules of the tables to the operations of one function.
- `saturate` encodes and saturates one function.
- `one_function` saturates a function and writes it back in the form that is wanted.
- `gain` does so where it makes the function cheaper, long chains first.
- `optimise` runs all of this on a module.
"""
