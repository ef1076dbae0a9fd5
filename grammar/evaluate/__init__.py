"""Values of terms and of loop programs at sample points: the goal of the search, and the test of what it finds.

A `Term` or a `Program`, sizes and random inputs come in; arrays of `Num` (a residue mod p beside a float) go out.

- `number` computes with arrays of residues and floats side by side, and `point_number` with single ones.
- `extents` finds how large an open array has to be for a program.
- `position_values` tells whether sizes show what is computed of loop variables and sizes alone.
- `size_candidates` lists sizes that are worth trying.
- `size_vectors` chooses small sizes at which a program shows everything it does.
- `regions` chooses sizes in every region in which loops behave differently.
- `sample` runs a program on random inputs (`Sample`).
- `evaluator` evaluates terms, thousands of candidates at once.
- `on_floats` computes structured operations on plain floats, to compare with an executor.
"""
