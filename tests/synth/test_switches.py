"""Each part of the search can be switched off; without any of them it is the classic enumeration."""

from dataclasses import fields, replace

import pytest

from raising.synth.search import Raised, search
from raising.synth.search_options import EVERY, NAIVE, Options
from raising.synth.spec.spec import Spec
from tests.kernels import kernel
from tests.synth.specs import every, operations, spec_of

OFF = {
    "guides": replace(Options(), guides=frozenset()),
    "equivalence": replace(Options(), equivalence=False),
    "types": replace(Options(), types=False),
    "backward": replace(Options(), backward=False),
}


def _raised(spec: Spec, options: Options) -> Raised:
    result = search(spec, every(), lambda _: True, lambda _: 0, options)
    assert isinstance(result, Raised), result
    return result


@pytest.fixture(scope="module")
def product() -> Spec:
    return spec_of(kernel("3mm"), 1)


@pytest.mark.parametrize("switch", OFF)
def test_without_any_one_part_the_same_program_is_found_at_more_cost(product: Spec, switch: str) -> None:
    whole, part = _raised(product, Options()), _raised(product, OFF[switch])
    assert operations(whole.term) == ["arith.mulf arith.addf"]  # with what it is added to as its start
    assert "arith.mulf arith.addf" in operations(part.term)
    assert part.stats.enumerated >= whole.stats.enumerated
    assert whole.stats.static_filtered == 0 < whole.stats.equivalence_filtered
    if switch == "types":
        assert part.stats.static_filtered > part.stats.evaluated
    if switch == "equivalence":
        assert part.stats.equivalence_filtered == 0


@pytest.mark.parametrize("name", sorted(EVERY))
def test_each_guide_says_what_it_did(product: Spec, name: str) -> None:
    with_it = _raised(product, Options())
    without = _raised(product, Options(guides=EVERY - {name}))
    assert operations(without.term) == operations(with_it.term)
    assert without.stats.guides.get(name, 0) == 0 or name == "masks"  # masked inputs come with the specification
    if name in ("operations", "maps", "seeds"):
        assert with_it.stats.guides[name] > 0
        assert without.stats.enumerated > with_it.stats.enumerated or name == "seeds"


def test_the_naive_mode_is_the_classic_enumeration() -> None:
    assert not (NAIVE.guides or NAIVE.equivalence or NAIVE.types or NAIVE.backward)
    stats = _raised(spec_of(kernel("gemm"), 0), NAIVE).stats
    assert stats.enumerated == stats.static_filtered + stats.evaluated
    assert stats.equivalence_filtered == 0 and stats.guides.get("seeds", 0) == 0
    assert stats.static_filtered > 0 < stats.evaluated


def test_no_program_is_larger_than_asked_for() -> None:
    scaled = spec_of(kernel("gemm"), 1)
    size = _raised(scaled, Options()).cost.operations
    assert size > 1 and _raised(scaled, Options(max_ops=size)).cost.operations == size
    result = search(scaled, every(), lambda _: True, lambda _: 0, Options(max_ops=size - 1))
    assert not isinstance(result, Raised)
    assert {f.name for f in fields(result)} == {"reason", "stats"} and result.reason


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown guide 'oracle'"):
        Options(guides=frozenset({"oracle"}))
    with pytest.raises(ValueError, match="at least 1 operation"):
        Options(max_ops=0)
