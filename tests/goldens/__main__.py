"""`python -m tests.goldens FILE ...`: the output of each `RUN:` line, to write `CHECK:` lines by."""

import sys
from pathlib import Path

from tests.goldens.tools import outputs

for name in sys.argv[1:]:
    for line, output in outputs(Path(name)):
        print(f"==== {name}: {line.tool} {' '.join(option for option, _ in line.options)}", output, sep="\n")
