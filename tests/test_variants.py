"""The variants are what they claim to be: equal to the kernel, and many."""

import pytest

from tests.kernels import ISSUE_KERNELS, small
from tests.kernels.execute import run
from tests.oracles import mismatch
from tests.variants import Variant, variants_of

COUNT = 257
_LABELS = {name: [v.label for v in variants_of(name, small(name), 5)] for name in ISSUE_KERNELS}


def _find(name: str, label: str) -> Variant:
    return next(v for v in variants_of(name, small(name), 5) if v.label == label)


@pytest.mark.parametrize(("name", "label"), [(n, label) for n, labels in _LABELS.items() for label in labels])
def test_variant_computes_what_the_oracle_says(name: str, label: str) -> None:
    variant = _find(name, label)
    before = variant.inputs()
    after = run(variant.text, f"kernel_{name}", before)
    assert not mismatch(name, before, after, 1e-4 if variant.style.dtype == "f32" else 1e-10)


def test_each_kernel_has_the_variants_that_make_sense_for_it() -> None:
    everywhere = {"commuted", "one-trip outside", "one-trip inside", "zero-trip", "descending", "shifted"}
    everywhere |= {"iter_args", "rank-0 alloca", "scf", "scf iter_args", "f32", "square", "module"}
    everywhere |= {"dynamic, memref.dim", "dynamic, index arguments", "dynamic scf"}
    for name, labels in _LABELS.items():
        assert everywhere <= set(labels), name
        assert len(labels) == len(set(labels)), name
        assert any("order" in label for label in labels), name
    cubic = [name for name, labels in _LABELS.items() if "split, order 210" in labels]
    assert cubic == ["2mm", "3mm", "covariance", "gemm", "syrk"]
    assert [name for name, labels in _LABELS.items() if "guarded" in labels] == ["covariance", "syrk"]
    assert [name for name, labels in _LABELS.items() if "fused" in labels] == ["2mm", "gemver", "mvt"]
    assert sum(map(len, _LABELS.values())) == COUNT
