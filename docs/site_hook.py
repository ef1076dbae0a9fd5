"""For the site: links to files of the repository, which the site does not have, become their text."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import Any

_LINK = re.compile(r"\[([^\]]*)\]\((?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?\)")


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """The text of a page without links that leave the folder of pages for a file that is there."""
    folder = Path(config["docs_dir"])
    here = folder / PurePosixPath(page.file.src_uri).parent

    def without(found: re.Match[str]) -> str:
        to = (here / found[2]).resolve()
        return found[1] if to.exists() and not to.is_relative_to(folder.resolve()) else found[0]

    return _LINK.sub(without, markdown)
