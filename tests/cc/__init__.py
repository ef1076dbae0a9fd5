"""`raise-cc`: programs built with it do what they do with gcc. `functions.c` is raised, `calls.c` calls it, also in
ways in which what raising assumes does not hold."""
