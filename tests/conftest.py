"""All tests: garbage is looked for as rarely as in the commands, and children find imported what all of them need.

Looking for garbage took a fifth of the processor time.
"""

import os
from functools import cache, partial
from importlib import import_module

import pytest
from _pytest.runner import runtestprotocol

from raising.support.fork import collect_rarely, with_room_for_frames

LATE = (  # what the program imports when a child process has begun to prove, or to run native code
    "raising.validate.native.native",
    "raising.validate.proof.by_cases",
    "raising.validate.run.preconditions",
    "raising.verify.smaller_instance",
)


@cache
def _imported() -> None:
    for name in LATE:
        import_module(name)


collect_rarely()
os.register_at_fork(before=_imported)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """What pytest does, with room for frames: without it, a test can spend a tenth of its time in mapping memory."""
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    with_room_for_frames(partial(runtestprotocol, item, nextitem=nextitem))
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
