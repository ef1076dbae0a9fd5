"""Room for frames: no call of a loop in a child maps memory, at whatever depth it is made."""

import resource

from raising.support.isolate import Finished, run_isolated

CALLS = 200


def _leaf(a: int, b: int, c: int) -> int:
    return a + b + c


def _faults_at(depth: int) -> int:
    """How often memory is mapped anew while a function is called again and again, so many frames further down."""
    if depth:
        return _faults_at(depth - 1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for k in range(CALLS):
        _leaf(k, k, k)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def _most() -> int:
    return max(map(_faults_at, range(200)))


def test_calls_at_any_depth_map_no_memory() -> None:
    found = run_isolated(_most, timeout=60, extra_bytes=1 << 30)
    assert isinstance(found, Finished)
    assert found.value < CALLS
