"""The commands, and what they do in child processes.

Arguments of a command line come in; files, standard output, remarks and an exit status go out. The parent imports only
the standard library, so that `--help` is immediate; the work is done in a forked child, so that a crash in native code
becomes an exit status and a message.

- `raise_task` is one call of `raise` as a value (`Task`), and what became of it (`Outcome`).
- `languages` converts C and Python input in a child, for all commands that read them.
- `split_input` divides a file of MLIR at `// -----`, for all commands.
- `raise_command` is `raise`.
- `kept_answers` keeps answers on disk, and gives them again as long as nothing that they hang on has changed.
- `raise_worker` raises a module in the child of `raise`.
- `preload` imports heavy modules in the quickest order.
- `check_command` is `raise-check`.
- `check_worker` resolves names, runs the check and writes the answer, in the child of `raise-check`.
- `opt_command` is `raise-opt`.
- `compile_command` is `raise-compile`.
- `compile_worker` raises, optimises and compiles in the child of `raise-compile`.
- `served` asks a process that is ready to do a command; `serving` is that process (`raise --serve`).
"""
