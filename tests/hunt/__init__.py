"""A hunter for wrong results: random functions through every stage, beside another implementation."""
