"""What an earlier run found is given again, with what it said, as long as nothing that it hangs on has changed."""

import hashlib
import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from raising.frontend.c import COptions, convert
from raising.grammar.field.loaded_kernels import load
from raising.support.cache import folder
from tests.cli.running import COMMAND, ENVIRONMENT, SCALE, run
from tests.forked import command

IGNORED = "an entry of the cache was ignored"
C = """\
#include "size.h"
void scale(double x[SIZE]) {
  for (int i = 0; i < SIZE; i++)
    x[i] *= 2;
}
"""


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """An empty cache but for compiled loops, which take long to make."""
    assert load() is not None
    made = tmp_path / "cache"
    made.mkdir(mode=0o700)
    (made / "kernels").symlink_to(folder() / "kernels")
    return made


def _run(cache: Path, *options: str, given: str = "", cwd: Path | None = None) -> tuple[str, bool]:
    """What is written, and whether it was kept by an earlier run, which said the same."""
    numbers = cache / "numbers.json"
    done = run(*options, "--stats", numbers, given=given, cwd=cwd, cache=cache)
    assert done.returncode == 0, done.stderr
    (cache / "said").write_text(done.stderr)
    return done.stdout, json.loads(numbers.read_text()).get("cached", False)


def _scale(cache: Path, *options: str, text: str = SCALE) -> tuple[str, bool]:
    return _run(cache, "-", *options, given=text)


def _said(cache: Path) -> str:
    return (cache / "said").read_text()


def _entry(cache: Path) -> Path:
    (found,) = (cache / "answers").iterdir()
    return found


def _rewrite(entry: Path, old: str, new: str) -> None:
    """Change an entry so that it is whole: by someone who can compute its hash."""
    text = entry.read_text().partition("\n")[2]
    assert old in text
    text = text.replace(old, new)
    entry.write_text(f"{hashlib.sha256(text.encode()).hexdigest()}\n{text}")


def test_the_second_run_says_and_writes_the_same(cache: Path) -> None:
    first, said = _scale(cache), _said(cache)
    assert not first[1] and "linalg.mul" in first[0] and "proved" in said
    assert _scale(cache) == (first[0], True) and _said(cache) == said
    assert "cached" not in run("-", "--stats", "-", given=SCALE).stdout  # --no-cache


def test_another_text_or_option_is_another_entry(cache: Path) -> None:
    _scale(cache)
    assert not _scale(cache, "--check", "field")[1]
    assert not _scale(cache, "--max-ops", "3")[1]
    assert not _scale(cache, "--explain")[1]
    assert not _scale(cache, text=SCALE.replace("mulf", "addf"))[1]
    assert len(list((cache / "answers").iterdir())) == 5


def test_what_only_says_where_the_answer_goes_is_no_part_of_it(cache: Path, tmp_path: Path) -> None:
    first, _ = _scale(cache)
    assert _scale(cache, "-o", str(tmp_path / "out.mlir")) == ("", True)
    assert (tmp_path / "out.mlir").read_text() == first


def test_statistics_come_from_the_run_that_searched(cache: Path) -> None:
    files = [cache / "first.json", cache / "second.json"]
    for file in files:
        assert run("-", "--stats", file, given=SCALE, cache=cache).returncode == 0
    first, second = (json.loads(f.read_text()) for f in files)
    assert second.pop("cached") is True and "cached" not in first
    assert first == second


def test_what_was_cut_short_is_ignored_and_written_again(cache: Path) -> None:
    first, _ = _scale(cache)
    entry = _entry(cache)
    for damage in (entry.read_bytes()[:-20], b"", b"\xff" * 100, b"not ours\n{}"):
        entry.write_bytes(damage)
        assert _scale(cache) == (first, False) and IGNORED in _said(cache)
    assert _scale(cache)[1]


