"""The pages as a site: every link leads somewhere, every page is listed, and the reference names what there is."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MISSING = [name for name in ("material", "mkdocs", "mkdocstrings") if importlib.util.find_spec(name) is None]


@pytest.mark.skipif(bool(MISSING), reason="the extra `docs` is not installed")
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    told = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=told, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "WARNING" not in done.stderr, done.stderr
    for page in ("start/c", "start/python", "start/mlir", "compare", "theory"):
        assert "<h1" in (tmp_path / "site" / page / "index.html").read_text()
    reference = (tmp_path / "site" / "reference" / "index.html").read_text()
    assert all(f'id="raising.{name}"' in reference for name in ("jit", "raise_module", "compile"))


def test_the_walk_names_files_that_gemm_passes_in_order() -> None:
    """Every file is there, and the walk goes from C to machine code."""
    files = re.findall(r"^\| \[`([\w/]+\.py)`\]\(\.\./([^)]*)\)", (ROOT / "docs" / "walk.md").read_text(), re.MULTILINE)
    assert len(files) > 40
    assert [name for name, link in files if name != link or not (ROOT / name).is_file()] == []
    assert [name for name, _ in files[:1] + files[-1:]] == ["frontend/c/read_c.py", "native/codegen/objects.py"]


def test_the_tour_fits_on_two_pages() -> None:
    assert len((ROOT / "docs" / "index.md").read_text().splitlines()) <= 150


def test_the_page_of_rooms_lists_every_room() -> None:
    hook = importlib.util.spec_from_file_location("site_hook", ROOT / "docs" / "site_hook.py")
    assert hook is not None and hook.loader is not None
    module = importlib.util.module_from_spec(hook)
    hook.loader.exec_module(module)
    listed = re.findall(r"^#+ ([\w/]+)/$", module.inventory(ROOT), re.MULTILINE)
    rooms = {
        str(path.parent.relative_to(ROOT)) for stage in module.STAGES for path in (ROOT / stage).rglob("__init__.py")
    }
    assert set(listed) == rooms and len(rooms) > 80
