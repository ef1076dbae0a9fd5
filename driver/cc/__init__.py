"""`raise-cc`: a compiler driver that replaces functions and loops that raise by their raised machine code.

The command line of a C compiler comes in; what the compiler makes of it goes out, where an object file may have raised
code in it. The user's text is never changed: the edited text is a preprocessed copy in a folder of its own. Whatever
goes wrong in here, what the compiler alone has made stands.

- `cc_command` is the command: it runs the compiler, and puts better objects in place of the compiler's.
- `command_line` says what a command line compiles, or why it is left to the compiler.
- `response_files` writes `@FILE` out.
- `choice_of_compiler` finds the compiler, and becomes it where no file of C is compiled.
- `system_compiler` runs the compiler.
- `plan` is what is known of one file to compile: its command lines, its options and its key in the cache.
- `one_file` is the way of one file: preprocess, compile, raise, compile the edited text, join.
- `raise_file` makes raised code of a preprocessed file, in a child process; `choice` says which functions are taken,
  and `iterations` how often their loops run.
- `module_for_c` prepares the raised module: names, tests, variables.
- `edited_text` puts calls of raised code into the preprocessed text, each behind its test.
- `kept_objects` keeps objects by the content of what they were made from.
- `raise_report` writes what was done to each function.
"""
