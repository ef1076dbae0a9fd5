"""Do two texts compute the same? As `raise-check` answers it, with the numbers that show a difference."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from raising.commands.check_worker import Question as Asked
from raising.commands.check_worker import answer
from raising.commands.languages import converted, language_of
from raising.explore.study import Question
from raising.support.cli_options import MEMORY, isolated
from raising.support.isolate import Finished


def compared(one: Question, other: Question, name: str) -> dict[str, Any]:
    """The verdict on function `name` of two texts, the first of which is the source; `error` if there is none."""
    end = time.monotonic() + one.timeout
    texts = []
    for question in (one, other):
        data = question.text.encode()
        if language_of(question.arguments) != "mlir":
            read = converted(data, question.file, question.arguments)
            if read.error:
                return {"error": read.error}
            data = read.text.encode()
        texts.append(data)
    left = max(1.0, end - time.monotonic())
    asked = Asked((texts[0], texts[1]), (one.file, other.file), (name, name), "proved-all-sizes", (), (), left)
    found = isolated(partial(answer, asked), left + 1.5, MEMORY)
    if not isinstance(found, Finished):
        return {"error": f"comparing {found.reason}"}
    said = found.value
    return {"error": said.error, "level": said.level, "text": said.text, **said.details}
