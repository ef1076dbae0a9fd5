"""What tests of the reader of C need."""

import pytest

from raising.frontend.c.clang.libclang import library
from raising.support.errors import InputError


def _missing() -> bool:
    try:
        library()
    except InputError:
        return True
    return False


needs_libclang = pytest.mark.skipif(_missing(), reason="libclang is not installed")
