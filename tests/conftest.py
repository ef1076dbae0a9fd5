"""All tests: garbage is looked for as rarely as in the commands, and children find imported what all of them need.

Looking for garbage took a fifth of the processor time.
"""

import os
from functools import cache
from importlib import import_module

from raising.commands.preload import collect_rarely

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
