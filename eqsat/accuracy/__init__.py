"""More accurate forms of scalar functions (`raise-opt --accuracy`).

A function of floats comes in; out goes the form whose results are nearest to those of real arithmetic on floats of a
stated range, with the error of both measured. The way is Herbie's (Panchekha, Sanchez-Stern, Wilcox and Tatlock, PLDI
2015) with an e-graph in place of rewriting: identities over the reals saturate it, and of each class the members are
kept whose floats are nearest to the class's value as balls tell it.

- `real_ops` has the operations: as floats, as balls, as operations of MLIR.
- `floats` samples floats, and measures errors in bits.
- `enclose` computes true values by ball arithmetic.
- `identities` reads the rules (`identities.toml`).
- `rational` brings expressions to one fraction of polynomials, factored.
- `series` has the Taylor forms at zero.
- `members` keeps the most accurate members of each class of an e-graph.
- `piecewise` branches on one variable where two forms are best in different regions.
- `improve` does all of this for one expression.
- `scalar_functions` reads functions of a module, and writes them again.
"""
