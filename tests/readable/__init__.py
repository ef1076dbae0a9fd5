"""Raised modules as readable Python: run, and compared with the loops."""
