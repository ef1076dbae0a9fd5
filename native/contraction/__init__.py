"""Contractions: sums of products of two operands, with everything that can be fused to them.

Loop nests of a block come in. `Gemm`s go out, and their code: blocks for the caches, packed panels, tiles in registers,
after Goto and van de Geijn (2008).

- `gemm` defines a contraction as a value.
- `masks` reads results that are written in part only, as a value and a region.
- `product_terms` reads elementwise code as a sum of products.
- `fuse` follows a contraction along the uses of its result (epilogue fusion).
- `aliasing` refuses contractions that would overwrite an operand too early.
- `recognise_contraction` finds contractions among the nests of a block.
- `blocking` picks the sizes of tiles and blocks.
- `packing` copies blocks of operands in the order in which tiles read them.
- `dot_products` multiplies small integers that are packed in words.
- `microkernel` computes one tile in registers.
- `pack_block` packs whole blocks of A and B.
- `symmetric` writes the other half of a symmetric result.
- `emit_contraction` writes the loops around tiles.
- `schedule_contractions` replaces the contractions of a module.
"""
