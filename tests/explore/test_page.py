"""The page in Chromium, alone and served: two widths, both themes, links between lines, a page from elsewhere."""

from __future__ import annotations

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from raising.explore.explore_command import main
from raising.explore.page_of_study import page as page_of
from raising.explore.server import Explorer
from raising.explore.study import Question, study
from tests.polybench.chromium import CHROMIUM, Page

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")
KERNELS = Path(__file__).parent / "kernels.c"
SIZES = ((1400, 900), (400, 800))
THEMES = {"light": "rgb(255, 255, 255)", "dark": "rgb(22, 22, 26)"}


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    out = tmp_path_factory.mktemp("explore") / "kernels.html"
    assert main([str(KERNELS), "--out", str(out)]) == 0
    return out


@pytest.fixture
def browser():
    with Page() as page:
        yield page


def _as(page, width, height, theme):
    page.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
    page.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])


def _press(page, key):
    for kind in ("keyDown", "keyUp"):
        page.send("Input.dispatchKeyEvent", type=kind, key=key, code=key)


def _on(page, pane):
    """The texts of the lines of a pane that are lit."""
    return page.value(
        f"[...document.querySelectorAll('[id^={pane}].line.on, [id^={pane}].line.here')].map(e => e.textContent)"
    )


def _line(text):
    return next(n for n, line in enumerate(KERNELS.read_text().splitlines(), start=1) if text in line)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_everything_is_there_and_nothing_sticks_out(alone, browser, width, height, theme):
    _as(browser, width, height, theme)
    browser.open(alone)
    assert browser.value("[...document.querySelectorAll('.pane h2')].map(e => e.textContent)") == [
        "Source",
        "Program",
        "Assembly",
    ]
    for part in ("known", "parts", "loops", "remarks", "pictures"):
        assert browser.value(f"document.getElementById('{part}').getBoundingClientRect().width > 100")
    assert browser.value("document.querySelectorAll('figure.dependence svg').length") == 1
    assert browser.value("document.querySelectorAll('#speed, #edit').length") == 0  # what needs a server
    assert browser.value("document.documentElement.scrollWidth") <= width
    sides = "[...document.querySelectorAll('.pane')].map(e => Math.round(e.getBoundingClientRect().top))"
    assert (len(set(browser.value(sides))) == 1) == (width > 960)
    assert browser.value("getComputedStyle(document.body).backgroundColor") == THEMES[theme]
    assert browser.console == []
    assert [url for url in browser.requests if not url.startswith(("data:", alone.as_uri()))] == []


