"""For the site: links to files of the repository, which the site does not have, become their text.

The page of rooms is made here of the rooms' docstrings, so that it lists what there is.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path, PurePosixPath
from typing import Any

_LINK = re.compile(r"\[([^\]]*)\]\((?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?\)")


STAGES = ("frontend", "affine", "grammar", "synth", "driver", "validate", "eqsat", "native", "polybench", "support")
ROOMS = "<!-- rooms -->"
"""Where a page has the inventory of rooms."""


def inventory(root: Path) -> str:
    """A section for each room of each stage: its docstring, which says what comes in, what goes out, and its files."""
    rooms = [room for stage in STAGES for room in sorted((root / stage).rglob("__init__.py"))]
    told = [(path.parent.relative_to(root), ast.get_docstring(ast.parse(path.read_text())) or "") for path in rooms]
    return "\n\n".join(f"{'#' * (1 + len(name.parts))} {name}/\n\n{text}" for name, text in told)


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """The text of a page without links that leave the folder of pages for a file that is there."""
    folder = Path(config["docs_dir"])
    markdown = markdown.replace(ROOMS, inventory(folder.parent)) if ROOMS in markdown else markdown
    here = folder / PurePosixPath(page.file.src_uri).parent

    def without(found: re.Match[str]) -> str:
        to = (here / found[2]).resolve()
        return found[1] if to.exists() and not to.is_relative_to(folder.resolve()) else found[0]

    return _LINK.sub(without, markdown)
