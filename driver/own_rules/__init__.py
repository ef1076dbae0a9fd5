"""`raising.rule`: rules of rewriting, written as functions of Python and checked by machine.

A function that returns both sides comes in; a `RuleSet` goes out, of one rule that was checked, or an error with a
counterexample. The function is read and never run.

- `rule_syntax` reads both sides and the conditions.
- `real_points` compares both sides at points of the real numbers.
- `rule` is the decorator.
"""
