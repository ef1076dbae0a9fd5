"""E-graphs as one page: each class once, values and operands in order; searched, opened and zoomed in Chromium."""

import re
from pathlib import Path

import pytest

from raising.optimise.optimise_module import optimise_module
from tests.eqsat.optimising import CHAIN
from tests.eqsat.test_optimise import chain
from tests.polybench.chromium import CHROMIUM, Page

TWO = """func.func @less(%a: i32, %b: i32) -> i32 {
  %c7 = arith.constant 7 : i32
  %s = arith.subi %a, %b : i32
  %r = arith.muli %s, %c7 : i32
  return %r : i32
}
func.func @"<b>"(%a: f32) -> f32 {
  %c = arith.constant 2.5 : f32
  %r = arith.divf %a, %c : f32
  return %r : f32
}
"""


def html(text: str, **options: object) -> str:
    return optimise_module(text, emit="html", **options).text  # type: ignore[arg-type]


def test_all_functions_are_on_it_with_values_and_the_order_of_operands():
    text = html(TWO)
    assert text.count("<section>") == 2 and text.count("<html") == 1 and "&lt;b&gt;" in text and "<b>" not in text
    assert "arith_constant value=7 i32" in text and "arith_constant value=2.5 f32" in text
    values = {int(v): int(n) for n, v in re.findall(r'id="f0-(\d+)"><summary>\d+: Value (\d)', text)}
    operands = re.search(r"<li>arith_subi[^(]*\((.*)\)</li>", text)
    assert operands and re.findall(r"#f0-(\d+)", operands[1])[:2] == [str(values[0]), str(values[1])]


def test_a_graph_of_many_classes_is_no_strip():
    text = html(chain(tuple(range(3, 18))), rules=[CHAIN])
    width, height = map(int, re.findall(r'viewBox="-8 -8 (\d+) (\d+)"', text)[0])
    classes = text.count('<details class="class"')
    assert classes == text.count('<g id="box-') > 100 and width < 8000 and height < 4000


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")
def test_it_is_searched_opened_and_zoomed(tmp_path: Path):
    (tmp_path / "page.html").write_text(html(TWO))
    with Page() as page:
        page.open(tmp_path / "page.html")
        shown = "[...document.querySelectorAll('details.class')].filter(e => !e.hidden).length"
        every = page.value(shown)
        page.value("search.value = 'CONSTANT value=7'; search.dispatchEvent(new Event('input'))")
        assert page.value(shown) == 1 < every and page.value("found.textContent") == f"1 of {every} classes"
        assert page.value("document.querySelectorAll('g.found').length") == 1
        page.value("document.querySelector('g.found rect').dispatchEvent(new Event('click', {bubbles: true}))")
        assert page.value("document.querySelectorAll('details[open]').length") == 1
        box = "document.querySelector('figure svg').getAttribute('viewBox').split(' ').map(Number)"
        before = page.value(box)
        page.value("document.querySelector('figure button').click()")
        after = page.value(box)
        assert after[2] < before[2]
        middles = [[b[k] + b[k + 2] / 2 for k in (0, 1)] for b in (before, after)]
        assert middles[0] == pytest.approx(middles[1])
