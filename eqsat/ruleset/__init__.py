"""The rules of our tables (`rules/*.toml`): read, checked, proved, and written for the engine.

Tables come in. `Rule`s go out, each checked at every small shape and proved where z3 can, and a program of egglog.

- `expression` parses the expressions of the tables.
- `algebra` defines the tensor algebra: its operations and the shapes of their results.
- `evaluate` computes expressions on small arrays.
- `table` reads tables (`Rule`).
- `rule_sets` joins rules that users wrote, and puts them in sequence (`RuleSet`).
- `z3_proof` proves a rule at bounded shapes.
- `rule_check` runs both sides of a rule at every small shape.
- `to_egglog` writes rules for the engine.
- `book` keeps the record of checks.
"""
