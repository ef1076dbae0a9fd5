"""`raise-explore`: what a page knows of a file, who the server answers, and the page in a browser."""
