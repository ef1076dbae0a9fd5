"""One run of loop nests solved: from a `Segment` to a `SegmentResult` with a tensor term for each of its arrays.

The segment's program is made symbolic and split into parts; each part is searched for, or becomes a sequential loop
over tensors whose body is solved in the same way; the parts' terms are composed and checked in the field. A part that
fails is reported with its statements (`Failure`), so that the driver can leave these loops as they are.

- `effort` bounds the work of raising one function, counted without a clock.
- `search_cache` keeps on disk what a search found for a part.
- `part_search` searches for one part (`PartSearch`), trying its specifications in turn.
- `compose_parts` puts the terms of all parts together and merges equal nodes.
- `recurrence` makes a part that needs a sequential loop into one over tensors.
- `gathered_reads` bounds what is read at positions that are data or quotients.
- `merge_parts` proposes parts that may be cheaper as one.
- `procedures` fits operations that are recurrences themselves, such as a triangular solve.
- `validity/` finds the sizes at which the terms do what the loops do (`Standing`).
- `segment_result` defines `SegmentResult` and `Failure`.
- `views` solves over views of arrays, and reads windows through what was inserted.
- `solve_body` solves a program by its parts, and programs inside of its loops (`BodySolver`).
- `solve` prepares a segment, chooses how to write it, and checks its terms (`Solver`).
"""
