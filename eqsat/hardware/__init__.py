"""Better circuits (`raise-opt --cost area`, `delay` or `area-delay`).

A module of CIRCT's `hw` with operations of `comb` comes in; out goes an equal one with fewer gates, fewer levels of
gates or a smaller product of both, by a model. Equality saturation over bit-vectors finds it; algebra modulo 2^w and z3
prove it.

- `circuit` has circuits as nets, and what each operation means to z3 and as a number.
- `read` reads the modules of a text.
- `write` writes a circuit in place of what a module had.
- `bit_rules` reads the rules (`rules.toml`), and writes them for the engine.
- `costs` models gates and levels by width.
- `choose` finds the best circuit of an e-graph.
- `better_circuit` does all of this for one circuit.
- `modular_algebra` brings circuits to polynomials.
- `prove` shows two circuits equal.
"""
