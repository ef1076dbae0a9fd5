"""Peers: other systems that run the same functions, each installed or skipped with a note.

A `Subject` (a function with its source and arguments) comes in; a callable program goes out, or `Skipped`.

- `peer` defines `Peer`, `Subject` and `Skipped`.
- `timing` times several programs side by side.
- `c_compiler` calls the C compilers of the machine.
- `compilers` compiles the loops as they are: gcc, clang, Polly.
- `numba_loops` translates the loops for Numba.
- `enzyme` raises them by Enzyme-JAX.
- `hand` runs what is written by hand for each kernel.
- `numpy_forms` has the kernels as NumPy experts write them.
- `blas_forms` has those that are a few calls of BLAS or LAPACK.
- `jax_forms` has the kernels as JAX experts write them.
"""

from raising.polybench.peers.compilers import compilers
from raising.polybench.peers.enzyme import enzyme
from raising.polybench.peers.hand import hand_written
from raising.polybench.peers.numba_loops import numba
from raising.polybench.peers.peer import Peer, Skipped, Subject

__all__ = ["Peer", "Skipped", "Subject", "peers"]


def peers() -> dict[str, Peer]:
    """Every peer by name, installed or not."""
    return {peer.name: peer for peer in (*compilers(), numba(), enzyme(), *hand_written())}
