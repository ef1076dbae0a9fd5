"""Translation validation: are two functions equal, and how is that known?

Two modules come in, or a module and a term. A verdict goes out as a value: `Proved`, `Bounded`, `Tested`, `Refuted`
with a counterexample that was replayed, or `Unknown` with the reason. A verdict says what was established and no more.

- `base/` defines verdicts and counterexamples.
- `arithmetic/` is exact arithmetic: integers modulo 2^w, rationals, intervals, residues.
- `reading/` brings two functions of any dialect to loop programs over the same arguments.
- `normal_form/` brings values to sums of products over Presburger sets, and decides whether one is zero.
- `run/` runs programs in any arithmetic: counterexamples, running errors, order of operations.
- `proof/` proves equality for all sizes.
- `bounded/` proves equality for every input at small sizes.
- `field/` tests at random points of finite fields, with a bound on the chance of an error.
- `native/` runs both functions as machine code on the same floats.
- `check` orders these ways, strongest first; `raise-check` asks it. `sides_of_branches` makes a pair for each side of
  branches on numbers.
"""