def test_an_entry_that_is_no_answer_is_ignored(cache: Path) -> None:
    first, _ = _scale(cache)
    for old, new in (('"text"', '"texts"'), ('"answer"', '"other"'), ('"seen": {}', '"seen": 1')):
        _rewrite(_entry(cache), old, new)
        assert _scale(cache) == (first, False) and IGNORED in _said(cache)


def test_loops_that_stay_are_kept_as_well(cache: Path) -> None:
    text = SCALE.replace("0 to 8", "1 to 8").replace(
        "%x[%i] : memref<8xf64>\n    %1", "%x[%i - 1] : memref<8xf64>\n    %1"
    )
    first, _ = _scale(cache, text=text)
    assert "kept" in _said(cache) and "scf.for" in first
    assert _scale(cache, text=text) == (first, True)
    assert run("-", "--require-all", given=text, cache=cache).returncode == 1


def test_modules_of_one_file_are_one_answer(cache: Path) -> None:
    text = f"{SCALE}// -----\n{SCALE}"
    first, _ = _scale(cache, "--split-input-file", text=text)
    assert first.count("linalg.mul") == 2
    assert _scale(cache, "--split-input-file", text=text) == (first, True)


def test_errors_are_not_kept(cache: Path) -> None:
    for _ in range(2):
        done = run("-", given="not MLIR", cache=cache)
        assert done.returncode == 2 and "error" in done.stderr
    assert not (cache / "answers").exists()


# ---- what a file in C hangs on ------------------------------------------------------------------------


@pytest.fixture
def c(tmp_path: Path) -> Path:
    """A folder with a file in C, whose header lies in the second of two folders."""
    for name in ("near", "far", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "f.c").write_text(C)
    (tmp_path / "far" / "size.h").write_text("#define SIZE 8\n")
    return tmp_path


FOLDERS = ("-I", "near", "-I", "far")


def _affine(cache: Path, c: Path, *flags: str, file: str = "f.c") -> tuple[str, bool]:
    """The array's type, and whether it was kept by an earlier run."""
    text, kept = _run(cache, file, "--emit", "affine", *(flags or FOLDERS), cwd=c)
    return text.partition("memref<")[2].partition(">")[0], kept


def test_a_file_in_c_is_kept_with_its_headers(cache: Path, c: Path) -> None:
    first, said = _run(cache, "f.c", *FOLDERS, cwd=c), _said(cache)
    assert not first[1] and "linalg.mul" in first[0] and "f.c:3" in said
    assert _run(cache, "f.c", *FOLDERS, cwd=c) == (first[0], True) and _said(cache) == said
    assert not _run(cache, "f.c", *FOLDERS, "-D", "OTHER", cwd=c)[1]
    os.utime(c / "far" / "size.h", (1, 1))  # its text is what counts
    assert _run(cache, "f.c", *FOLDERS, cwd=c) == (first[0], True)


def test_a_header_that_changes_is_read_again(cache: Path, c: Path) -> None:
    assert _affine(cache, c) == ("8xf64", False) and _affine(cache, c) == ("8xf64", True)
    (c / "far" / "size.h").write_text("#define SIZE 9\n")
    assert _affine(cache, c) == ("9xf64", False)
    (c / "far" / "size.h").write_text('#include "deep.h"\n')
    (c / "other" / "deep.h").write_text("#define SIZE 5\n")
    deep = (*FOLDERS, "-isystem", "other")
    assert _affine(cache, c, *deep) == ("5xf64", False) and _affine(cache, c, *deep) == ("5xf64", True)
    (c / "other" / "deep.h").write_text("#define SIZE 6\n")
    assert _affine(cache, c, *deep) == ("6xf64", False)


@pytest.mark.parametrize("place", ["near/size.h", "size.h"])
def test_a_header_that_appears_in_front_of_another_is_read(cache: Path, c: Path, place: str) -> None:
    assert _affine(cache, c) == ("8xf64", False) and _affine(cache, c) == ("8xf64", True)
    (c / place).write_text("#define SIZE 7\n")
    assert _affine(cache, c) == ("7xf64", False)
    (c / place).unlink()
    assert _affine(cache, c)[0] == "8xf64"


