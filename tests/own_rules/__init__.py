"""Rules that a user writes in Python."""
