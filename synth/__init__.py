"""The search: specifications, enumeration, goal-directed completion, cost."""
