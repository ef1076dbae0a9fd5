"""Lowering of syntax: a function that the Python front end writes as syntax of C becomes a typed program.

A definition in pycparser's syntax and its `Unit` come in; a `Function` of `frontend.c.ir.nodes` goes out, or `Refused`.
Integers are followed as polynomials over loop variables and sizes for as long as that is possible; an integer variable
for which it is not gets a memory of its own, and lowering starts again.

- `context` holds what is known at a place, and writes nodes.
- `arithmetic` does C's conversions and operators on numbers.
- `piecewise` does them on integers that are known in cases, and has the domains of these cases.
- `lvalues` reads and writes variables, arrays and pointers.
- `declarations` gives names their meaning.
- `expressions` lowers expressions with their side effects in order.
- `branches` lowers conditions: domains over loop variables, or branches on values.
- `induction_variables` finds closed forms of counters, and bounds of iterations.
- `loops` lowers loops that count.
- `memory_calls` writes `memset` and `memcpy` as loops.
- `calls` inlines calls of functions of the same file, and knows those of math.h.
- `function` lowers statements, and a function as a whole.
- `syntax_unit` is what the Python front end hands over, and `syntax_to_mlir` makes a module of it.
"""
