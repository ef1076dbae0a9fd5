"""What runs in another order is proved equal for all sizes, and what is nearly so is not."""

import pytest

from raising.validate.base.verdict import Proved
from raising.validate.proof.confirmed import proved
from raising.validate.reading.pair import Assumptions, generalised, read_pair
from tests.validate.proof.recursions import modules
from tests.validate.proof.reorderings import EQUAL, WRONG


@pytest.mark.parametrize("name", EQUAL)
def test_another_order_is_proved(name: str) -> None:
    found = proved(generalised(read_pair(*modules(*EQUAL[name]))), Assumptions(), None)
    assert isinstance(found, Proved), found


@pytest.mark.parametrize("name", WRONG)
def test_nearly_the_same_order_is_not(name: str) -> None:
    found = proved(generalised(read_pair(*modules(*WRONG[name]))), Assumptions(), None)
    assert not isinstance(found, Proved)
