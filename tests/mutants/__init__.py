"""Wrong programs by the thousand: what no check may accept.

`edits` makes them, `brute` decides by itself which of them are wrong, `judge`
holds the two against a check.
"""
