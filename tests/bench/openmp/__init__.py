"""Everyday functions on several threads, beside the same loops in C with OpenMP's pragmas, written by hand."""