def test_lines_light_up_with_those_that_belong_to_them(alone, browser):
    browser.open(alone)
    place = browser.value(
        f"(r => [r.x + 90, r.y + r.height / 2])(document.getElementById('s{_line('sum +=')}').getBoundingClientRect())"
    )
    browser.send("Input.dispatchMouseEvent", type="mouseMoved", x=place[0], y=place[1])
    assert any("linalg.matvec" in text for text in _on(browser, "p"))
    assert any("vfmadd" in text or "mul" in text for text in _on(browser, "a"))
    browser.send("Input.dispatchMouseEvent", type="mouseMoved", x=5, y=5)
    assert _on(browser, "s") == _on(browser, "p") == _on(browser, "a") == []
    for kind in ("mousePressed", "mouseReleased"):
        browser.send("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)
    browser.send("Input.dispatchMouseEvent", type="mouseMoved", x=5, y=5)
    assert any("linalg.matvec" in text for text in _on(browser, "p"))  # a choice stays
    seen = """(box => [...box.querySelectorAll('.on')].some(e => e.offsetTop >= box.scrollTop
        && e.offsetTop < box.scrollTop + box.clientHeight))(document.querySelectorAll('.listing')[2])"""
    assert browser.value(seen)


def test_the_keyboard_goes_along_lines_and_links(alone, browser):
    browser.open(alone)
    browser.value("document.getElementById('s1').focus()")
    for _ in range(_line("sum +=") - 1):
        _press(browser, "ArrowDown")
    assert browser.value("document.activeElement.id") == f"s{_line('sum +=')}"
    _press(browser, "ArrowRight")
    assert "linalg.matvec" in browser.value("document.activeElement.textContent")
    assert any("sum +=" in text for text in _on(browser, "s"))
    _press(browser, "ArrowRight")
    assert browser.value("document.activeElement.id.startsWith('a')")
    _press(browser, "End")
    assert browser.value("document.activeElement === document.activeElement.parentNode.lastElementChild")
    _press(browser, "Escape")
    assert _on(browser, "s") == []
    assert browser.value("document.querySelectorAll('.listing [tabindex=\"0\"]').length") == 3  # one stop for each


def test_a_place_leads_to_its_line(alone, browser):
    browser.open(alone)
    browser.value("document.querySelector('#parts a').click()")
    assert browser.value("document.activeElement.id") == f"s{_line('double sum')}"


def test_the_e_graphs_can_be_looked_at(alone, browser):
    browser.open(alone)
    browser.value("document.getElementById('pictures').open = true")
    browser.until("[...document.images].length === 2 && [...document.images].every(i => i.complete)")
    assert browser.value("[...document.images].every(i => i.naturalWidth > 100)")
    assert browser.console == []


@pytest.fixture
def served():
    text = KERNELS.read_text()
    question = {"file": str(KERNELS), "language": "c"}
    found = study(Question(text, **question))
    with Explorer(lambda token: page_of(found, token), question, 60.0) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def _open(page, address, title="kernels.c"):
    page.send("Page.navigate", url=address)
    page.until(f"document.readyState === 'complete' && document.title.includes({title!r})")


def test_a_text_is_edited_raised_compared_and_timed(served, browser):
    _as(browser, 400, 800, "dark")
    _open(browser, served.address)
    assert browser.value("location.search") == ""  # the token is not kept
    assert browser.value("document.cookie") == ""
    browser.value("document.getElementById('edit').click()")
    edited = "document.getElementById('text')"
    browser.value(f"{edited}.value = {edited}.value.replace('sum += a[i][j] * b[j]', 'sum += a[i][j] + b[j]')")
    browser.value(f"{edited}.value = '}} ' + {edited}.value")
    browser.value("document.getElementById('raise').click()")
    browser.until("document.querySelector('.said').textContent.includes('line 1')")
    browser.value(f"{edited}.value = {edited}.value.slice(2)")
    browser.value("document.getElementById('raise').click()")
    browser.until("document.getElementById('compare') !== null")
    assert any("+ b[j]" in t for t in browser.value("[...document.querySelectorAll('.line')].map(e => e.textContent)"))
    assert not browser.value("document.getElementById('panes').textContent.includes('linalg.matvec')")
    browser.value("document.getElementById('compare').click()")
    browser.until("document.querySelectorAll('#comparison tbody tr').length > 2")
    rows = browser.value("[...document.querySelectorAll('#comparison tbody tr')].map(e => e.textContent)")
    assert any(row.startswith("result of the original") for row in rows)
    browser.value("document.querySelector('#speed button').click()")
    browser.until("document.querySelectorAll('#speed tbody tr').length === 1")
    row = browser.value("[...document.querySelectorAll('#speed td')].map(e => e.textContent)")
    assert row[:2] == ["product", "n = 256"] and row[4].endswith("x")
    assert browser.value("document.documentElement.scrollWidth") <= 400
    assert browser.console == []


ATTACK = """<!doctype html><title>elsewhere</title><body><script>
const at = 'http://{host}/';
const tries = [
  fetch(at),
  fetch(at, {{mode: 'no-cors', credentials: 'include'}}).then(r => r.type === 'opaque' ? 'opaque' : r.text()),
  fetch(at, {{method: 'POST', credentials: 'include', headers: {{'Content-Type': 'application/json',
    'X-Raise-Explore': 'x'}}, body: '{{"do": "study"}}'}}),
  fetch(at, {{method: 'POST', mode: 'no-cors', credentials: 'include', body: '{{"do": "study"}}'}}).then(r => r.text()),
];
Promise.allSettled(tries).then(all => window.found = all.map(each => each.status + ':' + (each.value || '')));
const frame = document.createElement('iframe');
frame.src = at;
frame.onload = () => window.framed = true;
document.body.append(frame);
</script>"""


@pytest.fixture
def elsewhere(served, tmp_path):
    """The address of a page of another server on this machine, to which browsers send the same cookies."""
    (tmp_path / "index.html").write_text(ATTACK.format(host=served.host))
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/index.html"
        server.shutdown()
        thread.join()


def test_a_page_from_elsewhere_gets_nothing(served, browser, elsewhere):
    answered, pages, page = [], [], served.page
    served.answer = lambda request: answered.append(request) or {}
    served.page = lambda token: pages.append(token) or page(token)
    _open(browser, served.address)  # the browser has the cookie
    assert len(pages) == 1
    _open(browser, elsewhere, "elsewhere")
    browser.until("window.found !== undefined && window.framed !== undefined")
    assert browser.value("window.found") == ["rejected:"] * 4
    assert (answered, len(pages)) == ([], 1)
    _open(browser, f"http://{served.host}/")  # and the page itself goes on
    assert len(pages) == 2
