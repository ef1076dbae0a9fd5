"""What the raised programs are compared with."""

from polybench.peers.compilers import compilers
from polybench.peers.enzyme import enzyme
from polybench.peers.hand import hand_written
from polybench.peers.numba_loops import numba
from polybench.peers.peer import Peer, Skipped, Subject

__all__ = ["Peer", "Skipped", "Subject", "peers"]


def peers() -> dict[str, Peer]:
    """Every peer by name, installed or not."""
    return {peer.name: peer for peer in (*compilers(), numba(), enzyme(), *hand_written())}
