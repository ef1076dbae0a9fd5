"""Goal-directed completion: a `Goal` and the store of enumerated values come in; terms that meet the goal go out.

- `goal` defines goals and the views of stored values in a goal's shape.
- `solve_operand` solves contractions for an unknown operand.
- `backward` splits a goal where an operation can be inverted, and looks up the missing operand.
- `composite` writes a statement as one structured operation, where all else found nothing.
"""
