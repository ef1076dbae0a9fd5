"""`raise-cc` in the process of the tests."""

import os

from raising.cc import cc_command


def raise_cc_here(*arguments: str) -> int:
    """The exit status; what the command sets for compilers that it calls is gone afterwards, or the next one is one."""
    os.environ.pop(cc_command._INSIDE, None)
    try:
        return cc_command.main([*arguments])
    finally:
        os.environ.pop(cc_command._INSIDE, None)
