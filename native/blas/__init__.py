"""Contractions as calls of BLAS (`--backend blas` and `auto`).

A module of linalg operations on memory comes in; those that one routine of BLAS computes become calls of it.

- `library` finds a library with BLAS's C interface.
- `recognise_routine` finds which routine a contraction is.
- `emit_calls` writes the call, with tests before and work around it.
- `call_site` reads a contraction and replaces it.
- `blas` runs this over a module.
"""
