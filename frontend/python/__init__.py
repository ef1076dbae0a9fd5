"""The Python front end: loops over NumPy arrays to affine MLIR.

The text of a Python file comes in, and nothing of it is run. A `CModule` goes out, as from the C front end: a function
is translated to C's syntax with every conversion of NumPy written out, and `frontend.c` lowers that.

- `python_to_mlir` is the front end as one function, `convert`.
- `module` collects the imports, constants and functions of a file.
- `types` knows the types of numbers in Python and NumPy, and the result types of operators (NEP 50).
- `annotations` reads the types of parameters, and so the extents of arrays.
- `c_syntax` builds nodes of C's syntax.
- `typed_nodes` pairs such nodes with their types, and converts between types.
- `scopes` rewrites loops over elements to loops that count, and finds the block of each variable.
- `expressions` translates expressions.
- `calls` translates calls of functions, of math and of NumPy.
- `arrays` translates the making of arrays, by `np.zeros` and the like.
- `statements` translates statements.
"""

from raising.frontend.python.python_to_mlir import convert

__all__ = ["convert"]
