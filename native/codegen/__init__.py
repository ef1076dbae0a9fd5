"""Code generation: from loops, vectors and memory to machine code.

A scheduled MLIR module comes in; LLVM's text, assembly, an object file or a shared library goes out (`Code`).

- `narrow_floats` writes conversions between f64 and floats of 16 bits that LLVM would call a library for.
- `lookups` keeps LLVM from vectors of lookups where the processor is slow at them.
- `lower` lowers to LLVM's dialect and writes LLVM's text.
- `debug_lines` says which lines of the module's text an instruction comes from.
- `constant_masks` keeps LLVM from an error of its own.
- `objects` optimises that text, and makes objects and libraries of it.
"""
