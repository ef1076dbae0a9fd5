"""The normal form of a value: a sum of products over Presburger sets, for all iterations and sizes at once.

Leaves (elements of inputs, values of opaque functions) and isl relations come in; canonical sums go out, and whether a
sum is zero for all sizes.

- `isl_spaces` makes small isl sets and maps over anonymous points.
- `sum_of_products` defines `Product` and the algebra of sums (`Algebra`).
- `cancel` cancels inside of a product.
- `atoms` makes one leaf of equal applications of a function.
- `guarded` splits a sum by the truth values in it.
- `position_forms` takes positions for the numbers that they are, so that it does not matter from where they are told.
- `truth_values` treats truth values as numbers that are their own square.
- `min_max` makes the maximum or minimum of a set of values one leaf.
- `multisets` makes a product of many values one leaf.
- `cases` splits two programs where only one of them branches on sizes.
- `is_zero` decides whether a sum is zero, cell by cell.
"""
