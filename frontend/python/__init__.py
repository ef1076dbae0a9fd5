"""The Python front end: loops over NumPy arrays to affine MLIR.

The text of a Python file comes in, and nothing of it is run. A `SourceModule` goes out, as from the C front end: a
function is read into the core with every conversion of NumPy written out, and lowered as one of C is.

- `python_to_mlir` is the front end as one function, `convert`, and `read_python` its first half, text to core.
- `module` collects the imports, constants and functions of a file.
- `types` knows the types of numbers in Python and NumPy, and the result types of operators (NEP 50).
- `annotations` reads the types of parameters, and so the extents of arrays.
- `typed_nodes` pairs expressions of the core with their types, and converts between types.
- `checked_accesses` makes functions that are compiled as they are written look at each access.
- `emission` collects statements, and keeps values that later ones change.
- `variables/` rewrites loops over elements to loops that count, and finds the block of each variable.
- `expressions` translates expressions.
- `calls` translates calls of functions, of math and of NumPy.
- `arrays` translates the making of arrays, by `np.zeros` and the like.
- `inner_functions/` makes functions of the file of comprehensions and of what is defined inside of functions.
- `numpy_library/` defines functions of NumPy's by others.
- `whole_arrays/` translates slices, whole arrays, reductions and products.
- `loops_and_branches` translates loops and branches, `returned_values` what is returned, `statements` all other
  statements.
"""

from raising.frontend.python.python_to_mlir import convert

__all__ = ["convert"]
