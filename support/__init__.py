"""What every stage uses and no stage owns: errors, files, child processes, caches.

Nothing in here knows programs, tensors or grammars. All files beside the rooms but `element_types` import the standard
library only, since `raise --help` and results from the cache must not wait for anything heavy.

- `record` provides `dataclass`, like the standard one but quicker to create.
- `source` defines `Loc`, a location in the file that a user wrote, and finds names that are not used in it.
- `errors` defines the errors of an input as a whole: `InputError`, `OutOfTime`.
- `start` is where the commands start, before anything but `signal` is imported.
- `streams` ends a command, also after a signal or with closed streams.
- `cli_options` has the options and exit statuses that the commands share.
- `files` reads whole inputs and writes whole outputs, or none.
- `cache` keeps on disk what was computed, by the hash of what it was computed from.
- `versions` tells versions of the program, of packages and of the machine apart.
- `fork` starts a child process with limits, takes what it sends, and sees to it that it ends.
- `isolate` runs a function in a forked child with limits, or in a new interpreter; a crash becomes a value.
- `look` has the colours of our pages.
- `graphs` orders graphs: components, postorder.
- `element_types` lists the element types that native code takes, as NumPy and C have them, and describes arrays to it.
- `llvm/` makes LLVM's text of functions of our own: the loops of the field, the pool of threads.
- `mlir/` holds helpers on MLIR modules.
"""
