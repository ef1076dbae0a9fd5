"""The pages as a site: every link leads somewhere, every page is listed, and the reference names what there is."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
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
