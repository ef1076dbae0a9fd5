"""C functions compiled by gcc, and beside them what the front end makes of them."""
