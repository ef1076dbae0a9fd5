"""Other ways to write a kernel are raised whole too, and compute what the oracle says.

Every variant runs in `tests.bench.raising.variants`, with results in `results/variants-linalg.json`; here
those that once went wrong, and every fourth of the others.
"""

from collections.abc import Iterator

import pytest

from tests.kernels import ISSUE_KERNELS
from tests.raising.algebra import loops, without_fallbacks
from tests.raising.running import SQUARE, kept, medium, raised, wrong
from tests.variants import Variant, variants_of

DELICATE = {"one-trip outside", "zero-trip", "descending", "square", "guarded", "fused", "dynamic scf"}
STRIDE = 4
VARIANTS = {name: list(variants_of(name, medium(name), SQUARE)) for name in ISSUE_KERNELS}


def _chosen() -> Iterator[Variant]:
    seen: set[str] = set()
    for offset, found in enumerate(VARIANTS.values()):
        for place, variant in enumerate(found):
            new = variant.label not in seen
            if new or variant.label in DELICATE or (place + offset) % STRIDE == 0:
                yield variant
            seen.add(variant.label)


CHOSEN = list(_chosen())


@pytest.mark.parametrize("variant", CHOSEN, ids=lambda v: f"{v.kernel}/{v.label}")
def test_variant_is_raised_whole_and_right(variant: Variant) -> None:
    result = raised(variant.text)
    assert kept(result) == []
    assert loops(without_fallbacks(result.text)) == []
    assert not wrong(variant, result.text)


def test_every_way_to_write_is_among_them() -> None:
    assert {v.label for v in CHOSEN} == {v.label for found in VARIANTS.values() for v in found}
