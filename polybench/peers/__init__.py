"""What the raised programs are compared with."""

from raising.polybench.peers.compilers import compilers
from raising.polybench.peers.enzyme import enzyme
from raising.polybench.peers.hand import hand_written
from raising.polybench.peers.numba_loops import numba
from raising.polybench.peers.peer import Peer, Skipped, Subject

__all__ = ["Peer", "Skipped", "Subject", "peers"]


def peers() -> dict[str, Peer]:
    """Every peer by name, installed or not."""
    return {peer.name: peer for peer in (*compilers(), numba(), enzyme(), *hand_written())}
