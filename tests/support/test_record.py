import dataclasses
import pickle
from typing import ClassVar

import pytest

from raising.support import record


def _both(**options):
    """One class, made by the standard decorator and by ours."""

    def decorated(decorate):
        @decorate(**options)
        class Point:
            """A point."""

            kind: ClassVar[str] = "point"
            x: int
            y: float = 2.0
            tags: list[str] = dataclasses.field(default_factory=list, compare=False)

        return Point

    return decorated(dataclasses.dataclass), decorated(record.dataclass)


@dataclasses.dataclass(frozen=True)
class _Sent:
    value: int


@record.dataclass(frozen=True)
class _Kept:
    value: float


@pytest.mark.parametrize("options", [{"frozen": True}, {}, {"frozen": True, "eq": False}, {"repr": False}])
def test_a_class_behaves_as_the_standard_one(options):
    standard, ours = _both(**options)
    for make in (lambda c: c(1), lambda c: c(1, y=3.0), lambda c: c(x=1, tags=["a"])):
        one, other = make(standard), make(ours)
        if options.get("repr", True):
            assert repr(one).rpartition("Point")[2] == repr(other).rpartition("Point")[2]
        assert dataclasses.asdict(one) == dataclasses.asdict(other)
        assert dataclasses.asdict(dataclasses.replace(one, x=7)) == dataclasses.asdict(dataclasses.replace(other, x=7))
        assert (one == make(standard)) == (other == make(ours))
        assert one != other
    assert standard.__match_args__ == ours.__match_args__
    assert (standard.__hash__ is None) == (ours.__hash__ is None)
    with pytest.raises(TypeError):
        ours()
    with pytest.raises(TypeError):
        ours(1, 2, 3, 4)


def test_what_is_frozen_stays_and_its_defaults_are_its_own():
    _, ours = _both(frozen=True)
    point = ours(1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        point.x = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        del point.x
    assert ours(1).tags is not ours(1).tags
    assert len({ours(1), ours(1), ours(2)}) == 2


def test_methods_of_its_own_are_kept():
    @record.dataclass(frozen=True)
    class Same:
        name: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Same)

        def __hash__(self) -> int:
            return 7

        def __repr__(self) -> str:
            return "same"

    assert Same("a") == Same("b")
    assert hash(Same("a")) == 7
    assert repr(Same("a")) == "same"


def test_equality_alone_takes_the_hash_away_as_in_python():
    with pytest.raises(TypeError):
        hash(_both()[1](1))


def test_a_value_is_equal_to_itself_even_if_it_says_not_and_can_be_sent():
    nan = _Kept(float("nan"))
    assert nan == _Kept(nan.value)
    assert pickle.loads(pickle.dumps(_Kept(3.0))) == _Kept(3.0)
    assert _Kept(3.0) != _Sent(3)


def test_what_is_done_after_making_is_done():
    @record.dataclass(frozen=True)
    class Positive:
        value: int

        def __post_init__(self) -> None:
            if self.value <= 0:
                raise ValueError("not positive")

    with pytest.raises(ValueError, match="not positive"):
        Positive(0)


def test_a_class_is_described_when_somebody_asks_and_methods_are_made_with_their_first_call():
    @record.dataclass(frozen=True)
    class Base:
        x: int
        y: int = 2

    @record.dataclass(frozen=True)
    class More(Base):
        z: int = 3

    assert isinstance(vars(Base)["__dataclass_fields__"], record._Late)
    match More(1):
        case More(x, y, z):
            assert (x, y, z) == (1, 2, 3)
    assert dataclasses.is_dataclass(Base) and [f.name for f in dataclasses.fields(Base)] == ["x", "y"]
    assert not isinstance(vars(Base)["__dataclass_fields__"], record._Late)
    late = vars(More)["__hash__"]
    assert hash(More(1)) == hash(More(1)) and vars(More)["__hash__"] is not late
    assert record.replace(More(1), z=4) == More(1, z=4) != More(1)


def test_init_is_compiled_with_the_first_object_and_the_same_for_classes_above_and_below(monkeypatch):
    made, compiled = record._initialiser, []
    monkeypatch.setattr(record, "_initialiser", lambda cls, *rest: compiled.append(cls) or made(cls, *rest))

    @record.dataclass(frozen=True)
    class Base:
        x: int

    class Plain(Base):
        pass

    early = Base.__init__
    assert not compiled
    first = Plain(x=1)
    assert (first, Base(2)) == (Plain(1), Base(x=2))
    assert compiled == [Base] and Base.__init__.__qualname__.endswith("Base.__init__")
    early(late := object.__new__(Base), 3)
    assert late == Base(3)
