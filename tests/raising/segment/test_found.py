"""What was found for a part is recalled by what it computes, and compared with it again."""

import pickle
from pathlib import Path

import pytest

from raising.api.result import RaiseResult
from raising.grammar.field.loaded_kernels import load
from raising.pipeline import raise_module
from raising.segment.search_cache import Found
from raising.support.cache import entry, folder, keep, kept, write
from raising.synth.enumerate.limits import Statistics
from tests.kernels import kernel
from tests.synth.specs import found, spec_of

TEXT = kernel("gesummv")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    assert load() is not None
    (tmp_path / "kernels").symlink_to(folder() / "kernels")
    monkeypatch.setenv("RAISE_CACHE", str(tmp_path))
    return tmp_path / "parts"


def _raised(text: str, cache: bool = True) -> RaiseResult:
    return raise_module(text, check="field", cache=cache)


def _recalled(result: RaiseResult) -> list[int]:
    return [part.stats.recalled for part in result.functions[0].parts]


def test_equal_parts_are_recalled_wherever_they_stand(cache: Path) -> None:
    first = _raised(TEXT)
    assert set(_recalled(first)) == {0} and len(list(cache.iterdir())) == len(_recalled(first))
    second, moved = _raised(TEXT), _raised("// a line\n\n" + TEXT.replace("%arg0", "%alpha"))
    assert set(_recalled(second)) == set(_recalled(moved)) == {1}
    assert first.text == second.text
    assert [p.stats.enumerated for p in first.functions[0].parts] == [
        p.stats.enumerated for p in second.functions[0].parts
    ]
    assert set(_recalled(_raised(TEXT, cache=False))) == {0}


def test_another_constant_is_another_part() -> None:
    text = "func.func @f(%x: memref<8xf64>) {{\n  %c = arith.constant {} : f64\n  affine.for %i = 0 to 8 {{\n"
    text += "    affine.store %c, %x[%i] : memref<8xf64>\n  }}\n  return\n}}\n"
    assert set(_recalled(_raised(text.format("2.0")))) == {0}
    assert set(_recalled(_raised(text.format("3.0")))) == {0}
    assert set(_recalled(_raised(text.format("2.0")))) == {1}


def test_a_term_that_computes_something_else_is_searched_for_again(cache: Path) -> None:
    first = _raised(TEXT)
    for file in cache.iterdir():
        found = kept(file)
        assert isinstance(found, Found) and found.term is not None
        data = pickle.dumps(found)
        wrong = pickle.loads(data.replace(b"arith.mulf", b"arith.addf"))
        keep(file, wrong)
    second = _raised(TEXT)
    assert second.text == first.text and 0 in _recalled(second)


@pytest.mark.parametrize("damage", [[], {}, 7, None, "", Found(None, 3, 0, "", Statistics())])
def test_what_is_no_entry_is_searched_for_again(cache: Path, damage: object) -> None:
    first = _raised(TEXT)
    for file in cache.iterdir():
        keep(file, damage)
    second = _raised(TEXT)
    assert second.text == first.text and set(_recalled(second)) == {0}


@pytest.mark.parametrize("text", ["", "7", "no value", "gASVCg=="])
def test_what_holds_no_value_is_none(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAISE_CACHE", str(tmp_path))
    write(entry("parts", [b"x"]), text)
    assert kept(entry("parts", [b"x"])) is None


@pytest.mark.parametrize("name", ["gemm", "trmm", "atax"])
def test_terms_are_kept(name: str, tmp_path: Path) -> None:
    term = found(spec_of(kernel(name), 1)).term  # type: ignore[union-attr]
    keep(tmp_path / "kept" / "term", term)
    again = kept(tmp_path / "kept" / "term")
    assert again == term and again.type == term.type


def test_what_nests_too_deeply_is_not_kept(tmp_path: Path) -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    keep(tmp_path / "kept" / "deep", deep)
    assert kept(tmp_path / "kept" / "deep") is None
