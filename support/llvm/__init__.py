"""Machine code that is not made of a program: functions of our own, which LLVM compiles.

The text of functions in a small part of Python comes in, and LLVM's text goes out.

- `machine_functions` reads the functions, and writes each as LLVM has it.
"""
