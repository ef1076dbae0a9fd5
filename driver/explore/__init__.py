"""The command `raise-explore`: a page that shows what raising made of a file, line by line.

The text of a file comes in; a study of it, in JSON, is what the page shows, whether a server sends it or a file has it.

- `explore_command` is the command: it writes the page to a file, or serves it.
- `server` serves the page to the one browser that was started, and passes on what the page sends.
- `worker` is the child process in which everything is done that the page asks for.
- `study` reads, raises, optimises and compiles a text, and collects what there is to say.
- `listing` makes lines with links of MLIR with locations and of assembly with debug information.
- `measure` runs a function of the file beside what the C compiler makes of it.
- `compare_edited` says whether two texts compute the same, or shows the numbers at which they do not.
- `page_of_study` puts the page together from `page.css` and `page.js`.
"""
