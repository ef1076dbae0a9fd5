"""What stands inside of a function, or is known where it is called, as functions of the file of their own.

The syntax of a function comes in, and goes out with calls in the places of what is a function now; those that are made
are in `Module.functions`, and are read and inlined as any other.

- `made_functions` gives such a function a name, and finds the variables around it that it reads.
- `nested_functions` takes definitions and lambdas out of a function.
- `comprehensions` makes loops of comprehensions and of what `sum`, `max` and the like go through.
- `named_tuples` gives each part of a tuple a name.
- `returned_arguments` puts the argument that a function returns in the place of its call.
- `known_arguments` puts None, texts, functions and default values into the functions that are called with them.
"""
