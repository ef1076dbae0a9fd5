"""Random functions of linalg.generic on memory, with conditions between their loops, beside an interpreter of points.

- `body` draws what one operation computes at a point: its text, and its value there.
- `draw` draws functions: operations, arguments, temporaries.
- `judge` runs them as raise-compile and raise-opt make them, at sizes around 0, 1 and the lanes of vectors.
"""
