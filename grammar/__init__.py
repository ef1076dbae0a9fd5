"""The grammar of a target: what its operations can say, what they mean, and how terms become text of the target.

Definitions of a dialect (TableGen, generated bindings, IRDL, xDSL, or a user's files) and its own lowering come in. A
`Grammar` of productions with measured meanings goes out, as JSON in `data/` or in the cache; and, for a `Term` that
the search found, the operations that spell it. `targets/*.toml` says where a dialect is defined and how it is lowered.
No operation of a target is known by name; `terms/scalar_ops.py` is the one table of knowledge written by hand.

- `terms/` defines tensor terms, structured operations and the meaning of scalar operations.
- `field/` is arithmetic modulo 2^61 - 1 on arrays.
- `dialects/` reads definitions of dialects and loads grammars.
- `evaluate/` computes terms and loop programs at sample points.
- `measure/` verifies, lowers and traces one instance of an operation.
- `probe/` asks for everything that each operation can say.
- `crosscheck/` compares what was measured with an independent executor.
- `select/` picks the operation that says a term, and rewrites terms that none says.
- `emit/` writes terms as MLIR text.
- `regenerate` writes the committed grammars anew.
- `open_target` opens a target by name or by the path of a `.toml` file.
- `dump` writes grammars as JSON with readable differences.
- `show` writes grammars as text to read.
- `grammar_command` is `raise-grammar`.
"""
