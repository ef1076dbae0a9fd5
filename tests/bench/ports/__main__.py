"""Checks all pairs, or those whose titles are given, and writes `results/ports.json`."""

from __future__ import annotations

import sys
from functools import partial

from raising.support.isolate import Finished, run_isolated
from tests.bench.ports.compare import compared, pairs
from tests.bench.record import write

COMMAND = "python -m tests.bench.ports"
MEMORY = 4 << 30
SECONDS = 120.0


def main() -> int:
    """1 if an answer is wrong: a right port refuted, or a wrong one proved."""
    rows, wrong = [], 0
    for pair in pairs():
        if sys.argv[1:] and pair.title not in sys.argv[1:]:
            continue
        found = run_isolated(partial(compared, pair), timeout=SECONDS, extra_bytes=MEMORY)
        answer, said = found.value if isinstance(found, Finished) else ("unknown", found.reason)
        good = answer.startswith("proved") if pair.right else answer == "refuted"
        bad = answer == "refuted" if pair.right else answer.startswith(("proved", "bounded", "tested"))
        wrong += bad
        rows.append({"pair": pair.title, "right": pair.right, "answer": answer, "said": said.splitlines()[0]})
        if not good or sys.argv[1:]:
            print(f"{'WRONG ' * bad}{pair.title}: {answer}: {said}", flush=True)
    right, others = ([r for r in rows if r["right"] is kind] for kind in (True, False))
    summary = {
        "right": len(right),
        "proved for all sizes": sum(r["answer"] == "proved-all-sizes" for r in right),
        "wrong": len(others),
        "refuted": sum(r["answer"] == "refuted" for r in others),
    }
    print(summary)
    if not sys.argv[1:]:
        write("ports", COMMAND, rows, summary)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