def test_a_folder_that_appears_is_searched(cache: Path, c: Path) -> None:
    flags = ("-I", "new", "-I", "far")
    assert _affine(cache, c, *flags) == ("8xf64", False) and _affine(cache, c, *flags) == ("8xf64", True)
    (c / "new").mkdir()
    (c / "new" / "size.h").write_text("#define SIZE 3\n")
    assert _affine(cache, c, *flags) == ("3xf64", False)


def test_a_link_that_leads_elsewhere_is_followed_again(cache: Path, c: Path) -> None:
    (c / "other" / "size.h").write_text("#define SIZE 4\n")
    (c / "link").symlink_to("far")
    assert _affine(cache, c, "-I", "link") == ("8xf64", False)
    (c / "link").unlink()
    (c / "link").symlink_to("other")
    assert _affine(cache, c, "-I", "link") == ("4xf64", False)


def test_folders_of_the_environment_count(cache: Path, c: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (c / "other" / "size.h").write_text("#define SIZE 4\n")
    for variable in ("CPATH", "C_INCLUDE_PATH"):
        for name, size in (("far", 8), ("other", 4)):
            monkeypatch.setitem(ENVIRONMENT, variable, str(c / name))
            flags = ("-U", variable)
            assert _affine(cache, c, *flags) == (f"{size}xf64", False)
            assert _affine(cache, c, *flags) == (f"{size}xf64", True)
        monkeypatch.delitem(ENVIRONMENT, variable)


def test_the_same_names_in_another_folder_are_other_files(cache: Path, c: Path) -> None:
    assert _affine(cache, c, "-I.", "-Ifar") == ("8xf64", False)
    (c / "other" / "far").mkdir()
    (c / "other" / "far" / "size.h").write_text("#define SIZE 4\n")
    (c / "other" / "f.c").write_text(C)
    assert _affine(cache, c / "other", "-I.", "-Ifar") == ("4xf64", False)


def test_whether_a_header_is_there_counts(cache: Path, c: Path) -> None:
    text = '#if __has_include("more.h")\n#define SIZE 2\n#else\n#define SIZE 3\n#endif\n'
    (c / "far" / "size.h").write_text(text)
    assert _affine(cache, c) == ("3xf64", False) and _affine(cache, c) == ("3xf64", True)
    (c / "near" / "more.h").write_text("")
    assert _affine(cache, c) == ("2xf64", False)


def test_headers_that_flags_name_count(cache: Path, c: Path) -> None:
    (c / "size.h").write_text("")
    (c / "given.h").write_text("#define SIZE 11\n")
    flags = ("-include", "given.h")
    assert _affine(cache, c, *flags) == ("11xf64", False) and _affine(cache, c, *flags) == ("11xf64", True)
    (c / "given.h").write_text("#define SIZE 12\n")
    assert _affine(cache, c, *flags) == ("12xf64", False)


@pytest.mark.parametrize(
    "line",
    ['#define HEADER "size.h"\n#include HEADER', '#include "size.h"\nconst char *at = __TIME__;']
    + ['#define NAMED(x) __has_include(x)\n#include "size.h"'],
)
def test_what_hangs_on_names_that_macros_make_or_on_the_time_is_not_kept(cache: Path, c: Path, line: str) -> None:
    (c / "f.c").write_text(C.replace('#include "size.h"', line))
    assert _affine(cache, c) == ("8xf64", False)
    assert _affine(cache, c) == ("8xf64", False)


@pytest.mark.parametrize(
    "line", ['# /* a */ include "size.h"', '#inc\\\nlude "size.h"', '%:include "size.h"', "#include <size.h>"]
)
def test_an_inclusion_is_found_however_it_is_written(cache: Path, c: Path, line: str) -> None:
    (c / "f.c").write_text(C.replace('#include "size.h"', line))
    assert _affine(cache, c) == ("8xf64", False)
    (c / "near" / "size.h").write_text("#define SIZE 7\n")
    assert _affine(cache, c) == ("7xf64", False)


def test_what_came_during_the_run_may_not_be_what_was_read(c: Path) -> None:
    def seen() -> dict[str, str] | None:
        found: list[dict[str, str] | None] = []
        convert(C, str(c / "f.c"), COptions(include_dirs=(str(c / "near"), str(c / "far"))), found.append)
        return found[0]

    (c / "near" / "size.h").write_text("#define SIZE 7\n")
    (c / "far" / "size.h").write_text("#define SIZE 9\n")  # which is not read, but might have been, had it come before
    assert seen() is None
    time.sleep(0.1)
    found = seen()
    assert found is not None and found[str(c / "f.c").replace("f.c", "size.h")] == ""
    assert found[str(c / "near" / "size.h")] != found[str(c / "far" / "size.h")] != ""


def test_c_on_standard_input_has_its_headers_in_the_folder_of_the_call(cache: Path, c: Path) -> None:
    (c / "size.h").write_text("#define SIZE 8\n")
    for size in (8, 9):
        (c / "size.h").write_text(f"#define SIZE {size}\n")
        for kept in (False, True):
            text, found = _run(cache, "-", "-x", "c", "--emit", "affine", given=C, cwd=c)
            assert f"memref<{size}xf64>" in text and found is kept


def test_cplusplus_and_python_are_kept(cache: Path, c: Path) -> None:
    (c / "f.cpp").write_text(C.replace("#include", "#include <vector>\n#include"))
    assert _affine(cache, c, file="f.cpp") == ("8xf64", False) and _affine(cache, c, file="f.cpp") == ("8xf64", True)
    (c / "f.py").write_text("def f(x: 'float64[4]'):\n    for i in range(4):\n        x[i] = 2 * x[i]\n")
    assert _affine(cache, c, file="f.py") == ("4xf64", False) and _affine(cache, c, file="f.py") == ("4xf64", True)


def test_compiled_code_is_kept_with_its_headers(cache: Path, c: Path) -> None:
    def compiled(*options: str) -> tuple[bytes, str]:
        environment = ENVIRONMENT | {"RAISE_CACHE": str(cache)}
        done = command("raising.commands.compile_command", ["f.c", *FOLDERS, *options], b"", c, environment)
        assert done.returncode == 0, done.stderr
        return (c / "f.so").read_bytes(), done.stderr + (c / "f.h").read_text()

    usual = ("-o", "f.so", "--header", "f.h")
    first = compiled(*usual)
    (entry,) = (cache / "answers").iterdir()
    at = entry.stat().st_mtime_ns
    assert first[0].startswith(b"\x7fELF") and "raised" in first[1] and "scale" in first[1]
    assert compiled(*usual) == first and entry.stat().st_mtime_ns == at
    assert compiled("-o", "f.so", "--header", "f.h", "--fp", "strict")[0] and entry.stat().st_mtime_ns == at
    (c / "far" / "size.h").write_text("#define SIZE 9\n")
    assert compiled(*usual) != first and entry.stat().st_mtime_ns != at


def test_processes_share_a_cache(cache: Path) -> None:
    environment = ENVIRONMENT | {"RAISE_CACHE": str(cache)}
    started = [
        subprocess.Popen([*COMMAND, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True)
        for _ in range(3)
    ]
    texts = [process.communicate(SCALE, timeout=120)[0] for process in started]
    assert len(set(texts)) == 1 and "linalg.mul" in texts[0]
    assert _scale(cache)[1] and _entry(cache)


def test_a_folder_that_cannot_be_written_is_no_error(cache: Path) -> None:
    (cache / "file").write_text("")
    assert "linalg.mul" in run("-", given=SCALE, cache=cache / "file").stdout
