"""Fast code for tensor programs (a later stage)."""
