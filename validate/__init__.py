"""Are two programs equal? Checks, counterexamples and verdicts."""
