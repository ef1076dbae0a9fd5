"""Basic indexing and broadcasting: which part of an array an expression names, and which shape an expression has.

Syntax of Python comes in; out goes a `View`, which says where each element of a part lies in its array, or the extents
of an expression. What has to hold so that shapes fit is collected, and stated by `temporaries.ask`.

- `canonical_extents` has extents in canonical form.
- `array_parts` has parts of arrays: where each of their elements lies.
- `broadcasting` compares extents, and collects what they have to fulfil.
- `slices_of_arrays` finds where slices begin, and how long they are.
- `array_shapes` finds what an expression names, and the shapes of all others: a case for a new expression goes there.
"""
