"""All tests: garbage is looked for as rarely as in the commands, which took a fifth of the processor time."""

from raising.commands.preload import collect_rarely

collect_rarely()
