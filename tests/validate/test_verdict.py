from raising.validate.base.assumption import Assumption
from raising.validate.base.verdict import (
    Bounded,
    FieldEvidence,
    FloatEvidence,
    Proved,
    Refuted,
    Tested,
    Unknown,
    describe,
)


def test_each_verdict_has_one_line():
    field = FieldEvidence(3, ((("N", 5), ("M", 7)), (("N", 4), ("M", 9))), 1e-17)
    native = FloatEvidence("10x20", 3e-16, 0.5, 0.25, "a note")
    verdicts = {
        "proved for all sizes": Proved(),
        "proved for all sizes, if N > 0": Proved((Assumption("sizes", "N > 0"),)),
        "proved at 5x7, 4x9": Bounded(field.size_vectors),
        "tested: 3 field points at 2 size vectors (false accept at these sizes <= 1.0e-17)": Tested(field, None),
        "tested: native run at 10x20, relative error 3.0e-16, 0.500 s -> 0.250 s (a note)": Tested(None, native),
        "tested: native run at 9, relative error 3.0e-16 (ratio 0.25 to what rounding explains), 0.500 s -> 0.250 s": (
            Tested(None, FloatEvidence("9", 3e-16, 0.5, 0.25, ratio=0.25, accuracy=2.0))
        ),
        "refuted: A[0]": Refuted("A[0]"),
        "unknown: too large": Unknown("too large"),
    }
    for text, verdict in verdicts.items():
        assert describe(verdict) == text


def test_lost_accuracy_is_told():
    found = FloatEvidence("9", 3e-16, 0.5, 0.25, ratio=0.25, accuracy=4e3)
    assert "accuracy lost: bounds up to 4e+03 times as wide" in found.rounding
    assert "accuracy lost" in describe(Tested(None, found))


def test_a_bound_that_says_nothing_is_not_printed():
    text = describe(Tested(FieldEvidence(7, ((("N0", 3),),), 8.8e8), None))
    assert "no bound on false accepts" in text and "8.8" not in text
