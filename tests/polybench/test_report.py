"""The report of the run that is committed: every kernel, every figure, a page that works without a network."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape

import pytest

from raising.polybench import kernels
from raising.polybench.records.records import load, rows_of
from raising.polybench.report import update_readme, write_report
from raising.polybench.report.readme import PICTURE
from raising.polybench.report.summary import Slower, levels, lines, side_by_side, slower, speedups
from raising.polybench.report.tables import overview
from raising.support.files import UserError
from tests.bench.record import ROOT
from tests.polybench.chromium import CHROMIUM, Page

RECORDS = sorted((ROOT / "results").glob("polybench-*.json"))


def row(name, **medians):
    programs = {
        p.replace("_", "-"): {
            "ours": p.startswith("raise"),
            "version": p,
            "median": m,
            "best": m,
            "noisy": False,
            "agreement": {"equal": True, "error": 0.0},
        }
        for p, m in medians.items()
    }
    key = {"name": name, "dataset": "LARGE", "dtype": "f32", "threads": 1}
    return {"key": key, "status": "ok", "programs": programs, "targets": {}}


ROWS = [row("gemm", gcc_O3=8.0, raise_mlir=1.0, numpy=2.0), row("mvt", gcc_O3=8.0, raise_mlir=4.0, numpy=2.0)]


def test_speedups_are_geometric_means_over_the_baseline():
    found = {s.program: s for s in speedups(ROWS)}
    assert found["raise-mlir"].geomean == pytest.approx(4.0)
    assert found["raise-mlir"].best == ("gemm", 8.0)
    assert found["raise-mlir"].worst == ("mvt", 2.0)
    assert found["numpy"].geomean == pytest.approx(4.0)


def test_programs_are_compared_on_the_kernels_that_both_have():
    few = [*ROWS, row("lu", gcc_O3=8.0, raise_mlir=0.5)]  # numpy has no lu, where ours gains most
    (numpy, gcc) = side_by_side(few)
    assert (numpy.program, numpy.kernels) == ("numpy", 2)
    assert (numpy.theirs, numpy.ours) == (pytest.approx(4.0), pytest.approx(4.0)), "without lu"
    assert (gcc.program, gcc.kernels, gcc.ratio) == ("gcc-O3", 3, pytest.approx((8 * 2 * 16) ** (1 / 3)))
    (table,) = overview(few)
    assert [line[:2] for line in table.rows] == [("raise-mlir (ours)", "3"), ("numpy", "2"), ("gcc-O3", "3")]


def test_faster_peers_are_told():
    assert slower(ROWS) == [Slower("mvt", "raise-mlir", "numpy", 2.0)]
    assert any("faster peer: mvt" in line for line in lines(ROWS))


def test_failures_and_wrong_results_are_told():
    wrong = row("syrk", gcc_O3=1.0, raise_mlir=1.0)
    wrong["programs"]["raise-mlir"] = {"ours": True, "version": "", "agreement": {"equal": False, "error": 0.5}}
    failed = {"key": {**wrong["key"], "name": "lu"}, "status": "failed", "reason": "it ended"}
    slow = {**row("adi", gcc_O3=1.0), "skipped": {"raise-xla": "takes more than 60 s on XLA", "jax": "not installed"}}
    told = "\n".join(lines([wrong, failed, slow]))
    assert "NOT TIMED adi: raise-xla: takes more than 60 s on XLA" in told
    assert "jax" not in told
    assert "WRONG syrk: raise-mlir" in told
    assert "FAILED lu: it ended" in told


def test_verdicts_are_counted_once_for_all_threads():
    rows = [row(name, gcc_O3=8.0) for name in ("gemm", "mvt")]
    rows += [{**r, "key": {**r["key"], "threads": 2}} for r in rows]
    for r in rows:
        r["targets"] = {"linalg": {"level": "bounded"}}
    assert levels(rows) == {"linalg": {"bounded": 2}}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The folder of the report of what is committed; with one more number of threads, a failure, a wrong result."""
    folder = tmp_path_factory.mktemp("report")
    records = [load(path) for path in RECORDS]
    records.append(replace(records[-1], rows=_more_rows()))
    ablations = json.loads((ROOT / "results" / "ablation.json").read_text())["rows"]
    write_report(records, folder, ablations)
    return folder


def _more_rows():
    again = row("gemm", gcc_O3=8.0, raise_mlir=1.0)
    again["programs"]["gcc-O3"]["measured_with_threads"] = 1
    wrong = row("mvt", gcc_O3=8.0, raise_mlir=1.0)
    wrong["programs"]["raise-mlir"] = {"ours": True, "version": "", "agreement": {"equal": False, "error": 0.5}}
    failed = {"key": dict(wrong["key"], name="lu"), "status": "failed", "reason": "it ended"}
    for more in (again, wrong, failed):
        more["key"]["threads"] = 64
    return [again, wrong, failed]


def test_all_of_it_is_in_the_report(report):
    text = (report / "report.md").read_text()
    page = unescape((report / "report.html").read_text())
    for told in (text, page):
        assert "LARGE, f32, 64 threads" in told
        assert "it ended" in told
        assert "wrong by 0.500" in told
        assert "no backward" in told, "ablations"
    assert "| lu | 64 | all of it | it ended |" in text
    assert "uses one thread" in page


def test_the_committed_run_has_every_kernel(report):
    text = (report / "report.md").read_text()
    page = unescape((report / "report.html").read_text())
    for name in kernels():
        assert f"| {name} |" in text
        assert f"<h3>{name}</h3>" in page


def test_text_of_others_is_never_markup(tmp_path):
    evil = row("<script>alert(1)</script>", gcc_O3=1.0, raise_mlir=1.0)
    evil |= {"source": "</pre><img src=x>", "targets": {"linalg": {"failed": "<b>no</b>"}}}
    record = load(RECORDS[0])
    record.rows = [evil]
    write_report([record], tmp_path)
    page = (tmp_path / "report.html").read_text()
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "<b>" not in page


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium to open the page with")
def test_the_page_in_a_browser(report):
    with Page() as page:
        page.open(report / "report.html")
        names = page.value("[...document.querySelectorAll('article h3')].map(h => h.textContent)")
        assert set(names) == set(kernels())
        page.value("document.querySelector('.index a[href=\"#kernel-gemm\"]').click()")
        page.until("location.hash === '#kernel-gemm' && document.activeElement.textContent === 'gemm'")
        assert page.value("document.querySelector('#kernel-gemm details').open")
        assert page.value("[...document.querySelectorAll('svg')].every(s => s.querySelector('title'))")
        assert page.value("document.querySelectorAll('figure svg').length") >= 4
        assert not re.findall(r"^(?!file:|data:|about:)", "\n".join(page.requests), re.MULTILINE), page.requests
        assert page.console == []


def test_the_readme_shows_the_committed_run(tmp_path):
    record = load(ROOT / "results" / "polybench-large-f32.json")
    for name in ("README.md", PICTURE):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text())
    update_readme(tmp_path / "README.md", rows_of([record]))
    for name in ("README.md", PICTURE):
        assert (tmp_path / name).read_text() == (ROOT / name).read_text(), f"`raise-bench report --readme` for {name}"


def test_a_readme_without_a_place_is_an_error(tmp_path):
    (tmp_path / "README.md").write_text("# nothing")
    with pytest.raises(UserError, match="has no place for the table"):
        update_readme(tmp_path / "README.md", ROWS)
