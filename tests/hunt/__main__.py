"""The command; see `--help`."""

import sys

from tests.hunt.command import main

sys.exit(main())
