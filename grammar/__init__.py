"""What can be said: dialect definitions as productions, their meaning, and how terms are built from them."""
