"""The child process that does what the page asks for: a request in JSON comes in, an answer goes out.

`python -m raising.explore.worker`: it ends with its parent, and the parent ends it after a time.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from raising.support.fork import die_with_parent


def answered(request: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request: `do` says what, `question` has fields of `raising.explore.study.Question`."""
    from raising.explore.study import Question, study

    given = request["question"]
    question = Question(**{**given, "flags": tuple(given.get("flags", ()))})
    match request["do"]:
        case "study":
            return study(question)
        case "compare":
            from raising.explore.compare_edited import compared

            before = Question(**{**given, "flags": question.flags, "text": str(request["before"])})
            return compared(before, question, str(request["function"]))
        case "measure":
            from raising.explore.measure import measured

            sizes = {str(name): int(value) for name, value in request["sizes"].items()}
            return measured(question, str(request["function"]), sizes)
    raise ValueError(f"nothing is known to do as '{request['do']}'")


def main() -> int:
    """Answer one request."""
    die_with_parent(os.getppid())
    request = json.load(sys.stdin)
    answer = json.dumps(answered(request))
    sys.stdout.write(answer)
    return 0


if __name__ == "__main__":
    sys.exit(main())
